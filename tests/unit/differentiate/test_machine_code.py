"""Gradients of users' programs as machine code: what the same graph gives over NumPy alone, but for
the last bits of products, whose factors machine code may keep in another order.

Two run by default, whose kernels were once called before what they use; AUTOGRAPH_TESTS=1000 runs
all.
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
CHOSEN = [x for x in PROGRAMS if name_of(x) in ("gpt_loss", "laplace_approx") or (
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
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-13)
