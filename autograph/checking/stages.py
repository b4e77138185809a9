"""Calls a function at each of its stages, from plain Python to generated code, and compares."""

from __future__ import annotations

import copy
import html
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograph.checking import divergence
from autograph.checking.call_state import CallState, put_back
from autograph.checking.compare import Outcome, difference
from autograph.checking.muting import muted
from autograph.checking.walk import roots_of
from autograph.decorated import dispatcher_of
from autograph.function.dispatcher import Dispatcher
from autograph.function.function import function
from autograph.function.inspection import named_arguments
from autograph.function.methods import BoundFunction
from autograph.locks import cached_property
from autograph.runtime import lower as lowering
from autograph.runtime import optimize as optimizer
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.interpret.run_program import interpret
from autograph.runtime.ir.program import Program
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import Bound
from autograph.syntax.errors import ConversionError

STAGES = ("plain", "converted", "traced", "optimised", "generated")
"""In order: the function as it is; rewritten, on real arrays; its graph, interpreted; the optimised
graph, interpreted; the Python generated from that."""


NOT_PUT_BACK = ("  it depends on something that cannot be put back between two calls: the time, an "
                "iterator, a file ...\n  hint: give it that as an argument")

READ_ONCE = ("  a trace reads Python's own state once, and changes it while it is made\n"
             "  hint: ag.function(effects=\"runtime\") changes it in each call; or give it as an "
             "argument, or hold it in an ag.Variable")


@dataclass(frozen=True)
class Check:
    """The outcomes of a function's stages. True if they are all the same.

    outcomes    one for each stage that could be run.
    difference  which two stages differ, and how; empty if none do.
    blamed      the pass that made the difference, if one did.
    where       the first line and equation at which they differ, if it was found.
    left_out    the exception of the plain function that the graph does not raise, as nothing uses
                what would raise it: that is no difference.
    """

    name: str
    outcomes: tuple[Outcome, ...]
    difference: str = ""
    blamed: str = ""
    where: str = ""
    left_out: str = ""

    def __bool__(self) -> bool:
        return not self.difference

    def __repr__(self) -> str:
        return f"<Check: {str(self).splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __str__(self) -> str:
        stages = ", ".join(outcome.stage for outcome in self.outcomes)
        if self.left_out:
            return (f"{self.name}: plain Python {self.left_out}, in what nothing uses; the graph "
                    f"leaves that out, and {self.outcomes[-1]}\n"
                    "  hint: ag.function(strict=True) keeps every exception and warning")
        if self:
            return f"{self.name}: the same at every stage ({stages}): it {self.outcomes[0]}"
        blamed = f"  by the pass {self.blamed!r}" if self.blamed else ""
        return "\n".join(filter(None, [f"{self.name}: {self.difference}", blamed, self.where]))


