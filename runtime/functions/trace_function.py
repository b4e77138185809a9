"""Tracing a function into a graph: runs on symbolic arguments until one succeeds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from typing import Any
from weakref import ref

from autograph.runtime.control_flow.raised_errors import (
    forget_frames,
    is_symbolic_error,
    record_error,
    refuse_super,
)
from autograph.runtime.control_flow.recursion import staged, watched_calls
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.execution import may_run_again
from autograph.runtime.functions.left_symbols import Attempt, refuse_symbols_left
from autograph.runtime.functions.own_arrays import give_own_arrays
from autograph.runtime.functions.partition import Partition
from autograph.runtime.functions.pending_writes import PendingWrites
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.refused_calls import close_refused_call
from autograph.runtime.functions.second_runs import PlainFunction
from autograph.runtime.functions.shared_inputs import known_elsewhere, want_shared_inputs
from autograph.runtime.functions.symbolic_texts import refuse_texts
from autograph.runtime.functions.traced_arguments import Arguments
from autograph.runtime.functions.traced_state import TracedState
from autograph.runtime.functions.unseen_changes import Watcher
from autograph.runtime.heap.attributes_of_the_run import refuse_read_attributes
from autograph.runtime.heap.callbacks import want_variables
from autograph.runtime.heap.escape_analysis import possible_arguments
from autograph.runtime.heap.hidden_state import is_stream
from autograph.runtime.heap.iterator_positions import outside_positions, reads_of, refuse_moved
from autograph.runtime.heap.joined_copies import want_changed_copies, want_visible_copies
from autograph.runtime.heap.kept_functions import refuse_lasting_changes, refuse_shared_changes
from autograph.runtime.heap.lifetimes import refuse_noticed_ends
from autograph.runtime.heap.named_locations import holder_of
from autograph.runtime.heap.stale_reads import refuse_bound_later
from autograph.runtime.heap.suspended_generators import generators_end, refuse_suspended
from autograph.runtime.ir.closure_conversion import close_calls
from autograph.runtime.ir.cyclic_containers import refused_cycles
from autograph.runtime.ir.errors import (
    GraphError,
    TracingError,
    at,
    is_about_tensors,
    plain_refusals,
)
from autograph.runtime.ir.graph import Graph, equations_in, graphs_in, text_printed
from autograph.runtime.ir.interruptions import interrupts
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.trace_signals import (
    ArraysWritten,
    NeverCompletes,
    Retrace,
    RetraceByReference,
    RetraceInFull,
    RetraceWithCalls,
    RetraceWithInputs,
    RetraceWithObjects,
)
from autograph.runtime.ir.verifier import check_if_on
from autograph.runtime.lower import lower
from autograph.runtime.lower.memory_orders import keep_orders
from autograph.runtime.optimize import optimize
from autograph.runtime.signatures.binding import PERSISTENT, Bound, leads_to_objects
from autograph.runtime.signatures.cache_keys import ByReference
from autograph.runtime.signatures.captured_values import names_of_arrays
from autograph.runtime.signatures.function_type import Parameters
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.captures import CONSTANT
from autograph.runtime.symbolic.floating_point_errors import record_floating_point_error
from autograph.runtime.symbolic.numpy_settings import own_settings, refuse_settings_left
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.runtime.symbolic.trace_mode import TraceMode
from autograph.runtime.tensor_methods.entered_files import refuse_built


def trace_function(function: Callable[..., Any], name: str, bound: Bound,
                   call: Callable[[Callable[..., Any], Any], Any], executor: str = "python",
                   parameters: Parameters | None = None, atomic: bool = False,
                   effects: str = "trace", state: PersistentState | None = None,
                   fast_math: bool = False, strict: bool = False,
                   mode: TraceMode | None = None,
                   cursors: dict[int, Any] | None = None,
                   plain: Callable[[], Callable[..., Any]] | None = None,
                   instance: str | None = None,
                   in_full: Callable[[Bound], ConcreteFunction] | None = None) -> ConcreteFunction:
    """Traces a function, and returns what runs its graph.

    Args:
      function: the function.
      name: its name.
      bound: the arguments of a call.
      call: `call(function, nest)` calls it with the nest of arguments by parameter name.
      state: the persistent state that `bound` has under the name `PERSISTENT`.
      fast_math: True if the optimiser may round differently.
      strict: True if the optimiser may not drop what may raise.
      mode: that of the first attempt.
      plain: gives what runs where the graph cannot be used; None: the function.
      cursors: how far earlier attempts read the iterators outside, by id.
      instance: the parameter with the object that the function is a method of: what a method sets
        in it by constants, it sets while it is traced.
      in_full: traces a signature with no object that only makes the graph short.

    Raises:
      RetraceWithInputs: more containers have to be inputs.
      RetraceInFull: objects that make the graph short were refused.
    """
    mode = mode or TraceMode.first(effects == "runtime")
    if any(leads_to_objects(leaf.type) for leaf in bound.leaves):
        mode = replace(mode, by_reference=True, sites=replace(mode.sites, instrumented=True))
    refuse_shared_changes(function, references_of(bound))
    run: trace.Trace | None = trace.Trace(name, mode)
    cursors = {} if cursors is None else cursors
    attempts: list[Attempt] = []
    while run is not None:
        attempts.append(ref(run.root))
        run.take_cursors(cursors)
        with in_full_if_refused(run.mode):
            with given_up(run, cursors), watched_calls(run):
                program, outside, partition = _attempt(
                    run, function, bound, lambda nest: call(staged(function, entry=True), nest),
                    state or PersistentState(), instance)
            mode, done, run = run.mode, run, run.next()
            makes_variables, failed_methods = bool(done.new_variables), done.failed_methods
            done.end()
    new_state, constant, reads = outside.new_state, outside.constant, outside.reads
    reached = frozenset(map(holder_of, outside.held))
    outside.forget_symbols()
    try:
        refuse_symbols_left(function, attempts, program.graph, bound.named, failed_methods)
    except TracingError:
        outside.undo()
        raise
    finish_program(program, fast_math, strict)
    undo = None if makes_variables else outside.undo
    made = ConcreteFunction(name, program, bound.signature(), executor,
                            PlainFunction(function, call, plain, undo), parameters or [], atomic,
                            new_state, state, partition,
                            Watcher(function, bound.signature(), constant))
    made.reached, made.mode, made.reads = reached, mode, reads
    if mode.sites.shorter and in_full is not None:
        made.in_full = cache(partial(in_full, made.bound))
    return made


def references_of(bound: Bound) -> list[Any]:
    """Returns the arguments that only the run looks into."""
    return [leaf.value for leaf in bound.leaves if isinstance(leaf.type, ByReference)]


@contextmanager
def given_up(run: trace.Trace, cursors: dict[int, Any]) -> Iterator[None]:
    """Ignores the end of a trace that has to be made again in another mode; keeps its cursors."""
    try:
        yield
    except (RetraceByReference, RetraceWithCalls, RetraceWithObjects):
        pass
    except Exception as error:
        if not run.retrace_helps:
            close_refused_call(run, error)
        if not run.retrace_helps:
            vars(error)["__ag_printed__"] = "".join(run.said)
            raise
    finally:
        run.keep_cursors(cursors)


@contextmanager
def in_full_if_refused(mode: TraceMode) -> Iterator[None]:
    """Asks for a longer graph where objects that make it short are refused."""
    try:
        yield
    except Exception as error:
        if mode.sites.shorter and (isinstance(error, (TracingError, GraphError))
                              or is_about_tensors(error)):
            raise RetraceInFull from error
        raise


def _attempt(run: trace.Trace, function: Callable[..., Any], bound: Bound,
             call: Callable[[Any], Any], state: PersistentState, instance: str | None
             ) -> tuple[Program, TracedState, Partition]:
    """Runs a function once on symbolic arguments; returns the program, what the trace knows of the
    state outside, and which arrays it took for separate memory.

    If the trace is given up, everything that it changed is restored.
    """
    with trace.start(run) as region, own_settings(record_floating_point_error):
        run.captures.names = names_of_arrays(function, bound.nest)
        arguments = Arguments(bound, run.captures.is_outside)
        outside = _outside(run, function, bound, arguments, state, instance)
        pending = PendingWrites(arguments, outside)
        run.before_recording = pending.note
        try:
            with generators_end(run):
                program = _program(run, region.graph, bound, call, arguments, outside, pending)
                refuse_texts(program, run.texts)
                refuse_built(program.graph)
            if run.stored_over:
                keep_orders(program.graph, run.stored_over)
        except ArraysWritten as signal:
            outside.undo()
            locations = outside.arrays.locations_of(signal.arrays)
            raise RetraceWithInputs(run.mode.bound_anew(run.mode.sites), locations) from None
        except (TracingError, Retrace):
            outside.undo()  # the function is traced again, or run as plain Python
            raise
        except BaseException as error:
            if is_symbolic_error(error) or is_about_tensors(error):
                outside.undo()
            outside.restore()
            raise
        finally:
            run.before_recording = None  # it holds the caller's objects
            vars(arguments).clear()  # one of them refers to itself
    if not run.request.is_empty:
        outside.undo()  # what this attempt did is done by the next one
    check_new_variables(run)
    partition = Partition(program, bound, outside.arrays.known,
                          run.handled and not may_run_again(program.graph), outside.containers,
                          known_elsewhere(program.graph, outside))
    if partition.is_broken(*(bound.leaves[i].value for i in partition.arrays)):
        outside.undo()  # this call runs as plain Python, which does it all
    return program, outside, partition


def _outside(run: trace.Trace, function: Callable[..., Any], bound: Bound, arguments: Arguments,
             state: PersistentState, instance: str | None) -> TracedState:
    """Tells the trace of what was there before it: of the arguments, and of the state outside,
    which is returned."""
    run.arguments = frozenset(arguments.inputs)
    run.given = frozenset(map(id, arguments.objects()))
    arguments.register(run.allocations)
    run.functions_of_run.update(arguments.callables)
    outside = TracedState(state, arguments.nest.get(PERSISTENT, ()), function, bound,
                          run.mode.effects_at_run_time, run.staged_locations,
                          run.before_raising, instance)
    for array in outside.arrays.known:
        run.captures.names.setdefault(id(array), CONSTANT)
    outside.register(run.allocations)
    run.visited = {id(x): x for x in outside.visited if x is not bound.nest.get(PERSISTENT)}
    refuse_moved(run.positions)
    run.positions = run.positions or outside_positions(run.visited.values())
    run.changed_outside = outside.changed
    arguments.known = outside.containers
    outside.copies = frozenset(map(id, arguments.given))
    run.originals = {id(copy): x for copy, (_, x) in zip(
        arguments.given, bound.containers, strict=True)}
    return outside


def _program(run: trace.Trace, graph: Graph, bound: Bound, call: Callable[[Any], Any],
             arguments: Arguments, outside: TracedState, pending: PendingWrites) -> Program:
    """Runs the function, and returns the program of what it recorded."""
    made, raises = _outcome(lambda: arguments.returned(call(arguments.nest)), arguments, outside)
    refuse_suspended(run)
    outside.reads = reads_of({**run.all_cursors, **run.cursors}.values())
    refuse_moved([x for x in run.positions if run.mode.effects_at_run_time or (
        is_stream(x[0]) and id(x[0]) in run.given)])
    refuse_read_attributes(run)
    refuse_bound_later(run)
    want_variables(run)
    want_changed_copies(run, graph)
    want_shared_inputs(run, graph, outside)
    left = list(outside.left())
    refuse_noticed_ends(run, [*outside.exchanged(), *arguments.exchanged()], references_of(bound))
    unstaged = arguments.unstaged(made)
    want_later = want_visible_copies(
        run, graph, [made, *arguments.held(), *left, *arguments.tuples],
        [unstaged, *pending.left.values(), *(x for y in arguments.rebuilt.values() for x in y)])
    left_by_trace = outside.settle(arguments.unstaged)
    arguments.share(made, list(outside.left()), outside.visited, left_by_trace)
    arguments.refuse_changed_files()
    if run.mode.effects_at_run_time:
        refuse_settings_left()
    _refuse_to_run_again(run, graph, references_of(bound))
    result = arguments.result(made)
    del made  # a variable that nothing else refers to is gone from here on
    refill = arguments.refilled()
    changed = {*(number for number, _ in refill), *pending.containers}
    if locations := outside.aliases(
            bound.containers[number][1] for number in changed) or outside.written_arrays() or (
            outside.unseen_stores(run.targets, run.rebound)):
        raise RetraceWithInputs(run.mode.bound_anew(run.mode.sites), locations)
    writes = tuple(outside.finish(arguments.persistent))
    want_later()
    pending.close()
    write_back = arguments.written()
    maybe_arguments = possible_arguments(graph, (result, refill, writes), write_back)
    shows = _raises_after(graph, write_back, bool(refill or writes)) or _is_undone(graph, pending)
    graph.inputs = arguments.inputs
    graph.captures = dict(run.captures.values.values())
    give_own_arrays(graph, run.captures.is_outside)
    return Program(
        graph, result, write_back, refill, run.handled or shows, writes,
        derived=run.differentiates or run.caught,
        ordered=tuple(i for i, v in enumerate(arguments.inputs) if v in run.ordered),
        by_reference=run.mode.by_reference, decisions=tuple(run.decisions), raises=raises,
        given=len(arguments.given), catches=run.catches_warnings,
        compares=run.compares, pending_containers=pending.containers,
        views=tuple(arguments.views.values()), maybe_arguments=maybe_arguments,
        printed=text_printed(graph))


def _refuse_to_run_again(run: trace.Trace, graph: Graph, inputs: Iterable[Any]) -> None:
    """Refuses a function with a block that catches warnings or exceptions, if it cannot run again
    as plain Python.

    Raises:
      TracingError: it cannot.
    """
    if run.handled:
        refuse_lasting_changes(inputs)
    if run.catches_warnings and not may_run_again(graph):
        raise TracingError(
            "a block catches warnings, in a function that also prints, draws random numbers or has "
            f"other effects: it cannot run again as plain Python{at(run.block)}\n"
            "  hint: move the block into a function under ag.do_not_convert; for warnings of NumPy "
            "alone, use `with np.errstate(…)`")


def _raises_after(graph: Graph, write_back: Any, more: bool) -> bool:
    """Returns True if an exception may be raised in a branch or call after something was written.

    What was written must show: where a recursive function raises, plain Python does the writing
    (see `pending_writes`).
    """
    raising = [e for g in graphs_in(graph)[1:] for e in equations_in(g) if e.op.effect == "raise"]
    if raising and write_back and not may_run_again(graph):
        trace.need_references("arguments are written, and then an exception is raised, in a "
                              "function with other effects", raising[0].location)
    return bool(raising and (write_back or more))


def _is_undone(graph: Graph, pending: PendingWrites) -> bool:
    """Returns True if an exception would leave undone what plain Python has done before it: it then
    does it all again as plain Python.

    Raises:
      TracingError: it cannot run again.
    """
    if pending.unfollowed and not may_run_again(graph):
        raise TracingError(
            "a line may raise after the function bound one of several objects outside it, and the "
            "function also prints, draws random numbers or has other effects: it cannot run again "
            f"as plain Python{at(pending.unfollowed[0][1])}\n"
            "  hint: check for the exception before the object is chosen")
    return bool(pending.unfollowed)


def _outcome(run: Callable[[], Any], arguments: Arguments, outside: TracedState
             ) -> tuple[Any, bool]:
    """Returns the function's result, and True if it raised instead.

    What comes before the exception may have effects, warn or raise itself: the graph does that,
    and then raises.
    """
    around = sys.exception()
    try:
        with trace.kept_refusals(), plain_refusals(), refused_cycles(raised_at):
            return run(), False
    except (TracingError, GraphError):
        raise
    except NeverCompletes:
        return None, False
    except BaseException as error:
        if is_about_tensors(error) or interrupts(error):
            raise
        here = trace.current_region()
        assert here is not None
        refuse_super(error, here)
        record_error(error, raised_at(error, here))
        forget_frames(error, around)
        return None, True


def check_new_variables(run: trace.Trace) -> None:
    """Refuses a function that makes a variable for every call.

    Raises:
      ValueError: with tf.function's words.
    """
    for reference, location in run.new_variables:
        if reference() is None:
            raise ValueError(
                "ag.function only supports singleton ag.Variables created on the first call: a "
                f"variable that the function made is gone after the call{at(location)}\n"
                "  hint: make it outside, or keep it: "
                "`if self.v is None: self.v = ag.Variable(...)`")


def finish_program(program: Program, fast_math: bool, strict: bool) -> None:
    """Checks and optimises a program in place.

    The graph's outputs become exactly the values that the program takes from it.
    """
    graph = program.graph
    later = {target for target, _ in program.write_back}.union(
        *(view.outputs for view in program.views))
    outputs: list[Any] = [x for x in program.taken() if x not in later]
    outputs += [atom for _, atom in program.write_back]
    graph.outputs = tuple(outputs)
    close_calls(graph)
    check_if_on(graph)
    program.traced = graph.copy()
    program.before = replace(program, graph=program.traced)
    exact = strict or program.catches
    program.record.exact = exact
    if program.raises:  # it runs once, and nothing of it is left out
        return
    program.record = optimize(
        graph, fast_math, strict or program.handled, exact=exact)
    lower(graph, program.record)
    check_if_on(graph)
    if program.record.renamed:
        program.rename(program.record.now)
