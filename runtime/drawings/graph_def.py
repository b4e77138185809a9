"""Lists a graph as named nodes, in the style of TensorFlow's GraphDef."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograph.runtime.ir.graph import CALL, Equation, Graph, Value, atom_type, leaves
from autograph.runtime.ir.printer import show, show_array
from autograph.runtime.ir.regions import BRANCH, FOR, WHILE

OPS_OF = {BRANCH: "If", WHILE: "While", FOR: "For", CALL: "Call"}
"""The names of control flow; the other ops have their names in the op table."""

BRANCHES = {BRANCH: ("then_branch", "else_branch"), WHILE: ("cond", "body"),
            FOR: ("body", "test"), CALL: ("f",)}
"""The attributes of a node that name the functions of its regions."""


@dataclass
class Node:
    """One operation: `name`, `op`, the names of its inputs (`name:i` for output i), `attr`."""

    name: str
    op: str
    input: list[str] = field(default_factory=list)
    attr: dict[str, Any] = field(default_factory=dict)

    @property
    def type(self) -> str:
        return self.op

    @property
    def inputs(self) -> list[str]:
        return self.input

    @property
    def control_inputs(self) -> list[str]:
        """Returns an empty list: nodes run in program order."""
        return []

    def __str__(self) -> str:
        lines = [f'  name: "{self.name}"', f'  op: "{self.op}"']
        lines += [f'  input: "{name}"' for name in self.input]
        lines += [f"  attr {{ {key}: {value} }}" for key, value in self.attr.items()]
        return "\n".join(["node {", *lines, "}"])


@dataclass
class FunctionDef:
    """A region of a node: a function of the library."""

    name: str
    node: list[Node]
    input_arg: list[str]
    ret: list[str]

    def __str__(self) -> str:
        body = "\n".join(str(n) for n in self.node)
        lines = [f'  name: "{self.name}"', *(f'  input_arg: "{x}"' for x in self.input_arg),
                 *(f"  {line}" for line in body.splitlines()), *(f'  ret: "{x}"' for x in self.ret)]
        return "\n".join(["function {", *lines, "}"])


@dataclass
class Library:
    """The functions that nodes refer to by name."""

    function: list[FunctionDef] = field(default_factory=list)


@dataclass
class GraphDef:
    """Nodes in program order, and the library of the functions they use."""

    node: list[Node]
    library: Library

    def __str__(self) -> str:
        parts = [str(n) for n in self.node]
        if self.library.function:
            inside = "\n".join(str(f) for f in self.library.function)
            parts.append("library {\n" + "\n".join(f"  {x}" for x in inside.splitlines()) + "\n}")
        return "\n".join(parts)


def as_graph_def(graph: Graph) -> GraphDef:
    """Returns the graph as nodes: inputs are Placeholder, constants Const, results Identity."""
    builder = _Builder()
    nodes, _ = builder.block(graph, list(graph.inputs))
    return GraphDef(nodes, Library(builder.functions))


def definition(graph: Graph) -> dict[str, Any]:
    """Returns the graph as nested dicts, lists and strings."""
    made = as_graph_def(graph)
    return {"name": graph.name, "input_arg": [v.hint for v in graph.inputs],
            "node": [_plain(n) for n in made.node],
            "library": [{"name": f.name, "input_arg": f.input_arg, "ret": f.ret,
                         "node": [_plain(n) for n in f.node]} for f in made.library.function]}


def _plain(node: Node) -> dict[str, Any]:
    return {"name": node.name, "op": node.op, "input": list(node.input),
            "attr": {key: str(value) for key, value in node.attr.items()}}


def tensor_named(graph: Graph, name: str) -> Value:
    """Returns the value that is called `NODE` or `NODE:NUMBER`.

    Raises:
      KeyError: there is none.
    """
    builder = _Builder()
    builder.block(graph, list(graph.inputs))
    for value, known in builder.names.items():
        if name in (known, f"{known}:0"):
            return value
    raise KeyError(f"the graph {graph.name} has no tensor {name!r}")


class _Builder:
    def __init__(self) -> None:
        self.functions: list[FunctionDef] = []
        self.names: dict[Value, str] = {}
        self.taken: Counter[str] = Counter()
        self.scope = ""
        self.called: dict[Graph, str] = {}  # graphs of their own, each entered once

    def fresh(self, base: str) -> str:
        base = self.scope + base
        self.taken[base] += 1
        return base if self.taken[base] == 1 else f"{base}_{self.taken[base] - 1}"

    def block(self, graph: Graph, placeholders: list[Value]) -> tuple[list[Node], list[str]]:
        """Returns the nodes of a graph or region, and the names of its results."""
        nodes: list[Node] = []
        for value in placeholders:
            self.names[value] = self.fresh(value.hint or "arg")
            nodes.append(Node(self.names[value], "Placeholder", attr={"type": str(value.type)}))
        for value, array in graph.captures.items():
            self.names[value] = self.fresh(value.hint or "Const")
            op = "Const" if isinstance(array, np.ndarray) else "Variable"
            nodes.append(Node(self.names[value], op, attr={"value": show_array(array)}))
        for equation in graph.equations:
            nodes += self.equation(equation)
        results = []
        for atom in graph.outputs:
            node = Node(self.fresh("Identity"), "Identity")
            nodes += self.operands(node, [atom])
            nodes.append(node)
            results.append(node.name)
        return nodes, results

    def equation(self, e: Equation) -> Iterator[Node]:
        """Yields the nodes of the constants that an equation uses, and then its own."""
        node = Node(self.fresh(e.op.name.rpartition(".")[2]), OPS_OF.get(e.op.name, e.op.name))
        given = list(leaves((e.args, dict(e.kwargs))))
        yield from self.operands(node, given)
        for attribute, region in zip(BRANCHES.get(e.op.name, ()), e.regions, strict=False):
            node.attr[attribute] = self.callee(region) if region is e.callee else (
                self.function(f"{node.name}_{attribute}", region))
        node.attr["type"] = ", ".join(str(o.type) for o in e.outputs)
        for i, value in enumerate(e.outputs):
            self.names[value] = f"{node.name}:{i}" if i else node.name
        yield node

    def operands(self, node: Node, atoms: list[Any]) -> Iterator[Node]:
        """Gives a node its inputs, and attributes for what is no number; yields a node for each
        number among them."""
        for number, atom in enumerate(atoms):
            if isinstance(atom, Value):
                node.input.append(self.names.get(atom, atom.hint))
                continue
            if not isinstance(atom, (int, float, complex, np.generic, np.ndarray)):
                node.attr[f"arg_{number}"] = show(atom)
                continue
            name = self.fresh(f"{node.name.removeprefix(self.scope)}/Const")
            constant = Node(name, "Const", attr={
                "type": str(atom_type(atom)), "value": show(atom)})
            node.input.append(constant.name)
            yield constant

    def callee(self, graph: Graph) -> str:
        """Returns the name in the library of a graph that is called; it may call itself."""
        if graph not in self.called:
            outer, self.scope = self.scope, ""
            self.called[graph] = name = self.fresh(graph.name)
            self.function(name, graph)
            self.scope = outer
        return self.called[graph]

    def function(self, name: str, region: Graph) -> str:
        """Adds a region to the library; values from around it keep their names."""
        outer, self.scope = self.scope, f"{name}/"
        nodes, results = self.block(region, list(region.inputs))
        self.scope = outer
        arguments = [self.names[v] for v in region.inputs]
        self.functions.append(FunctionDef(name, nodes, arguments, results))
        return name
