"""Decorated functions in class bodies: descriptors, so that what they tell knows the instance."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from types import FrameType, FunctionType, MethodType
from typing import Any

from autograph.decorated import dispatcher_of
from autograph.function import inspection
from autograph.function.inspection import Asked
from autograph.runtime.codegen.python_file import PythonFile
from autograph.runtime.ir.graph import Graph
from autograph.traceback_filter import hiding_frames

TOLD = ("get_concrete_function", "get_initialization_function", "experimental_get_compiler_ir")
"""What a decorated function tells for arguments: for those of a method, after the instance."""


class Method:
    """The attribute of a class for a decorated function: `C.f` is that function, `c.f` a
    `BoundFunction`. Its `__dict__` has the attributes of the function alone, as others copy it.
    """

    __slots__ = ("__dict__", "__weakref__", "entry")

    __ag_entry__ = True

    def __init__(self, entry: FunctionType) -> None:
        self.__dict__.update(entry.__dict__)
        for name in functools.WRAPPER_ASSIGNMENTS:
            setattr(self, name, getattr(entry, name))
        self.entry = entry

    @property
    def __signature__(self) -> inspect.Signature:
        """The function's: a class method gives this object, bound to the class, from 3.13 on."""
        return inspect.signature(self.entry)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.entry if instance is None else BoundFunction(self.entry, instance)

    @hiding_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function without an instance, as for static methods."""
        return self.entry(*args, **kwargs)

    def __reduce__(self) -> str:
        """Goes to other processes by its name, as functions do."""
        return self.entry.__qualname__

    def __repr__(self) -> str:
        return repr(self.entry)


class BoundFunction(functools.partial[Any]):
    """A decorated function bound to an instance: a method.

    It has all that the function has; where that takes arguments, the instance is the first. Traces
    are counted and shown for this instance.
    """

    __ag_bound__ = True

    @property
    def __func__(self) -> Any:
        return self.func

    @property
    def __self__(self) -> Any:
        return self.args[0]

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.func.__doc__

    def __getattr__(self, name: str) -> Any:
        if name == "__ag_dispatcher__":  # that is the function's, which wants the instance, too
            raise AttributeError(name)
        found = getattr(self.func, name)
        if name in ("__wrapped__", "python_function"):
            return MethodType(found, self.__self__)
        return functools.partial(found, self.__self__) if name in TOLD else found

    def _asked(self, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Asked:
        return Asked(dispatcher_of(self.func), args, kwargs or {}, self.args)

    @hiding_frames
    def graph(self, *args: Any, stage: str = "optimized", **kwargs: Any) -> Graph | str:
        """The graph for arguments, or without any that of the instance's newest trace."""
        return inspection.graph(self._asked(args, kwargs), stage)

    @hiding_frames
    def to_python(self, *args: Any, **kwargs: Any) -> PythonFile:
        """A file that needs NumPy alone, for arguments, or for the instance's only trace."""
        return inspection.to_python(self._asked(args, kwargs))

    @hiding_frames
    def to_llvm(self, *args: Any, **kwargs: Any) -> str:
        """The LLVM IR of what is machine code, for arguments, or for the newest trace."""
        return inspection.to_llvm(self._asked(args, kwargs))

    @hiding_frames
    def to_jax(self, *args: Any, **options: Any) -> Callable[..., Any]:
        """Returns a function of JAX arrays that computes what the method does."""
        return inspection.to_jax(self._asked(args), **options)

    @hiding_frames
    def explain(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the report on the method, for arguments, or on every trace for the instance."""
        return inspection.explain(self._asked(args, kwargs))

    def _repr_html_(self) -> str:
        return inspection.summary(self._asked())

    def experimental_get_tracing_count(self) -> int:
        """Returns the number of traces for this instance."""
        return len(self._asked().traces())

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of the traces for this instance, the oldest first."""
        return "\n".join(c.pretty_printed_signature(verbose) for c in self._asked().traces())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundFunction) and self.func is other.func and (
            self.__self__ is other.__self__)

    def __hash__(self) -> int:
        return hash((self.func, id(self.__self__)))

    def __repr__(self) -> str:
        return f"<bound function {self.func.__qualname__} of {self.__self__!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (self.__self__, self.func.__name__)


def in_body_of_its_class(function: FunctionType) -> bool:
    """Returns True while the body of the function's class runs: then the class decorates the
    function, perhaps by a decorator of the user's that calls ours.
    """
    outer = function.__qualname__.rpartition(".")[0]
    if not outer or outer.endswith("<locals>"):
        return False
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_flags & CO_OPTIMIZED and frame.f_locals.get("__qualname__") == outer:
            return True
        frame = frame.f_back
    return False


def as_method(entry: FunctionType) -> Any:
    """Returns the result of `ag.function`: in a class body a descriptor, else the function
    itself."""
    return Method(entry) if in_body_of_its_class(entry) else entry
