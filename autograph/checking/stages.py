"""The stages of a function, from plain Python to generated code, and a call of each."""

from __future__ import annotations

import copy
import inspect
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.checking import divergence
from autograph.checking.compare import Came, difference
from autograph.dispatcher import Dispatcher
from autograph.errors import ConversionError
from autograph.function import function
from autograph.runtime.binding import Bound
from autograph.runtime.concrete import ConcreteFunction, interpret
from autograph.runtime.execute.program import Program
from autograph.runtime.ops.state import Storage
from autograph.runtime.places import places_of
from autograph.runtime.variables import Variable

STAGES = ("plain", "converted", "traced", "optimised", "generated")
"""In order: the function as it is; rewritten, on real arrays; its graph, interpreted; the optimised
graph, interpreted; the Python generated from that."""


@dataclass(frozen=True)
class Check:
    """What the stages of a function came to. True if they all came to the same.

    outcomes    one for each stage that could be run.
    difference  between which two stages, and how they differ; empty if they do not.
    place       the first line and equation at which they do, as far as it could be found.
    """

    name: str
    outcomes: tuple[Came, ...]
    difference: str = ""
    place: str = ""

    def __bool__(self) -> bool:
        return not self.difference

    def __str__(self) -> str:
        stages = ", ".join(outcome.stage for outcome in self.outcomes)
        if self:
            return f"{self.name}: the same at every stage ({stages}): it {self.outcomes[0]}"
        return "\n".join(filter(None, [f"{self.name}: {self.difference}", self.place]))


