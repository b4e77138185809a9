"""The dependencies of a trace, as a text that is the same in another process if they are.

Everything that the function reaches is looked at: its code, its source file, the globals and cells
that it reads, the functions that it calls. A dependency that has no such text (an array, an object,
a class of the user's, a library that is not known to be pure) raises `Unknown`: the function is
then traced in each process.
"""

from __future__ import annotations

import builtins
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from dis import Instruction, get_instructions
from functools import cache
from hashlib import sha256
from operator import attrgetter
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autograph.conversion.conversion_rules import REPLACEMENTS, rule_of
from autograph.runtime.ir.closures import cell_contents
from autograph.runtime.ir.code_answers import by_code
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.replacements.clocks import is_clock_text
from autograph.runtime.serialize import allowed
from autograph.runtime.signatures.cache_keys import LITERALS, Literal, Node, Same

REMEMBERED = frozenset({"__ag_converted__", "__ag_asked__"})
"""Attributes in which the compiler keeps the converted forms of a function."""

PLAIN_DTYPES = "biufcSUmM"
"""The kinds of dtypes that their text describes."""

EFFECTS = frozenset({
    "IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_NAME", "STORE_ATTR", "DELETE_ATTR",
    "LOAD_BUILD_CLASS", "BUILD_SET", "SET_ADD", "SET_UPDATE"})
"""Instructions of code whose dependencies or effects are not followed. A set's order is another one
in each process, as hashes are."""

CHANGES = frozenset({"STORE_DEREF", "DELETE_DEREF"})
ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})

KEYS = frozenset({"keys", "items"})
"""Methods whose results make sets, by these operators."""
MAKES_SETS = frozenset("&|^-")


class Unknown(Exception):
    """Something has no text that is the same in another process."""


class Dependencies:
    """Collects the texts of a function and of all that it reaches.

    files  the paths of the source files, by name.
    """

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.parts: list[str] = []
        self.numbers: dict[int, int] = {}

    def say(self, *parts: object) -> None:
        self.parts.extend(map(str, parts))

    def value(self, x: Any) -> None:
        """Looks at an object that code reads."""
        cls = type(x)
        if cls in LITERALS:
            self.say(cls.__name__, literal_text(x))
        elif cls is tuple:
            self.say("tuple", len(x))
            for part in x:
                self.value(part)
        elif isinstance(x, np.generic) and x.dtype.kind in PLAIN_DTYPES:
            self.say(cls.__name__, x.dtype.str, x.tobytes().hex())
        elif isinstance(x, np.dtype):
            self.say("dtype", dtype_text(x))
        elif cls is FunctionType and str(x.__globals__.get("__name__")).partition(".")[0] not in (
                HOMES):
            self.function(x)
        elif cls is not ModuleType:
            self.say(library_name(x))
        else:
            raise Unknown(x)

    def function(self, x: FunctionType) -> None:
        """Looks at a function of the user's, once."""
        if id(x) in self.numbers:
            self.say("function", self.numbers[id(x)])
            return
        self.numbers[id(x)] = len(self.numbers)
        if not vars(x).keys() <= REMEMBERED or x in REPLACEMENTS:
            raise Unknown(x)
        path = x.__code__.co_filename
        if self.files.setdefault(os.path.basename(path), path) != path:
            raise Unknown(x)  # a trace has the names of files, without their folders
        self.say(rule_of(x).name, x.__module__, x.__name__, x.__qualname__,
                 x.__globals__.get("__name__"), file_digest(path), code_digest(x.__code__))
        self.value(x.__defaults__)
        self.value(tuple((x.__kwdefaults__ or {}).items()))
        for cell in x.__closure__ or ():
            self.value(cell_contents(cell))
        for name, *attributes in used_names(x.__code__):
            self.say(name)
            if name in x.__globals__:
                self.read(x.__globals__[name], attributes)
            elif hasattr(builtins, name):
                self.value(getattr(builtins, name))

    def read(self, x: Any, path: Sequence[str]) -> None:
        """Looks at a global; of a module, at what the code reads from it, and nothing else: a
        module that goes on as a value would have any name read, anywhere."""
        for name in path:
            if not isinstance(x, ModuleType):
                break
            self.say("module", x.__name__, name)
            if x.__name__.partition(".")[0] == "autograph" or name not in vars(x):
                raise Unknown(x)
            x = vars(x)[name]
        self.value(x)