def check_stages(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Check:
    """Runs all stages and compares each with the one before it."""
    if isinstance(f, BoundFunction):
        args, f = (f.__self__, *args), f.func
    dispatcher: Dispatcher = dispatcher_of(f) or dispatcher_of(function(f))
    return Checker(dispatcher, named_arguments(dispatcher, tuple(args), kwargs)).check()


@contextmanager
def checking_calls(found: Callable[[Dispatcher, Check], None]) -> Iterator[None]:
    """Checks every call in the block that makes a trace, and calls `found` with the result."""
    def observe(dispatcher: Dispatcher, arguments: dict[str, Any]) -> None:
        Dispatcher.observer = None
        try:
            found(dispatcher, Checker(dispatcher, dict(arguments), silent=True).check())
        finally:
            Dispatcher.observer = observe

    Dispatcher.observer = observe
    try:
        yield
    finally:
        Dispatcher.observer = None


class Checker:
    """One check: the function, its arguments, and the trace for them."""

    def __init__(self, dispatcher: Dispatcher, arguments: dict[str, Any], silent: bool = False
                 ) -> None:
        self.dispatcher, self.arguments = dispatcher, arguments
        self.prints = not silent
        self.rtol = 1e-9 if dispatcher.options.fast_math else 0.0
        self.concrete: ConcreteFunction | None = None
        self.max_seconds = divergence.MAX_SECONDS
        self.step: Program | None = None  # after some of the passes
        self.made: list[Any] = []

    def check(self) -> Check:
        outcomes: list[Outcome] = []
        began = time.perf_counter()
        for stage in STAGES:
            if stage == "traced" and self.trace is None and outcomes[0].error is not None:
                break  # it raises while it is traced: there is no graph
            outcomes.append(self.run(stage))
            self.prints = False  # only the first stage
            if stage == "plain":
                self.max_seconds += 100 * (time.perf_counter() - began)
            text = self.differs(outcomes[-2], outcomes[-1]) if outcomes[1:] else ""
            if text and (changing := self.differs(outcomes[0], self.run("plain"))):
                return Check(self.dispatcher.name, tuple(outcomes[:1]),
                             f"two plain calls differ: {changing}", where=NOT_PUT_BACK)
            if text and self.leaves_out(outcomes):
                return Check(self.dispatcher.name, tuple(outcomes), left_out=str(outcomes[0]))
            if text and stage == "traced" and self.first_call_agrees(outcomes[0]):
                return Check(self.dispatcher.name, tuple(outcomes),
                             f"plain and traced differ in all calls but the first: {text}",
                             where="\n".join(filter(None, (self.where(stage), READ_ONCE))))
            if text:
                before = outcomes[-2].stage
                where = self.blamed() if stage == "optimised" else ("", self.where(stage))
                return Check(self.dispatcher.name, tuple(outcomes),
                             f"{before} and {stage} differ: {text}", *where)
        return Check(self.dispatcher.name, tuple(outcomes), *self.again(outcomes))

    def first_call_agrees(self, plain: Outcome) -> bool:
        """Returns True if the call that makes the trace does what the plain function does."""
        fresh = Dispatcher(self.dispatcher.python_function, self.dispatcher.options)
        first = Checker(fresh, self.arguments, silent=True)
        first.max_seconds = self.max_seconds
        return not self.differs(plain, first.run("traced"))

    def again(self, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
        """Describes how a second call of the graph differs from one of plain Python: a trace reads
        Python's own state once."""
        if outcomes[0].error is not None:
            return ()
        plain, generated = self.second("plain"), self.second("generated")
        text = self.differs(plain, generated)
        if not text or self.differs(plain, self.second("plain")):
            return ()
        return f"plain and generated differ in a second call: {text}", "", READ_ONCE

    def second(self, stage: str) -> Outcome:
        """Returns the outcome of the second of two calls."""
        def twice() -> Any:
            self.call_of(stage, copied(self.arguments))()
            return self.call_of(stage, arguments)()

        with self.state_restored(), muted(True):
            arguments = copied(self.arguments)
            return self.outcome_of(stage, arguments, twice)

    def leaves_out(self, outcomes: list[Outcome]) -> bool:
        """Returns True if the optimised graph only leaves out what nothing uses and what raises:
        traced as strict, all stages are the same."""
        d = self.dispatcher
        if outcomes[-1].stage != "optimised" or outcomes[0].error is None or d.options.is_strict:
            return False
        strict = Dispatcher(d.python_function, replace(d.options, strict=True))
        return bool(Checker(strict, self.arguments, silent=True).check())

    def differs(self, a: Outcome, b: Outcome) -> str:
        return difference(a, b, self.rtol)

    def run(self, stage: str, watch: Callable[[Callable[[], Any]], Any] | None = None) -> Outcome:
        """Returns the outcome of a call at a stage; `watch` runs the function it is given."""
        watch = watch or divergence.Deadline(self.max_seconds).watch
        with self.state_restored(), muted(not self.prints):
            arguments = copied(self.arguments)
            return self.outcome_of(
                stage, arguments, lambda: watch(self.call_of(stage, arguments)))

    def outcome_of(self, stage: str, arguments: dict[str, Any], call: Callable[[], Any]) -> Outcome:
        outcome = Outcome(stage, arguments)
        try:
            outcome.result = call()
        except ConversionError:
            raise
        except Exception as error:
            outcome.error = error
        outcome.arguments, outcome.result = copied((outcome.arguments, outcome.result))
        return outcome

    def call_of(self, stage: str, arguments: dict[str, Any]) -> Callable[[], Any]:
        d = self.dispatcher
        if stage in ("plain", "converted"):
            target = d.python_function if stage == "plain" else d.tracer.converted
            return lambda: d.binder.invoke(target, d.binder.fitted(arguments))
        concrete, bound = d.find(arguments)
        self.concrete = concrete
        if stage == "generated":
            return lambda: concrete.call(bound)
        program = concrete.program
        if stage != "optimised":
            program = self.step or program.before or program
        return lambda: self.interpreted(concrete, program, bound)

    def interpreted(self, concrete: ConcreteFunction, program: Program, bound: Bound) -> Any:
        """Interprets a program, or runs plain Python where `concrete.call` would."""
        leaves = [leaf.value for leaf in bound.leaves]
        containers = [bound.containers[number][1] for number in program.containers]
        if any(not leaves[i].flags.c_contiguous for i in program.ordered):
            return concrete.call(bound)
        before = copied(leaves)
        try:
            return interpret(program, (*leaves, *containers))
        except Exception as error:
            if not program.handled or containers or isinstance(error, divergence.DoesNotEnd):
                raise
            restore(leaves, before)
            return concrete.plain(concrete.bound.filled(tuple(leaves)))

    @cached_property
    def trace(self) -> ConcreteFunction | None:
        """Returns the trace; None if the function raises while it is traced."""
        if self.concrete is None:
            try:
                with self.state_restored(), muted(True):
                    self.concrete, _ = self.dispatcher.find(copied(self.arguments))
                    self.made = self.captured()  # variables that the first call makes live on
            except ConversionError:
                raise
            except Exception:  # the same exception, or else the stage differs
                return None
        return self.concrete

    # -- what is outside the function ---------------------------------------------------------

    def state_restored(self) -> AbstractContextManager[CallState]:
        """Restores afterwards what the function can reach and change: all stages find the same."""
        return put_back([*roots_of(self.dispatcher.python_function, self.arguments),
                         ("captured", self.captured())])

    def captured(self) -> list[Any]:
        """Returns the variables and arrays outside that the trace reads and changes."""
        captures = self.concrete.graph.captures.values() if self.concrete else ()
        return [x.owner() if isinstance(x, Storage) else x for x in captures]

    # -- where they diverge --------------------------------------------------------------------

    def where(self, stage: str) -> str:
        """Describes the first line and equation at which a stage differs from plain Python."""
        concrete = self.trace
        if concrete is None:
            return ""
        lines = divergence.LineWatcher(divergence.variables_of(concrete.traced_graph))
        self.run("plain", lines.watch)
        other: Any = divergence.EquationWatcher(self.max_seconds)
        if stage == "converted":
            other = divergence.LineWatcher(lines.wanted)
        self.run("converted" if stage == "converted" else "traced", other.watch)
        found = divergence.first(lines.seen, other.seen, rtol=self.rtol)
        if found or stage == "converted":
            return found
        watcher = divergence.KernelWatcher(self.max_seconds)
        self.run("optimised" if stage == "generated" else "traced", watcher.watch)
        return watcher.found.text("interpreted", "generated") if watcher.found else ""

    def blamed(self) -> tuple[str, str]:
        """Returns the first pass after which the graph gives another result, and where it does."""
        assert self.concrete is not None
        final, self.step = self.concrete.program, self.concrete.program.before
        before = divergence.ValueWatcher(self.max_seconds)
        expected = self.run("traced", before.watch)
        for step in (*optimizer.PASSES, *lowering.PASSES):
            assert self.step is not None
            self.step = replace(self.step, graph=self.step.graph.copy())
            self.step.rename(optimizer.optimize(
                self.step.graph, final.record.fast_math, final.record.strict, [step],
                final.record.exact).now)
            after = divergence.ValueWatcher(self.max_seconds, before, self.rtol)
            if self.differs(expected, self.run("traced", after.watch)):
                return step.name, after.found.text("before", "after") if after.found else ""
            before = divergence.ValueWatcher(self.max_seconds)
            self.run("traced", before.watch)
        return "", ""


def copied(x: Any) -> Any:
    """Returns a deep copy of a nest; what cannot be copied is left as it is."""
    try:
        return copy.deepcopy(x)
    except Exception:  # a lock, a file, a module …
        if isinstance(x, dict):
            return {key: copied(value) for key, value in x.items()}
        return [copied(item) for item in x] if type(x) is list else x


def restore(arrays: Sequence[Any], contents: Sequence[Any]) -> None:
    """Puts their contents back into arrays."""
    for array, old in zip(arrays, contents, strict=True):
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = old
