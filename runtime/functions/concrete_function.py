"""One traced signature: what it says of itself, and running its graph."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property
from typing import Any

from autograph.runtime.codegen.emit import emit
from autograph.runtime.codegen.emitted import Emitted
from autograph.runtime.functions.persistent_state import Kept
from autograph.runtime.functions.recapture import Recaptured
from autograph.runtime.functions.rollback import undoing
from autograph.runtime.heap.named_locations import NamedLocation
from autograph.runtime.interpret import debugger
from autograph.runtime.interpret.debugger import Library, values_of
from autograph.runtime.interpret.run_program import interpret
from autograph.runtime.ir.change_log import Change
from autograph.runtime.ir.errors import StandaloneError
from autograph.runtime.ir.graph import Graph, Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import map_nest
from autograph.runtime.ir.types import Type
from autograph.runtime.ops.state import Storage
from autograph.runtime.signatures.binding import PERSISTENT, Bound, bind
from autograph.runtime.signatures.cache_keys import covers
from autograph.runtime.signatures.function_type import (
    FunctionType,
    Parameters,
    block,
    has_leaf,
    spec_nest,
    structured,
    type_text,
)
from autograph.runtime.signatures.spec import SignatureError, TensorSpec, fit
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.variables import Variable

EXECUTORS = ("python", "interpreter")

CLOCK = itertools.count()
"""Ticks with every counted call; says which trace was used last."""


class ConcreteFunction(Recaptured):
    """A graph for one signature, and what runs it.

    Call it like the function (what is fixed in the signature may be left out), or with just the
    arrays: in order, or by name.

    graph      the graph as it is executed.
    traced_graph  the graph as it was traced, before any pass.
    changes    what the optimiser did to the traced graph, in order.
    inputs     the types of the arguments' arrays, in order.
    outputs    the types of what the graph gives, in order.
    source     the generated Python that runs the graph (executor "python").
    run        what runs it: takes the arrays as they are, checks nothing.
    found      the slots outside the function that the trace wrote symbolic values to.
    emitted    what `run` does, if that is the generated Python and nothing else.
    hits       the calls since it was made, if the function counts calls.
    changed    called after the captures were changed: `run` is another one then.
    reason     why it was made: what differed from the call before, and where it was called.

    >>> import autograph as ag
    >>> @ag.function
    ... def scaled(x, n):
    ...     return x * n
    >>> concrete = scaled.get_concrete_function(2.5, 3)
    >>> concrete(), concrete.graph.name
    (7.5, 'scaled')
    """

    def __init__(self, name: str, program: Program, bound: Bound, executor: str,
                 plain: Callable[[Any], Any], parameters: Parameters, atomic: bool = False,
                 found: dict[NamedLocation, bool] | None = None, kept: Kept | None = None) -> None:
        if executor not in EXECUTORS:
            raise ValueError(f"executor {executor!r} is not one of {', '.join(EXECUTORS)}")
        self.name = name
        self.program = program
        self.bound = bound
        self.executor = executor
        self.plain = plain
        self.parameters = parameters
        self.found = found or {}
        self.kept = kept
        self.paths = [leaf.path for leaf in bound.leaves] + [
            bound.containers[number][0] for number in program.containers]
        self._emitted: Emitted | None = None
        self.hits = 0
        self.last_used = next(CLOCK)
        self.reason = ""
        self.atomic = atomic
        self.changed: Callable[[], None] = lambda: None
        self._build()

    def _build(self) -> None:
        """Make what runs the program."""
        program = self.program
        self.run = self._wrapped(self._load())
        bare = not (program.handled or program.ordered or self.atomic)
        self.emitted = self._emitted if bare else None

    def _load(self) -> Callable[..., Any]:
        if self.executor == "interpreter":
            return lambda *leaves: interpret(self.program, leaves)
        self._emitted = emit(self.program, self.name)
        return self._emitted.load()

    def _wrapped(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """What runs the graph, with what has to be done before and after."""
        if self.program.handled:
            run = self._handled(run)
        if self.program.ordered:
            run = self._in_order(run)
        return undoing(run, self.program) if self.atomic else run

    @cached_property
    def stepped(self) -> Callable[..., Any]:
        """Runs the graph as it was traced, equation by equation on the user's lines."""
        library = Library(values_of(self.bound.nest))
        program = self.program.before or self.program
        return self._wrapped(lambda *leaves: interpret(program, leaves, library.run_graph))

    def _handled(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Run the graph; if it raises, run the function itself, which has a handler (or has
        not)."""
        again = may_run_again(self.graph)
        if self.program.by_reference:
            run = undoing(run, self.program)

        def handled(*leaves: Any) -> Any:
            try:
                return run(*leaves)
            except Exception as error:
                if not again:
                    error.add_note(
                        f"{self.name} has a `try` or `with` around the line that raised; it cannot "
                        "be entered from a graph that also prints, draws random numbers or has "
                        "other effects")
                    raise
            return self._run_plain(leaves)

        return handled

    def _run_plain(self, leaves: tuple[Any, ...]) -> Any:
        """Run the function itself on what `run` is given."""
        count = len(self.graph.inputs)
        return self.plain(self.bound.filled(leaves[:count], leaves[count:]))

    def _in_order(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Run the graph on arrays in C order: what a reshape shares with them depends on it."""
        def in_order(*leaves: Any) -> Any:
            if all(leaves[i].flags.c_contiguous for i in self.program.ordered):
                return run(*leaves)
            return self._run_plain(leaves)

        return in_order

    # -- what it is -------------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        return self.program.graph

    @property
    def traced_graph(self) -> Graph:
        return self.program.traced or self.graph

    @property
    def changes(self) -> list[Change]:
        return self.program.record.changes

    @property
    def inputs(self) -> tuple[Type, ...]:
        return tuple(v.type for v in self.graph.inputs)

    @property
    def outputs(self) -> tuple[Type, ...]:
        return tuple(x.type for x in self.graph.outputs if isinstance(x, Value))

    @property
    def writes_arguments(self) -> bool:
        return bool(self.program.write_back)

    @property
    def source(self) -> str:
        return (self._emitted or emit(self.program, self.name)).source

    def to_python(self) -> str:
        """A file of Python that defines the function for this signature and needs NumPy alone.

        Raises:
          StandaloneError: the function refers to something that cannot be written down.
        """
        from autograph.runtime.codegen.standalone import to_python  # of use here alone

        if PERSISTENT in self.bound.nest:
            raise StandaloneError(f"{self.name} keeps arrays outside itself from call to call\n"
                                  "  hint: pass them as arguments, and return them")
        containers = [self.bound.containers[n][0] for n in self.program.containers]
        return to_python(self.program, self.name, self.parameters, self.bound.nest, containers)

    @cached_property
    def function_type(self) -> FunctionType:
        """The types of arguments, result and captures, as an `inspect.Signature`."""
        return FunctionType.of_trace(self.parameters, self.bound, self.program)

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) with a `TensorSpec` for every array."""
        specs = spec_nest(self.bound.nest, self.bound.leaves)
        return structured(self.parameters, specs, lambda x: x)

    @property
    def structured_outputs(self) -> Any:
        """The result with a `TensorSpec` for every array; Python values are themselves."""
        return spec_nest(self.program.result, self.bound.leaves)

    @property
    def output_shapes(self) -> Any:
        return map_nest(lambda x: getattr(x, "shape", None), self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        return map_nest(lambda x: getattr(x, "dtype", None), self.structured_outputs)

    @property
    def captured_inputs(self) -> tuple[Any, ...]:
        """The arrays and variables that the graph refers to: the objects themselves."""
        return tuple(Variable.of_storage(c) if isinstance(c, Storage) else c
                     for c in self.graph.captures.values())

    @property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.captured_inputs if isinstance(v, Variable))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.variables if v.trainable)

    def captures_changed(self) -> None:
        """Make anew what runs the graph."""
        self.__dict__.pop("function_type", None)
        self._build()
        self.changed()

    @property
    def function_def(self) -> dict[str, Any]:
        """The graph as nested dicts, lists and strings: what JSON can hold."""
        from autograph.runtime.views.graph_def import definition  # a reader of the graph

        return definition(self.graph)

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The signature on several lines, or on one."""
        return block(self.function_type) if verbose else str(self.function_type)

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def __repr__(self) -> str:
        types = ", ".join(f"{v.hint}: {v.type}" for v in self.graph.inputs)
        return f"<ConcreteFunction {self.name}({types})>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the signature, and the graph as nested boxes."""
        from html import escape  # of use in notebooks alone

        return f"<pre>{escape(str(self))}</pre>{self.graph._repr_html_()}"

    # -- calling it -------------------------------------------------------------------------------

    def call(self, bound: Bound) -> Any:
        """Run on the arrays (and the containers to refill) of a call with this signature."""
        if trace.tracing():
            return self.plain(self.bound.filled([leaf.value for leaf in bound.leaves],
                                                [c for _, c in bound.containers]))
        containers = [bound.containers[number][1] for number in self.program.containers]
        run = self.stepped if debugger.on else self.run
        return run(*[leaf.value for leaf in bound.leaves], *containers)

    def count(self) -> None:
        """Note a call."""
        self.hits += 1
        self.last_used = next(CLOCK)

    def counted(self, *leaves: Any) -> Any:
        """`run`, noted."""
        self.count()
        return self.run(*leaves)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            bound = self._structured(args, kwargs)
        except TypeError as error:
            leaves = self._flat(args, kwargs)
            if leaves is None:
                raise error.with_traceback(None) from None
            return self.plain(self.bound.filled(tuple(leaves))) if trace.tracing() else (
                self.run(*leaves))
        return self.call(bound)

    @property
    def inference_fn(self) -> Callable[..., Any]:
        """What runs the graph, without looking at the arguments: the cheapest call there is."""
        return self.run

    def _structured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bound:
        """The arguments of a call like the function's own; what is constant may be left out."""
        nest = self.bound.nest
        given = FunctionType(self.parameters).bind_partial(*args, **kwargs).arguments
        missing = [name for name in nest if name not in given and name != PERSISTENT
                   and has_leaf(nest[name])]
        if missing:
            raise SignatureError(f"{self.name}() is missing {', '.join(map(repr, missing))}; its "
                                 f"signature is {self.function_type}")
        specs = spec_nest(nest, self.bound.leaves)
        wanted = dict(self.bound.key.parts)
        fitted = fit(given, {name: specs[name] for name in given})
        if self.kept is not None:
            fitted[PERSISTENT] = self.kept.load()
        bound = bind(fitted, self.bound.key)
        for name, key in bound.key.parts:
            if not covers(wanted[name], key):
                raise SignatureError(
                    f"{name} is {type_text(nest[name], self.bound.leaves)} in this signature; it "
                    f"was given as {type_text(bound.nest[name], bound.leaves)}")
        return bound

    def _flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """The leaves of a call with just the arrays, by name or in order; None if they do not
        fit."""
        names = [leaf.name or leaf.hint for leaf in self.bound.leaves]
        by_name = {**dict(zip(names, args, strict=False)), **kwargs}
        if len(args) + len(kwargs) != len(names) or sorted(by_name) != sorted(names):
            return None
        if self.program.containers or self.kept is not None:
            return None
        leaves: list[Any] = []
        for leaf, name in zip(self.bound.leaves, names, strict=True):
            spec = spec_nest(self.graph.inputs[len(leaves)], [])
            if isinstance(spec, TensorSpec):
                leaves.append(fit({name: by_name[name]}, {name: spec})[name])
            else:
                leaves.append(by_name[name])
            if not covers(leaf.type, bind({name: leaves[-1]}, None).key.parts[0][1]):
                return None
        return leaves


def may_run_again(graph: Graph) -> bool:
    """Whether a run that raised can be followed by another one: nothing that it did lasts, and to
    look up an attribute does nothing."""
    return all(e.op.effect in ("", "raise", "read", "store") or e.op.name == "getattr_"
               for e in graph.walk())
