"""Concrete functions: one traced signature, which can be called and asked what it is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from autograph.extension_points import POINTS
from autograph.runtime.functions import captures as capturing
from autograph.runtime.functions.description import Description
from autograph.runtime.functions.direct_calls import bind_direct, bound_as_it_is, leaves_given
from autograph.runtime.functions.execution import Execution
from autograph.runtime.functions.partition import Partition
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.recognised_calls import RecognisedCalls
from autograph.runtime.functions.tiers import Tiers, may_climb
from autograph.runtime.functions.unseen_changes import Found, Watcher
from autograph.runtime.heap.iterator_copies import read_on
from autograph.runtime.heap.named_locations import NamedLocation
from autograph.runtime.interpret import debugger
from autograph.runtime.ir.errors import InvalidArgumentError, SignatureError
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.stand_ins import array_of, put_back
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.function_type import Parameters
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.trace_mode import TraceMode
from autograph.traceback_filter import hide

CLOCK = itertools.count()
"""Ticks with every counted call; says which trace was used last."""


class ConcreteFunction(Description):
    """A graph for one signature, and what runs it.

    Call it like the function (constants of the signature may be left out), or with only the
    arrays: in order, or by name.

    source     the generated Python that runs the graph (executor "python").
    run        what runs it: takes the arrays as they are, checks nothing.
    emitted    what `run` does, if that is only the generated Python.
    paths      the expressions over the parameters that find what `run` takes.
    state      the persistent state that is an input, if there is any.
    new_state  the locations outside the function that the trace wrote symbolic values to.
    partition  which arrays of a call must share no memory.
    unverified  the calls that are still to be run as plain Python, too.
    hits       the calls since it was made, if the function counts calls.
    watcher    finds what plain Python, run in place of the graph, changes outside the function.
    found_state  called with the locations that it changed.
    returned   called after a call that returned, though the function raised while it was traced.
    in_full    makes the same function with a longer graph, in which containers are values, if any
    is an object for no other reason than a short graph.
    reads      the iterators outside that the trace read, and how many items, until they are read.
    reached    identifies the containers and variables outside that the trace could read.
    mode       how the trace was made; None: it was loaded.
    recognised  recognises calls that are like earlier ones.
    changed    called after the captures were changed: `run` is another one then.
    reason     why it was made: what differed from the call before, and where it was called.

    Class attributes are switches for all functions, loaded ones too:

    run_instead  what runs a trace for a call, in place of the trace itself.
    checked      runs a program and checks all that it computes; None: nothing is checked.
    wrote        is told of each call, of those that were bound, that may have written to arrays.

    >>> import autograph as ag
    >>> @ag.function
    ... def scaled(x, n):
    ...     return x * n
    >>> concrete = scaled.get_concrete_function(2.5, 3)
    >>> concrete(), concrete.graph.name
    (7.5, 'scaled')
    """

    run_instead: ClassVar[Callable[[ConcreteFunction, Bound], Any] | None] = None
    checked: ClassVar[Callable[[Program, tuple[Any, ...]], Any] | None] = None
    wrote: ClassVar[Callable[[ConcreteFunction, Bound], None] | None] = None

    def __init__(self, name: str, program: Program, bound: Bound, executor: str,
                 plain: Callable[[Any], Any], parameters: Parameters, atomic: bool = False,
                 new_state: dict[NamedLocation, bool] | None = None,
                 state: PersistentState | None = None,
                 partition: Partition | None = None, watcher: Watcher | None = None) -> None:
        self.name = name
        self.program = program
        self.bound = bound
        self.executor = executor
        self.plain = plain
        self.parameters = parameters
        self.atomic = atomic
        self.new_state = new_state or {}
        self.state = state
        self.partition = partition or Partition(program, bound, ())
        self.watcher = watcher
        self.paths = [leaf.path for leaf in bound.leaves] + [
            bound.containers[number][0] for number in program.containers]
        self.hits = self.unverified = 0
        self.last_used = next(CLOCK)
        self.reason = ""
        self.changed: Callable[[], None] = lambda: None
        self.in_full: Callable[[], ConcreteFunction] | None = None
        self.found_state: Callable[[Found], None] = lambda found: None
        self.returned: Callable[[], None] = lambda: None
        self.recognised = RecognisedCalls()
        self.reached: frozenset[Any] = frozenset()
        self.mode: TraceMode | None = None
        self.reads: list[tuple[Iterator[Any], int | None]] = []
        self._load()

    def _load(self) -> None:
        """Loads what runs the program."""
        self.execution = self._execution(self.executor)
        self.run, self.emitted = self.execution.run, self.execution.emitted
        if self.executor == "tiered" and may_climb(self.program):
            self.run, self.emitted = Tiers(
                self.graph, self.run, lambda: self._execution("native"), self._settle), None

    def _execution(self, executor: str) -> Execution:
        return Execution(self.name, self.program, self.bound, executor, self.plain, self.atomic,
                         self.watched)

    def _settle(self, execution: Execution | None) -> None:
        """Runs the program in one way from now on; None: over NumPy, as before."""
        self.execution = execution or self.execution
        self.run, self.emitted = self.execution.run, self.execution.emitted
        self.changed()

    def __reduce__(self) -> Any:
        """Returns what `pickle` needs: the graph as plain data, as `ag.save` writes it."""
        return POINTS.reduced(self)

    def __dask_tokenize__(self) -> str:
        """Returns a text that is equal for functions with equal graphs and arrays."""
        return POINTS.token(self)

    @property
    def source(self) -> str:
        return self.execution.source

    @property
    def native_loops(self) -> tuple[tuple[str, str], ...]:
        """The line of each loop, and why it is not machine code; an empty reason if it is."""
        return self.execution.native_loops

    @property
    def llvm(self) -> str:
        """The LLVM IR of the loops and array operations that are machine code; empty if none is."""
        return self.execution.llvm

    @property
    def loop_nests(self) -> str:
        """The loop nests of array operations that are machine code, with the user's lines."""
        return self.execution.loop_nests

    # -- calls ------------------------------------------------------------------------------------

    def called(self, bound: Bound) -> Any:
        """Runs a call of the graph alone, or has `run_instead` run it."""
        if ConcreteFunction.run_instead is None or trace.tracing():
            return self.call(bound)
        return ConcreteFunction.run_instead(self, bound)

    def call(self, bound: Bound) -> Any:
        """Runs on the arrays (and the containers to refill) of a call with this signature."""
        if trace.tracing():
            return self.plain(self.bound.filled([leaf.value for leaf in bound.leaves],
                                                [c for _, c in bound.containers]))
        containers = [bound.containers[number][1] for number in self.program.containers]
        run = self.execution.stepped if debugger.on else self.run
        if (checked := ConcreteFunction.checked) is not None:
            run = lambda *given: checked(self.program, given)
        try:
            made = run(*[leaf.value for leaf in bound.leaves], *containers)
            return put_back(made, bound.stands) if bound.stands else made
        finally:
            if bound.stands:
                put_back(containers, bound.stands)
            if self.program.write_back and ConcreteFunction.wrote is not None:
                ConcreteFunction.wrote(self, bound)

    def watched(self, call: Callable[[], Any], fits: bool = True) -> Any:
        """Calls a function; tells which locations outside the traced function that changes.
        `fits`: False if the trace is not for this call."""
        return call() if self.watcher is None else self.watcher.run(
            call, lambda found: self.found_state(found), fits)

    def fits(self, bound: Bound) -> bool:
        """Returns True if the arrays of a call with this signature share memory as the trace took
        them to."""
        return not self._shares([leaf.value for leaf in bound.leaves])

    def _shares(self, leaves: Sequence[Any]) -> bool:
        partition = self.partition
        return partition.is_broken(*(leaves[i] for i in partition.arrays)) or (
            partition.meets_known([leaves[i] for i in partition.references]))

    def refuse_shared(self, leaves: Sequence[Any]) -> None:
        """Refuses a call of the graph alone, whose arrays share memory as they did not before.

        Raises:
          InvalidArgumentError: they do; where a trace is made, plain Python can run instead.
        """
        if not trace.tracing() and self._shares(leaves):
            raise InvalidArgumentError(
                f"{self.name} writes to an argument that shares memory with another array, and a "
                "graph alone cannot show each write as it happens\n"
                "  hint: pass a copy, or call the function itself")

    def read_outside(self) -> None:
        """Reads of the iterators outside what the trace read of their copies: it is used."""
        reads, self.reads = self.reads, []
        for iterator, count in reads:
            read_on(iterator, count)

    def count(self) -> None:
        """Counts a call."""
        self.hits += 1
        self.last_used = next(CLOCK)

    def counted(self, *leaves: Any) -> Any:
        """Does what `run` does, and counts the call."""
        self.count()
        return self.run(*leaves)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        cls = ConcreteFunction
        try:
            if not (debugger.on or trace.tracing() or cls.run_instead or cls.checked):
                taken = self.recognised.leaves(args, kwargs)
                if taken is not None:
                    return self.run(*taken)
            return self._bound_and_called(args, kwargs)
        except BaseException:
            hide()
            raise

    def _bound_and_called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            bound = bind_direct(self.name, self.parameters, self.bound, self.state,
                                self.function_type, args, kwargs)
        except TypeError as error:
            refused = error.with_traceback(None)
        else:
            self.refuse_shared([leaf.value for leaf in bound.leaves])
            if self.state is None:
                self.recognised.note(self, bound)
            return self.called(bound)
        leaves = self._leaves(args, kwargs)
        if leaves is None:
            raise refused
        arrays = [array_of(x) for x in leaves]
        self.refuse_shared(arrays)
        if trace.tracing():
            return self.plain(self.bound.filled(tuple(leaves)))
        stands = [(a, x) for a, x in zip(arrays, leaves, strict=True) if a is not x]
        return self.called(replace(self.bound, stands=stands, leaves=[
            replace(leaf, value=x) for leaf, x in zip(self.bound.leaves, arrays, strict=True)]))

    def vjp(self, *args: Any) -> Any:
        """Runs the forward half; returns `(y, pullback)`, as `ag.vjp` does.

        Args:
          args: the arguments, as for a call, by position.

        Raises:
          NotDifferentiable: something on the way has no derivative.
          TypeError: the arguments do not fit the signature.
        """
        bound = bind_direct(self.name, self.parameters, self.bound, self.state,
                            self.function_type, args, {})
        return POINTS.vjp_of_trace(self, bound, len(args))

    def to_jax(self, checks: str = "refuse", written_arguments: bool = False
               ) -> Callable[..., Any]:
        """Returns a function of JAX arrays that computes the same, as `f.to_jax()` of a decorated
        function does; it takes arrays of the dtypes and shapes of this signature."""
        def find(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, Bound]:
            bound = bound_as_it_is(self.parameters, self.bound, args, kwargs)
            if bound is None:
                raise SignatureError(f"{self.name} is for other arguments than these: "
                                     f"{self.function_type}")
            return self, bound

        return POINTS.to_jax(self.name, find, checks, written_arguments)  # type: ignore[no-any-return]

    def _leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """Returns the leaves of a call with only the arrays, or None if this is not such a call."""
        if self.program.containers or self.state is not None:
            return None
        return leaves_given(self.bound.leaves, self.graph.inputs, args, kwargs)

    @property
    def inference_fn(self) -> Callable[..., Any]:
        """Runs the graph without a look at the arguments: the cheapest call there is."""
        return self.run

    # -- captures ---------------------------------------------------------------------------------

    def set_external_captures(self, captures: Mapping[str, Any]) -> None:
        """Makes the graph refer to other arrays and variables of the same types, given by name.

        Raises:
          ValueError: there is no capture of such a name.
          TypeError: another dtype or shape.
        """
        capturing.swap(self.graph, captures)
        self.captures_changed()

    def replace_capture_with_deferred_capture(self, name: str, read: Callable[[], Any]) -> None:
        """Makes the graph call `read` for a captured array at every run.

        Raises:
          ValueError: no array of this name is captured.
        """
        capturing.defer(self.graph, name, read)
        self.captures_changed()

    def captures_changed(self) -> None:
        """Makes anew what runs the graph."""
        self.__dict__.pop("function_type", None)
        self._load()
        self.changed()
