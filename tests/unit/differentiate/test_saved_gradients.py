"""Gradients that were saved and loaded give what they gave before."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten
from tests.support.alarm import alarm
from tests.support.amount import ALL
from tests.support.user_programs import PROGRAMS
from tests.unit.differentiate.test_user_programs import PATIENCE, REFUSED, name_of, numbers

REFUSALS = "which a file cannot hold|is not in the file"
CHOSEN = [x for x in PROGRAMS if name_of(x) in ("weak_scalars", "knapsack_soft", "hmm_lists") or (
    ALL and name_of(x) not in REFUSED)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", CHOSEN, ids=name_of)
def test_users_programs(program: Any, tmp_path: Path) -> None:
    f, *args = program
    gradient: Any = ag.function(ag.value_and_grad(f, numbers(tuple(args))))
    with alarm(PATIENCE), np.errstate(all="ignore"):
        wanted = gradient(*copy.deepcopy(args))
        try:
            ag.save(tmp_path / "f.agz", gradient, tuple(copy.deepcopy(args)))
        except ag.errors.SaveError as error:
            if not ALL:
                raise
            assert any(part in str(error) for part in REFUSALS.split("|"))
            return
        found = ag.load(tmp_path / "f.agz")(*copy.deepcopy(args))
    for x, y in zip(flatten(found), flatten(wanted), strict=True):
        assert type(x) is type(y)
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("base", [2, 2.5])
def test_constant_powers_stay_floats(base: float, tmp_path: Path) -> None:
    """Of two constants, as of one, a file says that the power is a float."""
    def f(k: Any) -> Any:
        return base ** k * k

    gradient: Any = ag.function(ag.grad(f))
    ag.save(tmp_path / "f.agz", gradient, (3.0,))
    assert ag.load(tmp_path / "f.agz")(3.0) == pytest.approx(gradient(3.0), nan_ok=True)
