"""The current trace: where equations are recorded, and what the attempt has met so far."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CellType, CodeType, FrameType
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from autograph.runtime.ir.call_frames import (
    is_about_state,
    is_asked_by_others,
    is_caught_by_user,
    is_printed,
)
from autograph.runtime.ir.errors import NOTED_BY, GraphError, TracingError, at
from autograph.runtime.ir.graph import Equation, Value
from autograph.runtime.ir.location import Location
from autograph.runtime.ir.trace_signals import RetraceByReference
from autograph.runtime.symbolic.allocation_sites import Allocations
from autograph.runtime.symbolic.captures import Captures
from autograph.runtime.symbolic.noted import Calls, Copies
from autograph.runtime.symbolic.region import Region
from autograph.runtime.symbolic.source_locations import forget_locations, user_location
from autograph.runtime.symbolic.trace_mode import Decision, RetraceRequest, TraceMode

POSITIONS = 0
"""Where the cursors, which are told by their ids, have the positions of the iterators."""


class Trace:
    """One attempt to run a function on symbolic values.

    mode              how this attempt traces.
    request           why the function has to be traced again, if it has to be.
    allocations       the containers that were met, and where they come from.
    captures          the arrays and variables that the graph refers to.
    decisions         what was decided on the way, for those who want to know.
    copies            the containers that joins copied.
    stored            the container whose slice is stored next.
    array_copies      copies of the arrays that the outermost region can reach.
    stored_over       by a result that the program stores in an array: what the array held before.
    staged_locations  the heap locations that branches and loops change.
    targets           by the id of an object from outside: the object, and which of its items and
                      attributes are stored where the graph decides if they are.
    rebound           the names of the variables from outside that are bound there.
    before_raising    what regions that raise changed before: location, what it held, what it holds.
    handled           True if something was recorded under a `try` or `with`.
    failed_methods    True if a ufunc's method, as `reduce`, raised: NumPy before 2.5 then keeps the
                      tuple of its arguments for ever.
    caught            True if Python's own code, as `hasattr`, may catch what the graph raises.
    catches_warnings  True if something was recorded in a block that catches warnings, in `block`.
    differentiates    True if a derivative was taken.
    records_derivative  True from where a stretch begins of which one may be taken.
    compares          True if it was asked whether an argument is an array outside.
    lacks             the handles of attributes that their objects may lack.
    arguments         the values of the function's arguments.
    given             the ids of the objects in its arguments.
    originals         by the id of the trace's copy: the containers that it is given.
    identified        by id: what the program asked the id of, and True if only the run knows that.
    ordered           the arguments that the graph takes to be in C order.
    iterations        of loops that Python runs, by their tests: how many, and the number of
                      equations before them.
    loop              the staged loop whose body is being traced.
    asked             the evaluation of a loop's test before the loop.
    calls             the recursive functions whose graphs are being made, the innermost last.
    tuples            by id: a tuple that is a value of the run, and that.
    joined_tuples     what joins, and lists that operations are given, make of tuples.
    ambiguous         by id: tuples that joins made, each of which stands for several.
    cursors           by the id of an iterator: how far it was read, if it does not tell itself.
    all_cursors       all that are in use.
    generators        weak references to the generators that were made.
    resumed           the generators that are functions which go on with them.
    positions         of the iterators from outside, when the first attempt began.
    read_by_run       the ids of the iterators from outside that the graph reads.
    new_variables     weak references to the variables that the function made, and where.
    variable_types    by the value that stands for a variable: the type of what it holds.
    changed_outside   returns the locations outside that the run changes at its end, from what the
                      trace has done so far, and which of their items or attributes.
    kept              by id: functions and objects that the run may call at any time.
    kept_cells        the variables of these that the function made, and what they held.
    read_by_kept      what these may read by themselves; None: nothing.
    visited           by id: what the function and its arguments led to before.
    weakly_held       by id: objects that the function referred to weakly.
    read_of_classes   attributes that an object may lack, by the id of the class that has them: they
                      must not be set there any more.
    passed            by id: constants that hold no symbolic values.
    functions_of_run  by id: functions that the trace made, and the values that stand for them.
    callback_cells    the functions that libraries were given, their variables, and what these held.
    stdout            Python's standard output when the trace began.
    said              what the program printed so far, in this attempt.
    texts             of symbolic values that were printed.
    classes_of_new    of the objects that the run makes.
    before_recording  called with every equation before it is recorded.
    root              the outermost region.
    """

    def __init__(self, name: str, mode: TraceMode | None = None) -> None:
        self.mode = mode or TraceMode()
        self.request = RetraceRequest()
        self.allocations = Allocations(self.mode.sites)
        self.captures = Captures()
        self.decisions: list[Decision] = [*self.mode.sites.reasons, *self.mode.decisions]
        self.copies, self.tuples = Copies(), dict[int, tuple[Any, Any]]()
        self.joined_tuples, self.ambiguous = list[Any](), dict[int, Any]()
        self.stored: Any = None
        self.array_copies: Any = None
        self.refusals, self.errors = list[Exception](), list[TracingError]()
        self.differentiates = self.records_derivative = False
        self.stored_over: dict[Value, Value] = {}
        self.staged_locations: set[Any] = set()
        self.targets: dict[int, tuple[Any, list[Any]]] = {}
        self.rebound: set[str] = set()
        self.before_raising: list[tuple[Any, Any, Any]] = []
        self.handled = False
        self.failed_methods = self.caught = self.catches_warnings = False
        self.block: Location | None = None
        self.compares, self.lacks = False, set[Any]()
        self.arguments: frozenset[Value] = frozenset()
        self.given: frozenset[int] = frozenset()
        self.originals: dict[int, Any] = {}
        self.identified: dict[int, tuple[Any, bool]] = {}
        self.ordered: dict[Value, None] = {}
        self.iterations: dict[Any, tuple[int, int]] = {}
        self.loop: Any = None
        self.asked: Any = None
        self.calls = Calls()
        self.cursors: dict[int, Any] = {}
        self.generators: list[weakref.ref[Any]] = []
        self.resumed: list[Any] = []
        self.all_cursors: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self.positions: list[Any] = []
        self.read_by_run: set[int] = set()
        self.new_variables: list[Any] = []
        self.variable_types, self.classes_of_new = dict[Value, Any](), dict[Value, type]()
        self.changed_outside: Callable[[], dict[Any, Any]] = dict
        self.kept, self.kept_cells = dict[int, Any](), list[Any]()
        self.read_by_kept: Any = None
        self.visited, self.weakly_held, self.passed = (dict[int, Any]() for _ in range(3))
        self.read_of_classes: set[tuple[int, str]] = set()
        self.functions_of_run: dict[int, tuple[Any, Any]] = {}
        self.callback_cells: list[tuple[CodeType, CellType, Any]] = []
        self.before_recording: Callable[[Equation], None] | None = None
        self.stdout = sys.stdout
        self.said: list[str] = []
        self.texts: set[str] = set()
        self.root = Region(self, name, None)

    def note_block(self, location: Location | None) -> None:
        """Notes that something is recorded in a block that catches warnings."""
        self.catches_warnings, self.block = True, self.block or location
        self.handled = True

    def next(self) -> Trace | None:
        """Returns the trace that has to be made in place of this one; None if this one will do.

        Raises:
          TracingError: no other trace helps.
          RetraceWithInputs: containers have to become inputs.
        """
        mode = self.request.next_mode(self.mode, self.allocations)
        return None if mode is None else Trace(self.root.graph.name, mode)

    def cursor_of(self, iterator: Any) -> Any:
        """Returns what reads an iterator in this trace; None if nothing has read it so."""
        return self.cursors.get(id(iterator)) or self.all_cursors.get(id(iterator))

    def take_cursors(self, kept: dict[int, Any]) -> None:
        """Takes the cursors that an earlier attempt left, and the positions that it found first."""
        self.cursors.update(kept)
        self.positions = self.cursors.pop(POSITIONS, [])

    def keep_cursors(self, kept: dict[int, Any]) -> None:
        """Keeps the cursors of iterators from outside: another attempt reads the same items."""
        kept.setdefault(POSITIONS, self.positions)
        for key, cursor in self.cursors.items():
            if key in self.captures.names:
                cursor.state["position"] = 0
                kept[key] = cursor

    def end(self) -> None:
        """Forgets everything: what still refers to the root region is a symbolic value."""
        vars(self).clear()

    @property
    def retrace_helps(self) -> bool:
        """True if the next trace would hold more objects, or see more, than this one."""
        return self.request.helps(self.allocations)

    def want(self, container: Any, why: str) -> None:
        """Requests that the graph hold a container (None: an unknown one) as an object."""
        self.request.containers.append((container, Decision(user_location(), "at run time", why)))


class _Current(threading.local):
    region: Region | None = None


current = _Current()
"""The innermost region of this thread's trace is `current.region`; None outside any trace."""


