"""Draws a graph in the DOT language: a node for each equation, a cluster for each region."""

from __future__ import annotations

from collections.abc import Iterator

from autograph.runtime.ir.graph import Equation, Graph, Value, regions_of
from autograph.runtime.ir.printer import INDENT, Printer


def to_dot(graph: Graph) -> str:
    """Returns the graph as DOT text; equal graphs give equal texts.

    A box is an equation, an ellipse an argument, a note a captured array; loops and branches are
    clusters. `dot -Tsvg` draws it.
    """
    return "\n".join(_Writer(graph).lines()) + "\n"


class _Writer:
    """Writes the nodes of equations, numbered in program order, and the edges between them."""

    def __init__(self, graph: Graph) -> None:
        self.printer = Printer(graph)
        self.node: dict[Value, str] = {}
        self.edges: list[str] = []
        self.count = 0

    def lines(self) -> Iterator[str]:
        yield f"digraph {_quoted(self.printer.graphs[0].name)} {{"
        yield f'{INDENT}node [shape=box fontname="monospace" fontsize=10];'
        yield f'{INDENT}edge [fontname="monospace" fontsize=9];'
        for number, graph in enumerate(self.printer.graphs):
            yield from self.cluster(graph, self.printer.titles[graph], 1, number > 0)
        yield from self.edges
        yield "}"

    def fresh(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def cluster(self, graph: Graph, title: str, depth: int, boxed: bool = True) -> Iterator[str]:
        """Yields the lines of a graph or a region: its inputs, its equations, its result."""
        pad = INDENT * depth
        if boxed:
            yield f"{pad}subgraph cluster_{self.fresh()} {{"
            yield f"{pad}{INDENT}label={_quoted(title)};"
        for value in (*graph.inputs, *graph.captures):
            shape = "note" if value in graph.captures else "ellipse"
            yield self.leaf(value, self.printer.binder(value), shape, pad + INDENT)
        for equation in graph.equations:
            yield from self.equation(equation, depth + 1)
        last = self.fresh()
        word = "yield" if title != self.printer.titles.get(graph) else "return"
        outputs = ", ".join(map(self.printer.nest, graph.outputs))
        yield f"{pad}{INDENT}{last} [label={_quoted(f'{word} {outputs}'.rstrip())} shape=plain];"
        self.connect([v for v in graph.outputs if isinstance(v, Value)], last)
        if boxed:
            yield f"{pad}}}"

    def leaf(self, value: Value, label: str, shape: str, pad: str) -> str:
        self.node[value] = self.fresh()
        return f"{pad}{self.node[value]} [label={_quoted(label)} shape={shape}];"

    def equation(self, e: Equation, depth: int) -> Iterator[str]:
        pad, node = INDENT * depth, self.fresh()
        made = ", ".join(map(self.printer.binder, e.outputs)) or "()"
        nested = bool(regions_of(e))
        if nested:
            yield f"{pad}subgraph cluster_{node} {{"
            yield f"{pad}{INDENT}label={_quoted(e.op.name)};"
        inner = pad + INDENT * nested
        yield f"{inner}{node} [label={_quoted(f'{made} = {self.printer.call(e)}')}];"
        self.connect(e.inputs, node)
        if nested:
            for region, role in zip(e.regions, e.op.regions, strict=False):
                yield from self.cluster(region, role, depth + 1)
            yield f"{pad}}}"
        self.node.update(dict.fromkeys(e.outputs, node))

    def connect(self, values: object, node: str) -> None:
        """Adds an edge to a node from the node that makes each of its operands."""
        for value in dict.fromkeys(values):  # type: ignore[call-overload]
            label = _quoted(self.printer.names[value])
            self.edges.append(f"{INDENT}{self.node[value]} -> {node} [label={label}];")


def _quoted(text: str) -> str:
    """Returns a text as a DOT string.

    >>> print(_quoted('say "a\\\\b"'))
    "say \\"a\\\\b\\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
