"""`ag.save` and `ag.load`: functions and modules in a file, without their source."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from autograph.decorated import dispatcher_of, gives_traces
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.execution import EXECUTORS
from autograph.runtime.ir.errors import InvalidArgumentError, LoadError, SaveError
from autograph.runtime.serialize.fields import shown, the_dict, the_int, the_list, the_text
from autograph.runtime.serialize.loaded import Loaded, LoadedFunction, LoadedModule
from autograph.runtime.serialize.modules import ModuleReader, ModuleWriter
from autograph.runtime.serialize.nests import Classes, classes_by_id
from autograph.runtime.serialize.programs import (
    Signature,
    program_data,
    signature_from,
    signature_of_trace,
)
from autograph.runtime.serialize.samples import Sample, check_samples, sample_data, sample_of
from autograph.runtime.serialize.tables import Tables, TablesWriter
from autograph.runtime.symbolic.module import Module
from autograph.traceback_filter import hiding_frames

FORMAT = "autograph graph"
VERSION = 2
"""Of the schema in docs/agz-format.md. It grows when an older reader cannot read a new file."""

TABLES = ("arrays", "types", "spans", "variables")


@hiding_frames
def save(path: str | os.PathLike[str], thing: Any, signatures: Any = None, *,
         samples: Sequence[tuple[Any, ...]] = (), classes: Sequence[type] = (),
         spans: bool = True) -> None:
    """Writes a function, or a module with its variables and functions, to a file.

    The file has all that is needed to run it elsewhere: graphs, arrays, the values of variables. It
    has no source and no pickles; `ag.load` runs nothing of it. The file appears as a whole, after
    it has been read back: a crash, or a disk that does not keep what it is given, leaves the old
    file.

    Args:
      path: the file; `.agz` is its usual ending.
      thing: a function with `@ag.function`, a concrete function, an `ag.Module`, or what `ag.load`
        gave.
      signatures: for a function: a tuple of arguments (arrays or `TensorSpec`s), or a list of
        tuples, to save graphs for. Without it all traces that the function has are saved. For a
        module: a dict from the names of methods to these.
      samples: tuples of arguments. The function is run on copies of them now, and the file keeps
        arguments and results, so that `ag.load(path, verify=True)` can repeat the calls.
      classes: classes of the user's (named tuples, data classes, exceptions) that the file may
        refer to by name; `ag.load` needs them, too.
      spans: False to leave the lines of the source out.

    Raises:
      SaveError: there is no trace; or something cannot be written, as a call of a Python function
        that only the run knows; with the user's line. Or the new file cannot be read back.
      OSError: the file cannot be written.

    >>> import numpy as np, os, tempfile
    >>> import autograph as ag
    >>> @ag.function
    ... def scale(x):
    ...     return x * 2.0
    >>> path = os.path.join(tempfile.mkdtemp(), "scale.agz")
    >>> save(path, scale, (np.ones(3),))
    >>> load(path)(np.arange(3.0))
    array([0., 2., 4.])
    """
    from autograph.runtime.serialize.archive import write_archive, write_atomically  # for files

    data, arrays = written(thing, signatures, samples, classes, spans)
    write_atomically(Path(path), lambda stream: write_archive(stream, data, arrays),
                     partial(_read_back, classes=classes))


def _read_back(stream: BinaryIO, classes: Sequence[type]) -> None:
    """Reads a new file, as `load` does; the old one is replaced only if that works."""
    try:
        read(stream, classes_by_id(classes), "python")
    except LoadError as error:
        raise SaveError(f"the file that was written cannot be read back: {error.message}",
                        "report it as a fault, or save less in one file") from error


@hiding_frames
def load(path: str | os.PathLike[str], *, verify: bool = False, classes: Sequence[type] = (),
         executor: str = "python") -> Loaded:
    """Returns the function or module that `ag.save` wrote.

    Nothing in the file is executed: every op, constant, dtype, shape and reference is checked
    against the op table and a closed list of functions before anything is made of it.

    Args:
      path: the file.
      verify: True to repeat the sample calls in the file and compare the results.
      classes: the user's classes to which the file refers.
      executor: what runs the graphs: "python"; "native" for machine code; "tiered" for that once
        calls have taken long enough; or "interpreter".

    Returns:
      A `LoadedFunction`, which is called like the function; or a `LoadedModule`, which has the
      variables, values, modules and functions as attributes.

    Raises:
      LoadError: the file is damaged, of another version, or not what `ag.save` writes; or a sample
        gives another result here.
      InvalidArgumentError: there is no such executor.
      NativeUnavailableError: "native" is asked for, and LLVM is not installed.
      OSError: there is no such file.

    >>> import numpy as np, os, tempfile
    >>> import autograph as ag
    >>> path = os.path.join(tempfile.mkdtemp(), "total.agz")
    >>> total = ag.function(lambda x: np.sum(x) + 1.0)
    >>> save(path, total, (np.ones(3),), samples=[(np.arange(3.0),)])
    >>> load(path, verify=True)
    <LoadedFunction <lambda>: 1 signature(s)>
    """
    if executor not in EXECUTORS:
        raise InvalidArgumentError(
            f"no executor is named {executor!r}: it is one of {', '.join(EXECUTORS)}")
    with open(os.fspath(path), "rb") as stream, naming(path):
        made, functions = read(stream, classes_by_id(classes), executor)
        if verify:
            verified(functions)
    return cast("Loaded", made)


def verified(functions: Sequence[LoadedFunction]) -> None:
    """Repeats the sample calls in a file.

    Raises:
      LoadError: there are none, or one gives another result.
    """
    if not any(f.samples for f in functions):
        raise LoadError("the file holds no samples to verify: save it with samples=[…]")
    for f in functions:
        check_samples(f)


class naming:
    """A block in which the name of the file is put before the message of a `LoadError`.

    No generator: its frames are none of ours, and would stay in the user's traceback.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, LoadError):
            where = f"{os.fspath(self.path)}: {error.where}".removesuffix(": ")
            raise LoadError(error.message, where) from None


