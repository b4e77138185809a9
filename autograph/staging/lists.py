"""The backend of staged lists, and of iterables that are read lazily."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autograph.operators.checks import assert_
from autograph.operators.control_flow import cond, while_loop
from autograph.operators.logical import and_, not_, or_, truth
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.symbolic.tensor import apply
from autograph.staging.generators import Generated, Items
from autograph.staging.tensors import TensorBackend

Fn = Callable[..., Any]


class ListBackend(TensorBackend):
    """Differs from the backend of tensors in the truth of its values: a staged list, whose length
    may be known, is true if it is not empty; a lazy iterable is always true."""

    def truth(self, x: Any) -> Any:
        """Returns the truth of a value: a bool or a tensor."""
        if type(x) is not StagedList:
            return isinstance(x, (Items, Generated, Cursor)) or x
        return apply("truth", x.tensor()) if not x.known else len(x) > 0

    def cond(self, pred: Any, true_fn: Fn, false_fn: Fn, operands: tuple[Any, ...]) -> Any:
        return cond(self.truth(pred), true_fn, false_fn, *operands)

    def while_loop(self, test: Fn, body: Fn, loop_vars: tuple[Any, ...],
                   options: Mapping[str, Any]) -> tuple[Any, ...]:
        return while_loop(lambda *state: truth(test(*state)), body, loop_vars)

    def assert_(self, test: Any, message: Callable[[], Any] | None) -> None:
        assert_(self.truth(test), message)

    def and_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return cond(self.truth(first), lambda: and_(*_called(lazy)), lambda: first)

    def or_(self, first: Any, lazy: tuple[Callable[[], Any], ...]) -> Any:
        return cond(self.truth(first), lambda: first, lambda: or_(*_called(lazy)))

    def not_(self, x: Any) -> Any:
        return not_(self.truth(x))


def _called(lazy: tuple[Callable[[], Any], ...]) -> tuple[Any, ...]:
    return lazy[0](), *lazy[1:]
