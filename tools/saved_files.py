"""The commands `autograph inspect` and `autograph run` on files of `ag.save`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograph.runtime.functions.execution import EXECUTORS
from autograph.runtime.serialize.archive import read_archive
from autograph.runtime.serialize.loaded import LoadedFunction, LoadedModule, explained
from autograph.runtime.serialize.nests import classes_by_id
from autograph.runtime.serialize.programs import Signature
from autograph.runtime.serialize.samples import check_samples
from autograph.runtime.serialize.save import naming, read
from autograph.tools.output import write_out
from autograph.tools.parser import SAVED, Parser
from autograph.tools.progress import Reading
from autograph.tools.report import tell
from autograph.tools.running import arguments, exit_code
from autograph.tools.targets import UsageError

"""FILE.agz, or FILE.agz::NAME for a function of a module."""

MOST = 20
"""Arrays that a report lists; the largest come first."""


def inspect(argv: Sequence[str] | None = None) -> int:
    """Runs `autograph inspect`; the exit code is 0, 1 if the file is refused, 2 for usage."""
    p = _parser("inspect", "Tells what a file of ag.save holds: signatures, operations, sizes, and "
                "the text of\nthe graphs. Nothing in the file is run.")
    p.add_argument("file", metavar="FILE.agz[::NAME]", help="the file, or one function of it")
    p.add_argument("--brief", action="store_true", help="leave the text of the graphs out")
    args = p.parse_args(argv)
    return exit_code("autograph inspect", lambda: _told(lambda: _inspected(args), args))


def run(argv: Sequence[str]) -> int:
    """Runs `autograph run FILE.agz`; the exit code is 0, 1 if the file is refused or the function
    raises, 2 for usage."""
    p = _parser("run", "Calls a function that ag.save wrote, and prints its result; an argument "
                "that it changes\nis printed after it. ARGS are Python expressions, where np is "
                "NumPy:\n  autograph run model.agz --args 'np.zeros(3)' 2 'mode=\"fast\"'")
    p.add_argument("file", metavar="FILE.agz[::NAME]", nargs="?",
                   help="the file; NAME is a function of a module")
    p.add_argument("--args", nargs="*", metavar="ARG", help="call arguments (see above)")
    p.add_argument("--verify", action="store_true",
                   help="repeat the sample calls in the file first, and compare the results")
    p.add_argument("--executor", choices=EXECUTORS, default="python",
                   help="what runs the graph: generated Python, machine code, or the interpreter")
    args = p.parse_args(argv)
    if args.file is None:
        if not args.args or not SAVED.match(args.args[-1]):
            p.error("say which file: FILE.agz")
        args.file = args.args.pop()
    return exit_code("autograph run", lambda: _told(lambda: _called(args), args))


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    p = Parser(f"autograph {command}", description=description,
               formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--class", dest="classes", metavar="MODULE:NAME", action="append", default=[],
                   help="import a class of yours to which the file refers; may be repeated")
    p.add_argument("--traceback", action="store_true", help="the whole traceback of an error")
    return p


def _told(command: Callable[[], None], args: argparse.Namespace) -> int:
    """Runs a command; an error of the file or of the function is told on stderr."""
    try:
        command()
    except UsageError:
        raise
    except Exception as error:
        tell(error, args.traceback)
        return 1
    return 0


def _opened(args: argparse.Namespace) -> tuple[str, Any, list[LoadedFunction]]:
    """The file, what is in it or the function that was named, and all functions to tell of."""
    path, _, name = args.file.partition("::")
    executor = getattr(args, "executor", "python")
    try:
        with Reading(path) as stream, naming(path):
            made, functions = read(stream, classes_by_id([_class(c) for c in args.classes]),
                                   executor)
    except OSError as error:
        raise UsageError(f"cannot read {path!r}: {error.strerror}") from None
    if not name:
        return path, made, functions
    found = _functions(made)
    if name not in found:
        raise UsageError(f"{path} has no function {name!r} "
                         f"(it has: {', '.join(map(safe, found)) or 'none'})")
    return path, found[name], [found[name]]


def _class(name: str) -> type:
    module, _, qualname = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--class {name}: {error}") from None
    if not isinstance(found, type):
        raise UsageError(f"--class {name}: this is no class")
    return found


def _functions(made: Any) -> dict[str, LoadedFunction]:
    """The functions by the names that the user writes: `step`, or `encoder.step`."""
    if isinstance(made, LoadedFunction):
        return {made.name: made}
    return dict(_of_module(made, "", set()))


def _of_module(module: LoadedModule, path: str, seen: set[int]
               ) -> Iterator[tuple[str, LoadedFunction]]:
    if id(module) in seen:
        return
    seen.add(id(module))
    for name, x in vars(module).items():
        if isinstance(x, LoadedFunction):
            yield path + name, x
        elif isinstance(x, LoadedModule):
            yield from _of_module(x, f"{path}{name}.", seen)


# -- inspect --------------------------------------------------------------------------------------


def _inspected(args: argparse.Namespace) -> None:
    path, made, functions = _opened(args)
    with Reading(path) as stream:
        data, arrays = read_archive(stream)
    lines = [f"{path}: {Path(path).stat().st_size:,} bytes, version {data['version']} of the "
             f"format, made with NumPy {data['made_with']['numpy']} and Python "
             f"{data['made_with']['python']}"]
    named = "::" in args.file
    if not named:
        lines += [*_modules(data), *_variables(made), *_arrays(arrays)]
    for f in functions:
        lines += ["", f"function {f.name}: {_count(len(f.signatures), 'signature')}, "
                      f"{_count(len(f.samples), 'sample')}"]
        lines += [_signature(s, args.brief) for s in f.signatures]
    write_out(safe("\n".join(lines)) + "\n")


def _signature(s: Signature, brief: bool) -> str:
    text = explained(s)
    return "  " + (text.partition("\n")[0] if brief else text.replace("\n", "\n  "))


def _modules(data: Any) -> list[str]:
    rows = []
    for row in data["modules"]:
        names = ", ".join(str(name) for name, _ in row["attributes"])
        left_out = "".join(f"\n  left out: {name}, {what}"
                           for name, what in dict(row.get("left_out", ())).items())
        rows.append(f"module {row['name']}: {names or 'empty'}{left_out}")
    return rows


def _variables(made: LoadedFunction | LoadedModule) -> list[str]:
    return [f"variable {v.name}: {v.type}{'' if v.trainable else ', not trainable'}, "
            f"{np.asarray(v.value()).nbytes:,} bytes" for v in made.variables]


def _arrays(arrays: list[np.ndarray[Any, Any]]) -> list[str]:
    ordered = sorted(enumerate(arrays), key=lambda pair: -pair[1].nbytes)
    lines = [f"  arrays/{number}.npy: {x.dtype}{list(x.shape)}, {x.nbytes:,} bytes"
             for number, x in ordered[:MOST]]
    more = [f"  and {len(arrays) - MOST} smaller ones"] if len(arrays) > MOST else []
    total = sum(x.nbytes for x in arrays)
    return [f"{_count(len(arrays), 'array')}, {total:,} bytes", *lines, *more]


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def safe(text: str) -> str:
    r"""Returns a text of a stranger's file as a terminal may show it: control characters escaped.

    >>> safe("a\x1b[2J\n")
    'a\\x1b[2J\n'
    """
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


# -- run ------------------------------------------------------------------------------------------


def _called(args: argparse.Namespace) -> None:
    _, made, functions = _opened(args)
    if isinstance(made, LoadedModule):
        raise UsageError(f"{args.file} is a module: say which function of it, FILE.agz::NAME "
                         f"(it has: {', '.join(map(safe, _functions(made))) or 'none'})")
    if args.verify:
        if not made.samples:
            raise UsageError(f"{args.file} holds no samples to verify")
        for f in functions:
            check_samples(f)
    positional, named = arguments(args.args, ModuleType("arguments"), made)
    before = {name: repr(x) for name, x in _given(positional, named)}
    with redirect_stdout(sys.stderr):  # what the graph prints
        result = made(*positional, **named)
    changed = [f"{name}: {x!r}" for name, x in _given(positional, named) if repr(x) != before[name]]
    write_out(safe("\n".join([repr(result), *changed])) + "\n")


def _given(positional: tuple[Any, ...], named: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((f"argument {number}", x) for number, x in enumerate(positional))
    yield from named.items()