# -- writing --------------------------------------------------------------------------------------


def dumps(thing: Any, signatures: Any = None, *, samples: Sequence[tuple[Any, ...]] = (),
          classes: Sequence[type] = (), spans: bool = True) -> bytes:
    """Returns the bytes that `save` writes to a file."""
    from autograph.runtime.serialize.archive import archive_bytes

    return archive_bytes(*written(thing, signatures, samples, classes, spans))


def written(thing: Any, signatures: Any, samples: Sequence[tuple[Any, ...]],
            classes: Sequence[type], spans: bool) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """Returns the plain data and the arrays of a file."""
    tables = TablesWriter(classes_by_id(classes), spans)
    functions = FunctionWriter(tables)
    if isinstance(thing, Module):
        modules = ModuleWriter(tables, functions, signatures or {})
        root: dict[str, Any] = {"module": modules.number(thing)}
        rows = modules.rows
    else:
        root, rows = {"function": functions.number(thing, signatures, samples)}, []
    made_with = made_with_of(thing)
    data = {"format": FORMAT, "version": VERSION, "made_with": made_with, **tables.data(),
            "functions": functions.rows, "modules": rows, "root": root}
    return data, [held.array for held in tables.files]


def made_with_of(thing: Any) -> dict[str, str]:
    """Returns the versions that the graphs were traced with: these ones, or those in the file that
    they come from, so that it is saved again byte for byte by other versions."""
    here = {"numpy": np.__version__, "python": ".".join(map(str, sys.version_info[:3]))}
    loaded = isinstance(thing, (LoadedFunction, LoadedModule))
    return cast("dict[str, str]", vars(thing)["_made_with"]) if loaded else here


class FunctionWriter:
    """Writes functions, each once."""

    def __init__(self, tables: TablesWriter) -> None:
        self.tables = tables
        self.rows: list[Any] = []
        self.numbers: dict[Any, int] = {}
        self.held: list[Any] = []

    def number(self, f: Any, signatures: Any = None, samples: Sequence[tuple[Any, ...]] = ()
               ) -> int:
        """Returns the number of a function in the file."""
        key = tuple(id(s.program) for s in signatures_of(f, signatures))
        if key not in self.numbers:
            self.held.append(f)
            found = signatures_of(f, signatures)
            row = {"name": name_of(f), "signatures": [program_data(self.tables, s) for s in found]}
            kept = [*getattr(f, "samples", ()),
                    *(Sample.of_call(f, found, args) for args in samples)]
            if kept:
                row["samples"] = [sample_data(self.tables, s) for s in kept]
            self.numbers[key] = len(self.rows)
            self.rows.append(row)
        return self.numbers[key]


def name_of(f: Any) -> str:
    """Returns a function's name."""
    f = getattr(f, "__func__", f)
    name = getattr(f, "name", None)  # of a class, it may be a property
    return name if type(name) is str and name else str(getattr(f, "__name__", "function"))


