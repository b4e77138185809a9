"""Random programs by reference and by value give the same, and leave the same in their arguments.

AUTOGRAPH_BY_VALUE says how many are tried.
"""

from collections import Counter
from random import Random

import numpy as np

from autograph.runtime.references.targets import NotByValue
from tests.random.exported import Exported, arguments
from tests.random.numeric_programs import Program
from tests.random.test_numeric_programs import load
from tests.support.amount import seeds
from tests.support.by_reference import check_by_value

SEEDS = seeds(6)


def test_arrays_of_each_dtype() -> None:
    for seed in SEEDS:
        f = load(Exported(Random(seed)).source(), f"<by value {seed}>")
        for args in list(arguments())[seed % 5::5]:
            check_by_value(f, args)


def test_lists_and_exceptions() -> None:
    fates: Counter[str] = Counter()
    for seed in SEEDS:
        f = load(Program(Random(seed)).source(), f"<by value {seed}>")
        try:
            check_by_value(f, (np.int64(3), np.float64(2.5), np.array([3.0, 1.0, 4.0])))
        except NotByValue:
            fates["refused"] += 1
        else:
            fates["same"] += 1
    assert fates["same"] > len(SEEDS) / 4  # the others change lists
