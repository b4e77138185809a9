"""Tests by package: `tests/unit/ops/` holds the tests of `runtime/ops/`, and so on."""
