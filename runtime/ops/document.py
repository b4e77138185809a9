"""The op table as a page of Markdown: `python -m autograph.runtime.ops.document > docs/ops.md`."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from autograph.runtime.ops import FAMILIES, OPS, Op
from autograph.runtime.ops.derivatives import (
    Formula,
    Multilinear,
    Partials,
    Parts,
    Refused,
    Structural,
    Zero,
)
from autograph.runtime.ops.op import EFFECTS

HEAD = """\
# Ops

Every operation that a graph can hold, family by family. This page is made from the table in
`runtime/ops/` by `python -m autograph.runtime.ops.document > docs/ops.md`; a test keeps it so.
How to add one: [adding-an-op.md](adding-an-op.md).

"""
LEGEND = """\
*Source*: what the generated Python says. *Kind*: `elementwise`, `view` (the result may share memory
with the first argument), `effect: …` (runs even if nothing uses its result, and in order).
*Gradient*: the kind of its derivative rule; nothing if it has none. *ONNX*: the op of that name.

Effects:

"""


REFUSED = """\
## Gradients that are refused

The other kinds: *partials* (elementwise), *linear* (in each operand), *formula*, *parts* (made of
other ops), *zero* (locally constant) and *structural* (control flow, indexing, containers). A rule
may also refuse a call for its arguments; the error says why.

"""


def page(ops: Collection[Op] = OPS.values()) -> str:
    """The whole page."""
    families = "".join(f"* `{m.__name__.rpartition('.')[2]}`: {m.__doc__.split(chr(10))[0]}\n"
                       for m in FAMILIES if m.__doc__)
    rows = ["| op | computes | source | kind | gradient | ONNX |", "|---|---|---|---|---|---|"]
    effects = "".join(f"* `{name}`: {meaning}\n" for name, meaning in EFFECTS.items())
    table = "\n".join([*rows, *map(_row, ops)])
    refused = "".join(f"* `{op.name}`: {op.derivative.reason}\n" for op in ops
                      if isinstance(op.derivative, Refused))
    return f"{HEAD}{families}\n{LEGEND}{effects}\n{table}\n\n{REFUSED}{refused}"


def _row(op: Op) -> str:
    cells = (f"`{op.name}`", " ".join(op.doc.split()), _code(op.emit), ", ".join(_kinds(op)),
             _rule(op), op.onnx or "")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _rule(op: Op) -> str:
    rule = op.derivative
    return "" if rule is None else KINDS[type(rule)]


KINDS = {Partials: "partials", Multilinear: "linear", Formula: "formula", Parts: "parts",
         Zero: "zero", Refused: "refused", Structural: "structural"}


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _kinds(op: Op) -> Iterator[str]:
    if op.elementwise:
        yield "elementwise"
    if op.view:
        yield "view"
    if op.effect:
        yield f"effect: {op.effect}"
    if op.regions:
        yield f"regions: {', '.join(op.regions)}"


if __name__ == "__main__":
    print(page(), end="")
