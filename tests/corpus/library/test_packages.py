"""Programs that call other packages as people do, plainly and traced, in both modes.

Each public function of the modules in `packages/` is a program; it is called with the argument sets
of its module's `SETS`, or with three arrays. A module whose package is not installed is skipped.
"""

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.support.beside_plain import Arguments, verdict

Fn = Callable[..., Any]

NEEDS = {"plain_python": (), "compared_objects": (), "scripts": (), "frames": ("pandas",),
         "tables": ("pandas", "scipy"), "analyses": ("scipy", "sklearn"),
         "estimators": ("sklearn",),
         "numerics": ("scipy",), "sparse": ("scipy",), "models": ("statsmodels", "pandas"),
         "images": ("skimage", "pywt"), "networks": ("networkx", "scipy"),
         "small_packages": ("attrs", "bottleneck", "jinja2", "lmfit", "more_itertools", "mpmath",
                            "numexpr", "shapely", "sympy", "toolz", "uncertainties", "xarray")}
"""Module of programs -> the packages that they call."""

ARRAYS = [np.array(v) for v in ([1.0, -2.0, 3.0, 0.5, 4.0, 2.5], [-1.0, 2.0, 5.0, -0.5, 0.25, 1.5],
                                [4.0, 4.0, 0.0, -3.0, 1.0, 2.0])]


def programs_of(module: ModuleType) -> Iterator[tuple[Fn, list[Arguments]]]:
    """Yields the programs of a module, and their argument sets."""
    for name, f in list(vars(module).items()):
        if isinstance(f, FunctionType) and f.__module__ == module.__name__ and name[0] != "_":
            sets = module.SETS.get(name) or [(x,) for x in ARRAYS]
            yield f, [(tuple(s), {}) for s in sets]


def cases() -> Iterator[Any]:
    for name, packages in NEEDS.items():
        missing = [p for p in packages if importlib.util.find_spec(p) is None]
        if missing:
            skip = pytest.mark.skip(reason=f"not installed: {', '.join(missing)}")
            yield pytest.param(None, [], id=name, marks=skip)
            continue
        for f, sets in programs_of(importlib.import_module(f"{__package__}.packages.{name}")):
            yield pytest.param(f, sets, id=f"{name}-{f.__name__}")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("f", "sets"), tuple(cases()))
def test_agrees(f: Fn, sets: list[Arguments], mode: str) -> None:
    found = verdict(f, sets, mode)
    assert (found.kind, found.calls) == ("same", len(sets) + 1), found


def test_an_object_that_is_an_argument_is_read_in_each_call() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    made, x = sparse.csr_array(np.eye(2)), np.array([1.0, 2.0])
    f = ag.function(lambda a, x: a @ x)
    assert f(made, x).tolist() == [1.0, 2.0]
    made.data *= 3
    assert f(made, x).tolist() == [3.0, 6.0]
