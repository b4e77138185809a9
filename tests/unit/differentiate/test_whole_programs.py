"""Whole programs in many styles, decorated and not: both modes against differences of the plain
function, and second derivatives against differences of the first ones.

A sample of them runs by default; AUTOGRAPH_TESTS=1000 runs all.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import flatten, map_nest
from tests.support.amount import ALL
from tests.support.slopes import Trial, is_float, leaves
from tests.support.whole_programs import PROGRAMS

ONE_OF = 6
STEP = 1e-5
CHOSEN = [x for x in PROGRAMS if ALL
          or not crc32(x[0].__name__.encode()) % ONE_OF]

CAUGHT = "cannot be entered while its derivative is computed"
REFUSED = {
    "tries": CAUGHT, "tries_in_loop": CAUGHT,
    "beam": "an object that is no array is changed while the graph runs",
}
"""What has no derivative, and what the message says."""

FIRST_ORDER = {
    "bisect": "",  # its stop_gradient leaves the first derivative only
    "lu_hand": "chosen by what only the run knows",
    "lotka": "chosen by what only the run knows",
    "mixed32": "",  # its derivatives have single precision, of which differences say too little
}
"""What has no second derivative, and what the message says."""


def number_of(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that makes one number of the floats in another one's result."""
    def total(*args: Any) -> Any:
        made = 0.0
        for y in flatten(f(*args)):
            if not (isinstance(y, (str, int)) or y is None):
                made = made + np.sum(np.sin(np.real(y)))
                if np.iscomplexobj(y):
                    made = made + np.sum(np.sin(np.imag(y)))
        return made

    return total


def moved(args: Any, direction: Any, step: float) -> Any:
    """Returns the arguments with their floats moved along a direction."""
    moves: Iterator[Any] = iter(list(flatten(direction)))

    def leaf(x: Any) -> Any:
        t = next(moves)
        if not is_float(x):
            return x
        made = np.asarray(x + step * t).astype(np.result_type(x))
        return made if isinstance(x, np.ndarray) else type(x)(made)

    return map_nest(leaf, args)


@pytest.mark.parametrize("form", ["plain", "decorated"])
@pytest.mark.parametrize(("f", "args"), CHOSEN, ids=lambda x: getattr(x, "__name__", ""))
def test_first(f: Callable[..., Any], args: tuple[Any, ...], form: str) -> None:
    verdict = Trial(f if form == "plain" else ag.function(f), args).verdict()
    wanted = "refused" if f.__name__ in REFUSED else (
        "no slope" if f.__name__ == "mixed32" else "agree")
    assert verdict.outcome == wanted, verdict.told
    assert REFUSED.get(f.__name__, "") in verdict.told


@pytest.mark.parametrize(("f", "args"), [x for x in CHOSEN if x[0].__name__ not in REFUSED],
                         ids=lambda x: getattr(x, "__name__", ""))
def test_second(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    direction = Trial(f, args).direction
    gradient = ag.grad(number_of(f), tuple(
        k for k, x in enumerate(args) if any(map(is_float, flatten(x)))))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if f.__name__ in FIRST_ORDER:
            if FIRST_ORDER[f.__name__]:
                with pytest.raises(ag.NotDifferentiable, match=FIRST_ORDER[f.__name__]):
                    ag.jvp(gradient, args, direction)
            return
        _, found = ag.jvp(gradient, args, direction)
        above, below = (list(leaves(gradient(*moved(args, direction, step))))
                        for step in (STEP, -STEP))
    for x, a, b in zip(leaves(found), above, below, strict=True):
        np.testing.assert_allclose(x, (a - b) / (2 * STEP), rtol=1e-4, atol=1e-4)
