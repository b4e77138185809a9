"""Gradients of users' programs as machine code: what the same graph gives over NumPy alone, but for
the last bits of some sums.

Four run by default: two whose kernels were once called before what they use, and two that have to
have the same bits: their loops kept a transposed matrix as rows of an array, so that a product had
others. AUTOGRAPH_TESTS=1000 runs all.
"""

import copy
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten
from tests.support.alarm import alarm
from tests.support.amount import ALL
from tests.support.slopes import is_float
from tests.support.user_programs import PROGRAMS
from tests.unit.differentiate.test_user_programs import PATIENCE, REFUSED, name_of, numbers

pytest.importorskip("llvmlite", reason="compiles")
EXACT = ("inverse_kinematics", "kalman_joseph")
CHOSEN = [x for x in PROGRAMS if name_of(x) in ("gpt_loss", "laplace_approx", *EXACT) or (
    ALL and name_of(x) not in REFUSED)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", CHOSEN, ids=name_of)
def test_as_over_numpy(program: Any) -> None:
    f, *args = program
    gradient: Any = ag.value_and_grad(f, numbers(tuple(args)))
    with alarm(PATIENCE), np.errstate(all="ignore"):
        found, wanted = (ag.function(gradient, jit_compile=native)(*copy.deepcopy(args))
                         for native in (True, False))
    for x, y in zip(flatten(found), flatten(wanted), strict=True):
        assert type(x) is type(y)
        if is_float(x):
            assert np.shape(x) == np.shape(y)
            assert np.result_type(x) == np.result_type(y)
            tolerance = {"rtol": 0} if name_of(program) in EXACT else {"rtol": 1e-10, "atol": 1e-13}
            np.testing.assert_allclose(x, y, **tolerance)
