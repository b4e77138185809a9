"""CPython's own test suites, run against converted modules of its standard library."""
