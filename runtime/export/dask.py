"""Graphs as tasks of Dask: mapped over blocks, submitted to a cluster, joined by a tree.

A task holds the bytes that `ag.save` writes: plain data, without source, that any worker with this
package loads and runs. Its token is their hash, so that Dask knows equal tasks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from autograph.runtime.export.exported import concrete_of
from autograph.runtime.export.extras import require
from autograph.runtime.ir.errors import ExportError
from autograph.runtime.ir.graph import map_leaves
from autograph.runtime.ir.types import PY_NUMBERS, PyType, Shape
from autograph.runtime.serialize.save import dumps, loads
from autograph.runtime.signatures.spec import TensorSpec


class GraphTask:
    """A traced function as plain data that pickles: call it with arrays of its signature.

    data   the bytes of `ag.save`.
    name   the function's name.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.name = self.__name__ = name
        self.data = data

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _loaded(self.data)(*distinct(args), **kwargs)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return type(self).__name__, hashlib.sha256(self.data).hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        return GraphTask, (self.name, self.data)

    def __repr__(self) -> str:
        return f"<GraphTask {self.name}: {len(self.data)} bytes>"


def distinct(args: Sequence[Any]) -> list[Any]:
    """Returns arguments of which no two are one array object: a second one is a view.

    A signature knows which arguments are the same array; a worker may make one of two equal blocks.
    """
    seen: set[int] = set()
    made = []
    for x in args:
        made.append(x.view() if isinstance(x, np.ndarray) and id(x) in seen else x)
        seen.add(id(x))
    return made


@lru_cache(maxsize=64)
def _loaded(data: bytes) -> Callable[..., Any]:
    """Loads a graph, once in each process."""
    function: Callable[..., Any] = loads(data)
    return function


def as_task(function: Any, *args: Any) -> GraphTask:
    """Returns a function, traced for these arguments, as a task.

    Args:
      function: a decorated function.
      *args: arrays or `TensorSpec`s, and the other arguments.

    Raises:
      SaveError: the graph refers to what a file cannot hold.

    >>> import autograph as ag, numpy as np, pickle
    >>> @ag.function
    ... def doubled(x):
    ...     return x * 2
    >>> pickle.loads(pickle.dumps(as_task(doubled, np.ones(2))))(np.arange(2.0))
    array([0., 2.])
    """
    return GraphTask(getattr(function, "__name__", "function"), dumps(
        function, tuple(distinct(args)), spans=False))


def map_blocks(function: Any, *args: Any, **options: Any) -> Any:
    """Returns a Dask array: the function of the blocks of Dask arrays, one task for each.

    The function is traced once: for blocks of one shape, or with open dimensions if they differ.

    Args:
      function: a decorated function that gives one array.
      *args: Dask arrays, and other arguments, which every block gets.
      **options: of `dask.array.map_blocks`: `chunks`, `drop_axis`, `new_axis` where the shape of
        the result is not that of the block.

    Raises:
      ImportError: Dask is not installed.
      ExportError: the function writes to its arguments, or does not give one array; no argument is
        a Dask array; the result is not of the block's shape, and no option says of which.
      SaveError: the graph refers to what a file cannot hold.
    """
    array = require("dask.array", "dask")
    specs = [_spec(x) if isinstance(x, array.Array) else x for x in args]
    if not any(isinstance(x, array.Array) for x in args):
        raise ExportError("map_blocks gets no Dask array",
                          "make one: dask.array.from_array(x, chunks=...)")
    concrete = concrete_of(function, "map_blocks(f, x)", *specs)
    if concrete.writes_arguments:
        raise ExportError(f"{concrete.name} writes to its arguments, which are blocks of others",
                          "copy the array first: x = x.copy()")
    out = concrete.structured_outputs
    if not isinstance(out, TensorSpec) or out.shape is None:
        raise ExportError(f"{concrete.name} does not give one array with a known number of "
                          "dimensions")
    if not options.keys() & {"chunks", "drop_axis", "new_axis"}:
        _check_shape(concrete.name, out, [s for s, x in zip(specs, args, strict=True)
                                          if isinstance(x, array.Array)])
    task = as_task(function, *specs)
    meta = np.empty((0,) * len(out.shape), out.dtype)
    return array.map_blocks(task, *args, dtype=out.dtype, meta=meta, name=None, **options)


def _check_shape(name: str, out: TensorSpec, blocks: list[TensorSpec]) -> None:
    """Refuses a function whose result has another shape than its blocks, as far as that is known:
    Dask would tell a wrong one."""
    found, given = out.shape or (), _common_shape([x.shape or () for x in blocks])
    if len(found) != len(given) or any(
            isinstance(d, int) and w not in (d, None) for d, w in zip(found, given, strict=True)):
        raise ExportError(f"{name} gives an array of shape {tuple(found)} of a block of shape "
                          f"{tuple(given)}", "say so with chunks=, drop_axis= or new_axis=, or use "
                          "reduce_blocks")


def _common_shape(shapes: list[Shape]) -> list[int | None]:
    """Returns the shape that arrays are broadcast to; None for a length that is not known."""
    rank = max(map(len, shapes))
    axes = zip(*[(1,) * (rank - len(s)) + s for s in shapes], strict=True)
    known = [[d for d in lengths if isinstance(d, int)] for lengths in axes]
    return [next((d for d in lengths if d != 1), 1) if len(lengths) == len(shapes) else None
            for lengths in known]


def _spec(x: Any) -> TensorSpec:
    """Returns what is the same of all blocks of an array."""
    return TensorSpec(tuple(c[0] if len(set(c)) == 1 else None for c in x.chunks), x.dtype)


def _of_any_block(x: Any) -> Any:
    """Returns a number that one block gives as a spec: another block, or two, give another."""
    cls = x.cls if isinstance(x, PyType) else type(x)
    return TensorSpec((), np.asarray(cls(0)).dtype) if cls in PY_NUMBERS else x


def submit(client: Any, function: Any, *args: Any) -> Any:
    """Returns a `distributed` future of `function(*args)`, traced here and run on a worker.

    A task that is lost with its worker runs again on another: graphs have no state.

    Args:
      client: a `distributed.Client`.
      function: a decorated function.
      *args: arrays and other arguments.
    """
    return client.submit(as_task(function, *args), *args)


def reduce_blocks(chunk: Any, combine: Any, x: Any, *args: Any) -> Any:
    """Returns a `dask.delayed` value: what `chunk` makes of each block, joined by pairs.

    Args:
      chunk: a decorated function of a block (and `args`), such as one that gives sum and count.
      combine: a decorated function of two results of `chunk`, which gives another; the order of
        the blocks is kept.
      x: a Dask array.
      *args: what `chunk` takes besides the block.

    Raises:
      ImportError: Dask is not installed.
      SaveError: a graph refers to what a file cannot hold.
    """
    delayed = require("dask", "dask").delayed
    task = as_task(chunk, _spec(x), *args)
    out = map_leaves(_of_any_block, chunk.get_concrete_function(_spec(x), *args).structured_outputs)
    join = delayed(as_task(combine, out, out), pure=True)
    run = delayed(task, pure=True)
    parts: Sequence[Any] = [run(block, *args) for block in x.to_delayed().ravel()]
    while len(parts) > 1:
        pairs = [join(*parts[i:i + 2]) for i in range(0, len(parts) - 1, 2)]
        parts = [*pairs, *(parts[-1:] if len(parts) % 2 else [])]
    return parts[0]
