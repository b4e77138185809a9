"""Turns `x.__class__`, `x.__repr__` and the like into an operator: a symbolic value has the special
attributes of the value that it stands for, not its own.

>>> from autograph.passes.pipeline import show
>>> show("special_names", '''
... def f(x):
...     return x.__class__.__name__, x.__repr__()
... ''')
def f(x):
    return ag.getattr(x, '__class__').__name__, ag.getattr(x, '__repr__')()
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter

OF_CLASSES = frozenset({
    "__init__", "__new__", "__init_subclass__", "__subclasshook__", "__setattr__", "__delattr__",
    "__getattribute__", "__class_getitem__", "__dir__", "__getstate__", "__getnewargs__"})
"""What programs call on a class, or define."""

NAMES = frozenset(
    name for cls in (float, int, complex, str, bytes, range, list, dict, set) for name in dir(cls)
    if name.startswith("__")) - OF_CLASSES | {"__dict__"}
"""The special names that values have."""


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites all reads of special attributes, but those of `super()`."""
    return _SpecialNames(unit).top(tree)


class _SpecialNames(Rewriter):
    def Attribute(self, node: Any) -> Any:
        self.inside(node)
        if node.attr not in NAMES or not isinstance(node.ctx, gast.Load) or _is_super(node.value):
            return node
        return self.ag(node, "getattr", node.value, gast.Constant(node.attr, None))


def _is_super(node: Any) -> bool:
    """Returns True for `super()`, which reads the class and the object of the method around it."""
    return isinstance(node, gast.Call) and "super" in (
        getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
