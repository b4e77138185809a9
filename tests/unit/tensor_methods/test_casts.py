"""Casts of arrays whose dtype only the run knows."""

from typing import Any

import numpy as np

import autograph as ag
from tests.support.outcome import run


def test_astype_without_a_copy_casts_what_may_be_of_another_dtype() -> None:
    def f(x: Any, n: Any) -> Any:
        z = x if x[0] > n else x.astype(np.float32)
        return z.astype(np.float64, copy=False)

    compiled = ag.function(f)
    for n in (0.0, 3.0):
        given = np.array([1.0, 2.0]), np.float64(n)
        assert run(compiled, given).describe() == run(f, given).describe()
