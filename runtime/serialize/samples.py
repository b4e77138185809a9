"""Samples: calls of a saved function with their results, by which a file proves itself."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.pytree import children
from autograph.runtime.ops.state import Storage
from autograph.runtime.serialize.fields import the_dict, the_list
from autograph.runtime.serialize.loaded import LoadedFunction
from autograph.runtime.serialize.nests import NestWriter
from autograph.runtime.serialize.programs import Signature
from autograph.runtime.serialize.signatures import ArgumentReader, ArgumentWriter
from autograph.runtime.serialize.tables import Tables, TablesWriter

ALLOWED_ULPS = 1000
"""Results in floating point may differ by so many units in the last place of the largest element:
other processors and other builds of BLAS add up in another order."""


@dataclass(frozen=True)
class Sample:
    """One call: its arguments, its result, and what the arguments held afterwards."""

    arguments: tuple[Any, ...]
    result: Any
    after: tuple[Any, ...]

    @classmethod
    def of_call(cls, f: Any, signatures: Sequence[Signature], arguments: tuple[Any, ...]) -> Sample:
        """Returns a sample of a function's graphs; variables are as before afterwards.

        Raises:
          SaveError: the call raises, or no graph is for these arguments.
        """
        loaded = LoadedFunction("sample", signatures)
        given = copy.deepcopy(arguments)  # as one: an array that is given twice stays one
        before = copy.deepcopy(given)
        try:
            result = run(loaded, given)
        except Exception as error:
            raise SaveError(f"a sample call raises {type(error).__name__}: {error}",
                            "give samples that the saved signatures take") from error
        return cls(before, result, given)


def run(f: LoadedFunction, arguments: tuple[Any, ...]) -> Any:
    """Calls a function, and gives its variables back what they held."""
    storages = [c for s in f.signatures for c in s.program.graph.captures.values()
                if isinstance(c, Storage)]
    held = [(s, s.snapshot()) for s in storages]
    try:
        return copy.deepcopy(f(*arguments))
    finally:
        for storage, array in held:
            storage.array = array


def sample_data(tables: TablesWriter, s: Sample) -> dict[str, Any]:
    writer = NestWriter(tables.array, tables.classes)
    return {"arguments": ArgumentWriter(tables).nests(s.arguments),
            "result": writer.nest(s.result), "after": ArgumentWriter(tables).nests(s.after)}


def sample_of(x: Any, tables: Tables, signatures: Sequence[Signature], where: str) -> Sample:
    the_dict(x, where, ("arguments", "result", "after"))
    reader = tables.reader()
    reader.where = where
    return Sample(_arguments(x["arguments"], tables, where), reader.constant(x["result"]),
                  _arguments(x["after"], tables, where))


def _arguments(x: Any, tables: Tables, where: str) -> tuple[Any, ...]:
    reader = ArgumentReader(tables, 0)
    reader.where = where
    return tuple(map(reader.constant, the_list(x, where)))


def check_samples(f: LoadedFunction) -> None:
    """Repeats the sample calls.

    Raises:
      LoadError: a call raises, or gives something else here.
    """
    for number, sample in enumerate(f.samples):
        where = f"sample {number} of {f.name}"
        given = copy.deepcopy(sample.arguments)
        try:
            result = run(f, given)
        except Exception as error:
            raise LoadError(f"the call raises {type(error).__name__}: {error}", where) from error
        for what, found, wanted in (("result", result, sample.result),
                                    ("arguments afterwards", given, sample.after)):
            if told := difference(found, wanted):
                raise LoadError(f"the {what} differ{'s' if what == 'result' else ''}: {told}",
                                where)


def difference(found: Any, wanted: Any) -> str:
    """Returns how two nests differ; "" if they have the same structure, types and values.

    >>> difference([np.float64(1.0)], [np.float64(1.0)]), difference(1, True)
    ('', 'int 1, saved as bool True')
    """
    a, b = children(found), children(wanted)
    if a is None or b is None or a[0] != b[0]:
        return "" if a is None and b is None and same_leaf(found, wanted) else (
            f"{_told(found)}, saved as {_told(wanted)}")
    inside = (difference(x, y) for x, y in zip(a[1], b[1], strict=True))
    return next((told for told in inside if told), "")


def _told(x: Any) -> str:
    return f"{type(x).__name__} {x!r}"


def same_leaf(a: Any, b: Any) -> bool:
    """Returns True if two leaves have the same type, dtype, shape and, but for rounding, value."""
    if type(a) is not type(b):
        return False
    if isinstance(a, slice):
        ends = zip((a.start, a.stop, a.step), (b.start, b.stop, b.step), strict=True)
        return all(same_leaf(x, y) for x, y in ends)
    if isinstance(a, (float, complex)) and not isinstance(a, np.generic):
        return _close(np.asarray(a), np.asarray(b))
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and _close(np.asarray(a), np.asarray(b))
    return bool(a == b) or repr(a) == repr(b)


def _close(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    if a.dtype.kind not in "fc":
        return a.tobytes() == b.tobytes() if a.dtype.kind != "T" else bool(np.all(a == b))
    known = np.isfinite(b)
    if not np.array_equal(np.where(known, 0, a), np.where(known, 0, b), equal_nan=True):
        return False
    size = np.max(np.abs(b), where=known, initial=0)
    allowed = ALLOWED_ULPS * np.finfo(a.dtype).eps * size
    return bool(np.all(np.abs(np.where(known, a, 0) - np.where(known, b, 0)) <= allowed))
