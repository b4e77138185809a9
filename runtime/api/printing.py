"""`ag.print`: prints every time a graph runs, in program order."""

from __future__ import annotations

from typing import Any

from autograph.runtime.ir.pytree import children
from autograph.runtime.ops.printing_and_checks import print_values
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.runtime.symbolic.variables import Variable


def print(*inputs: Any, sep: str = " ", end: str = "\n", output_stream: Any = None,
          summarize: int = 3) -> None:
    """Prints values; in a traced function, each time the graph runs, in program order.

    Args:
      inputs: arrays, variables, numbers, strings, and lists, tuples, dicts of them.
      sep: what stands between values.
      end: what stands after the last one.
      output_stream: a stream (the default is `sys.stdout`), `"file://PATH"`, or a function that
        takes the text.
      summarize: how many first and last items of a longer array are shown; -1 for all of it.

    >>> print("x:", [1, "a"], sep=" ")
    x: [1, 'a']
    """
    options: Any = {"sep": sep, "end": end, "output_stream": output_stream, "summarize": summarize}
    values = [plain(x) for x in inputs]
    if trace.tracing():
        apply("print_values", *values, **options)
    else:
        print_values(*values, **options)


def plain(x: Any) -> Any:
    """Returns a nest of Python's own containers, with variables replaced by what they hold."""
    if isinstance(x, Variable):
        return x.read()
    if isinstance(x, Tensor) or (found := children(x)) is None:
        return x
    parts = list(map(plain, found[1]))
    if isinstance(x, dict):
        return dict(zip(x, parts, strict=True))
    return parts if isinstance(x, list) else tuple(parts)
