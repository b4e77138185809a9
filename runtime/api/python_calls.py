"""Calls of plain Python from a graph: each time it runs, with real arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar, cast

from autograph.runtime.heap.callback_changes import changes_of
from autograph.runtime.heap.stale_reads import refuse_stale_reads
from autograph.runtime.ir.errors import InvalidArgumentError
from autograph.runtime.ir.types import DYNAMIC
from autograph.runtime.ops.op import Effect, Op
from autograph.runtime.signatures.spec import TensorSpec
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import apply
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames

Fn = Callable[..., Any]

R = TypeVar("R")


@hiding_frames
def py_function(func: Fn | None = None, inp: Sequence[Any] | None = None, Tout: Any = None) -> Any:
    """Calls a Python function with real arrays each time the graph runs.

    As a call, `py_function(func, inp, Tout)`, or as a decorator, `@py_function(Tout=np.float64)`.

    Args:
      func: a Python function of arrays and numbers.
      inp: its arguments.
      Tout: the dtype (or TensorSpec) of the result, a list for several; without one the result may
        be anything.

    Returns:
      The function's result, symbolic in a trace; a list if `Tout` is one.

    Raises:
      InvalidArgumentError: (when the graph runs) the result is not what `Tout` declares.

    >>> py_function(lambda x: x + 1, [2])
    3
    """
    return _python("py_function", func, inp, Tout, "call")


@hiding_frames
def numpy_function(func: Fn | None = None, inp: Sequence[Any] | None = None, Tout: Any = None,
                   stateful: bool = True) -> Any:
    """Calls a Python function with real arrays each time the graph runs, as `py_function` does.

    Args:
      func: a Python function of arrays and numbers.
      inp: its arguments.
      Tout: the dtype (or TensorSpec) of the result, a list for several.
      stateful: if False, a call may be left out if nothing uses its result.

    Returns:
      The function's result, symbolic in a trace; a list if `Tout` is one.

    Raises:
      InvalidArgumentError: (when the graph runs) the result is not what `Tout` declares.

    >>> numpy_function(lambda x: x * 2, [2.5], float)
    np.float64(5.0)
    """
    return _python("numpy_function", func, inp, Tout, "call" if stateful else "")


@hiding_frames
def live(read: Callable[[], R]) -> R:
    """Returns the result of `read()` at each call of the graph, instead of that while tracing.

    Args:
      read: a function without parameters.

    Returns:
      The result, symbolic in a trace.

    >>> settings = {"scale": 3}
    >>> live(lambda: settings["scale"])
    3
    """
    if not callable(read):
        raise TypeError(f"ag.live takes a function, not {read!r}\n"
                        "  hint: write ag.live(lambda: x), without parameters")
    return cast("R", call_python(read, (), None, "call"))


def _python(name: str, func: Fn | None, inp: Sequence[Any] | None, out: Any, effect: Effect) -> Any:
    if func is None:
        return lambda f: _python(name, f, None, out, effect)
    if not callable(func):
        raise TypeError(f"ag.{name} takes a function, not {func!r}\n"
                        "  hint: the function is the first argument, and the list of its arguments "
                        "the second")
    if inp is not None:
        if not isinstance(inp, (list, tuple)):
            raise TypeError("the arguments of a Python function are given in a list\n"
                            "  hint: write [x], and [] for none")
        return call_python(func, inp, out, effect)

    @wraps(func)
    def called(*args: Any, **kwargs: Any) -> Any:
        return call_python(partial(func, **kwargs) if kwargs else func, args, out, effect)

    return called


def call_python(func: Fn, args: Sequence[Any], out: Any, effect: Effect) -> Any:
    """Calls `func` now, or records the call while a function is traced."""
    several = isinstance(out, (list, tuple))
    specs = [_spec(x) for x in (out if several else [out])]
    call = _checked(func, specs, several)
    if not trace.tracing():
        return call(*map(read_all, args))
    refuse_stale_reads(changes_of([func]))
    types = tuple(DYNAMIC if s is None else s.type for s in specs)
    op = Op(_name(func), call if not several or len(types) > 1 else lambda *a: call(*a)[0],
            lambda *args: types if len(types) > 1 else types[0], "", (), onnx=None,
            effect=effect, doc="a call of a Python function when the graph runs")
    made = apply(op, *map(read_all, args))
    if not several:
        return made
    return list(made) if len(types) > 1 else [made]


def _spec(x: Any) -> TensorSpec | None:
    return x if x is None or isinstance(x, TensorSpec) else TensorSpec(None, x)


def _checked(func: Fn, specs: list[TensorSpec | None], several: bool) -> Fn:
    """Returns `func` with its results checked: a Python number is cast, another dtype refused."""
    @wraps(func, updated=())
    def call(*args: Any) -> Any:
        made = func(*args)
        if not several:
            return _cast(made, specs[0], func)
        size = _length(made)
        if size != len(specs):
            got = f"{size} values" if size is not None else type(made).__name__
            raise InvalidArgumentError(f"{_name(func)} returned {got}, not {len(specs)} values\n"
                                       "  hint: Tout is a list: return a list of as many values")
        return [_cast(x, s, func) for x, s in zip(made, specs, strict=True)]

    return call


def _length(made: Any) -> int | None:
    try:
        return len(made)
    except TypeError:
        return None


def _cast(x: Any, spec: TensorSpec | None, func: Fn) -> Any:
    if spec is None:
        return x
    try:
        return spec.cast(x)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"the result of {_name(func)}: {error}") from None


def _name(func: Fn) -> str:
    return getattr(func, "__name__", type(func).__name__)
