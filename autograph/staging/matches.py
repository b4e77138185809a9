"""The subject of a `match` statement while a function is traced: its class must be known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import CONTAINERS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor
from autograph.staging.attributes import class_of

ARRAYS_ARE_SEQUENCES = bool(np.ndarray.__flags__ & 1 << 5)
"""True if arrays match `case [a, *b]`: Py_TPFLAGS_SEQUENCE, which ndarray has from NumPy 2.5 on."""


class Subject(Tensor):
    """A tensor of which Python's `match` sees the class of the real value: `case np.ndarray()`."""

    __slots__ = ()

    def __init__(self, tensor: Tensor) -> None:
        self._handle = tensor._handle

    @property  # type: ignore[misc]  # nobody sets it
    def __class__(self) -> Any:
        """The class that a pattern sees."""
        return class_of(self)


@Sequence.register
class Row(Subject):
    """A tensor that Python's `match` takes for a sequence."""

    __slots__ = ()


def to_match(subject: Any) -> Any:
    """Returns the subject of a `match` in a form that Python's own patterns match as they match the
    real value.

    Raises:
      TracingError: only the run knows its class or structure.
    """
    if not is_structure_known(subject):
        trace.want_one("is taken apart by a `match` statement, and known only when the graph runs")
        raise TracingError(
            "a `match` statement takes apart a value that is known only when the graph runs"
            f"{at(user_location())}\n"
            "  hint: test it with isinstance and == in an `if` statement")
    if not isinstance(subject, Tensor):
        return subject
    is_row = ARRAYS_ARE_SEQUENCES and class_of(subject) is np.ndarray
    return Row(subject) if is_row else Subject(subject)


def parts_of_known(subject: Any, parts_of: Callable[[Any], tuple[Any, ...]]) -> tuple[Any, ...]:
    """Returns what a pattern captures of a value of known structure: of `float(x)`, the value."""
    seen = to_match(subject)
    return tuple(subject if part is seen else part for part in parts_of(seen))


def is_structure_known(subject: Any) -> bool:
    """Returns True if the trace knows the class of a value, and how many parts it has."""
    if isinstance(subject, Tensor):
        cls = class_of(subject)
        return cls is not None and (not issubclass(cls, (Sequence, Mapping, *CONTAINERS))
                                    or issubclass(cls, (str, bytes)))
    return type(subject) is not SelectedObject and (
        type(subject) is not StagedList or subject.known)
