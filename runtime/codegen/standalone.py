"""`to_python`: a graph as a file of Python that needs nothing but NumPy."""

from __future__ import annotations

import ast
import inspect
import keyword
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from autograph.runtime.codegen.emit import emit
from autograph.runtime.codegen.emitted import Emitted
from autograph.runtime.codegen.literals import Literals
from autograph.runtime.codegen.python_file import ARRAYS, Constant, PythonFile
from autograph.runtime.ir.errors import StandaloneError
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children
from autograph.runtime.ir.types import ArrayType, PyType, Type
from autograph.runtime.signatures.cache_keys import LASTING, Identity
from autograph.runtime.signatures.filler import LeafRef


def to_python(program: Program, name: str, parameters: list[inspect.Parameter],
              nest: dict[str, Any], containers: list[str]) -> PythonFile:
    """The text of a module that defines a function `name`.

    An object that only this graph is for, as the instance of a method, is no parameter of it.

    Args:
      parameters: the function's parameters.
      nest: the arguments by parameter name, with a `LeafRef` for each that the graph takes.
      containers: expressions for those of the caller's lists and dicts that it changes.

    Raises:
      StandaloneError: the graph refers to something that cannot be written down.
    """
    nest = {key: x for key, x in nest.items() if not _is_for_it_alone(x)}
    parameters = [p for p in parameters if p.name in nest]
    leaves = list(paths_in(nest))
    paths = {x.index: path for path, x in reversed(leaves) if isinstance(x, LeafRef)}
    given = [*(paths[i] for i in range(len(program.graph.inputs))), *containers]
    _refuse(program, name, [p.name for p in parameters], given)
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
    emitted, literals, values = _written(program, name)
    checks = list(_checks(program, leaves, paths, literals))
    signature = parameters_text(literals, parameters)
    _check_names(literals, emitted, [name, *(p.name for p in parameters)])
    helpers = [HELPERS[k] for k in HELPERS if any(c.startswith(f"{k}(") for c in checks)]
    head = [f'"""The function `{name}`, written by autograph: it needs nothing but NumPy.',
            "", "Comments show the lines that it was made from.", '"""', "",
            "from __future__ import annotations", "", *sorted(literals.bundle.imports)]
    body = [*checks, f"return {emitted.name}({', '.join(given)})"]
    functions = ["\n".join(commented(emitted)),
                 "\n".join([f"def {name}({signature}):", *(f"    {line}" for line in body)])]
    text = PythonFile.of(["\n".join(head), *helpers, literals.bundle.text], values, functions)
    ast.parse(text)
    return text


def _is_for_it_alone(x: object) -> bool:
    """Returns True if the graph is for one object that has no source."""
    known = isinstance(x, (Identity, *LASTING))
    return known and (isinstance(x, Identity) or Literals("").known(x) is None)


def _written(program: Program, name: str) -> tuple[Emitted, Literals, list[Constant]]:
    """The graph's functions; what they need, and their constants, which have none of the names of
    our helpers."""
    reserved = frozenset({name, ARRAYS, *HELPERS})
    while True:
        emitted, literals = emit(program, f"{name}_of_arrays", reserved), Literals(name)
        values = [Constant(key, literals.expression(thing), thing)
                  for key, thing in emitted.namespace.items() if key != "np"]
        values = [constant for constant in values if constant.name != constant.text]
        taken = literals.bundle.names & {constant.name for constant in values}
        if not taken:
            return emitted, literals, values
        reserved |= taken