def dtype_text(dtype: np.dtype[Any]) -> str:
    """Returns the text of a dtype.

    Raises:
      Unknown: it says more than its text.
    """
    if dtype.kind not in PLAIN_DTYPES or dtype.metadata or np.dtype(dtype.str) != dtype:
        raise Unknown(dtype)
    return dtype.str


HOMES: dict[str, frozenset[str]] = {
    "numpy": frozenset(n for n in allowed.NUMPY.split() if not n.startswith("random")),
    "builtins": frozenset(allowed.BUILTINS.split()) - {"hash", "set", "frozenset", "object"},
    **{module.__name__: frozenset(names.split()) for module, names in allowed.MODULES
       if module.__name__ != "random"}}
"""The names of what only computes, of those that a file may name, by module; the same in each
process."""


def library_name(x: Any) -> str:
    """Returns the name of a function or class of a library that only computes.

    Raises:
      Unknown: it is no such thing, or it is not what the library has under this name.
    """
    inside: Any = getattr(x, "_implementation", x)  # of NumPy's functions
    is_python = isinstance(inside, FunctionType)
    if is_python:
        module = str(inside.__globals__.get("__name__"))
    elif isinstance(inside, (type, BuiltinFunctionType)):
        module = str(inside.__module__)
    elif isinstance(inside, np.ufunc) and any("O" not in t for t in inside.types):
        module = "numpy"  # others are Python functions, made ufuncs
    else:
        raise Unknown(x)
    root, _, rest = module.partition(".")
    root = root.lstrip("_")
    for name in (inside.__name__, f"{rest.partition('.')[0]}.{inside.__name__}"):
        if name in HOMES.get(root, ()) and _found(root, name) is x:
            return f"{root}.{name} {code_digest(inside.__code__) if is_python else ''}"
    if isinstance(inside, type) and issubclass(inside, Exception) and root == "builtins":
        return f"builtins.{inside.__name__}"
    raise Unknown(x)


def _found(root: str, name: str) -> Any:
    """Returns what a library has under a name now."""
    return attrgetter(name)(sys.modules[root])


@by_code
def used_names(code: CodeType) -> tuple[tuple[str, ...], ...]:
    """Returns the globals that code, and the code in it, reads: each with the attributes that are
    read from it at once, as in `("np", "linalg", "norm")`.

    Raises:
      Unknown: it imports, changes something outside, reads the clock, or makes a set.
    """
    paths: dict[tuple[str, ...], None] = {}
    attributes: set[str] = set()
    operators: set[str] = set()
    for inner in codes_in(code):
        found = [i for i in get_instructions(inner) if i.opname != "EXTENDED_ARG"]
        for i, after in zip(found, [*found[1:], None], strict=True):
            if i.opname in EFFECTS or (i.opname in CHANGES and i.argval in code.co_freevars):
                raise Unknown(code)
            if i.opname in ATTRIBUTES:
                attributes.add(i.argval)
            elif i.opname == "BINARY_OP":
                operators.update(i.argrepr)
            elif i.opname == "LOAD_CONST":
                look_at_constant(i.argval, after is not None and after.opname == "CONTAINS_OP")
        paths.update(dict.fromkeys(paths_in(found)))
    if any(name.startswith("__") for name in attributes) or (
            attributes & KEYS and operators & MAKES_SETS):
        raise Unknown(code)
    return tuple(sorted(paths))


def paths_in(instructions: list[Instruction]) -> Iterator[tuple[str, ...]]:
    """Yields the globals that are read, with the attributes that are read from each at once."""
    path: tuple[str, ...] = ()
    for i in instructions:
        if path and i.opname in ATTRIBUTES:
            path = *path, i.argval
            continue
        if path:
            yield path
        path = (i.argval,) if i.opname == "LOAD_GLOBAL" else ()


def look_at_constant(x: Any, is_searched: bool) -> None:
    """Looks at a constant of code.

    Raises:
      Unknown: it is a text that means the clock, or a set that is not only searched.
    """
    if type(x) is tuple:
        for part in x:
            look_at_constant(part, False)
    elif type(x) in LITERALS:
        literal_text(x)
    elif type(x) is frozenset and not is_searched:
        raise Unknown(x)