def check_stages(f: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Check:
    """Run all stages and compare each with the first."""
    dispatcher: Dispatcher = (f if hasattr(f, "__ag_dispatcher__") else function(
        f)).__ag_dispatcher__  # type: ignore[attr-defined]
    found = inspect.signature(dispatcher.python_function).bind(*args, **kwargs)
    found.apply_defaults()
    return _Checker(dispatcher, dict(found.arguments)).check()


class _Checker:
    """One check: the function, its arguments, and the trace for them."""

    def __init__(self, dispatcher: Dispatcher, arguments: dict[str, Any]) -> None:
        self.dispatcher, self.arguments = dispatcher, arguments
        self.rtol = 1e-9 if dispatcher.options.fast_math else 0.0
        self.concrete: ConcreteFunction | None = None

    def check(self) -> Check:
        outcomes: list[Came] = []
        for stage in STAGES:
            outcomes.append(self.run(stage))
            text = difference(outcomes[0], outcomes[-1], self.rtol)
            if text:
                before = outcomes[-2]
                return Check(self.dispatcher.name, tuple(outcomes), f"{before.stage} and {stage} "
                             f"differ: {text}", self.place(before.stage, stage))
            if stage == "converted" and outcomes[0].error is not None and self.fails_to_trace():
                break  # it raises while it is traced: there is no graph
        return Check(self.dispatcher.name, tuple(outcomes))

    def fails_to_trace(self) -> bool:
        try:
            self.trace()
        except ConversionError:
            raise
        except Exception:  # the same exception, or else the stage tells of it
            return True
        return False

    def run(self, stage: str, watch: Callable[[Callable[[], Any]], Any] = lambda run: run()
            ) -> Came:
        """Call at a stage; `watch` calls what it is given."""
        with self.state_kept(), quiet(stage != "plain"):
            arguments = copied(self.arguments)
            came = Came(stage, arguments)
            try:
                came.result = watch(self.call_of(stage, arguments))
            except ConversionError:
                raise
            except Exception as error:
                came.error = error
            came.arguments, came.result = copied((came.arguments, came.result))
            return came

    def call_of(self, stage: str, arguments: dict[str, Any]) -> Callable[[], Any]:
        d = self.dispatcher
        if stage in ("plain", "converted"):
            target = d.python_function if stage == "plain" else d.converted
            return lambda: d.invoke(target, d.fitted(arguments))
        concrete, bound = d.find(arguments)
        self.concrete = concrete
        if stage == "generated":
            return lambda: concrete.call(bound)
        program = concrete.program if stage == "optimised" else (
            concrete.program.before or concrete.program)
        return lambda: self.interpreted(concrete, program, bound)

    def interpreted(self, concrete: ConcreteFunction, program: Program, bound: Bound) -> Any:
        """A program by equations; where a call needs plain Python after all, by that."""
        leaves = [leaf.value for leaf in bound.leaves]
        containers = [bound.containers[number][1] for number in program.containers]
        if any(not leaves[i].flags.c_contiguous for i in program.ordered):
            return concrete.call(bound)
        before = copied(leaves)
        try:
            return interpret(program, (*leaves, *containers))
        except Exception:
            if not program.handled or containers:
                raise
            restore(leaves, before)
            return concrete.plain(concrete.bound.filled(tuple(leaves)))

    def trace(self) -> ConcreteFunction:
        with self.state_kept(), quiet(True):
            self.concrete, _ = self.dispatcher.find(copied(self.arguments))
        return self.concrete

    # -- what is outside the function ---------------------------------------------------------

    @contextmanager
    def state_kept(self) -> Iterator[None]:
        """Put back what the function can reach and change: every stage finds the same."""
        places = places_of(self.dispatcher.python_function, self.arguments)
        taken = [(place, place.take()) for place in places]
        captured = list(self.concrete.graph.captures.values()) if self.concrete else []
        arrays = [x for _, x in taken if isinstance(x, np.ndarray)] + [
            x for x in captured if isinstance(x, np.ndarray)]
        storages = [x for x in captured if isinstance(x, Storage)] + [
            x.storage for _, x in taken if isinstance(x, Variable)]
        held = [(s, copy.copy(s.array)) for s in storages]
        contents, random = copied(arrays), np.random.get_state()  # noqa: NPY002  # the global one
        try:
            yield
        finally:
            restore(arrays, contents)
            for storage, array in held:
                storage.array = array
            for place, old in taken:
                if not place.same(old, place.take()):
                    place.put(old)
            np.random.set_state(random)  # noqa: NPY002

    # -- where they part ----------------------------------------------------------------------

    def place(self, before: str, after: str) -> str:
        """The first line and equation at which two stages part."""
        try:
            concrete = self.concrete or self.trace()
        except Exception:  # it cannot be traced: the difference says so
            return ""
        streams = []
        for stage in ("plain" if after != "optimised" else before, "traced"):
            streams.append(self.stream(stage, concrete))
        first = divergence.first(*streams, rtol=self.rtol)
        if first:
            return first
        return divergence.by_kernel(self.watched(concrete), self.rtol)

    def stream(self, stage: str, concrete: ConcreteFunction) -> list[divergence.Seen]:
        """The values that variables take, line by line."""
        if stage in ("plain", "converted"):
            watcher = divergence.LineWatcher(divergence.variables_of(concrete.traced_graph))
            self.run(stage, watcher.watch)
            return watcher.seen
        observer = divergence.EquationWatcher()
        self.run(stage, observer.watch)
        return observer.seen

    def watched(self, concrete: ConcreteFunction) -> divergence.KernelWatcher:
        watcher = divergence.KernelWatcher()
        self.run("optimised", watcher.watch)
        return watcher


def copied(x: Any) -> Any:
    """A copy of a nest, of its arrays too; what cannot be copied is left as it is."""
    try:
        return copy.deepcopy(x)
    except Exception:  # a lock, a file, a module …
        if isinstance(x, dict):
            return {key: copied(value) for key, value in x.items()}
        return [copied(item) for item in x] if type(x) is list else x


def restore(arrays: Sequence[Any], contents: Sequence[Any]) -> None:
    """Give arrays back what was in them."""
    for array, old in zip(arrays, contents, strict=True):
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = old


@contextmanager
def quiet(really: bool) -> Iterator[None]:
    """Swallow what is printed."""
    if not really:
        yield
        return
    with redirect_stdout(io.StringIO()):
        yield
