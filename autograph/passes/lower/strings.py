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
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.passes.rewriter import Rewriter
from autograph.syntax.node_builders import at, call, operator
from autograph.syntax.node_inventory import formats


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites f-strings that hold values, and `"…" % values`."""
    return _Strings(unit).top(tree)


class _Strings(Rewriter):
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
        if not formats(node):
            return node
        return at(node, call(operator(self.unit.context.ag, "percent"), node.left, node.right))


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
