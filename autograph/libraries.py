"""Distinguishes the user's files from those of Python, installed libraries and autograph."""

from __future__ import annotations

import functools
import glob
import importlib.util
import os
import site
import sys
from collections.abc import Sequence
from functools import cache
from types import (
    BuiltinMethodType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from autograph.own_attributes import held
from autograph.suggestions import of_class
from autograph.traceback_filter import GENERATED, hiding_frames
from autograph.weak_id_dict import IdentityDict

OWN = os.path.join(os.path.dirname(__file__), "")
PORTED = os.path.join(OWN, "ported", "")
"""The folder of code that counts as the user's."""

OUR_DISPATCH = "<dispatch of "
"""How the file name of the entry points begins that `ag.function` compiles."""

_opened: set[str] = set()


def library_roots() -> tuple[str, ...]:
    """Returns the folders of Python's library and of installed packages, the innermost first."""
    roots = {os.path.dirname(os.__file__), *site.getsitepackages(), site.getusersitepackages(),
             *filter(_holds_distributions, sys.path)}
    return tuple(sorted((os.path.join(r, "") for r in roots), key=lambda r: (-len(r), r)))


@cache
def _holds_distributions(folder: str) -> bool:
    """Returns True if pip installed packages into a folder: it writes beside them what they are."""
    return any(glob.iglob("*.dist-info", root_dir=folder or os.curdir))


@cache
def library_of(filename: str) -> str | None:
    """Returns the folder or file right below a library root that holds a file; None if the user's.

    Frozen modules are Python's own.
    """
    if filename.startswith("<frozen "):
        return filename
    if filename.startswith(PORTED):
        return None
    for root in library_roots():
        if filename.startswith(root):
            return root + filename[len(root):].split(os.sep)[0]
    return None


def is_no_file(filename: str) -> bool:
    """Returns True if the file name of a code object is made up: `<string>`, `<stdin>` …

    >>> is_no_file("<string>"), is_no_file("program.py")
    (True, False)
    """
    return filename.startswith("<") and filename.endswith(">")


def is_own(function: FunctionType) -> bool:
    """Returns True for autograph's own functions.

    The file decides, since wrappers copy `__module__`; generated code may have the user's file.
    """
    filename = function.__code__.co_filename
    return GENERATED in function.__globals__ or (
        filename.startswith((OWN, OUR_DISPATCH)) and not filename.startswith(PORTED))


def is_own_module(name: object) -> bool:
    """Returns True for the name of a module of autograph whose functions stay as they are.

    >>> is_own_module("autograph.libraries"), is_own_module("autograph.ported.heaps")
    (True, False)
    """
    return package_of(name) == "autograph" and not str(name).startswith("autograph.ported.")


MIXINS = Sequence.index.__code__.co_filename
"""The file of `collections.abc`, whose methods call those of the user's classes."""

ORDERINGS = frozenset(id(f.__code__) for made in functools._convert.values()  # type: ignore[attr-defined]
                      for _, f in made)
"""The code of the comparisons that `functools.total_ordering` puts into the user's classes, by id:
a hash of code asks all that is in it for a hash."""


def is_closed(function: FunctionType) -> bool:
    """Returns True if a function belongs to a library that the user has not asked to convert.

    Methods that Python gives to the user's classes, and that call their methods, count as theirs.
    """
    code = function.__code__
    if id(code) in ORDERINGS or code.co_filename == MIXINS:
        return False
    library = library_of(code.co_filename)
    return library is not None and library not in _opened and (
        _name(library) not in _traced_into and _name(library) not in OF_USERS_CLASSES)


OF_USERS_CLASSES = frozenset({"attr"})
"""Installed packages whose code is part of the user's classes: it compares their objects, and makes
others of them, which runs the user's validators and converters."""


def open_library(function: FunctionType) -> bool:
    """Treats the library of a function that the user asks to convert as the user's own code.

    So a package works the same whether it is installed or run from its checkout. Returns True if
    the library was closed before. NumPy and SciPy are never opened so: a function under
    `@np.errstate` has code of NumPy's.
    """
    library = library_of(function.__code__.co_filename)
    if library is None or not is_closed(function) or _name(library) in (*SYMBOLIC, "scipy"):
        return False
    _opened.add(library)
    _forget_classes()
    return True


def _name(library: str) -> str:
    return os.path.basename(library).removesuffix(".py")


# -- installed distributions: the graph calls them as they are -------------------------------------

SYMBOLIC = frozenset({
    "autograph", "numpy", "attr", "attrs", "typing_extensions", "hypothesis", "pytest",
    "_pytest", "pluggy",
})
"""Installed packages that are no closed libraries: those with rules of their own, and those that
make classes or test."""


OPAQUE = frozenset({"unittest.mock"})
"""Modules of Python's library whose objects record how they are used: with values of the run."""


def package_of(module: object) -> str:
    """Returns the first part of a module's name, as the `__module__` of a class or function gives
    it; "" if that is no name: None, or the property that it is in classes which Cython makes.

    >>> package_of("numpy.linalg"), package_of(None), package_of(property())
    ('numpy', '', '')
    """
    return module.partition(".")[0] if isinstance(module, str) else ""


def is_closed_module(name: object) -> bool:
    """Returns True if a module is of an installed distribution that the user has not opened.

    >>> is_closed_module("json.decoder"), is_closed_module("numpy"), is_closed_module("__main__")
    (False, False, False)
    """
    top = package_of(name)
    if name in OPAQUE:
        return True
    if top in SYMBOLIC or top in _traced_into or top in sys.stdlib_module_names:
        return False
    folder = _folder_of(top)
    return folder is not None and folder not in _opened and top != "__main__"  # the program itself


def is_python(module: object) -> bool:
    """Returns True if a module is of Python's library. A module of the user's may have the name
    of one.

    >>> is_python("collections.abc"), is_python("numpy"), is_python("__main__")
    (True, False, False)
    """
    top = package_of(module)
    return top in sys.stdlib_module_names and _folder_of(top) is not None


def is_library(module: object) -> bool:
    """Returns True if a module is Python's, NumPy's, ours or of an installed distribution that the
    user has not opened: its private data is not state.

    >>> is_library("collections.abc"), is_library("numpy.linalg"), is_library("model")
    (True, True, False)
    """
    top = package_of(module)
    if top in SYMBOLIC or (folder := _folder_of(top)) is None:
        return top in SYMBOLIC
    return top in sys.stdlib_module_names or (
        top not in _traced_into and folder not in _opened and top != "__main__")


def is_of_library(x: Any) -> bool:
    """Returns True for a function or class of a library, by the name of its module.

    >>> is_of_library(cache), is_of_library(is_closed_module)
    (True, True)
    """
    return is_library(held(x, "__module__"))


_traced_into: set[str] = set(filter(None, os.environ.get("AUTOGRAPH_TRACE_INTO", "").split(",")))


def traced_into() -> tuple[str, ...]:
    """Returns the installed libraries that were opened, and their folders."""
    return (*sorted(_traced_into), *sorted(_opened))


OF_CLASSES: IdentityDict[Any] = IdentityDict()
"""A class -> what is known about it, which depends on the libraries that are open."""


def _forget_classes() -> None:
    """Forgets what is known about classes: a library was opened."""
    OF_CLASSES.clear()
    _closed_classes.clear()


def _folder_of(top: str) -> str | None:
    """Returns the folder or file of a library that holds a module; None if it is the user's.

    The names of Python's modules without a file are their own.
    """
    module = sys.modules.get(top)
    path = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    if path is None:
        return top if top in sys.stdlib_module_names else None
    return library_of(path)


def is_of_closed_library(f: Any) -> bool:
    """Returns True for a function, class, method or callable object of an installed distribution
    that the user has not opened.

    A method that an object of the user's class inherits from a library is no method of a library.
    SciPy's functions have rules of their own, which come first; its objects are like any other's.
    To open a library opens its Python code: no trace follows what is written in C.
    """
    if isinstance(f, type):
        return not issubclass(f, BaseException) and is_closed_class(f)
    if type(f) in (MethodType, BuiltinMethodType) and not isinstance(f.__self__, ModuleType):
        owner = f.__self__ if isinstance(f.__self__, type) else type(f.__self__)
        return is_closed_class(owner)
    if type(f) is FunctionType:
        return is_closed_module(_module_of(f))
    return is_closed_class(type(f)) or (
        type(f).__name__ in COMPILED and _is_compiled_module(getattr(f, "__module__", "")))


def is_closed_class(cls: type) -> bool:
    """Returns True for a class of a closed library, and for one of any library in C."""
    known = _closed_classes.values.get(id(cls))
    if known is None:
        known = is_closed_module(cls.__module__) or (_is_compiled_module(cls.__module__) and any(
            type(x) is MethodDescriptorType for x in vars(cls).values()))
        _closed_classes.put(cls, known)
    return known


_closed_classes: IdentityDict[bool] = IdentityDict()
"""A class -> True if its objects are those of a closed library."""


def _is_compiled_module(name: object) -> bool:
    """Returns True for a module, neither Python's nor one with rules of its own, whose code in C is
    closed."""
    top = package_of(name)
    return top not in ("", "__main__", *SYMBOLIC) and top not in sys.stdlib_module_names


COMPILED = frozenset({
    "builtin_function_or_method", "cython_function_or_method", "fused_cython_function"})
"""The names of the classes of functions written in C."""


def _module_of(f: FunctionType) -> str:
    """Returns the module of a function's code: wrappers copy `__module__`."""
    return str(f.__globals__.get("__name__") or "")


def must_be_there(package: str) -> None:
    """Raises an error unless it is the name of a package or module that can be imported.

    >>> must_be_there(os)
    Traceback (most recent call last):
    TypeError: a package is given by its name, not as a module
      hint: write 'os'
    """
    if not isinstance(package, str):
        name = getattr(package, "__name__", "package")
        raise TypeError(f"a package is given by its name, not as {of_class(package)}"
                        f"\n  hint: write {name!r}")
    if not package or importlib.util.find_spec(package) is None:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)


@hiding_frames
def trace_into(*packages: str) -> None:
    """Lets traces go into installed packages: their functions are converted as yours are.

    Without it, a call of an installed package, other than the one that the decorated function
    belongs to, is one opaque call, which the graph makes on real arrays. Call it before the
    functions that use the package; the names in AUTOGRAPH_TRACE_INTO, with commas between them, are
    opened from the start.

    Args:
      packages: names of top-level packages or modules.

    Raises:
      ModuleNotFoundError: there is no such package.

    >>> trace_into("astunparse")
    >>> is_closed_module("astunparse.printer")
    False
    """
    for name in packages:
        must_be_there(name)
    _traced_into.update(map(package_of, packages))
    _forget_classes()
