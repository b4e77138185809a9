"""The subject of a `match` statement while a function is traced: its class must be known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import CONTAINERS
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor
from autograph.staging.attributes import class_of

ARRAYS_ARE_SEQUENCES = bool(np.ndarray.__flags__ & 1 << 5)
"""True if arrays match `case [a, *b]`: Py_TPFLAGS_SEQUENCE, which ndarray has from NumPy 2.5 on."""


@Sequence.register
class Row(Tensor):
    """A tensor that Python's `match` takes for a sequence."""

    __slots__ = ()

    def __init__(self, tensor: Tensor) -> None:
        self._handle = tensor._handle


def to_match(subject: Any) -> Any:
    """Returns the subject of a `match` in a form that Python's own patterns match as they match the
    real value.

    Raises:
      TracingError: only the run knows its class or structure.
    """
    cls = class_of(subject) if isinstance(subject, Tensor) else type(subject)
    if cls is np.ndarray and ARRAYS_ARE_SEQUENCES and isinstance(subject, Tensor):
        return Row(subject)
    made_by_run = isinstance(subject, Tensor) and cls is not None and issubclass(
        cls, (Sequence, Mapping, *CONTAINERS)) and not issubclass(cls, (str, bytes))
    if cls is None or cls is SelectedObject or made_by_run or (
            type(subject) is StagedList and not subject.known):
        raise TracingError(
            "a `match` statement takes apart a value that is known only when the graph runs"
            f"{at(user_location())}\n"
            "  hint: test it with isinstance and == in an `if` statement")
    return subject
