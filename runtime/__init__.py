"""The runtime: symbolic arrays, graphs, and what runs them; it knows nothing of the compiler."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from autograph.extension_points import POINTS


def _later(module: str, name: str) -> Callable[..., Any]:
    """Returns a function of a package of the runtime, which is loaded when it is called."""
    return lambda *args, **options: getattr(import_module(f"{__name__}.{module}"), name)(
        *args, **options)


POINTS.to_text = _later("ir.printer", "to_text")
POINTS.to_dot = _later("drawings.dot", "to_dot")
POINTS.to_html = _later("drawings.html", "document")
POINTS.to_graph_def = _later("drawings.graph_def", "as_graph_def")
POINTS.tensor_named = _later("drawings.graph_def", "tensor_named")
POINTS.reduced = _later("serialize.pickling", "reduced")
POINTS.token = _later("serialize.pickling", "token")
POINTS.to_jax = _later("export.jax", "to_jax")
