"""`to_python`: a graph as a file of Python that needs nothing but NumPy."""

from __future__ import annotations

import ast
import base64
import builtins
import inspect
import keyword
import math
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from autograph.runtime.errors import StandaloneError
from autograph.runtime.execute.bundle import OURS, Bundle
from autograph.runtime.execute.emit import emit
from autograph.runtime.execute.program import Emitted, Program
from autograph.runtime.graph import Location
from autograph.runtime.nest import children
from autograph.runtime.types import ArrayType, PyType
from autograph.runtime.undefined import is_undefined

FEW = 64
"""Elements of an array that is written out as numbers; larger ones are written as bytes."""


@dataclass(frozen=True)
class Argument:
    """What the file's function is given: an array or number that the graph takes, or a constant.

    path   the expression over the parameters that finds it.
    type   the graph's type, or None for a constant and for what is not checked.
    value  the constant.
    """

    path: str
    type: Any = None
    value: Any = None


def to_python(program: Program, name: str, parameters: list[inspect.Parameter],
              arguments: list[Argument], constants: list[Argument]) -> str:
    """The text of a module that defines a function `name`.

    Args:
      parameters: the function's parameters.
      arguments: what the graph takes, in order.
      constants: what the graph is made for.

    Raises:
      StandaloneError: the graph refers to something that cannot be written down.
    """
    _refuse(program, name, [p.name for p in parameters], arguments)
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
    emitted = emit(program, f"{name}_of_arrays")
    file = _File(emitted)
    values = [f"{key} = {file.expression(thing, key)}"
              for key, thing in emitted.namespace.items() if key != "np"]
    values = [v for v in values if v.partition(" = ")[0] != v.partition(" = ")[2]]
    body = [f"    check({a.path!r}, {a.path}, {_kind(file, a)})"
            for a in (*arguments, *constants) if a.type is not None or a in constants]
    call = f"    return {emitted.name}({', '.join(a.path for a in arguments)})"
    head = [f'"""The function `{name}`, written by autograph: it needs nothing but NumPy.',
            "", "Comments show the lines that it was made from.", '"""', "",
            "from __future__ import annotations", "", *sorted(file.bundle.imports)]
    parts = ["\n".join(head), CHECK,
             file.bundle.text, "\n".join(values), "\n".join(commented(emitted)),
             "\n".join([f"def {name}({parameters_text(parameters)}):", *body, call])]
    text = "\n\n\n".join(filter(None, parts)) + "\n"
    _check_names(file, emitted, name)
    ast.parse(text)
    return text


CHECK = '''def check(name, value, cls, dtype=None, shape=None, constant=None):
    """Refuse what the function below was not made for.

    Raises:
      TypeError: the argument is of another class, dtype or shape, or another constant.
    """
    if type(value) is not cls or (dtype is not None and (
            value.dtype != dtype or len(value.shape) != len(shape) or any(
                wanted not in (None, n) for wanted, n in zip(shape, value.shape)))):
        raise TypeError(f"{name} is to be {cls.__name__} {dtype or ''}{shape or ''}: {value!r}")
    if dtype is None and shape is None and constant is not None and value != constant:
        raise TypeError(f"{name} is to be {constant!r}: this file was made for that value")'''


