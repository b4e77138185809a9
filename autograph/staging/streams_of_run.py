"""Iterators and streams that only the run has, or that it has to read: each step of a loop over one
asks the run for the next item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from autograph.operators.logical import and_, not_
from autograph.own_attributes import defines
from autograph.runtime.control_flow import cond as control
from autograph.runtime.control_flow import loops
from autograph.runtime.heap.hidden_state import CLOSES, followed, is_stream
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.types import PyType
from autograph.runtime.ops.state import END, IS_END, NEXT
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.generators import Generated

Fn = Callable[..., Any]
State = tuple[Any, ...]


def loop_of_run(iterator: Any, body: Fn, state: State, test: Fn | None) -> State:
    """Stage a loop that reads an iterator when the graph runs."""
    def step(ended: Any, *state: Any) -> State:
        item = next_of_run(iterator, END)
        made: State = control.cond(
            apply(IS_END, item), lambda *state: (True, *state),
            lambda *state: (False, *body(item, *state)), *state)
        return made

    def go_on(ended: Any, *state: Any) -> Any:
        return not_(ended) if test is None else and_(not_(ended), lambda: test(*state))

    _, *state = loops.while_loop(go_on, step, (False, *state))  # type: ignore[assignment]
    return tuple(state)


class ReadByRun(Generated):
    """The items of a stream or iterator that the run reads, from where it stands then."""

    by_items = False

    def __init__(self, stream: Any) -> None:
        super().__init__((), lambda item: item)
        self.stream = stream

    def __ag_references__(self) -> tuple[Any, ...]:
        return *super().__ag_references__(), self.stream

    def loop(self, body: Fn, state: State, test: Fn | None = None) -> State:
        return loop_of_run(self.stream, body, state, test)

    def _in_python(self) -> Iterator[Any]:
        return _refused()


def _refused() -> Iterator[Any]:
    raise TracingError(
        f"Python reads a stream or file that only the run can read{at(user_location())}\n"
        "  hint: read it with a `for` loop, or by its own methods")
    yield


def cases_of(x: Any) -> list[Any]:
    """Returns the objects of which one is selected, or the one object."""
    if type(x) is not SelectedObject:
        return [x]
    _, one, other = x.parts()
    return [*cases_of(one), *cases_of(other)]


def next_of_run(x: Any, *default: Any) -> Any:
    """Make `next(x)` of what the run reads; of several that it selects from, one."""
    if type(x) is SelectedObject:
        return x.each(lambda one: next_of_run(one, *default))
    return apply(NEXT, x, *default)


def reads_of_run(x: Any) -> bool:
    """Returns True for a generator that asks the run for each item that it reads."""
    return isinstance(x, ReadByRun) or (isinstance(x, Generated) and reads_of_run(x.items))


def is_stream_of_run(x: Any) -> bool:
    """Returns True for an object of the graph that is a stream."""
    return isinstance(x, Tensor) and isinstance(x.type, PyType) and defines(x.type.cls, "__next__")


def opened_stream(x: Any) -> Any:
    """Returns the items of a stream, if the run has to read them; anything else as it is."""
    if is_stream_of_run(x):
        return ReadByRun(x)
    cases = cases_of(x)
    if not (trace.tracing() and all(map(is_stream, cases))):
        return x
    read = [followed(type(case).__iter__, case, ReadByRun)(case) for case in cases]
    return ReadByRun(x) if any(isinstance(case, ReadByRun) for case in read) else x


def _refused_with(what: str, instead: str) -> Fn:
    """Returns a method that refuses what is done with an iterator of a trace."""
    def refuse(x: Any, *more: Any) -> NoReturn:
        error = TracingError(f"{what} an iterator{at(user_location())}\n  hint: {instead}",
                             about_state=True)
        vars(error)[CLOSES] = None  # the run could not do it either
        raise error

    return refuse


_copied = _refused_with("a copy is made of", "copy what it iterates over")
_told = _refused_with("a text is made of", "make one of its items")


def _formatted(x: Any, spec: str) -> Any:
    """Python refuses a format of an iterator; without one it makes its text."""
    return object.__format__(x, spec) if spec else _told(x)


REFUSED: dict[str, Fn] = {
    "__copy__": _copied, "__deepcopy__": _copied, "__str__": _told, "__format__": _formatted}
"""Methods that an iterator of a trace refuses: it is not Python's own."""
