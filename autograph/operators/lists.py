"""Lists that converted code makes: Python's own, unless a trace is being made."""

from __future__ import annotations

from typing import Any

from autograph.operators.dispatch import active


def new_list(items: list[Any]) -> list[Any]:
    """The list itself; while a function is traced, one whose length may become symbolic.

    >>> new_list([1, 2])
    [1, 2]
    """
    backend = active()
    return items if backend is None else backend.new_list(items)
