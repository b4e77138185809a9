"""Derivatives of many numbers by many: `ag.jacobian`, `ag.hessian`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, ParamSpec, cast

import numpy as np

from autograph.function.types import Transformed
from autograph.gradients.engine import Fn, transformed
from autograph.gradients.reverse import (
    Argnums,
    check_argnums,
    chosen_arguments,
    grad,
    positions_of,
)
from autograph.runtime.differentiate.cotangents import as_tensor, zeros_for
from autograph.runtime.differentiate.forward import pushed_forward
from autograph.runtime.differentiate.recording import (
    Recording,
    gradient_nest,
    is_complex,
    is_differentiable,
    is_source,
    leaf_type,
    result_of,
)
from autograph.runtime.differentiate.reverse import pulled_back
from autograph.runtime.ir.errors import NotDifferentiable, at
from autograph.runtime.ir.graph import Equation, Graph, Value
from autograph.runtime.ir.pytree import flatten, map_nest
from autograph.runtime.ir.types import DYNAMIC, ArrayType, PyType, is_number
from autograph.runtime.ir.visitor import copied
from autograph.runtime.ops.op import OPS
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.record import maker, record
from autograph.runtime.symbolic.source_locations import user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.runtime.symbolic.variables import read_all
from autograph.traceback_filter import hiding_frames

P = ParamSpec("P")


@hiding_frames
def jacobian(f: Callable[P, Any], argnums: Argnums = 0, mode: str = "auto",
             holomorphic: bool = False) -> Transformed[P, Any]:
    """Returns a function that gives the Jacobian matrix of f: the derivatives of all its results by
    all elements of an argument.

    Args:
      f: a function, decorated or not, of arrays, numbers, and nests of them.
      argnums: the position of the argument, or a sequence of positions.
      mode: "reverse" (a backward sweep for each element of the result), "forward" (a forward one
        for each element of the arguments), or "auto": reverse, unless the arguments are smaller.
        A forward sweep computes f, too; if f prints, draws or writes variables, it is reverse.
      holomorphic: True if f is, so that there is a derivative of complex results by complex
        arguments.

    Returns:
      A function with the parameters of f. Its result has the structure of f's result, and in each
      leaf that of the argument (a tuple for several): for a result of shape s and an argument of
      shape t an array of shape s + t. What is no float has None.

    Raises:
      ValueError: there is no such mode.
      NotDifferentiable: as `grad`.

    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in ("auto", "reverse", "forward"):
        raise ValueError(f"mode is one of auto, reverse, forward, not {mode!r}")
    check_argnums(argnums)

    def transform(fn: Fn) -> Fn:
        def run(*args: Any, **kwargs: Any) -> Any:
            return _Matrix(fn, args, kwargs, argnums, holomorphic).made(mode)

        return run

    return cast("Transformed[P, Any]", transformed(f, transform, "jacobian", signed=False))


