"""Derivative rules of random draws: the pathwise derivative by location and scale.

A draw of these distributions is a function of its parameters and of a draw that has none:
`rng.normal(loc, scale)` is `loc + scale * e`. The derivative is that of this function, at the
draw that was made. Draws of other distributions are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.runtime.ops.derivatives import Derivative, Formula, NotDifferentiableHere, Refused

Partial = Callable[..., Any]


def _one(z: Any, *parameters: Any) -> Any:
    return 1.0


def _standardised(z: Any, loc: Any, scale: Any) -> Any:
    return (z - loc) / scale


LOCATION_SCALE = ((("loc", 0.0), _one), (("scale", 1.0), _standardised))
SCALED = ((("scale", 1.0), lambda z, scale: z / scale),)

PATHWISE: dict[str, tuple[tuple[tuple[str, Any], Partial], ...]] = {
    "normal": LOCATION_SCALE, "laplace": LOCATION_SCALE, "logistic": LOCATION_SCALE,
    "gumbel": LOCATION_SCALE, "exponential": SCALED, "rayleigh": SCALED,
    "uniform": ((("low", 0.0), lambda z, low, high: (high - z) / (high - low)),
                (("high", 1.0), lambda z, low, high: (z - low) / (high - low))),
    "lognormal": ((("mean", 0.0), lambda z, mean, sigma: z),
                  (("sigma", 1.0), lambda z, mean, sigma: z * (np.log(z) - mean) / sigma)),
}
"""By the name of a distribution: its parameters with their defaults, and the partials by them."""


def _draw(g: Any, z: Any, generator: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    name = method.partition(".")[2]
    if name not in PATHWISE:
        raise NotDifferentiableHere(
            f"a draw of {name!r} has no derivative by its parameters; {', '.join(PATHWISE)} have")
    rows = PATHWISE[name]
    parameters = [args[k] if k < len(args) else kwargs.get(key, default)
                  for k, ((key, default), _) in enumerate(rows)]
    found = [g * partial(z, *parameters) for _, partial in rows]
    named = {key: part for ((key, _), _), part in zip(rows, found, strict=True) if key in kwargs}
    return [None, None, *found[:len(args)], *[None] * (len(args) - len(found)), named]


RULES: dict[str, Derivative] = {
    "draw": Formula(_draw, pads=False),
    "drawn_into": Refused("a shuffled array has no rule; index it with rng.permutation(len(x))"),
}
