"""NumPy's functions with what they require given by keyword: np.transpose(a=x)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops import OPS, Op, by_function
from tests.support.outcome import run


def required(function: Callable[..., Any]) -> list[str]:
    """The names of the parameters that have to be given, and may be given by keyword."""
    try:
        found = inspect.signature(function).parameters.values()
    except ValueError:
        return []
    return [p.name for p in found if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


def by_keyword(op: Op, function: Callable[..., Any]) -> list[dict[str, Any]]:
    """The samples of an op, all of what is required given by keyword."""
    names = required(function)
    return [{**dict(zip(names, args, strict=False)), **kwargs}
            for args, kwargs in op.samples if len(args) == len(names) > 0
            and any(isinstance(a, np.ndarray) for a in args)]


CALLS = {f"{op.name} {number}": (function, kwargs)
         for function, op in by_function.items() if not isinstance(function, np.ufunc)
         for number, kwargs in enumerate(by_keyword(op, function))}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_required_may_be_given_by_keyword(name: str) -> None:
    function, kwargs = CALLS[name]
    arrays = {key: x for key, x in kwargs.items() if isinstance(x, np.ndarray)}
    others = {key: x for key, x in kwargs.items() if key not in arrays}

    def called(given: dict[str, Any]) -> Any:
        return function(**given, **others)

    assert run(ag.function(called), (arrays,)).describe() == run(called, (arrays,)).describe()


def test_there_are_views_among_them() -> None:
    assert {op.name for op in OPS.values() if op.view} & {name.split()[0] for name in CALLS} >= {
        "squeeze", "ravel", "flip", "expand_dims"}
