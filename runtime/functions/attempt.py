"""One attempt to trace a function: runs it on symbolic arguments, and takes down the program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from autograph.runtime.control_flow.raised_errors import (
    forget_frames,
    is_symbolic_error,
    record_error,
    refuse_super,
)
from autograph.runtime.functions.lasting_effects import may_run_again
from autograph.runtime.functions.own_arrays import give_own_arrays
from autograph.runtime.functions.partition import Partition
from autograph.runtime.functions.pending_writes import PendingWrites
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.functions.shared_inputs import known_elsewhere, want_shared_inputs
from autograph.runtime.functions.symbolic_texts import refuse_texts
from autograph.runtime.functions.traced_arguments import Arguments
from autograph.runtime.functions.traced_state import TracedState
from autograph.runtime.heap.attributes_of_the_run import refuse_read_attributes
from autograph.runtime.heap.callbacks import want_variables
from autograph.runtime.heap.escape_analysis import possible_arguments
from autograph.runtime.heap.hidden_state import is_stream
from autograph.runtime.heap.iterator_positions import outside_positions, reads_of, refuse_moved
from autograph.runtime.heap.joined_copies import want_changed_copies, want_visible_copies
from autograph.runtime.heap.kept_functions import refuse_lasting_changes
from autograph.runtime.heap.lifetimes import refuse_noticed_ends
from autograph.runtime.heap.stale_reads import refuse_bound_later
from autograph.runtime.heap.suspended_generators import generators_end, refuse_suspended
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
    RetraceWithInputs,
)
from autograph.runtime.lower.memory_orders import keep_orders
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.captured_values import names_of_arrays
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.captures import CONSTANT
from autograph.runtime.symbolic.floating_point_errors import record_floating_point_error
from autograph.runtime.symbolic.numpy_settings import own_settings, refuse_settings_left
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.runtime.tensor_methods.entered_objects import refuse_built


def attempt(run: trace.Trace, function: Callable[..., Any], bound: Bound,
             call: Callable[[Any], Any], state: PersistentState, instance: str | None
             ) -> tuple[Program, TracedState, Partition]:
    """Runs a function once on symbolic arguments; returns the program, what the trace knows of the
    state outside, and which arrays it took for separate memory.

    If the trace is given up, everything that it changed is restored.
    """
    with trace.start(run) as region, own_settings(record_floating_point_error):
        run.captures.names = names_of_arrays(function, bound.nest)
        arguments = Arguments(bound, run.captures.is_outside, state.name_of)
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
            raise RetraceWithInputs(run.mode.bound_anew(), locations) from None
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
    made, raises = _outcome(lambda: arguments.returned(call(arguments.nest)))
    _check_reads(run, outside)
    want_changed_copies(run, graph)
    want_shared_inputs(run, graph, outside)
    left = list(outside.left())
    refuse_noticed_ends(run, [*outside.exchanged(), *arguments.exchanged()], bound.references)
    unstaged = arguments.unstaged(made)
    want_later = want_visible_copies(
        run, graph, [made, *arguments.held(), *left, *arguments.tuples],
        [unstaged, *pending.left.values(), *(x for y in arguments.rebuilt.values() for x in y)])
    left_by_trace = outside.settle(arguments.unstaged)
    arguments.share(made, list(outside.left()), outside.visited, left_by_trace)
    arguments.refuse_changed_files()
    if run.mode.effects_at_run_time:
        refuse_settings_left()
    _refuse_to_run_again(run, graph, bound.references)
    result = arguments.result(made)
    del made  # a variable that nothing else refers to is gone from here on
    refill = arguments.refilled()
    _want_inputs(run, outside, [bound.containers[number][1] for number in {
        *(number for number, _ in refill), *pending.containers}])
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


def _check_reads(run: trace.Trace, outside: TracedState) -> None:
    """Notes which iterators outside the function read, and refuses reads that no graph repeats.

    Raises:
      TracingError: there is such a read.
    """
    refuse_suspended(run)
    outside.reads = reads_of({**run.all_cursors, **run.cursors}.values())
    refuse_moved([x for x in run.positions if run.mode.effects_at_run_time or (
        is_stream(x[0]) and id(x[0]) in run.given)])
    refuse_read_attributes(run)
    refuse_bound_later(run)
    want_variables(run)


def _want_inputs(run: trace.Trace, outside: TracedState, changed: list[Any]) -> None:
    """Makes sure that what the function changed outside it is an input of the graph.

    Raises:
      RetraceWithInputs: more of it has to be.
    """
    if locations := outside.aliases(changed) or outside.written_arrays() or (
            outside.unseen_stores(run.targets, run.rebound)):
        raise RetraceWithInputs(run.mode.bound_anew(), locations)


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


def _outcome(run: Callable[[], Any]) -> tuple[Any, bool]:
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
