"""A plugin of pytest that runs tests in a random order: a test that fails then depends on another.

    python -m pytest -p tests.support.random_order --seed 7 tests/unit
"""

from collections import defaultdict
from random import Random

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=0, help="the seed of the random order")


def pytest_report_header(config: pytest.Config) -> str:
    return f"random order, seed {config.getoption('--seed')}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffles the files, and the tests of each; the blocks of a page stay in order."""
    random, files = Random(config.getoption("--seed")), defaultdict(list)
    for item in items:
        files[item.path].append(item)
    for path, found in files.items():
        if path.suffix != ".md":
            random.shuffle(found)
    order = list(files.values())
    random.shuffle(order)
    items[:] = [item for found in order for item in found]