@hiding_frames
def hessian(f: Callable[P, Any], argnums: Argnums = 0, holomorphic: bool = False
            ) -> Transformed[P, Any]:
    """Returns a function that gives the Hessian matrix of f: its second derivatives.

    Args:
      f: a function, decorated or not, that returns a real number.
      argnums: the position of the argument, or a sequence of positions.
      holomorphic: True if f is, and its arguments are complex.

    Returns:
      A function with the parameters of f; for an argument of shape t it gives an array of shape
      t + t, for a nest a nest of such nests, for several arguments a tuple of tuples. It is forward
      mode over reverse mode; twice reverse mode, if f prints, draws or writes variables.

    >>> hessian(lambda x: np.sum(x ** 3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    gradient = grad(f, argnums, holomorphic=holomorphic)
    return jacobian(gradient, argnums, "forward", holomorphic)


NO_MATRIX = "complex results have derivatives by complex arguments if f is holomorphic"
OF_PARTS = ("\n  hint: holomorphic=True says that it is: no np.conj, np.real, np.abs; of another "
            "one,\n  return np.real(y) and np.imag(y)")


class _Matrix:
    """The derivatives of each leaf of a result by each leaf of some arguments."""

    def __init__(self, fn: Fn, args: tuple[Any, ...], kwargs: dict[str, Any], argnums: Argnums,
                 holomorphic: bool) -> None:
        self.fn, self.args, self.kwargs, self.argnums = fn, args, kwargs, argnums
        self.holomorphic = holomorphic
        self.positions = positions_of(args, argnums)
        self.chosen: dict[int, Any] = chosen_arguments(args, self.positions)

    def traced(self) -> tuple[Recording, Any]:
        """Records the function; returns its result."""
        recording = Recording((self.args, self.kwargs))
        marked = {p: recording.mark(x) for p, x in self.chosen.items()}
        y = result_of(self.fn(*(marked.get(i, x) for i, x in enumerate(self.args)), **self.kwargs))
        for x in flatten(y):
            if leaf_type(x) == DYNAMIC:  # it may be no float, and have None; or one
                _refuse_unknown(maker(as_tensor(x).read()))
        return recording, y

    def made(self, mode: str) -> Any:
        here = trace.current_region()
        assert here is not None
        xs = [as_tensor(read_all(x)) for nest in self.chosen.values() for x in flatten(nest)
              if is_source(x)]
        recording, y = self.traced()
        values = [as_tensor(v).read() for v in flatten(y) if is_differentiable(v)]
        made = Graph("f", (), here.graph.equations[recording.start:],
                     (*recording.sources, *values))
        recording.finish()
        if not self.holomorphic and any(is_complex(v.type) for v in values) and any(
                is_complex(x.type) for x in xs):
            raise NotDifferentiable(NO_MATRIX + at(user_location()) + OF_PARTS)
        once = _has_effects(made)  # a forward sweep runs f again
        if not once and (mode == "forward" or (mode == "auto" and _smaller(xs, y))):
            rows: Iterator[Sequence[Any]] = iter(zip(*(
                _columns(made, len(xs), k, x) for k, x in enumerate(xs)), strict=True))
        else:
            rows = (_rows(recording, leaf, xs) for leaf in flatten(y) if is_differentiable(leaf))
        rows = ([_in_dtype(part, x.read(), v) for part, x in zip(row, xs, strict=True)]
                for v, row in zip(values, rows, strict=True))
        return map_nest(lambda leaf: self.nested(next(rows)) if is_differentiable(leaf) else None,
                        y)

    def nested(self, row: Sequence[Any]) -> Any:
        """Returns the derivatives of one leaf of the result in the structure of the arguments."""
        parts = iter(row)
        found = {p: gradient_nest(x, lambda x: next(parts)) for p, x in self.chosen.items()}
        nests = tuple(found[p] for p in self.positions)
        return nests if isinstance(self.argnums, Sequence) else nests[0]


def _columns(f: Graph, sources: int, number: int, x: Tensor) -> list[Any]:
    """Records a loop over the elements of a leaf of the arguments, a forward sweep each.

    f: what was recorded; its outputs are what stands for so many leaves, and the results.
    """
    def column(k: Tensor) -> list[Any]:
        made = along(k, 1)
        if not is_complex(x.type) or all(is_complex(v.type) for v in results):
            return made
        return [a if is_complex(v.type) else a - 1j * b
                for v, a, b in zip(results, made, along(k, 1j), strict=True)]

    def along(k: Tensor, factor: complex) -> list[Any]:
        seed = as_tensor(_unit(x.read(), k, factor))
        here = trace.current_region()
        assert here is not None
        start = len(here.graph.equations)
        equations, now = copied(f, {})
        here.graph.equations += equations
        walk = pushed_forward(here.graph, start, {now[number]: seed}, now[sources:])
        return list(map(walk.dense, now[sources:]))

    results: Any = f.outputs[sources:]
    if is_number(x.type):
        return column(as_tensor(0))
    shape = np.shape(x)
    count = apply("size", x) if not _static(x.read()) else int(np.prod(shape, dtype=int))
    return [_last_axis_first(m, shape) for m in _looped(column, count)]


def _has_effects(graph: Graph) -> bool:
    """Returns True for what must not be done twice; nobody can tell that a variable was read twice,
    or that something would have been raised again."""
    return any(e.op.effect not in ("", "raise", "read") for e in graph.walk())


def _last_axis_first(made: Any, shape: Any) -> Any:
    """Returns columns, one after the other, as a matrix whose last axes have a shape."""
    y_shape = np.shape(made)[1:]
    if len(y_shape):
        made = np.moveaxis(made, 0, -1)
    return np.reshape(made, (*y_shape, *shape))


def _smaller(xs: Sequence[Tensor], y: Any) -> bool:
    size = sum(_size(x.type) for x in xs)
    return 0 <= size < sum(_size(leaf_type(leaf)) for leaf in flatten(y))


def _size(t: Any) -> int:
    if isinstance(t, ArrayType):
        return t.size if t.is_static else 10 ** 9
    return 1


def _rows(recording: Recording, y: Any, xs: Sequence[Tensor]) -> list[Any]:
    """Records a loop over the elements of a result, a backward sweep each."""
    target, sources = as_tensor(y).read(), recording.sources
    shape = np.shape(Tensor(target))
    if not isinstance(shape, tuple):
        _refuse_unknown(maker(target))
    count = apply("size", Tensor(target)) if not _static(target) else int(np.prod(shape, dtype=int))

    def row(k: Tensor) -> list[Any]:
        made = along(k, 1)
        if not is_complex(target.type) or all(is_complex(x.type) for x in xs):
            return made
        return [a if is_complex(x.type) else a + 1j * b
                for x, a, b in zip(xs, made, along(k, -1j), strict=True)]

    def along(k: Tensor, factor: complex) -> list[Any]:
        seed = _unit(target, k, factor)
        found = pulled_back(recording.region.graph, recording.start, {target: seed}, sources)
        return [zeros_for(v) if g is None else g for v, g in zip(sources, found, strict=True)]

    if is_number(target.type):
        return row(as_tensor(0))
    return [np.reshape(m, (*shape, *np.shape(x))) for m, x in zip(_looped(row, count), xs,
                                                                  strict=True)]


def _refuse_unknown(e: Equation | None = None) -> NoReturn:
    """Refuses a result of unknown type, which an equation makes."""
    where = user_location() if e is None or e.location is None else e.location
    raise NotDifferentiable(
        f"the shape or dtype of a result is not known before the graph runs{at(where)}\n"
        "  hint: ag.vjp for each row; or np.float64(y), np.asarray(y, float).reshape(n) in the "
        "function")


def _static(value: Value) -> bool:
    return isinstance(value.type, PyType) or getattr(value.type, "is_static", False)


def _unit(like: Value, k: Tensor, number: complex) -> Any:
    """Returns zeros like a value with a number, mostly 1, at element k."""
    shape = np.shape(Tensor(like))
    if isinstance(like.type, PyType):
        return like.type.cls(number)
    if isinstance(like.type, ArrayType) and like.type.scalar and like.type.dtype is not None:
        return like.type.dtype.type(number)
    flat = np.reshape(apply("zeros_like", Tensor(like)), -1)
    return np.reshape(apply("setitem", flat, k, number * 1.0), shape)


def _in_dtype(made: Any, x: Value, y: Value) -> Any:
    """Returns derivatives in the dtype that what is computed from x and y has, in either mode."""
    dtypes: Any = [np.dtype(v.type.cls) if isinstance(v.type, PyType) else getattr(
        v.type, "dtype", None) for v in (x, y)]
    found = getattr(getattr(made, "type", None), "dtype", None)
    if any(t is None for t in (found, *dtypes)):  # a dtype is equal to None if it is float
        return made
    wanted = np.result_type(*dtypes)
    return made if found == wanted else apply("astype", made, wanted)


def _looped(row: Callable[[Tensor], list[Any]], count: Any) -> list[Tensor]:
    """Records a loop that stores the parts of `row(k)` for each k in arrays; returns those."""
    k = Value(PyType(int), "k")
    with trace.region("body") as region:
        made = list(map(as_tensor, row(Tensor(k))))
        types = [_matrix_type(m, count) for m in made]
        carried = [Value(t, "rows") for t in types]
        region.graph.outputs = tuple(lower(apply("setitem", Tensor(v), Tensor(k), m))
                                     for v, m in zip(carried, made, strict=True))
    graph = region.graph
    graph.inputs = (k, *carried)
    starts = [lower(apply("zeros", (count, *(t.shape or ())[1:]), t.dtype)) for t in types]
    steps = range(count) if isinstance(count, int) else lower(apply("range_", count))
    return list(map(Tensor, record(OPS["for"], (steps, *starts), {}, (graph,), tuple(types))))


def _matrix_type(made: Tensor, count: Any) -> ArrayType:
    """Returns the type of the matrix with so many rows of a type."""
    t = made.type
    shape = t.shape if isinstance(t, ArrayType) else () if isinstance(t, PyType) else None
    dtype = t.dtype if isinstance(t, ArrayType) else np.dtype(t.cls) if isinstance(
        t, PyType) else None
    if dtype is None or shape is None or not all(isinstance(d, int) for d in shape):
        _refuse_unknown()
    return ArrayType(dtype, (count if isinstance(count, int) else None, *shape))
