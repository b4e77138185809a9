"""A call of an op that is to be lowered, and which of its arguments a rule has looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.export.kinds import Kind, dtype_of, kind_of_type
from autograph.runtime.ir.types import ArrayType, Type
from autograph.runtime.ops.op import Op


@dataclass(frozen=True)
class Site:
    """A call of an op that is to be lowered.

    args, kwargs  nests of constants and symbolic values.
    kinds         the kinds of `args`; None for what is not a number.
    types         the types of the results, as far as the graph knows them.
    """

    op: Op
    args: tuple[Any, ...]
    kwargs: Keywords
    kinds: Sequence[Kind | None]
    types: Sequence[Type]

    def dtype(self, number: int = 0) -> np.dtype[Any] | None:
        """Returns the dtype that the graph gives a result; None if it does not know. It follows
        from an argument `dtype`, too."""
        self.kwargs.unread.discard("dtype")
        t = self.types[number] if number < len(self.types) else None
        kind = None if t is None else kind_of_type(t)
        return t.dtype if isinstance(t, ArrayType) else None if kind is None else dtype_of(kind)


NO_MATTER = frozenset({"casting", "copy", "kind", "order", "subok"})
"""Arguments of NumPy's functions that change no value of a result that is an array of its own."""


class Keywords(dict[str, Any]):
    """The arguments of a call that have a name. `unread` are those that no rule has looked at: the
    target would do without them what NumPy does with them."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.unread = {name for name, x in given.items() if name not in NO_MATTER
                       and x is not None and x is not np._NoValue}

    @property
    def unmarked(self) -> dict[str, Any]:
        """The arguments, of which none counts as read by this."""
        return {name: super(Keywords, self).__getitem__(name) for name in self.keys()}

    def __getitem__(self, name: str) -> Any:
        self.unread.discard(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.unread.discard(name)
        return super().get(name, default)

    def __iter__(self) -> Iterator[str]:
        self.unread.clear()
        return super().__iter__()

    def items(self) -> Any:
        self.unread.clear()
        return super().items()


def shown_op(name: str) -> str:
    """Returns what a message calls an op: a function of ours is what the line does, if it does not
    have the name of a method of arrays.

    >>> shown_op("_operator.lt"), shown_op("autograph.runtime.heap.objects.build")
    ('operator.lt', 'the line')
    >>> shown_op("autograph.runtime.tensor_methods.ndarray.ndarray.hex")
    'ndarray.hex'
    """
    if not name.startswith("autograph."):
        return name.removeprefix("_")
    _, of_array, method = name.rpartition(".ndarray.")
    return f"ndarray.{method}" if of_array and method.isidentifier() else "the line"
