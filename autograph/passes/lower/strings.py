"""Turns strings made of values into an operator, which makes them when a graph runs.

>>> from autograph.passes.pipeline import show
>>> show("strings", '''
... def f(x, width):
...     print(f"{x!r:>{width}} of {{{x:.2f}}}", "%d items" % x)
...     return f"{{}}", f"{width:{width}}", x % 2, width % (x, 2)
... ''')
def f(x, width):
    print(ag.formatted('{!r:>{}} of {{{:.2f}}}', x, width, x), ag.percent("%d items", x))
    return f"{{}}", ag.formatted('{:{}}', width, width), x % 2, ag.percent(width, (x, 2))

So is `%` of a name that the function gives a text anywhere:

>>> show("strings", '''
... def f(x, n):
...     template = "%d items"
...     return template % x, n % x
... ''')
def f(x, n):
    template = "%d items"
    return ag.percent(template, x), n % x
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.locks import cached_property
from autograph.passes.rewriter import Rewriter
from autograph.syntax.node_builders import at, call, operator
from autograph.syntax.node_inventory import below, may_format


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites f-strings that hold values, and `"…" % values`."""
    return _Strings(unit).top(tree)


class _Strings(Rewriter):
    @cached_property
    def texts(self) -> frozenset[str]:
        """The names that the function gives a text somewhere; elsewhere they may hold others."""
        return frozenset(name for f in self.unit.functions[:1] for name in _names_of_texts(f))

    def JoinedStr(self, node: Any) -> Any:
        values: list[Any] = []
        template = _template(node, values)
        if template is None or not values:
            self.fields(node)
            return node
        values = [self.rewrite(value) for value in values]
        return at(node, call(operator(self.unit.context.ag, "formatted"),
                             at(node, gast.Constant(template, None)), *values))

    def fields(self, node: Any) -> None:
        """Rewrites the values in an f-string that stays one, and those in its format specs."""
        for part in node.values:
            if isinstance(part, gast.FormattedValue):
                part.value = self.rewrite(part.value)
                if part.format_spec is not None:
                    self.fields(part.format_spec)

    def BinOp(self, node: Any) -> Any:
        self.inside(node)
        if not may_format(node) or (
                node.left.__class__ is gast.Name and node.left.id not in self.texts
                and node.right.__class__ not in (gast.Tuple, gast.Dict)):
            return node
        return at(node, call(operator(self.unit.context.ag, "percent"), node.left, node.right))


def _names_of_texts(tree: Any) -> Iterator[str]:
    """Yields the names that statements bind to texts, and parameters with a text as default."""
    for node in below(tree):
        if node.__class__ is gast.Assign and _is_text(node.value):
            yield from (x.id for x in node.targets if x.__class__ is gast.Name)
        elif node.__class__ is gast.arguments:
            for names, defaults in ((node.posonlyargs + node.args, node.defaults),
                                    (node.kwonlyargs, node.kw_defaults)):
                yield from (x.id for x, default in zip(
                    reversed(names), reversed(defaults), strict=False) if _is_text(default))


def _is_text(node: Any) -> bool:
    """Returns True for a text, and for an expression that makes one of texts."""
    if node.__class__ is gast.BinOp:
        return _is_text(node.left) or (node.op.__class__ is gast.Add and _is_text(node.right))
    if node.__class__ is gast.IfExp:
        return _is_text(node.body) or _is_text(node.orelse)
    return node.__class__ is gast.JoinedStr or isinstance(getattr(node, "value", None), str)


def _template(node: Any, values: list[Any], inside: bool = False) -> str | None:
    """Returns the f-string as a template of `str.format`, or None; appends its values."""
    text = ""
    for part in node.values:
        if isinstance(part, gast.Constant):
            if inside and ("{" in part.value or "}" in part.value):
                return None
            text += part.value.replace("{", "{{").replace("}", "}}")
            continue
        values.append(part.value)
        text += "{" + ("" if part.conversion == -1 else "!" + chr(part.conversion))
        if part.format_spec is not None:
            spec = _template(part.format_spec, values, inside=True)
            if spec is None:
                return None
            text += ":" + spec
        text += "}"
    return text
