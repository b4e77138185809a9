"""All cases of the corpus, found by walking its folders, and what does not work of them yet."""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.corpus import language, library, numpy, state
from tests.corpus.case import Case
from tests.corpus.numpy import tables
from tests.corpus.numpy.rows import rows


def themes(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a folder that hold cases."""
    for found in pkgutil.iter_modules(package.__path__):
        if not found.ispkg and not found.name.startswith("test_"):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            if hasattr(module, "CASES"):
                yield module


THEMES = [theme for folder in (language, library, numpy, state) for theme in themes(folder)]
CASES: list[Case] = [case for theme in THEMES for case in theme.CASES]
"""Whole functions, as users write them."""

PROGRAMS = [case for case in CASES if case.title == case.function.__name__]
"""Those that are not about one construct."""

TABLES = {module.name: rows(module.name, importlib.import_module(
    f"{tables.__name__}.{module.name}").ROWS) for module in pkgutil.iter_modules(tables.__path__)}
ROWS: list[Case] = [case for table in TABLES.values() for case in table]
"""Calls of NumPy, a line of text each."""

# What does not work yet: why, in which modes, which cases. A case that works fails the test.
STAGED = ("traced", "interpreted")
KNOWN_GAPS: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = [
    ("a jump out of a `finally` stays a Python statement", STAGED, (
        "symbolic_exceptions.return in finally",)),
    ("an array of unknown length is gone through in steps, in a loop", STAGED, (
        "symbolic_builtins.StopIteration",)),
    ("NumPy gives the array's own memory, though np.array is to copy", STAGED, (
        "indexing.np.array(x.flat)",)),
]
OTHER_WARNINGS = {
    "data.warned_mean": "a filter of warnings holds while the function is traced, not in the run",
}
"""Cases that give the same and warn of something else: why."""

GAPS = {f"{mode}: {name}": reason
        for reason, modes, names in KNOWN_GAPS for mode in modes for name in names}


def parameters(cases: list[Case], *modes: str) -> list[object]:
    """Every case in every mode; the known gaps marked."""
    found = []
    for case in cases:
        for name in (f"{mode}: {case.name}" for mode in modes):
            reason = GAPS.get(name)
            marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
            found.append(pytest.param(name.partition(":")[0], case, marks=marks, id=name))
    return found
