"""The graph's text: let-form with types at the binders; `autograph.runtime.parse` reads it back.

    collatz(n: i64):
      n_1: i64, steps: any = while(n, 0):
        test(n_2: i64, steps_1: any):
          a: bool = not_equal(n_2, 1)
          yield a
        ...
      return steps
"""

from __future__ import annotations

import builtins
import keyword
import operator
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from autograph.own_attributes import held
from autograph.runtime.ir.constants import plain_text
from autograph.runtime.ir.graph import (
    NESTS,
    Atom,
    Equation,
    Graph,
    Nest,
    Value,
    binders,
    graphs_in,
    regions_of,
)
from autograph.runtime.ir.types import dtype_name
from autograph.runtime.ir.undefined import ClassAttribute, is_undefined

INDENT = "  "
RESERVED = frozenset({"inf", "nan", "np", "undefined", "dtype", *dir(builtins)})
"""Names that mean something else in the text, so that no value has them."""
SHOWN = 16
"""A captured array of at most so many elements is written out; a larger one as `...`."""


def to_text(graph: Graph, *, locations: bool = False,
            remarks: Mapping[Equation | Graph, str] | None = None) -> str:
    """The graph as text; equal graphs give equal texts.

    locations: add the user's file and line to every equation, as a comment. remarks: what to write
    below the line of an equation or graph.
    """
    return Printer(graph, locations, remarks).text()


def letters() -> Iterator[str]:
    """a, b, …, z, aa, ab, …"""
    for number in count(1):
        name = ""
        while number:
            number, digit = divmod(number - 1, 26)
            name = chr(ord("a") + digit) + name
        yield name


class Names:
    """The names of values: their hints, numbered where they repeat, and letters for the others."""

    def __init__(self, values: Sequence[Value]) -> None:
        self.of: dict[Value, str] = {}
        hints = {v.hint for v in values}
        self.letters = (name for name in letters() if name not in hints and _is_free(name))
        self.numbers: dict[str, int] = {}
        self.taken: set[str] = set()
        for value in values:
            if value not in self.of:
                self.of[value] = self._hinted(value.hint) if value.hint else next(self.letters)

    def _hinted(self, hint: str) -> str:
        base = hint if hint.isidentifier() else "v"
        name = base
        while name in self.taken or not _is_free(name):
            self.numbers[base] = self.numbers.get(base, 0) + 1
            name = f"{base}_{self.numbers[base]}"
        self.taken.add(name)
        return name

    def __getitem__(self, value: Value) -> str:
        """The name; a value that nothing makes (the graph is wrong) is shown as such."""
        return self.of.get(value) or f"{value.hint or 'value'}?"


def _is_free(name: str) -> bool:
    return not keyword.iskeyword(name) and name not in RESERVED


class Printer:
    """Prints a graph and those that it calls; its parts (`call`, `binder`, `nest`) print parts."""

    def __init__(self, graph: Graph, locations: bool = False,
                 remarks: Mapping[Equation | Graph, str] | None = None) -> None:
        self.graphs = graphs_in(graph)
        self.names = Names([v for g in self.graphs for v in binders(g)])
        self.titles = _titles(self.graphs)
        self.locations = locations
        self.remarks = remarks or {}
        self.lines: list[tuple[str, str]] = []  # text, comment

    def text(self) -> str:
        for index, graph in enumerate(self.graphs):
            if index:
                self.lines.append(("", ""))
            self.block(graph, self.titles[graph], "return", 0)
        width = max(len(line) for line, comment in self.lines if comment) if self.locations and any(
            comment for _, comment in self.lines) else 0
        return "\n".join(f"{line:<{width}}  # {comment}" if comment else line
                         for line, comment in self.lines)

    def line(self, depth: int, text: str, at: Equation | Graph | None = None) -> None:
        location = at.location if isinstance(at, Equation) and self.locations else None
        comment = f"{os.path.basename(location.filename)}:{location.line}" if location else ""
        self.lines.append((INDENT * depth + text, comment))
        if at is not None and at in self.remarks:
            self.lines.append((f"{INDENT * depth}^ {self.remarks[at]}", ""))

    def binder(self, value: Value) -> str:
        return f"{self.names[value]}: {value.type}"

    def block(self, graph: Graph, title: str, last: str, depth: int) -> None:
        """A graph or region: its head, its constants, its equations and what it gives."""
        self.line(depth, f"{title}({', '.join(map(self.binder, graph.inputs))}):", graph)
        for value, array in graph.captures.items():
            self.line(depth + 1, f"const {self.binder(value)} = {show_array(array)}")
        for equation in graph.equations:
            self.equation(equation, depth + 1)
        self.line(depth + 1, f"{last} {', '.join(map(self.nest, graph.outputs))}".rstrip())

    def equation(self, e: Equation, depth: int) -> None:
        made = ", ".join(map(self.binder, e.outputs)) or "()"
        nested = regions_of(e)
        self.line(depth, f"{made} = {self.call(e)}{':' if nested else ''}", e)
        if nested:
            for region, role in zip(e.regions, e.op.regions, strict=False):
                self.block(region, role, "yield", depth + 1)

    def call(self, e: Equation) -> str:
        if e.op.kernel is operator.getitem and len(e.args) == 2 and not e.kwargs:
            return f"{self.nest(e.args[0])}[{self.index(e.args[1])}]"
        parts = [self.nest(a) for a in e.args]
        if e.callee is not None:
            parts.insert(0, self.titles[e.callee])
        parts += [f"{key}={self.nest(e.kwargs[key])}" for key in sorted(e.kwargs)]
        return f"{e.op.name}({', '.join(parts)})"

    def index(self, x: Nest) -> str:
        """An index as it stands between brackets."""
        if type(x) is slice:
            ends = ["" if end is None else self.nest(end) for end in (x.start, x.stop, x.step)]
            return ":".join(ends if x.step is not None else ends[:2])
        if type(x) is tuple and x:
            return ", ".join(map(self.index, x)) + ("," if len(x) == 1 else "")
        return self.nest(x)

    def nest(self, x: Nest) -> str:
        """A nest of values and constants as a Python expression."""
        cls = type(x)
        if cls is tuple:
            return f"({', '.join(map(self.nest, x))}{',' if len(x) == 1 else ''})"
        if cls is list:
            return f"[{', '.join(map(self.nest, x))}]"
        if cls is dict:
            return "{" + ", ".join(f"{show(k)}: {self.nest(v)}" for k, v in x.items()) + "}"
        if cls is slice:
            return f"slice({', '.join(map(self.nest, (x.start, x.stop, x.step)))})"
        return x.show(self.nest) if cls in NESTS else self.atom(x)

    def atom(self, x: Atom) -> str:
        return self.names[x] if isinstance(x, Value) else show(x)


