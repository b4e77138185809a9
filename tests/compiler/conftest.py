"""Adds `--update-golden`, which rewrites the expectations in tests/golden."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true",
                     help="rewrite tests/golden/*.test with what the compiler makes now")