def current_region() -> Region | None:
    """Returns the innermost region of this thread's trace, or None outside any trace."""
    return current.region


def pin_last() -> None:
    """Keeps the equation that was just recorded, though nothing uses its outputs."""
    if current.region is not None:
        current.region.graph.equations[-1].pinned = True


def tracing() -> bool:
    """Returns True if this thread is making a trace."""
    return current.region is not None


class _Ongoing(list[Any]):
    """A list that may be a constant of a code object: those are hashed."""

    __hash__ = object.__hash__  # type: ignore[assignment]


ongoing: list[Trace] = _Ongoing()
"""The traces that all threads are making; if it is empty, nothing is traced: a cheap test."""


def by_reference() -> bool:
    """Returns True if the current trace writes arrays where the program does."""
    return current.region is not None and current.region.trace.mode.by_reference


def noted(text: str, frame: FrameType) -> str:
    """Returns the text of a symbolic value that a frame asks for.

    Raises:
      TracingError: code that is not ours asks, and not to print it: what becomes of a text is not
        followed, so the program could store it, or decide by it.
    """
    here = current_region()
    if here is not None and is_asked_by_others(frame):
        if not is_printed(frame):
            refuse_text(at(user_location()))
        here.trace.texts.add(text)
    return text


def refuse_text(where: str) -> NoReturn:
    raise TracingError(
        "a text was made of a symbolic value, whose value is known only when the graph runs"
        f"{where}\n"
        "  hint: format with an f-string, or with a literal before `%`", about_state=True)


