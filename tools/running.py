"""Helpers of the commands that run a user's file: loading it, and the arguments of calls."""

from __future__ import annotations

import argparse
import ast
import atexit
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from autograph.decorated import dispatcher_of
from autograph.function.function import function
from autograph.tools.parser import SAVED
from autograph.tools.targets import UsageError

ARGUMENTS = """\
ARGS are Python expressions, evaluated in the file's own module, where np is NumPy as well:
  --args 'np.zeros(3)' 2 'mode="fast"'
The file is imported, so it is run.
"""


def add_function(parser: argparse.ArgumentParser) -> None:
    """The parameters that name a function and its arguments."""
    parser.add_argument("function", metavar="FILE.py::NAME", nargs="?", help="a function of a file")
    parser.add_argument("--args", nargs="*", metavar="ARG", help="call arguments (see above)")


def parsed(parser: argparse.ArgumentParser, argv: Sequence[str] | None, name: str = "function"
           ) -> argparse.Namespace:
    """The options of a command; in `--args ARG … FILE.py::NAME` the last word is the function."""
    args = parser.parse_args(argv)
    if getattr(args, name) is None:
        if not args.args or not re.search(r"\.py(::[\w.]+)?$", args.args[-1]):
            parser.error("say which function: FILE.py::NAME")
        setattr(args, name, args.args.pop())
    return args


@contextmanager
def prints_on_stderr() -> Iterator[None]:
    """Sends what the user's program prints to stderr: stdout is for the command's result."""
    with redirect_stdout(sys.stderr), _descriptor_on_stderr():
        try:
            yield
        finally:
            atexit.unregister(_rest_on_stderr)
            atexit.register(_rest_on_stderr)  # the last is called first


def _rest_on_stderr() -> None:
    """Sends what the user's own functions of `atexit` print to stderr."""
    if sys.stdout is not None:
        with suppress(OSError, ValueError):  # a closed pipe
            sys.stdout.flush()
    sys.stdout = sys.stderr
    with suppress(OSError):
        os.dup2(2, 1)


@contextmanager
def _descriptor_on_stderr() -> Iterator[None]:
    """Does the same to what goes past `sys.stdout`: libraries in C, other processes."""
    if sys.__stdout__ is not None:
        sys.__stdout__.flush()
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # closed, as in a daemon
        yield
        return
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def readable(path: str) -> Path:
    """Returns the path of a program.

    Raises:
      UsageError: there is no such file, it cannot be read, or it is a notebook.
    """
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"there is no file {path!r}")
    if file.suffix == ".ipynb":
        raise UsageError(f"{path!r} is a notebook: call ag.check(f, x) or f.explain(x) in a cell")
    try:
        file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path!r}: {error.strerror}") from None
    return file


def load(path: str) -> ModuleType:
    """Imports a file under its own name, its folder first on the path.

    Raises:
      UsageError: there is no such file, or it cannot be read. What the file raises goes through.
    """
    file = readable(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    sys.modules.setdefault(file.stem, module)
    spec.loader.exec_module(module)
    return module


def found(target: str) -> tuple[ModuleType, Callable[..., Any]]:
    """The module and the function of `FILE.py::name`; a plain function becomes an ag.function.

    Raises:
      UsageError: there is no such file or function, or it is no function.
    """
    path, _, name = target.partition("::")
    if SAVED.match(target):
        raise UsageError(f"{path} is a file of ag.save, which autograph inspect and run take; "
                         "ag.export_onnx exports what ag.load gives")
    if not name:
        file, _, last = path.rpartition(":")
        meant = f"{file}::{last}" if file.endswith(".py") else f"{path}::NAME"
        raise UsageError(f"say which function: {meant}")
    module = load(path)
    thing: Any = module
    try:
        for part in name.split("."):
            thing = getattr(thing, part)
    except AttributeError:
        names = ", ".join(n for n, x in vars(module).items() if is_own_function(x, module))
        raise UsageError(f"{path} has no {name!r} (it has: {names or 'no function'})") from None
    if not callable(thing):
        raise UsageError(f"{name} in {path} is {type(thing).__name__}, not a function")
    return module, function(thing) if dispatcher_of(thing) is None else thing


def is_own_function(x: Any, module: ModuleType) -> bool:
    """Returns True for a function that the module defines."""
    return callable(x) and not isinstance(x, type) and getattr(
        x, "__module__", None) == module.__name__


def arguments(words: Sequence[str] | None, module: ModuleType, function: Callable[..., Any]
              ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, evaluated from the command line.

    Raises:
      UsageError: a word is no expression, its evaluation raises, or the function takes others.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for word in words or ():
        name, equals, text = word.partition("=")
        named = bool(equals) and name.isidentifier() and not text.startswith("=")
        value = _evaluated(text if named else word, module)
        if named:
            kwargs[name] = value
        else:
            args.append(value)
    if not words and getattr(function, "input_signature", None):
        return (), {}  # it says what a trace is for
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except ValueError:  # written in C
        pass
    except TypeError as error:
        raise UsageError(f"{error}; the function's arguments follow --args, a word for each: "
                         "--args 'np.ones(3)' 2") from None
    return tuple(args), kwargs


def _evaluated(text: str, module: ModuleType) -> Any:
    try:
        tree = ast.parse(text.strip(), "<argument>", "eval")
        code = compile(tree, "<argument>", "eval")
        value = eval(code, {"np": np, **vars(module)})  # the user's own words, from the shell
    except Exception as error:
        raise UsageError(f"argument {text!r}: {type(error).__name__}: {error}") from None
    if isinstance(tree.body, ast.Tuple) and tree.body.col_offset == 0 and text.strip()[0] != "(":
        raise UsageError(f"argument {text!r} is several: give each as a word, or write "
                         f"'({text.strip()})' for a tuple")
    return value


def exit_code(command: str, run: Callable[[], int]) -> int:
    """Returns the result of `run`; wrong usage, Ctrl-C and a closed pipe have exit codes, other
    errors are the user's own.
    """
    try:
        return run()
    except UsageError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
