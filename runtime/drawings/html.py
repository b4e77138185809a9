"""Draws a graph as nested HTML boxes in program order, for notebooks and pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.printer import Printer, show

OPEN, CLOSE = "\ue000", "\ue001"
"""The characters around the name of a value until its line is escaped."""

CSS = """
.ag-graph{font:13px/1.5 ui-monospace,Menlo,Consolas,monospace}
.ag-graph .eq,.ag-graph .head,.ag-graph .last{padding:0 .4em;white-space:pre-wrap;
  overflow-wrap:anywhere;text-indent:-1.5em;padding-left:1.9em}
.ag-graph .type{opacity:.65}
.ag-graph .op{font-weight:600}
.ag-graph details{border:1px solid color-mix(in srgb,currentColor 35%,transparent);
  border-left-width:4px;border-radius:5px;margin:.2em 0 .2em .6em}
.ag-graph summary{cursor:pointer;padding:.1em .4em}
.ag-graph summary .eq{display:inline;padding:0}
.ag-graph .region{margin:.1em .3em .3em .9em;border-left:2px dotted
  color-mix(in srgb,currentColor 40%,transparent);padding-left:.3em}
.ag-graph .role{font-style:italic}
"""

Key = Callable[[Location | None], str]
"""Gives the text that links an equation to the user's line, its `data-l`; empty for no link."""

Remark = Callable[[Equation], str]


def document(graph: Graph) -> str:
    """Returns the boxes with their style, for any page: `<style>` and one `<div>`."""
    return f"<style>{CSS}</style>{boxes(graph)}"


def titled(location: Location | None) -> str:
    """Returns what is shown at a line: its file, without the folder, as pages are handed on."""
    if location is None:
        return ""
    return f' title="{escape(os.path.basename(location.filename))}:{location.line}"'


def boxes(graph: Graph, key: Key = lambda location: "", remark: Remark = lambda e: "",
          prefix: str = "") -> str:
    """Returns one `<div>`; loops and branches are open `<details>`. The user's text is escaped.

    Every equation can have the focus. `data-def` has the names of the values that it makes,
    `data-use` of those that it reads, `data-l` the key of its location. `prefix` separates the
    names of several graphs in one page.
    """
    return f'<div class="ag-graph">{"".join(_Boxes(graph, key, remark, prefix).parts())}</div>'


class _Marking(Printer):
    """Prints with OPEN and CLOSE around the names of values."""

    def atom(self, x: Any) -> str:
        return f"{OPEN}{self.names[x]}{CLOSE}" if isinstance(x, Value) else show(x)


class _Boxes:
    def __init__(self, graph: Graph, key: Key, remark: Remark, prefix: str) -> None:
        self.printer = _Marking(graph)
        self.key, self.remark, self.prefix = key, remark, prefix

    def parts(self) -> Iterator[str]:
        for number, graph in enumerate(self.printer.graphs):
            title = self.printer.titles[graph]
            if number == 0:
                yield from self.block(graph, title, "return")
            else:  # a graph that is called
                yield f"<details open><summary>{escape(title)}</summary>"
                yield from self.block(graph, title, "return")
                yield "</details>"

    def block(self, graph: Graph, title: str, last: str) -> Iterator[str]:
        inputs = ", ".join(map(self.binder, graph.inputs))
        yield (f'<div class="head" {self.made(graph.inputs)}><span class="role">{escape(title)}'
               f"</span>({inputs})</div>")
        for value, array in graph.captures.items():
            shown = escape(f"{type(array).__name__} of {getattr(array, 'nbytes', 0)} bytes")
            yield (f'<div class="eq" {self.made((value,))}>const {self.binder(value)} = {shown}'
                   "</div>")
        for equation in graph.equations:
            yield from self.equation(equation)
        used = [v for v in graph.outputs if isinstance(v, Value)]
        outputs = ", ".join(self.marked(self.printer.nest(a)) for a in graph.outputs)
        yield f'<div class="last" {self.names("use", used)}>{last} {outputs}</div>'

    def equation(self, e: Equation) -> Iterator[str]:
        nested = bool(regions_of(e))
        line = self.line(e)
        if not nested:
            yield line
            return
        yield f'<details open class="{e.op.name}"><summary>{line}</summary>'
        for region, role in zip(e.regions, e.op.regions, strict=False):
            yield '<div class="region">'
            yield from self.block(region, role, "yield")
            yield "</div>"
        yield "</details>"

    def line(self, e: Equation) -> str:
        made = ", ".join(map(self.binder, e.outputs)) or "()"
        text = self.marked(self.printer.call(e))
        op = escape(e.op.name)
        text = text.replace(op, f'<span class="op">{op}</span>', 1) if text.startswith(op) else text
        key = self.key(e.location)
        linked = f' data-l="{escape(key)}"' if key else ""
        remark = self.remark(e)
        noted = f' <span class="remark">{escape(remark)}</span>' if remark else ""
        return (f'<div class="eq" tabindex="0"{linked}{titled(e.location)} {self.made(e.outputs)} '
                f'{self.names("use", e.inputs)}>{made} = {text}{noted}</div>')

    def binder(self, value: Value) -> str:
        name = escape(self.printer.names[value])
        return f'<b>{name}</b><span class="type">: {escape(str(value.type))}</span>'

    def made(self, values: Any) -> str:
        return self.names("def", values)

    def names(self, kind: str, values: Any) -> str:
        names = " ".join(self.prefix + self.printer.names[v] for v in dict.fromkeys(values))
        return f'data-{kind}="{escape(names)}"' if names else ""

    def marked(self, text: str) -> str:
        """Returns the text escaped, with elements for the names of values."""
        return (escape(text).replace(OPEN, '<span class="use">').replace(CLOSE, "</span>"))
