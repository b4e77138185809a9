"""Programs as users of JAX, TensorFlow, PyTorch and autograd write them: both modes against
differences of the plain function, types, second derivatives, and tapes.

A sample of them runs by default; AUTOGRAPH_TESTS=1000 runs all.
"""

import copy
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten, map_nest
from tests.support.alarm import Endless, alarm
from tests.support.amount import ALL
from tests.support.slopes import Trial, is_float, leaves
from tests.support.user_programs import PROGRAMS
from tests.unit.differentiate.test_whole_programs import moved

ONE_OF = 12
STEP = 1e-5
PATIENCE = 20.0
CHOSEN = [x for x in PROGRAMS if ALL or not crc32(x[0].__name__.encode()) % ONE_OF]

REFUSED = {
    "dijkstra": "looked up by a key that is known only when the graph runs",  # in forward mode
    "fortran": "an object that is no array is changed while the graph runs",
    "neural_ode_adjoint": "chosen by what only the run knows",  # in forward mode
    "itertools_groups": "known only when the graph runs",
    "polynomials": "numpy.poly1d runs as it is",
}
"""What has no derivative yet, and what the message says."""

FIRST_ORDER = {"dopri5": "chosen by what only the run knows"}
"""What has no second derivative, and what the message says."""


def name_of(x: Any) -> str:
    return x[0].__name__ if isinstance(x, tuple) else ""


def numbers(args: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(k for k, x in enumerate(args) if any(map(is_float, flatten(x))))


def single(args: Any) -> Any:
    """Returns the arguments with arrays of single precision."""
    return map_nest(lambda x: x.astype(np.float32) if isinstance(x, np.ndarray)
                    and x.dtype == np.float64 else x, args)


def forms(nest: Any) -> list[Any]:
    return [(type(x), np.shape(x), np.result_type(x)) for x in flatten(nest) if is_float(x)]


def quietly(f: Callable[..., Any], *args: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        return f(*copy.deepcopy(args))


@pytest.mark.parametrize("program", CHOSEN, ids=name_of)
def test_slopes_and_forms(program: Any) -> None:
    f, *args = program
    with alarm(PATIENCE):
        verdict = Trial(f, tuple(args)).verdict()
    assert verdict.outcome == ("refused" if f.__name__ in REFUSED else "agree"), verdict.told
    assert REFUSED.get(f.__name__, "") in verdict.told
    if f.__name__ in REFUSED:
        return
    check_forms(f, tuple(args), 1e-12)
    with suppress(Endless):  # what single precision never reaches
        check_forms(f, single(tuple(args)), 1e-2)


def check_forms(f: Callable[..., Any], args: tuple[Any, ...], tolerance: float) -> None:
    """Compares the value, and the types of the value and of the gradients."""
    with alarm(PATIENCE):
        value = quietly(f, *args)
        found, gradients = quietly(ag.value_and_grad(f, numbers(args)), *args)
    np.testing.assert_allclose(found, value, rtol=tolerance)
    assert (type(found), np.result_type(found)) == (type(value), np.result_type(value))
    assert forms(gradients) == forms([args[k] for k in numbers(args)])


@pytest.mark.parametrize("program", [x for x in CHOSEN if name_of(x) not in REFUSED], ids=name_of)
def test_second(program: Any) -> None:
    f, *rest = program
    args = tuple(rest)
    direction = Trial(f, args).direction
    gradient = ag.grad(f, numbers(args))
    with alarm(PATIENCE):
        if f.__name__ in FIRST_ORDER:
            with pytest.raises(ag.NotDifferentiable, match=FIRST_ORDER[f.__name__]):
                quietly(lambda *a: ag.jvp(gradient, a, direction), *args)
            return
        _, found = quietly(lambda *a: ag.jvp(gradient, a, direction), *args)
        above, below = (list(leaves(quietly(gradient, *moved(args, direction, step))))
                        for step in (STEP, -STEP))
    for x, a, b in zip(leaves(found), above, below, strict=True):
        wanted = (np.asarray(a) - b) / (2 * STEP)
        scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
        np.testing.assert_allclose(x, wanted, rtol=0, atol=2e-4 * scale)