def paths_in(nest: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(expression over the parameters, leaf) of the arguments by parameter name."""
    for name, x in nest.items():
        yield from _paths(name, x)


def _paths(path: str, x: Any) -> Iterator[tuple[str, Any]]:
    if children(x) is None:
        yield path, x
    elif isinstance(x, dict):
        for key, item in x.items():
            yield from _paths(f"{path}[{key!r}]", item)
    elif isinstance(x, (tuple, list)):
        for index, item in enumerate(x):
            yield from _paths(f"{path}[{index}]", item)
    elif is_dataclass(x):
        for field in fields(x):
            yield from _paths(f"{path}.{field.name}", getattr(x, field.name))
    else:
        raise StandaloneError(f"{path} is a {type(x).__name__}; a file with NumPy alone takes "
                              "tuples, lists, dicts and dataclasses")


class _Text(str):
    """Source that is its own `repr`."""

    def __repr__(self) -> str:
        return str(self)


def parameters_text(parameters: list[inspect.Parameter]) -> str:
    """The parameters as source, with those defaults that are numbers, strings and the like."""
    def bare(p: inspect.Parameter) -> inspect.Parameter:
        text = p.empty if p.default is p.empty else _Text(number_text(p.default) or "None")
        return p.replace(annotation=p.empty, default=text)

    return str(inspect.Signature([bare(p) for p in parameters]))[1:-1]


def _refuse(program: Program, name: str, names: list[str], arguments: list[Argument]) -> None:
    """Refuse programs that need more than their graph when they run."""
    reason = ""
    if program.handled:
        reason = "has a `try` or `with` around what may raise: then it runs as plain Python"
    elif not all(a.path.partition("[")[0].partition(".")[0] in names for a in arguments):
        reason = "changes a list or dict inside another argument"
    elif program.places:
        reason = f"changes something outside itself ({program.places[0][0]!r})"
    if reason:
        raise StandaloneError(f"{name} {reason}\n  hint: a file of its own holds the graph only; "
                              "pass what it changes as an argument, and return it")


def _check_names(file: _File, emitted: Emitted, name: str) -> None:
    ours = {"check", emitted.name, *file.bundle.names}
    if name in ours or "check" in file.bundle.names:
        raise StandaloneError(f"a function called {name} would hide a helper of the file's own\n"
                              "  hint: give it another name")


class _File:
    """Finds an expression for every object that generated code refers to by a global name."""

    def __init__(self, emitted: Emitted) -> None:
        self.emitted = emitted
        self.bundle = Bundle()
        self.bundle.imports["import numpy as np"] = None

    def expression(self, x: Any, name: str) -> str:
        text = self.known(x)
        if text is None:
            raise StandaloneError(
                f"{self.emitted.name.removesuffix('_of_arrays')} uses {describe(x)}, which a file "
                "with NumPy alone cannot have\n  hint: `f.save` keeps a function whole")
        return text

    def known(self, x: Any) -> str | None:
        if isinstance(x, np.ndarray):
            text = array_text(x)
            if text and "base64." in text:
                self.bundle.imports["import base64"] = None
            return text
        if isinstance(x, np.generic):
            text = self.known(np.asarray(x))
            return text and f"{text}[()]"
        if isinstance(x, np.dtype):
            return None if x.hasobject else f"np.dtype({x.descr if x.fields else x.str!r})"
        if is_undefined(x):
            return f"{self.bundle.add(type(x))}({x.name!r})"
        if isinstance(x, BaseException):
            return self.error(x)
        return number_text(x) or self.definition(x)

    def error(self, x: BaseException) -> str | None:
        cls = self.definition(type(x))
        parts = [number_text(a) for a in x.args]
        return None if cls is None or None in parts else f"{cls}({', '.join(map(str, parts))})"

    def definition(self, x: Any) -> str | None:
        """A function or class that can be imported, or that is ours."""
        owner = getattr(x, "__self__", None)
        if isinstance(owner, np.ufunc):
            return f"np.{owner.__name__}.{x.__name__}"
        if isinstance(x, types.MethodDescriptorType):
            return f"{self.definition(x.__objclass__)}.{x.__name__}"
        module, name = getattr(x, "__module__", None), getattr(x, "__qualname__", "")
        if not name.isidentifier() or not isinstance(module, str):
            return f"np.{x.__name__}" if getattr(np, getattr(x, "__name__", ""), 0) is x else None
        if getattr(builtins, name, None) is x:
            return name
        if getattr(np, name, None) is x:
            return f"np.{name}"
        if getattr(sys.modules.get(module), name, None) is not x:
            return None
        if module.startswith(OURS):
            return self.bundle.add(x)
        if module.partition(".")[0] in sys.stdlib_module_names:
            self.bundle.imports[f"import {module}"] = None
            return f"{module}.{name}"
        return None


def number_text(x: Any) -> str | None:
    """A number, string or the like as source that gives it back."""
    if type(x) is float and not math.isfinite(x):
        return f"float({str(x)!r})"
    if type(x) in (tuple, list):
        parts = [number_text(item) for item in x]
        comma = "," if len(x) == 1 and type(x) is tuple else ""
        opening, closing = "()" if type(x) is tuple else "[]"
        return None if None in parts else (
            f"{opening}{', '.join(map(str, parts))}{comma}{closing}")
    if type(x) is complex:
        return f"complex({number_text(x.real)}, {number_text(x.imag)})"
    plain = x is None or x is Ellipsis or type(x) in (bool, int, float, str, bytes, range)
    return repr(x) if plain else None


def array_text(x: Any) -> str | None:
    """An array as source: its numbers, or its bytes; None if it holds objects."""
    if x.dtype.hasobject or type(x) is not np.ndarray:
        return None
    numbers = number_text(x.tolist()) if x.size <= FEW and x.dtype.kind in "biuf" else None
    if numbers and x.dtype.kind != "f" or (numbers and "float(" not in numbers):
        return f"np.array({numbers}, {x.dtype.str!r})" + (
            "" if x.size else f".reshape({x.shape})")
    data = base64.b85encode(np.ascontiguousarray(x).tobytes()).decode()
    kind = x.dtype.descr if x.dtype.fields else x.dtype.str
    return (f"np.frombuffer(base64.b85decode({data!r}), {kind!r})"
            f".reshape({x.shape}).copy()")


def describe(x: Any) -> str:
    """An object by its name, or its class's.

    >>> describe(max), describe(object())
    ('max', "an object of class 'object'")
    """
    name = getattr(x, "__qualname__", None)
    return name if isinstance(name, str) else f"an object of class {type(x).__qualname__!r}"


def _kind(file: _File, argument: Argument) -> str:
    """The class, dtype and shape that an argument is to have, or the constant it is to be."""
    t = argument.type
    if isinstance(t, ArrayType) and t.dtype is not None:
        cls = file.known(t.dtype.type) if t.scalar else "np.ndarray"
        shape = tuple(d if isinstance(d, int) else None for d in t.shape or ())
        return f"{cls}, {file.known(t.dtype)}, {shape}"
    if isinstance(t, PyType):
        return str(file.definition(t.cls) or f"type({t.cls()!r})")
    value = file.expression(argument.value, argument.path)
    cls = f"type({value})" if argument.value is None else file.definition(type(argument.value))
    return f"{cls}, constant={value}"


def commented(emitted: Emitted) -> list[str]:
    """The generated functions, without what explains errors, and with the user's lines above
    theirs."""
    lines = emitted.source.splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("    except Exception"))
    kept = [(1, lines[0])] + [(n, line[4:]) for n, line in enumerate(lines[2:end], 3)]
    kept += [(n, line) for n, line in enumerate(lines[end + 3:], end + 4)]
    written, last = list[str](), None
    for number, line in kept:
        location = emitted.locations.get(number)
        said = location and comment(location)
        joined = line.strip().startswith(("else:", "elif ", "except ", "try:"))
        if said and said != last and not joined:
            written.append(line[: len(line) - len(line.lstrip())] + said)
            last = said
        written.append(line)
    return written


def comment(location: Location) -> str:
    """`# n = n // 2`: the user's line."""
    text = location.caret().partition("\n")[0].strip()
    return f"# {text}" if text else ""
