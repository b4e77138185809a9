"""Reductions with `initial=` and `where=`, by those without."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.export.onnx.builder import T
from autograph.runtime.export.onnx.lowering import OnnxLowering
from autograph.runtime.export.onnx.reductions import Rule, reduced_axes
from autograph.runtime.export.sites import Site
from autograph.runtime.ops import OPS, by_function


def started(rule: Rule) -> Rule:
    """Returns the rule of a reduction with `initial=` and `where=`, given that without them."""
    def found(lw: OnnxLowering, site: Site) -> Any:
        kwargs = dict.copy(site.kwargs)
        start, mask = kwargs.pop("initial", np._NoValue), kwargs.pop("where", True)
        if (start is np._NoValue and mask is True) or site.op.reduction is None or (
                site.op.reduction.mean):
            return rule(lw, site)
        x, ufunc = lw.tensor(site.args[0]), site.op.reduction.ufunc
        neutral = start if ufunc.identity is None and start is not np._NoValue else ufunc.identity
        if neutral is None:
            lw.refuse("where= without initial=")
        if mask is not True:
            x = lw.apply(OPS["where"], (mask, x, neutral), {})
        if ufunc.identity is None and not (x.is_static and all(x.shape)):
            x = lengthened(lw, site, x, kwargs, neutral)
        made = lw.apply(site.op, (x, *site.args[1:]), kwargs)
        site.kwargs.unread.clear()
        if start is np._NoValue:
            return made
        return lw.apply(by_function[ufunc], (made, lw.tensor(start, made.dtype)), {})

    return found


def lengthened(lw: OnnxLowering, site: Site, x: T, kwargs: dict[str, Any], neutral: Any) -> T:
    """Returns an array with an element that changes no result, so that it is not empty."""
    axes = reduced_axes(lw, x, kwargs.get("axis", *site.args[1:2] or (None,)))
    if len(axes) != 1:
        lw.refuse("initial= or where= of several axes of an array that may be empty",
                  hint="reduce x.ravel(), or one axis after the other")
    along = lw.apply(OPS["count_nonzero"], (x, axes[0]), {"keepdims": True})
    one = lw.cast(lw.apply(OPS["full_like"], (along, neutral), {"dtype": x.dtype}))
    made: T = lw.apply(OPS["concatenate"], ((x, one), axes[0]), {})
    return made
