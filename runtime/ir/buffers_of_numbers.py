"""Python's buffers of plain numbers (`bytearray`, `array.array`, `memoryview`): reads and restores
their bytes."""

from __future__ import annotations

from array import array
from typing import Any

BUFFERS = (bytearray, array, memoryview)
"""Their items are Python's own numbers, never symbolic values."""


def contents(x: Any) -> bytes:
    """Returns the bytes of a buffer.

    >>> contents(array("h", [1, 2])) == contents(bytearray([1, 0, 2, 0]))
    True
    """
    return x.tobytes() if not isinstance(x, bytearray) else bytes(x)


def put(x: Any, held: bytes) -> None:
    """Restores bytes that `contents` read from a buffer.

    >>> x = array("h", [1, 2])
    >>> before = contents(x); x.append(3); put(x, before); x
    array('h', [1, 2])
    """
    if isinstance(x, memoryview):
        x.cast("B")[:] = held
    elif isinstance(x, array):
        x[:] = array(x.typecode, held)  # keeps its length if others look into its memory
    else:
        x[:] = held


def making(x: Any) -> tuple[Any, ...]:
    """Returns the arguments with which the class of a buffer makes an equal one."""
    return (x.typecode, contents(x)) if isinstance(x, array) else (contents(x),)