def signatures_of(f: Any, asked: Any = None) -> list[Signature]:
    """Returns what a function was traced for; `asked` is a tuple of arguments, or a list of them.

    Raises:
      SaveError: it is no function of ours, or it has no trace.
    """
    if isinstance(f, LoadedFunction) and asked is None:
        return f.signatures
    if isinstance(f, ConcreteFunction):
        return [signature_of_trace(f)]
    if not gives_traces(f):
        raise _not_saved(f)
    if asked is not None:
        return [signature_of_trace(f.get_concrete_function(*args)) for args in calls_of(asked)]
    found = _traces(f)
    if not found and getattr(f, "input_signature", None):
        found = [f.get_concrete_function()]
    if not found:
        raise SaveError(f"{name_of(f)} has no trace yet, or the objects that it was traced for are "
                        "gone",
                        "call it first, or say for which arguments: ag.save(path, f, (x, y))")
    return [signature_of_trace(c) for c in found]


def _not_saved(f: Any) -> SaveError:
    if callable(f) and not isinstance(f, type):
        return SaveError(f"{name_of(f)} is a plain function, which has no graph",
                         "save ag.function(f), or put @ag.function above it")
    what = f"the class {f.__name__}" if isinstance(f, type) else (
        f"an object of class {type(f).__name__!r}")
    return SaveError(f"{what} cannot be saved",
                     "write ag.save(path, f, (x,)): f has @ag.function, or is an ag.Module")


def calls_of(asked: Any) -> list[tuple[Any, ...]]:
    """Returns the tuples of arguments that a function is to be saved for."""
    calls = asked if isinstance(asked, list) else [asked]
    for args in calls:
        if not isinstance(args, tuple):
            raise SaveError(f"the arguments to save for are a tuple, not {type(args).__name__}",
                            "write ag.save(path, f, (x,)), or a list of such tuples")
    return calls


def _traces(f: Any) -> list[ConcreteFunction]:
    """Returns the traces that a decorated function, or a method for its instance, has."""
    asked = getattr(f, "_asked", None)
    if asked is not None:
        return list(asked().traces())
    return list(dispatcher_of(f).traces.values())


# -- reading --------------------------------------------------------------------------------------


def loads(data: bytes, classes: Sequence[type] = (), executor: str = "python") -> Any:
    """Returns what `dumps` made bytes of."""
    return read(io.BytesIO(data), classes_by_id(classes), executor)[0]


def read(stream: BinaryIO, classes: Classes, executor: str) -> tuple[Any, list[LoadedFunction]]:
    """Returns what is in a file, and all functions in it."""
    from autograph.runtime.serialize.archive import read_archive

    return made_of(*read_archive(stream), classes, executor)


def made_of(data: Any, arrays: list[np.ndarray[Any, Any]], classes: Classes, executor: str
            ) -> tuple[Any, list[LoadedFunction]]:
    """Returns what `written` made plain data and arrays of, and all functions in it."""
    if type(data) is not dict or data.get("format") != FORMAT:
        raise LoadError("this is no file of ag.save")
    if data.get("version") not in range(1, VERSION + 1):
        raise LoadError(f"the file has version {shown(data.get('version'))} of the format; this is "
                        f"a reader of versions up to {VERSION}")
    the_dict(data, "", ("format", "version", "made_with", *TABLES, "functions", "modules", "root"))
    for key, x in the_dict(data["made_with"], "made_with", ("numpy", "python")).items():
        the_text(x, f"made_with.{key}", 100)
    try:
        return _read(data, arrays, classes, executor)
    except RecursionError:
        raise LoadError("nested too deeply") from None


def _read(data: dict[str, Any], arrays: list[np.ndarray[Any, Any]], classes: Classes,
          executor: str) -> tuple[Any, list[LoadedFunction]]:
    tables = Tables(data, arrays, classes)
    functions = [_function(x, tables, executor, f"functions[{i}]")
                 for i, x in enumerate(the_list(data["functions"], "functions"))]
    modules = ModuleReader(tables, functions).all(data["modules"])
    for x in (*functions, *modules):
        vars(x)["_made_with"] = data["made_with"]
    root = data["root"]
    if type(root) is dict and "module" in root:
        the_dict(root, "root", ("module",))
        made: LoadedFunction | LoadedModule = modules[
            the_int(root["module"], "root", len(modules))]
    else:
        the_dict(root, "root", ("function",))
        made = functions[the_int(root["function"], "root", len(functions))]
    return made, functions


def _function(x: Any, tables: Tables, executor: str, where: str) -> LoadedFunction:
    the_dict(x, where, ("name", "signatures"), ("samples",))
    rows = the_list(x["signatures"], where)
    if not rows:
        raise LoadError("a function has no signature", where)
    signatures = [signature_from(row, tables, f"{where}.signatures[{i}]")
                  for i, row in enumerate(rows)]
    samples = [sample_of(row, tables, signatures, f"{where}.samples[{i}]")
               for i, row in enumerate(the_list(x.get("samples", []), where))]
    return LoadedFunction(the_text(x["name"], where), signatures, executor, samples)