def in_call() -> bool:
    """Returns True while the graph of a recursive function is made, which will be called."""
    return current.region is not None and bool(current.region.trace.calls)


def effects_at_run_time() -> bool:
    """Returns True if Python's effects are to happen when the graph runs."""
    return current.region is not None and current.region.trace.mode.effects_at_run_time


def holds_objects() -> bool:
    """Returns True if the current trace may hold containers as objects of the graph."""
    return current.region is not None and current.region.trace.mode.sites.instrumented


def wanted() -> list[tuple[Any, Decision]]:
    """Returns the containers that the current trace wants as objects of the graph."""
    return [] if current.region is None else current.region.trace.request.containers


def forget_copies(count: int) -> None:
    """Keeps this many of the copies that were noted: an attempt that was abandoned made the others.
    """
    if current.region is not None:
        current.region.trace.copies.forget(count)


def want(container: Any, why: str) -> None:
    """Notes that a container has to be an object of the graph."""
    if current.region is not None:
        current.region.trace.want(container, why)


def forget_wanted(count: int) -> list[tuple[Any, Decision]]:
    """Forgets the wanted containers but for the first so many of them; returns the forgotten."""
    found = wanted()
    forgotten, found[count:] = found[count:], []
    return forgotten


def want_one(why: str) -> None:
    """Notes that some container, nobody knows which, has to be an object of the graph."""
    here = current.region
    if here is not None and not here.trace.mode.sites.instrumented:
        here.trace.want(None, why)


def note_store(container: Any) -> None:
    """Notes whose slice is stored next; None: that of no container of Python's."""
    if current.region is not None:
        current.region.trace.stored = container


def want_stored() -> None:
    """Notes that the container whose slice is stored has to be an object of the graph."""
    here = current.region
    if here is not None and not (here.trace.mode.sites.instrumented and here.trace.stored is None):
        here.trace.want(here.trace.stored, "has a slice replaced by items that are known only when "
                                           "the graph runs")


def note_print(text: str) -> None:
    """Notes what the program prints while it is traced: it is let out when the trace is kept."""
    here = current.region
    assert here is not None, "nothing is being traced"
    here.graph.printed.append((len(here.graph.equations), text))
    here.trace.said.append(text)


def let_out(text: str) -> None:
    """Prints what was printed while a trace was made; in another trace, as a part of that."""
    if current.region is not None:
        note_print(text)
    elif text:
        sys.stdout.write(text)


def note_derivative() -> None:
    """Notes that the trace takes derivatives: of objects of the graph there are none."""
    if current.region is not None:
        current.region.trace.differentiates = True


def note_recording() -> None:
    """Notes that a stretch begins of which a derivative may be taken."""
    if current.region is not None:
        current.region.trace.records_derivative = True


