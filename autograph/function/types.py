"""The types of decorated functions, for type checkers: `ag.function` gives a `Function`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar, overload

from autograph.runtime.codegen.python_file import PythonFile
from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.graph import Graph

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)

if TYPE_CHECKING:
    from autograph.explain.explanation import Explanation

    class Transformed(Protocol[P, R_co]):
        """The functions that `ag.grad` and its kin make: called like the one they are of."""

        __name__: str
        __wrapped__: Callable[P, Any]

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
        @overload
        def graph(self, *args: Any, stage: Literal["program", "loops"], **kwargs: Any) -> str: ...
        @overload
        def graph(self, *args: Any, stage: str = "optimized", **kwargs: Any) -> Graph: ...

    class Function(Protocol[P, R]):
        """A function that `ag.function` made: called like the plain one, and what tells of it."""

        __name__: str
        __qualname__: str
        __wrapped__: Callable[P, R]
        python_function: Callable[P, R]
        name: str
        attributes: Mapping[str, Any]
        input_signature: tuple[Any, ...] | None
        function_type: Any

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
        @overload
        def __get__(self, instance: None, owner: type | None = None) -> Function[P, R]: ...
        @overload
        def __get__(self: Function[Concatenate[S, Q], T], instance: S, owner: type | None = None
                    ) -> Function[Q, T]: ...
        def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction: ...
        @overload
        def graph(self, *args: Any, stage: Literal["program", "loops"], **kwargs: Any) -> str: ...
        @overload
        def graph(self, *args: Any, stage: str = "optimized", **kwargs: Any) -> Graph: ...
        def explain(self, *args: Any, **kwargs: Any) -> Explanation: ...
        def to_python(self, *args: Any, **kwargs: Any) -> PythonFile: ...
        def to_llvm(self, *args: Any, **kwargs: Any) -> str: ...
        def to_jax(self, *args: Any, **kwargs: Any) -> Any: ...
        def experimental_get_tracing_count(self) -> int: ...
        def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any
                                         ) -> Callable[..., str]: ...
        def get_initialization_function(self, *args: Any, **kwargs: Any
                                        ) -> Callable[[], None]: ...
        def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str: ...
        def cache_info(self) -> Any: ...
        def cache_clear(self) -> None: ...
else:
    Function = Transformed = Callable
