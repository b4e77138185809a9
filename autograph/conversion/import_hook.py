"""Imports whole packages converted: `ag.convert_imports("package")`.

A file is compiled as it was written, but each function begins with a look whether its converted
form is wanted (`plain_form.joined_late`). That form is made when it is wanted for the first time:
an import costs no conversion. What was compiled is kept beside what Python keeps, in
`__pycache__`, and is valid as long.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph.compiled_again import compiled, parsed
from autograph.conversion import plain_form
from autograph.conversion.code_cache import LOCK, loaded_function
from autograph.conversion.conversion_rules import note_joined
from autograph.conversion.plain_form import CONVERTED, FORMS, LATE, joined_late
from autograph.libraries import must_be_there, trace_into
from autograph.operators import dispatch
from autograph.syntax import verbosity
from autograph.syntax.errors import ConversionError
from autograph.syntax.gc_pause import collector_waits
from autograph.syntax.recursion_limit import deep_recursion
from autograph.syntax.source_file import all_codes, first_line
from autograph.traceback_filter import hiding_frames
from autograph.weak_id_dict import IdentityDict


@hiding_frames
def convert_imports(*packages: str) -> None:
    """Makes imports of packages convert every function in them, as `ag.convert` does.

    Where no trace is being made they run as they were written (`ag.config.plain`). Generators and
    coroutines, and functions that cannot be converted, stay as they are. The converted functions
    have the user's file names, lines and names. A package must not have been imported yet.
    `python -m autograph run --convert PACKAGE script.py` does this for a script.

    Args:
      packages: names of top-level packages or modules.

    Raises:
      ModuleNotFoundError: there is no such package.
      ImportError: it has been imported already.

    >>> convert_imports("this")
    >>> from importlib.util import find_spec
    >>> type(find_spec("this").loader).__name__
    '_Loader'
    """
    for name in packages:
        must_be_there(name)
        if name in sys.modules:
            raise ImportError(f"{name} has been imported already: call ag.convert_imports before "
                              "the first import of it", name=name)
    trace_into(*packages)
    finder = next((f for f in sys.meta_path if isinstance(f, _Finder)), None)
    if finder is None:
        sys.meta_path.insert(0, finder := _Finder())
    finder.packages |= set(packages)


class _Finder:
    """Finds the modules of some packages as Python does, and gives them another loader."""

    def __init__(self) -> None:
        self.packages: set[str] = set()

    def find_spec(self, fullname: str, path: Sequence[str] | None,
                  target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self.packages:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Loads a module whose functions are converted."""

    def get_code(self, fullname: str) -> CodeType | None:
        plain = super().get_code(fullname)
        code = plain and _Compiler(self.name, self.path, plain).get_code(fullname)
        if plain and code:
            _note_functions(code, _functions(plain))
        return code


class _Compiler(SourceFileLoader):
    """Compiles a module whose functions are converted, or finds what was kept of it.

    plain: the code of the module as it was written.
    """

    def __init__(self, fullname: str, path: str, plain: CodeType) -> None:
        super().__init__(fullname, path)
        self.plain = plain

    def source_to_code(  # type: ignore[override]  # Python calls it as a method
            self, data: Any, path: Any) -> CodeType:
        return code_of(importlib.util.decode_source(data), path, self.plain)

    def get_data(self, path: str) -> bytes:
        return super().get_data(_own(path))

    def set_data(self, path: str, data: Any, *, _mode: int = 0o666) -> None:
        super().set_data(_own(path), data, _mode=_mode)


def _own(path: str) -> str:
    """Returns the name of the file in which the code of a module is kept, from that which Python
    has for it; for any other file its name."""
    name, end = os.path.splitext(path)
    return f"{name}.autograph-{_made_by()}{end}" if end == ".pyc" else path


@cache
def _made_by() -> str:
    """Returns a text that changes with what `code_of` does: a digest of this module and another."""
    modules: list[Any] = [sys.modules[__name__], plain_form]
    files = [module.__loader__.get_data(module.__file__) for module in modules]
    return importlib.util.source_hash(b"".join(files)).hex()


@collector_waits()
def code_of(text: str, filename: str, plain: CodeType) -> CodeType:
    """Returns the code of a file in which every function that may be converted asks for its
    converted form when it is called while that is wanted (`forms_here`).

    plain: the code of the file as it was written.
    """
    with deep_recursion():
        tree, written = parsed(text, filename), _functions(plain)
        for node in _statements(tree):
            if isinstance(node, ast.FunctionDef):
                code = written.get((node.name, first_line(node)))
                if code and not code.co_flags & inspect.CO_GENERATOR:  # None: it is never reached
                    joined_late(node, code.co_freevars)
        at = _first_statement(tree)
        tree.body[at:at] = [ast.fix_missing_locations(_import(name, known_as))
                            for name, known_as in ((dispatch.__name__, FORMS), (__name__, LATE))]
        return compiled(tree, filename)


def _note_functions(code: CodeType, written: dict[NameAndLine, CodeType]) -> None:
    """Records which functions of a module hold their converted forms, and how they were written."""
    for key, function in _functions(code).items():
        if CONVERTED in function.co_varnames and key in written:
            note_joined(function, written[key])


def forms_here(cells: FunctionType) -> tuple[FunctionType, ...]:
    """Returns the converted form of the function that calls this one; nothing if it has none.

    cells: a function with the free variables of that function.
    """
    frame = sys._getframe(1)
    code = frame.f_code
    if code in _left or sys.is_finalizing():
        return ()
    given = dict(zip(cells.__code__.co_freevars, cells.__closure__ or (), strict=True))
    closure = tuple(given[name] for name in code.co_freevars)
    written = FunctionType(code, frame.f_globals, code.co_name, None, closure)
    try:
        with LOCK:
            return (loaded_function(written, recursive=True),)
    except ConversionError as error:
        verbosity.log(verbosity.CONVERSIONS, "left as it is: %s, %s: %s", code.co_qualname,
                      code.co_filename, error)
        _left.put(code, True)
        return ()


_left: IdentityDict[bool] = IdentityDict()
"""The code objects of functions that cannot be converted."""

NameAndLine = tuple[str, int]
"""The name of a function and its first line, decorators included: no two have both."""


def _functions(code: CodeType) -> dict[NameAndLine, CodeType]:
    return {(c.co_name, c.co_firstlineno): c for c in all_codes(code)
            if c.co_flags & inspect.CO_NEWLOCALS}


def _statements(tree: ast.Module) -> list[ast.AST]:
    """Returns the statements of a file, of all depths, and what holds some."""
    found: list[ast.AST] = [tree]
    for node in found:
        for field in BLOCKS:
            found += getattr(node, field, ())
    return found


BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements with the statements in them."""


def _import(name: str, known_as: str) -> ast.ImportFrom:
    package, _, module = name.rpartition(".")
    return ast.ImportFrom(package, [ast.alias(module, known_as)], 0)


def _first_statement(tree: ast.Module) -> int:
    """Returns the number of statements that have to stay first: docstring, future imports."""
    count = 0 if ast.get_docstring(tree, clean=False) is None else 1
    while count < len(tree.body) and getattr(tree.body[count], "module", None) == "__future__":
        count += 1
    return count
