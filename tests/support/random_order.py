"""A plugin of pytest that runs tests in a random order: a test that fails then depends on another.

    python -m pytest -p tests.support.random_order --seed 7 tests/unit
"""

from random import Random

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=0, help="the seed of the random order")


def pytest_report_header(config: pytest.Config) -> str:
    return f"random order, seed {config.getoption('--seed')}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    Random(config.getoption("--seed")).shuffle(items)
