"""Python source and its trees: find, parse, check, build."""
