"""Stores into what may be a view of an array or a copy of it, for each op that gives such a result:
the program gives what plain Python gives, and derivatives agree with differences, or refuse."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops.op import OPS
from tests.support.slopes import Trial

Made = Callable[[Any], Any]

MATRIX = np.arange(1.0, 10.0).reshape(3, 3) * 0.37
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray, "F": np.asfortranarray, "strided": lambda x: strided(x)}


def strided(x: Any) -> Any:
    """The same array as every second element of another."""
    made = np.zeros([2 * n for n in x.shape])
    made[tuple(slice(None, None, 2) for _ in x.shape)] = x
    return made[tuple(slice(None, None, 2) for _ in x.shape)]


def of_table() -> Iterator[tuple[str, Made, Any]]:
    """Calls of NumPy's functions among the ops that give views, from the samples of their records;
    with every rank that the op has no sample of."""
    for name, op in OPS.items():
        if not op.view or getattr(np, name, None) is not op.kernel:
            continue
        for k, (args, kwargs) in enumerate(op.samples):
            if np.size(args[0]) > 1 and np.isrealobj(args[0]) and not any(
                    x is np.float32 for x in args):
                def call(x: Any, op: Any = op, more: Any = args[1:], kwargs: Any = kwargs) -> Any:
                    return op.kernel(x, *copy.deepcopy(more), **kwargs)

                yield f"{name}-{k}", call, np.array(args[0], float) * 0.7 + 0.1


WRITTEN: dict[str, Made] = {
    "x[1:]": lambda x: x[1:],
    "x[[2, 0]]": lambda x: x[[2, 0]],
    "x[x > 1.0]": lambda x: x[x > 1.0],
    "x[:, None]": lambda x: x[:, None],
    "x[..., [0, 1]]": lambda x: x[..., [0, 1]],
    "x.real": lambda x: x.real,
    "x.conj()": lambda x: x.conj(),
    "x.T": lambda x: x.T,
    "x.view()": lambda x: x.view(),
    "x.reshape(-1)": lambda x: x.reshape(-1),
    "x.T.reshape(-1)": lambda x: x.T.reshape(-1),
    "x.ravel()": lambda x: x.ravel(),
    "x.ravel('F')": lambda x: x.ravel("F"),
    "x.flatten()": lambda x: x.flatten(),
    "x.astype(float, copy=False)": lambda x: x.astype(float, copy=False),
    "x.astype(float)": lambda x: x.astype(float),
    "nan_to_num(copy=False)": lambda x: np.nan_to_num(x, copy=False),
    "np.array(x)": np.array,
    "np.asfortranarray": np.asfortranarray,
    "np.asarray(order='F')": lambda x: np.asarray(x, order="F"),
    "np.asarray(x, None, 'C')": lambda x: np.asarray(x, None, "C"),
    "np.asarray(x.T, order='C')": lambda x: np.asarray(x.T, order="C"),
    "np.asarray(order='K')": lambda x: np.asarray(x, order="K"),
    "np.asarray(copy=True)": lambda x: np.asarray(x, copy=True),
    "np.asanyarray(float, 'A')": lambda x: np.asanyarray(x, float, "A"),
    "np.asarray(device='cpu')": lambda x: np.asarray(x, device="cpu"),
    "np.asarray(x, 'f8', copy=False)": lambda x: np.asarray(x, "f8", copy=False),
    "np.asarray_chkfinite": lambda x: np.asarray_chkfinite(x, order="F"),
    "np.array(copy=None, order='F')": lambda x: np.array(x, copy=None, order="F"),
    "np.array(copy=None, ndmin=3)": lambda x: np.array(x, copy=None, ndmin=3),
    "np.array(copy=False)": lambda x: np.array(x, float, copy=False),
    "np.array(order='A')": lambda x: np.array(x, order="A"),
    "x.astype(copy=False, order='F')": lambda x: x.astype(float, copy=False, order="F"),
    "np.astype(copy=False)": lambda x: np.astype(x, np.float64, copy=False),
    "np.ascontiguousarray(x, float)": lambda x: np.ascontiguousarray(x, float),
    "np.asanyarray(copy=True)": lambda x: np.asanyarray(x, order="F", copy=True),
    "np.require": lambda x: np.require(x, requirements="C"),
    "np.diagflat": np.diagflat,
    "np.ix_(x[0], x[1])[1]": lambda x: np.ix_(x[0], x[1])[1],
    "np.diag(x, -1)": lambda x: np.diag(x, -1),
    "np.diag(np.diag(x, 1))": lambda x: np.diag(np.diag(x.copy(), 1)),
    "np.diag(x[0])": lambda x: np.diag(x[0]),
    "np.vsplit(x, 3)[1]": lambda x: np.vsplit(x, 3)[1],
    "np.hsplit(x, 3)[1]": lambda x: np.hsplit(x, 3)[1],
    "np.rot90(x, 4)": lambda x: np.rot90(x, 4),
    "np.rollaxis": lambda x: np.rollaxis(x, 1),
    "np.real(x)": np.real,
    "np.real_if_close": np.real_if_close,
    "np.einsum('ii->i')": lambda x: np.einsum("ii->i", x),
    "np.einsum('ij->ji')": lambda x: np.einsum("ij->ji", x),
    "np.einsum('ij->i')": lambda x: np.einsum("ij->i", x),
    "np.resize": lambda x: np.resize(x, (2, 2)),
    "np.trim_zeros(x[0])": lambda x: np.trim_zeros(x[0]),
    "np.atleast_3d": np.atleast_3d,
    "np.atleast_1d(x[0], x[1])[1]": lambda x: np.atleast_1d(x[0], x[1])[1],
    "np.broadcast_arrays(x, x[0])[0]": lambda x: np.broadcast_arrays(x, x[0])[0],
    "np.meshgrid(copy=False)": lambda x: np.meshgrid(x[0], x[1], copy=False)[0],
    "np.squeeze(x[None])": lambda x: np.squeeze(x[None]),
    "np.take": lambda x: np.take(x, [0, 1]),
    "np.diagonal(x).copy()": lambda x: np.diagonal(x).copy(),
    "np.triu": np.triu,
    "x.swapaxes(0, 1)": lambda x: x.swapaxes(0, 1),
    "next(iter(x))": lambda x: next(iter(x)),
    "x.clip(0, None)": lambda x: x.clip(0.0, None),
    "x + 0": lambda x: x + 0,
    "+x": lambda x: +x,
    "x if … else its copy": lambda x: x if x[0, 0] > 0.0 else x.copy(),
}

# Why derivatives refuse some: of an array that is not in C order the run tells whether a reshape is
# a copy; and of what functions without a record return, whether it is the array.
RUN_TELLS, GRAPH_WRITES = "turned out to be a copy", "objects or arrays while the graph runs"
SPREAD = "one number at several places"

CALLS = [*of_table(), *((name, made, MATRIX) for name, made in WRITTEN.items())]


def stored_into(made: Made) -> Callable[[Any, float], Any]:
    """A program that stores into the result, then into the array; both are read after either."""
    def f(x: Any, v: float) -> Any:
        y = made(x)
        if isinstance(y, (list, tuple)):
            y = y[-1]
        y[...] = y * y + v
        first = np.sum(np.sin(x) * x)
        x[-1] = x[0] * 1.5 + v
        return first, x * 1.0, y * 1.0

    return f


def refuses_plainly(f: Any, arguments: Any) -> bool:
    """Whether plain Python refuses the store, as into a read-only view."""
    try:
        f(*arguments)
    except ValueError:
        return True
    return False


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("made", "x"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_a_store_into_it(made: Made, x: Any, layout: str) -> None:
    f, given = stored_into(made), LAYOUTS[layout]
    if refuses_plainly(f, (given(x.copy()), 0.3)):
        with pytest.raises((ValueError, ag.NotDifferentiable)):
            ag.grad(lambda x, v: f(x, v)[0])(given(x.copy()), 0.3)
        return
    verdict = Trial(f, (given(x.copy()), 0.3)).verdict()
    told = verdict.told
    by_order = layout == "F" and (RUN_TELLS in told or verdict.outcome == "refused")
    assert verdict.outcome == "agree" or by_order or GRAPH_WRITES in told or SPREAD in told, told
    for plain, traced in zip(f(given(x.copy()), 0.3), ag.function(f)(given(x.copy()), 0.3),
                             strict=True):
        np.testing.assert_array_equal(traced, plain)
