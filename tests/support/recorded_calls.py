"""Finds calls of a library's functions and methods: those of its doctests and its own tests."""

from __future__ import annotations

import ast
import contextlib
import copy
import doctest
import functools
import inspect
import io
import pathlib
import sys
import unittest
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from tests.corpus.state.picture import Picture
from tests.support.beside_plain import Arguments, Fn, Late, limited

MOST = 4
"""So many calls of each function are kept, those with different arguments."""

SPECIAL = ("__add__", "__mul__", "__sub__", "__eq__", "__lt__", "__getitem__", "__setitem__",
           "__contains__", "__len__", "__call__", "__matmul__", "__neg__", "__pow__")


@dataclass
class Called:
    """A function or method, and the arguments of some of its calls, as they were before."""

    name: str
    function: Fn
    calls: dict[str, Arguments] = field(default_factory=dict)

    def note(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if len(self.calls) >= MOST:
            return
        with contextlib.suppress(Exception):
            given = copy.deepcopy((args, kwargs))
            self.calls.setdefault(Picture().of(given)[:10_000], given)


class Recorder:
    """Notes, within its block, how functions and methods of the modules below a folder are
    called."""

    def __init__(self, root: pathlib.Path) -> None:
        self.modules = [m for m in list(sys.modules.values())
                        if str(getattr(m, "__file__", None) or "").startswith(f"{root}/")]
        self.called: dict[Fn, Called] = {}
        self.replaced: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Recorder:
        names = {m.__name__ for m in self.modules}
        classes: dict[type, None] = {}
        for module in self.modules:
            for key, x in list(vars(module).items()):
                if getattr(x, "__module__", None) not in names:
                    continue
                if isinstance(x, FunctionType) and not key.startswith("test"):
                    self.replace(module, key, x, x.__module__)
                elif isinstance(x, type) and not issubclass(x, unittest.TestCase):
                    classes[x] = None
        for cls in classes:
            for key, x in list(vars(cls).items()):
                if isinstance(x, FunctionType) and (key in SPECIAL or not key.startswith("__")):
                    self.replace(cls, key, x, f"{cls.__module__}.{cls.__name__}")
        return self

    def replace(self, owner: Any, key: str, f: FunctionType, home: str) -> None:
        if inspect.iscoroutinefunction(f) or not f.__code__.co_varnames:
            return
        called = self.called.setdefault(f, Called(f"{home}.{f.__name__}", f))
        self.replaced.append((owner, key, f))

        @functools.wraps(f)
        def noting(*args: Any, **kwargs: Any) -> Any:
            called.note(args, kwargs)
            return f(*args, **kwargs)

        with contextlib.suppress(Exception):
            setattr(owner, key, noting)

    def __exit__(self, *_: object) -> None:
        for owner, key, f in self.replaced:
            with contextlib.suppress(Exception):
                setattr(owner, key, f)


def run_examples(module: ModuleType, seconds: float) -> None:
    """Runs the doctests of a module and its tests, each for so many seconds at most."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for test in finder.find(module, module.__name__):
        scope = dict(vars(module))
        for example in test.examples:
            with quietly(seconds):
                exec(compile(ast.parse(example.source), "<doctest>", "exec"), scope)
    for key, x in list(vars(module).items()):
        if isinstance(x, type) and issubclass(x, unittest.TestCase):
            for test_case in unittest.defaultTestLoader.loadTestsFromTestCase(x):
                with quietly(seconds):
                    test_case.run(unittest.TestResult())
        elif isinstance(x, FunctionType) and key.startswith("test"):
            with quietly(seconds):
                x()


@contextlib.contextmanager
def quietly(seconds: float) -> Iterator[None]:
    """Runs the block for some seconds; what it prints, and how it ends, does not matter."""
    with (contextlib.suppress(Exception, Late, SystemExit), warnings.catch_warnings(),
          contextlib.redirect_stdout(io.StringIO()), limited(seconds)):
        warnings.simplefilter("ignore")
        yield


def calls_of(module: ModuleType, root: pathlib.Path, seconds: float = 10) -> list[Called]:
    """The functions and methods that a module's doctests and tests call, with arguments."""
    with Recorder(root) as recorder:
        run_examples(module, seconds)
    return [called for called in recorder.called.values() if called.calls]