def takes_derivatives() -> bool:
    """Returns True if a derivative may be taken of what is traced now."""
    return current.region is not None and current.region.trace.records_derivative


def note_refusal(error: Exception) -> None:
    """Notes that converted code of the user's was refused what it asks of a symbolic value."""
    if current.region is not None:
        current.region.trace.refusals.append(error)


def forget_refusal(error: Exception) -> None:
    """Forgets a refusal, and those after it: the trace goes another way."""
    found = current.region.trace.refusals if current.region is not None else []
    for number, known in enumerate(found):
        if known is error:
            del found[number:]


def _note_error(error: TracingError) -> None:
    error.about_state = type(error).about_state or is_about_state(sys._getframe(1))
    if current.region is not None:
        current.region.trace.errors.append(error)


NOTED_BY.append(_note_error)


@contextmanager
def kept_refusals() -> Iterator[None]:
    """Raises a refusal again that the user's code has caught, or Python has replaced by an error of
    its own: what the function would do then is not what it does with a value."""
    here = current.region
    asked, errors = (here.trace.refusals, here.trace.errors) if here is not None else ([], [])
    before, known = len(asked), len(errors)

    def found() -> list[Exception]:
        return asked[before:] or [e for e in errors[known:] if is_caught_by_user(e)]

    try:
        yield
    except Exception as error:
        if not isinstance(error, (TracingError, GraphError)) and (kept := found()):
            raise kept[0] from None
        raise
    if kept := found():
        raise kept[0]
    del errors[known:]  # they hold frames


def want_arrays() -> None:
    """Notes that a symbolic value is to be stored in an array that NumPy's own code made."""
    here = current.region
    if here is not None and not here.trace.mode.sites.arrays:
        here.trace.request.arrays = Decision(
            user_location(), "made by the graph",
            "a symbolic value is stored in an array of NumPy's")


def look_into_lists() -> None:
    """Notes that NumPy was given a symbolic value where its dispatch does not look for one."""
    here = current.region
    if here is not None and here.trace.mode.sites.instrumented:
        want_arrays()
    elif here is not None:
        here.trace.request.lists = Decision(
            user_location(), "looked into",
            "a list of symbolic values is given to a NumPy function")


def note_stored(made: Value, before: Value) -> None:
    """Notes that the program stores a result over what an array held."""
    if current.region is not None:
        current.region.trace.stored_over[made] = before


def note_staged(location: Any) -> None:
    """Notes that a branch or loop changes a heap location: that happens when the graph runs."""
    if current.region is not None:
        current.region.trace.staged_locations.add(location)


def note_comparison(x: Any) -> None:
    """Notes that it was asked whether a symbolic value is an array from outside."""
    if current.region is not None and hasattr(type(x), "_handle"):
        current.region.trace.compares = True


def from_outside(x: object) -> bool:
    """Returns True for an array or iterator that was there before the trace."""
    return current.region is not None and id(x) in current.region.trace.captures.names


def decide(kind: str, reason: str) -> None:
    """Notes a decision about the line that is being traced; it replaces the one before."""
    if current.region is not None:
        known, where = current.region.trace.decisions, user_location()
        known[:] = [d for d in known if d.location != where]
        known.append(Decision(where, kind, reason))


def need_references(why: str, where: Location | None = None) -> NoReturn:
    """Gives this trace up: it has to be made by reference."""
    here = current.region
    assert here is not None
    here.trace.request.references = Decision(where or user_location(), "by reference", why)
    raise RetraceByReference(why)


@contextmanager
def start(trace: Trace) -> Iterator[Region]:
    """Makes a trace the current one; traces nest (a trace may start while another one is on)."""
    outer = current.region
    current.region = trace.root
    ongoing.append(trace)
    try:
        yield trace.root
    finally:
        ongoing.remove(trace)
        if not ongoing:
            forget_locations()
        trace.root.alive = False
        current.region = outer


@contextmanager
def region(name: str) -> Iterator[Region]:
    """Records into a new region; at its end, everything it changed outside itself is undone."""
    outer = current.region
    assert outer is not None, "a region needs a trace"
    inner = Region(outer.trace, name, outer)
    current.region = inner
    try:
        yield inner
    finally:
        current.region = outer
        inner.alive = False
        inner.undo()


@contextmanager
def no_trace() -> Iterator[None]:
    """Runs something concretely in the middle of a trace."""
    outer = current.region
    current.region = None
    try:
        yield
    finally:
        current.region = outer