def _titles(graphs: Sequence[Graph]) -> dict[Graph, str]:
    """A name for each graph; those of equal name are numbered."""
    titles: dict[Graph, str] = {}
    for graph in graphs:
        name, number = graph.name, 0
        while name in titles.values():
            number += 1
            name = f"{graph.name}_{number}"
        titles[graph] = name
    return titles


# -- constants ------------------------------------------------------------------------------------


def show(x: Any) -> str:
    """A constant as an expression that `parse` understands; `<...>` for an object that has none.

    >>> show(np.float32(0.5)), show(float("-inf")), show(np.dtype("i8")), show(np.add)
    ('f32(0.5)', '-inf', "dtype('i64')", 'np.add')
    >>> show(np.str_("a")), show(np.timedelta64(3, "D"))
    ("np.str_('a')", "np.timedelta64(3,'D')")
    """
    if x is Ellipsis:
        return "..."
    if x is None or type(x) in (bool, int, str, bytes, float, range):
        return plain_text(x)
    if type(x) is complex:
        return f"complex({x.real!r}, {x.imag!r})"
    if isinstance(x, np.dtype):
        return f"dtype({dtype_name(x).strip(_QUOTES)!r})"
    if isinstance(x, np.generic) and x.dtype.kind in "biufc":
        return f"{dtype_name(x.dtype)}({', '.join(map(repr, _parts(x.item())))})"
    if isinstance(x, np.generic) and x.dtype.kind in "USMm":
        return repr(x)
    if isinstance(x, np.ndarray):
        return f"array({show_array(x)}, {dtype_name(x.dtype).strip(_QUOTES)!r})"
    if isinstance(x, ClassAttribute):
        return f"of_class({x.name!r}, {x.value!r})"
    if is_undefined(x):
        return f"undefined({x.name!r})" if x.name else "undefined()"
    return _show_object(x)


_QUOTES = "'\""


def _parts(number: bool | int | float | complex) -> tuple[bool | int | float, ...]:
    return (number.real, number.imag) if isinstance(number, complex) else (number,)


def _show_object(x: Any) -> str:
    """A class, function or built-in exception by its name."""
    if isinstance(x, BaseException) and getattr(builtins, type(x).__name__, None) is type(x):
        return f"{type(x).__name__}({', '.join(map(show, x.args))})"
    name: str = held(x, "__name__", "")
    for prefix, module in (("", builtins), ("np.", np)):
        if name and getattr(module, name, None) is x:
            return prefix + name
    if callable(x) and name:
        path = qualified_name(x)
        return path if all(map(str.isidentifier, path.split("."))) else f"<{path}>"
    return f"<{type(x).__name__}>"


def qualified_name(fn: Any) -> str:
    """`module.name` of a function, or of the class of a callable object.

    >>> import math
    >>> qualified_name(math.gcd)
    'math.gcd'
    """
    owner = held(fn, "__self__")
    if isinstance(owner, np.ufunc):
        return f"numpy.{owner.__name__}.{fn.__name__}"
    if cls := held(fn, "__objclass__"):
        return f"{cls.__module__}.{cls.__qualname__}.{fn.__name__}"
    if isinstance(fn, np.ufunc):
        return f"{module_of_ufunc(fn)}.{fn.__name__}"
    named = fn if hasattr(fn, "__name__") else type(fn)
    name = held(named, "__qualname__") or named.__name__
    module = held(fn, "__module__") or type(owner).__module__
    return f"{module}.{name}"


def module_of_ufunc(ufunc: np.ufunc) -> str:
    """The module that has a ufunc under its own name; ufuncs do not say it themselves."""
    for name in ("numpy", "scipy.special", "scipy.special._ufuncs"):
        module = sys.modules.get(name)
        if module is not None and getattr(module, ufunc.__name__, None) is ufunc:
            return name
    return "builtins"


def show_array(array: np.ndarray[Any, Any]) -> str:
    """The elements of a small array as nested lists, `...` for a large one."""
    if not isinstance(array, np.ndarray):
        return show(array)
    if array.size > SHOWN or array.dtype.kind not in "biufcSU":
        return "..."
    return _show_list(array.tolist())


def _show_list(x: Any) -> str:
    if isinstance(x, list):
        return f"[{', '.join(map(_show_list, x))}]"
    return show(x)