def literal_text(x: Any) -> str:
    """Returns the text of a number, text, or None.

    Raises:
      Unknown: it means the clock, for NumPy.
    """
    if is_clock_text(x):
        raise Unknown(x)
    return repr(x)


def codes_in(code: CodeType) -> list[CodeType]:
    """Returns a code object and all that are in it."""
    found = [code]
    for each in found:
        found += [c for c in each.co_consts if isinstance(c, CodeType)]
    return found


@by_code
def code_digest(code: CodeType) -> str:
    """Returns a digest of a code object: what it does, and where its lines are."""
    digest = sha256()
    for c in codes_in(code):
        constants = [type(x).__name__ + repr(sorted(map(repr, x)) if type(x) is frozenset else x)
                     for x in c.co_consts if not isinstance(x, CodeType)]
        for part in (c.co_filename, c.co_qualname, c.co_firstlineno, c.co_flags, c.co_argcount,
                     c.co_posonlyargcount, c.co_kwonlyargcount, c.co_names, c.co_varnames,
                     c.co_freevars, c.co_cellvars, constants, c.co_code, c.co_linetable,
                     c.co_exceptiontable):
            digest.update(repr(part).encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


_files: dict[str, tuple[Any, str]] = {}
"""By path, what a file looked like when it was read, and its digest."""


def file_digest(path: str) -> str:
    """Returns the digest of a source file.

    Raises:
      Unknown: it cannot be read.
    """
    try:
        found = os.stat(path)
        looks = found.st_mtime_ns, found.st_size, found.st_ino
        if path not in _files or _files[path][0] != looks:
            with open(path, "rb") as stream:
                _files[path] = looks, sha256(stream.read()).hexdigest()
    except OSError:
        raise Unknown(path) from None
    return _files[path][1]


def key_text(key: Any) -> str:
    """Returns the text of the key of a call's arguments: arrays, numbers, text, and containers.

    Raises:
      Unknown: there are objects among them.
    """
    if isinstance(key, ArrayType):
        if key.dtype is None:
            raise Unknown(key)
        return f"array({dtype_text(key.dtype)} {key.shape!r} {key.scalar})"
    if isinstance(key, PyType):
        return f"number({key.cls.__module__}.{key.cls.__name__})"
    if isinstance(key, Literal) and key.cls in LITERALS:
        return f"{key.cls.__name__}({literal_text(key.value)})"
    if isinstance(key, Same):
        return f"same({key.number})"
    if isinstance(key, Node) and (key.kind is None or key.kind in (tuple, list, dict)):
        return f"{key.kind}{key_text(tuple(key.parts))}"
    if type(key) is tuple:
        return f"[{', '.join(map(key_text, key))}]"
    if type(key) in LITERALS:
        return literal_text(key)
    raise Unknown(key)


def error_modes() -> str:
    """Returns the text of what NumPy does about errors of floats: what is computed while a
    function is traced, from constants, depends on it.

    Raises:
      Unknown: it writes or calls something.
    """
    modes = np.geterr()
    if not {"ignore", "warn", "raise"}.issuperset(modes.values()):
        raise Unknown(modes)
    return f"{modes} {sorted({action for action, *_ in warnings.filters})}"


@cache
def build() -> str:
    """Returns a text of everything that makes a trace, but for the function: versions, and the
    files of this package."""
    roots = (os.path.dirname(os.path.dirname(__file__)),
             os.path.dirname(os.path.dirname(allowed.__file__)))
    files = sorted(_python_files([os.path.realpath(root) for root in roots]))
    digest = sha256("\n".join(files).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{sys.version} {sys.platform} {np.__version__} {digest}"


def _python_files(folders: list[str]) -> Iterator[str]:
    """Yields the files in folders, with their sizes and times."""
    for folder in folders:
        with os.scandir(folder) as found:
            for entry in found:
                if entry.name.endswith(".py"):
                    looks = entry.stat()
                    yield f"{entry.path} {looks.st_size} {looks.st_mtime_ns}"
                elif "." not in entry.name and entry.name[0] != "_" and (
                        entry.is_dir(follow_symlinks=False)):
                    folders.append(entry.path)