HELPERS = {
    "_check": '''def _check(name, value, cls, dtype=None, shape=None):
    """Refuse what the function below was not made for.

    Raises:
      TypeError: the argument is of another class, dtype or shape (None: any length).
    """
    fits = type(value) is cls and (dtype is None or value.dtype == dtype) and (
        shape is None or len(shape) == len(value.shape) and all(
            wanted in (None, n) for wanted, n in zip(shape, value.shape)))
    if not fits:
        of = "".join(f" {x}" for x in (dtype, shape) if x is not None)
        raise TypeError(f"{name} has to be {cls.__name__}{of}, not {value!r}")''',
    "_constant": '''def _constant(name, value, wanted):
    """Refuse other constants than the one that the function below was made for.

    Raises:
      TypeError: the argument is another one.
    """
    if type(value) is not type(wanted) or repr(value) != repr(wanted):
        raise TypeError(f"{name} has to be {wanted!r}, for which this file was made")''',
    "_same": '''def _same(*arrays):
    """Raises TypeError unless these arguments are one and the same."""
    if any(x is not arrays[0] for x in arrays):
        raise TypeError("this file was made for a call with the same array given several times")''',
    "_separate": '''def _separate(*arrays):
    """Raises TypeError if arguments share memory that the function below writes to."""
    arrays = [x for x in arrays if isinstance(x, np.ndarray)]
    if any(np.may_share_memory(x, y) for k, x in enumerate(arrays) for y in arrays[:k]):
        raise TypeError("this file was made for arrays that share no memory")''',
    "_ordered": '''def _ordered(name, array):
    """Raises TypeError for an array in another order: what a reshape shares depends on it."""
    if not array.flags.c_contiguous:
        raise TypeError(f"{name} has to be in C order; pass np.ascontiguousarray({name})")''',
}
"""The functions that check arguments in the file, by name."""


def _checks(program: Program, leaves: list[tuple[str, Any]], paths: dict[int, str],
            literals: Literals) -> Iterator[str]:
    """The lines that refuse what the graph is not made for, as generated guards would."""
    for path, x in leaves:
        if not isinstance(x, LeafRef):
            yield f"_constant({path!r}, {path}, {literals.expression(x)})"
        elif paths[x.index] != path:
            yield f"_same({paths[x.index]}, {path})"
        elif kind := _kind(literals, program.graph.inputs[x.index].type):
            yield f"_check({path!r}, {path}, {kind})"
    yield from (f"_ordered({paths[i]!r}, {paths[i]})" for i in program.ordered)
    if (program.write_back or program.by_reference) and len(paths) > 1:
        yield f"_separate({', '.join(paths.values())})"


def _kind(literals: Literals, t: Type) -> str:
    """The class, dtype and shape that an argument is to have; empty if it may be anything."""
    if isinstance(t, ArrayType) and t.dtype is not None:
        cls = literals.expression(t.dtype.type) if t.scalar else "np.ndarray"
        shape = t.shape and tuple(d if isinstance(d, int) else None for d in t.shape)
        return f"{cls}, {literals.expression(t.dtype)}" + ("" if shape is None else f", {shape}")
    return literals.expression(t.cls) if isinstance(t, PyType) else ""


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


def parameters_text(literals: Literals, parameters: list[inspect.Parameter]) -> str:
    """The parameters as source, with their defaults, without annotations."""
    def bare(p: inspect.Parameter) -> inspect.Parameter:
        text = p.empty if p.default is p.empty else _Text(literals.expression(p.default))
        return p.replace(annotation=p.empty, default=text)

    return str(inspect.Signature([bare(p) for p in parameters]))[1:-1]


def _refuse(program: Program, name: str, names: list[str], given: list[str]) -> None:
    """Refuse programs that need more than their graph when they run."""
    reason = ""
    if program.handled:
        reason = "has a `try` or `with` around what may raise: then it runs as plain Python"
    elif not all(re.split(r"[.[]", path, maxsplit=1)[0] in names for path in given):
        reason = "changes a list or dict inside another argument"
    elif program.locations:
        reason = f"changes something outside itself ({program.locations[0][0]!r})"
    if reason:
        raise StandaloneError(f"{name} {reason}\n  hint: a file of its own holds the graph only; "
                              "pass what it changes as an argument, and return it")


def _check_names(literals: Literals, emitted: Emitted, names: list[str]) -> None:
    """Refuse a function whose own name, or a parameter's, the file needs for something else."""
    ours = {*HELPERS, ARRAYS, "np", emitted.name, *literals.bundle.names}
    if taken := sorted(ours.intersection(names)):
        raise StandaloneError(f"the name {taken[0]!r} would hide a helper of the file's own\n"
                              "  hint: give the function or parameter another name")


def commented(emitted: Emitted) -> list[str]:
    """The generated functions, without what explains errors, and with the user's lines above
    theirs."""
    lines = emitted.source.splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("    except BaseException"))
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
