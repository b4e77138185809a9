"""The loop of `ag.map_fn` and `ag.scan` where a derivative is taken of items of unknown types:
lists have one. It is converted as the user's code is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Step = Callable[[Any, Any], Any]


def listed(length: Any, step: Step, acc: Any, leaves: Callable[[Any], Any]) -> list[Any]:
    """Returns the leaves of what a step gives, so many times; a step is given the number of the
    iteration, and what the step before gave.

    >>> listed(3, lambda i, acc: acc + i, 10, lambda x: (x,))
    [(10,), (11,), (13,)]
    """
    rows = []
    for i in range(length):
        acc = step(i, acc)
        rows.append(leaves(acc))
    return rows


def column(rows: list[Any], k: int, reverse: bool) -> list[Any]:
    """Returns leaf k of each row, in their order or in the reverse one.

    >>> column([(1, 2), (3, 4)], 1, True)
    [4, 2]
    """
    items = [row[k] for row in rows]
    return items[::-1] if reverse else items


def joined(first: list[Any], items: list[Any], reverse: bool) -> list[Any]:
    """Returns the items that were there first, and those after them in the order of the loop.

    >>> joined([1], [3, 2], True)
    [3, 2, 1]
    """
    return items + first if reverse else first + items


def stacked(items: list[Any]) -> Any:
    """Returns the items as one array."""
    return np.stack(items)
