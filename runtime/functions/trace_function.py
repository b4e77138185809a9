"""Tracing a callable into a graph: one run on symbolic arguments, and what it left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from autograph.runtime.control_flow.recursion import staged, watched_calls
from autograph.runtime.control_flow.regions import raised
from autograph.runtime.functions.concrete_function import ConcreteFunction, may_run_again
from autograph.runtime.functions.pending_writes import Ledger
from autograph.runtime.functions.persistent_state import Kept, Session
from autograph.runtime.functions.traced_arguments import Arguments
from autograph.runtime.heap.escape_analysis import possible_arguments
from autograph.runtime.heap.locations import Contents
from autograph.runtime.ir.closure_conversion import close_calls
from autograph.runtime.ir.errors import GraphError, TracingError, is_about_tensors, plain_refusals
from autograph.runtime.ir.graph import Graph, equations_in, graphs_in
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.trace_signals import (
    NeverCompletes,
    Retrace,
    RetraceByReference,
    RetraceWithCalls,
    RetraceWithInputs,
)
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ir.verifier import check_if_on
from autograph.runtime.lower import lower
from autograph.runtime.ops import OPS
from autograph.runtime.optimize import optimize
from autograph.runtime.signatures.binding import PERSISTENT, Bound
from autograph.runtime.signatures.captured_values import names_of_arrays
from autograph.runtime.signatures.function_type import Parameters
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.allocation_sites import AllocationSites
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.runtime.symbolic.trace_mode import TraceMode


def trace_function(function: Callable[..., Any], name: str, bound: Bound,
                   call: Callable[[Callable[..., Any], Any], Any], executor: str = "python",
                   parameters: Parameters | None = None, atomic: bool = False,
                   effects: str = "trace", kept: Kept | None = None,
                   fast_math: bool = False, strict: bool = False,
                   sites: AllocationSites | None = None) -> ConcreteFunction:
    """Run `function` once on symbolic arguments and keep the graph.

    `call(function, nest)` calls it with the nest of arguments by parameter name. `kept` is what
    `bound` has under the name `PERSISTENT`. If it turns out that which array a variable stands for
    depends on the run, the trace is made by reference. `fast_math` lets the optimiser round
    differently; `strict` keeps it from dropping what may raise. `sites` are those of the
    containers that the graph holds as objects.

    Raises:
      RetraceWithInputs: a container among the arguments, or outside, has to be such an object.
    """
    def traced(run: trace.Trace) -> tuple[Program, Any]:
        return _traced(run, function, bound, lambda nest: call(staged(function, entry=True), nest),
                       kept or Kept())

    run: trace.Trace | None = trace.Trace(
        name, TraceMode.first(sites or AllocationSites(), effects == "runtime"))
    while run is not None:
        with given_up(run), watched_calls(run):
            program, found = traced(run)
        run = run.next()
    _finish(program, fast_math, strict)
    return ConcreteFunction(name, program, bound.signature(), executor,
                            lambda nest: call(function, nest), parameters or [], atomic,
                            found, kept)


@contextmanager
def given_up(run: trace.Trace) -> Iterator[None]:
    """Do without what a trace came to, if it has to be made again in another way."""
    try:
        yield
    except (RetraceByReference, RetraceWithCalls):
        pass
    except Exception:
        if not run.retrace_helps:
            raise


def _traced(run: trace.Trace, function: Callable[..., Any], bound: Bound,
            call: Callable[[Any], Any], kept: Kept) -> tuple[Program, Any]:
    """One run on symbolic arguments; if it is given up, what it changed is put back."""
    with trace.start(run) as region:
        run.captures.names = names_of_arrays(function, bound.nest)
        arguments = Arguments(bound, run.captures.names)
        run.arguments = frozenset(arguments.inputs)
        arguments.tell(run.allocations)
        session = Session(kept, arguments.nest.get(PERSISTENT, ()), function, bound,
                          run.mode.effects_at_run_time)
        session.tell(run.allocations)
        arguments.known = {id(p.container) for p in session.watched if isinstance(p, Contents)}
        ledger = Ledger(arguments, session)
        run.before_recording = ledger.enter
        try:
            made, raises = _outcome(
                lambda: arguments.returned(call(arguments.nest)), arguments)
            run.want_chosen()
            result = arguments.result(made)
            del made  # a variable that nothing else refers to is gone from here on
            refills = arguments.refilled()
            if slots := session.aliases(
                    bound.containers[number][1] for number, _ in refills
                    ) or session.written_arrays():
                raise RetraceWithInputs(run.mode.sites, slots)
            places = tuple(session.finish(arguments.kept))
            ledger.close()
            write_back = arguments.written()
            shared = possible_arguments(region.graph, (result, refills, places), write_back)
            shows = _raises_after(region.graph, write_back, bool(refills or places))
        except (TracingError, Retrace):
            session.undo()  # it is made again, in another way or by plain Python
            raise
        except BaseException:
            session.restore()
            raise
        finally:
            run.before_recording = None  # it holds the caller's objects
    check_made(run)
    graph = region.graph
    graph.inputs = arguments.inputs
    graph.captures = dict(run.captures.values.values())
    ordered = tuple(i for i, v in enumerate(arguments.inputs) if v in run.ordered)
    program = Program(graph, result, write_back, refills, run.handled or shows, places, ordered,
                      run.mode.by_reference, tuple(run.decisions), raises, len(arguments.given),
                      pending_containers=ledger.containers, views=tuple(arguments.views.values()),
                      maybe_arguments=shared)
    return program, session.found


def _raises_after(graph: Graph, write_back: Any, more: bool) -> bool:
    """Whether an exception may be raised in it after something was written.

    What was written must show: where a function that calls itself raises it, plain Python does the
    writing (see `owed`).
    """
    raising = [e for g in graphs_in(graph)[1:] for e in equations_in(g) if e.op.effect == "raise"]
    if raising and write_back and not may_run_again(graph):
        trace.need_references("arguments are written, and then an exception is raised, in a "
                              "function with other effects", raising[0].location)
    return bool(raising and (write_back or more))


def _outcome(run: Callable[[], Any], arguments: Arguments) -> tuple[Any, bool]:
    """The function's result; or whether it raised: what comes before, which may have effects, warn
    or raise itself, is run before the graph raises."""
    try:
        with plain_refusals():
            return run(), False
    except (TracingError, GraphError):
        raise
    except NeverCompletes:
        return None, False
    except Exception as error:
        here = trace.current_region()
        assert here is not None
        if is_about_tensors(error) or not (
                here.graph.equations or arguments.written() or arguments.refilled()):
            raise
        record(OPS["raise_"], raised(error), {}, types=(DYNAMIC,),
               location=raised_at(error))
        error.__traceback__ = None  # holds the frames of the trace
        return None, True


def check_made(run: trace.Trace) -> None:
    """Refuse a function that makes a variable and does not keep it: the next call would need a new
    one.

    Raises:
      ValueError: with tf.function's words.
    """
    if any(reference() is None for reference in run.new_variables):
        raise ValueError(
            "ag.function only supports singleton ag.Variables created on the first call: a "
            "variable that the function made is gone after the call\n  hint: make it outside, or "
            "keep it: "
            "`if self.v is None: self.v = ag.Variable(...)`")


def _finish(program: Program, fast_math: bool, strict: bool) -> None:
    """Check and optimise, in place; the graph's outputs are all that the program takes from it."""
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
    if program.raises:  # it runs once, and nothing of it is left out
        return
    program.record = optimize(graph, fast_math, strict or program.handled)
    lower(graph, program.record)
    check_if_on(graph)
    if program.record.renamed:
        program.rename(program.record.now)
