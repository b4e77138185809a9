"""Loaded functions and modules, which run without their source."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from autograph.extension_points import POINTS
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.functions.direct_calls import bind_direct, bound_as_it_is
from autograph.runtime.functions.partition import Partition
from autograph.runtime.interpret import debugger
from autograph.runtime.ir.errors import SignatureError
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.printer import to_text
from autograph.runtime.serialize.programs import Signature
from autograph.runtime.serialize.replay import plain_function
from autograph.runtime.signatures.binding import Bound
from autograph.runtime.signatures.cache_keys import is_general
from autograph.runtime.signatures.function_type import FunctionType, call_text
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.module import Module
from autograph.runtime.symbolic.variables import Variable
from autograph.traceback_filter import hiding_frames, hiding_methods


@hiding_methods
class LoadedFunction:
    """A function that was saved: its graphs, one for each signature, and what runs them.

    Call it like the function that was saved. It has no source: a call that no signature fits is
    refused.

    name        the function's name.
    signatures  what was traced, in the order in which it was saved.
    samples     calls with their results, which the file holds to be checked.
    """

    def __init__(self, name: str, signatures: Sequence[Signature], executor: str = "python",
                 samples: Sequence[Any] = ()) -> None:
        self.name = self.__name__ = name
        self.signatures = list(signatures)
        self.executor = executor
        self.samples = list(samples)
        self._made: dict[int, ConcreteFunction] = {}
        self._called: dict[int, ConcreteFunction] = {}
        order = range(len(self.signatures))
        self._order = sorted(order, key=lambda i: is_general(self.signatures[i].bound.key))

    def concrete(self, number: int) -> ConcreteFunction:
        """Returns the function for one of the signatures."""
        if number not in self._made:
            s = self.signatures[number]
            held = s.program.graph.captures.values()
            outside = [x for x in held if isinstance(x, np.ndarray)]
            self._made[number] = ConcreteFunction(
                s.name, s.program, s.bound, self.executor,
                plain_function(s.name, s.program, s.bound.nest), s.parameters, s.atomic,
                partition=Partition(s.program, s.bound, outside))
        return self._made[number]

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """The functions for all signatures."""
        return [self.concrete(i) for i in range(len(self.signatures))]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bind_it = (debugger.on or trace.tracing() or ConcreteFunction.run_instead is not None
                   or ConcreteFunction.checked is not None)
        for called in () if bind_it else self._called.values():
            taken = called.recognised.leaves(args, kwargs)
            if taken is not None:
                return called.run(*taken)
        concrete, bound = self._found(args, kwargs)
        concrete.refuse_shared([leaf.value for leaf in bound.leaves])
        concrete.recognised.note(concrete, bound)
        self._called.setdefault(id(concrete), concrete)
        return concrete.called(bound)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the function for a call's arguments; arrays may be `TensorSpec`s. Without any,
        that of the only signature.

        Raises:
          SignatureError: no signature fits.
        """
        if len(self.signatures) == 1 and not (args or kwargs):
            return self.concrete(0)
        return self._found(args, kwargs)[0]

    def _found(self, args: tuple[Any, ...], kwargs: dict[str, Any]
               ) -> tuple[ConcreteFunction, Bound]:
        if found := self._found_as_it_is(args, kwargs):
            return found
        refusal: TypeError | None = None
        for number in self._order:  # numbers and lists become arrays
            s, concrete = self.signatures[number], self.concrete(number)
            try:
                if len(self.signatures) > 1:  # constants say which one is meant
                    inspect.Signature(s.parameters).bind(*args, **kwargs)
                return concrete, bind_direct(s.name, s.parameters, s.bound, None,
                                             concrete.function_type, args, kwargs)
            except TypeError as error:
                refusal = refusal or error
        if len(self.signatures) == 1 and refusal is not None:
            raise refusal.with_traceback(None)
        raise self._unfit()

    def _found_as_it_is(self, args: tuple[Any, ...], kwargs: dict[str, Any]
                        ) -> tuple[ConcreteFunction, Bound] | None:
        """Returns the trace for a call whose arguments are of its types as they are: if there are
        several, the one whose integers are of the same classes (int64 equals longlong)."""
        first = None
        for number in self._order:
            s = self.signatures[number]
            bound = bound_as_it_is(s.parameters, s.bound, args, kwargs)
            if bound is None:
                continue
            first = first or (self.concrete(number), bound)
            if _dtype_classes(x.value for x in bound.leaves) == _dtype_classes(
                    x.type for x in s.bound.leaves):
                return self.concrete(number), bound
        return first

    def _unfit(self) -> SignatureError:
        known = "\n  ".join(f"({call_text(s.bound)})" for s in self.signatures)
        return SignatureError(f"{self.name} was saved for other arguments than these. It takes:"
                              f"\n  {known}")

    def to_jax(self, checks: str = "refuse", written_arguments: bool = False
               ) -> Callable[..., Any]:
        """Returns a function of JAX arrays that computes the same, as `f.to_jax()` of a decorated
        function does; it takes arrays of the dtypes and shapes that were saved."""
        def find(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[ConcreteFunction, Bound]:
            found = self._found_as_it_is(args, kwargs)
            if found is None:
                raise self._unfit()
            return found

        return POINTS.to_jax(self.name, find, checks, written_arguments)  # type: ignore[no-any-return]

    # -- what it is -------------------------------------------------------------------------------

    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """Returns the graph for arguments; without any, that of the only signature.

        Raises:
          SignatureError: no signature fits, or there are several.
        """
        if len(self.signatures) == 1 and not (args or kwargs):
            return self.signatures[0].program.graph
        return self.get_concrete_function(*args, **kwargs).graph

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables that the graphs refer to, each once."""
        found = [Variable.of_storage(c) for s in self.signatures
                 for c in s.program.graph.captures.values() if hasattr(c, "owner")]
        return tuple(dict.fromkeys(found))

    @property
    def function_type(self) -> FunctionType:
        """The parameters, as an `inspect.Signature`."""
        return FunctionType.polymorphic(self.signatures[0].parameters)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.Signature(self.signatures[0].parameters)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures of all graphs as text."""
        return "\n".join(c.pretty_printed_signature(verbose) for c in self.concrete_functions)

    def explain(self) -> str:
        """Returns a report: for each signature its operations, and its graph with the lines of the
        source that each equation comes from."""
        return "\n\n".join(map(explained, self.signatures))

    def __reduce__(self) -> Any:
        """Returns what `pickle` needs: bytes as `ag.save` writes them."""
        return POINTS.reduced(self)

    def __dask_tokenize__(self) -> str:
        """Returns a text that is equal for functions with equal graphs and arrays."""
        return POINTS.token(self)

    def __repr__(self) -> str:
        return f"<LoadedFunction {self.name}: {len(self.signatures)} signature(s)>"


def _dtype_classes(xs: Iterable[Any]) -> list[type]:
    return [type(getattr(x, "dtype", None)) for x in xs]


if TYPE_CHECKING:
    class Loaded(Protocol):
        """The result of `ag.load`, for type checkers: the function, or the module with its own
        attributes; which of the two, the file says."""

        @property
        def name(self) -> str: ...
        @property
        def signatures(self) -> list[Signature]: ...
        @property
        def concrete_functions(self) -> list[ConcreteFunction]: ...
        @property
        def functions(self) -> dict[str, LoadedFunction]: ...
        @property
        def variables(self) -> tuple[Variable, ...]: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
        def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction: ...
        def graph(self, *args: Any, **kwargs: Any) -> Graph: ...
        def explain(self) -> str: ...
        def __getattr__(self, name: str) -> Any: ...
else:
    Loaded = object


def explained(s: Signature) -> str:
    """Returns the report on one signature."""
    ops = Counter(e.op.name for e in s.program.graph.walk())
    counts = ", ".join(f"{name} {count}" for name, count in sorted(
        ops.items(), key=lambda pair: (-pair[1], pair[0])))
    return (f"{s.name}({call_text(s.bound)}): {sum(ops.values())} operations: {counts or 'none'}\n"
            f"{to_text(s.program.graph, locations=True)}")


class LoadedModule(Module):
    """A module that was saved: its variables, values, modules and functions are its attributes.

    Attributes that a file cannot hold are left out; to ask for one says so.
    """

    def __init__(self, name: str, left_out: dict[str, str]) -> None:
        super().__init__(name)
        self.__dict__["_left_out"] = left_out

    def __getattr__(self, name: str) -> Any:
        what = self.__dict__.get("_left_out", {}).get(name)
        told = "" if what is None else f": it was {what} when the module was saved, and left out"
        raise AttributeError(f"{self.name!r} has no attribute {name!r}{told}", name=name)

    @hiding_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls what was saved of the class's `__call__`."""
        if "__call__" not in vars(self):
            there = [f"{self.name}.{name}(…)" for name in self.functions]
            raise TypeError(f"{self.name!r} cannot be called: no trace of __call__ was saved\n"
                            f"  hint: there is {', '.join(there) or 'no function'}")
        return vars(self)["__call__"](*args, **kwargs)

    def __reduce__(self) -> Any:
        """Returns what `pickle` needs: all of it as plain data, as `ag.save` writes it."""
        return POINTS.reduced(self)

    @property
    def functions(self) -> dict[str, LoadedFunction]:
        """The functions of this module, by attribute."""
        return {k: x for k, x in vars(self).items() if isinstance(x, LoadedFunction)}

    def __repr__(self) -> str:
        return f"<LoadedModule {self.name}: {', '.join(k for k in vars(self) if k[0] != '_')}>"
