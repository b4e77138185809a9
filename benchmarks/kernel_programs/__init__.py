"""Whole kernels as users write them in plain NumPy, by field, and the data that each runs on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Kernel:
    """A plain function, and what makes its arguments from a generator of random numbers."""

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]


KERNELS: dict[str, Kernel] = {}


def on(arguments: Callable[[np.random.Generator], tuple[Any, ...]]) -> Callable[..., Any]:
    """Returns a decorator that enters a function, with its arguments, among the kernels."""
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        KERNELS[function.__name__] = Kernel(function, arguments)
        return function
    return enter
