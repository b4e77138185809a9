"""What is stored in the results of calls that may be views: the array that they view has it, too.

AUTOGRAPH_TESTS=1000 runs all combinations.
"""

from __future__ import annotations

import linecache
import random
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import SymbolicValueError, TracingError
from tests.support.amount import ALL
from tests.support.outcome import seen

VIEWS = """
x.T; x[::-1]; x[1:]; x[:, 1]; x[0]; x[..., 0]; x[None]; x[np.newaxis, :, 0]; np.transpose(x)
x.ravel(); x.reshape(-1); x.reshape(-1)[1:3]; np.ravel(x, order="F"); x.flatten(); x[x > 0]
x[[0, 1]]; np.einsum("ij->ji", x); np.einsum("ii->i", x); np.einsum("ji", x); np.einsum("ij->i", x)
np.einsum(x, [0, 0], [0]); np.einsum("...j->j...", x); np.einsum("ij->ji", x, order="C")
x.diagonal(); np.diag(x); x.real; x.imag; x.view(); x.swapaxes(0, 1); np.squeeze(x[None])
np.expand_dims(x, 0); np.moveaxis(x, 0, 1); np.broadcast_to(x, (2, 3, 3)); np.atleast_2d(x)
np.atleast_3d(x); np.asarray(x); np.array(x); np.array(x, copy=None); np.ascontiguousarray(x)
np.asfortranarray(x); np.require(x); x.astype(float); x.astype(float, copy=False)
np.split(x, 3)[0]; np.array_split(x, 2)[1]; np.hsplit(x, 3)[1]; np.rot90(x); np.flip(x)
np.fliplr(x); np.rollaxis(x, 1); np.roll(x, 1); np.copy(x); list(x)[1]; [r for r in x][0]
next(iter(x)); x.squeeze(); (x if x[0, 0] > 0 else x.T); (x[0] if x[0, 0] > 0 else x[1])
[x, x.T][int(x[1, 1] > 0)]; (lambda v: v[1:])(x); max([x, x.T], key=lambda v: v[0, 1])
np.lib.stride_tricks.sliding_window_view(x, (2, 2), writeable=True)[0, 0]; x[:, ::2]; x[::2][1:]
np.lib.stride_tricks.as_strided(x, (3,), (32,)); np.take(x, [0], axis=0); np.delete(x, 0, 0)
x.T[::-1, 1:]; np.nan_to_num(x, copy=False); np.matrix_transpose(x); x.mT; np.real(x)
np.real_if_close(x); np.trim_zeros(x[0]); np.unwrap(x[0]); np.meshgrid(x[0], x[1])[0]
np.meshgrid(x[0], x[1], copy=False)[0]; np.broadcast_arrays(x, x[0])[0]; np.ix_(x[0], x[1])[0]
np.meshgrid(x[0], x[:, 1], copy=False)[1]; np.meshgrid(x[0], x[1], copy=False, sparse=True)[1]
np.meshgrid(y, x[0], x[1], copy=False, indexing="ij")[2]; np.broadcast_arrays(x, x[:, :1])[1]
np.broadcast_arrays(y, x[1:], x[2])[1]
"""
STORES = ["v[...] = 7.0", "v += 1", "v[0] = y", "v.fill(y)", "np.add(v, 1, out=v)", "v.sort()",
          "v[v > 0] = -1.0", "v *= y", "v[-1:] = v[:1]", "v.flat[0] = y", "np.copyto(v, y)",
          "np.put(v, [0], [y])"]
FORMS = {
    "at the top": "v = {v}; {s}; return v, x.sum(), x",
    "in a branch": "v = {v}\n    if y > 1:\n        {s}\n    return v, x.sum()",
    "in a loop": "for i in range(12):\n        v = {v}\n        {s}\n    return v, x.sum()",
    "of a new array": "x = x * 2; w = x; v = {v}; {s}; return v, w, x + 1",
}
EXPRESSIONS = [e.strip() for line in VIEWS.strip().splitlines() for e in line.split(";")]
CASES = list(product(EXPRESSIONS, STORES, FORMS))
if not ALL:
    CASES = random.Random(7).sample(CASES, 160) + [
        (e, "v[0] = y", "at the top") for e in EXPRESSIONS
        if any(name in e for name in ("einsum", "meshgrid", "broadcast_arrays"))]
ARGUMENTS = [
    (np.array([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0], [7.0, 8.0, 9.0]]), np.float64(2.5)),
    (np.asfortranarray([[-1.0, 2.0, 3.0], [4.0, -5.0, 6.0], [7.0, -8.0, 9.0]]), np.float64(1.5)),
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize(("view", "store", "form"), CASES)
def test_the_array_behind_a_view_has_what_is_stored(view: str, store: str, form: str) -> None:
    source = f"def f(x, y):\n    {FORMS[form].format(v=view, s=store)}\n"
    name = f"<view {view} {store} {form}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, name, "exec"), scope)
    traced = ag.function(scope["f"])
    for x, y in ARGUMENTS:
        expected = seen(scope["f"], (x.copy(order="K"), y))
        got = seen(traced, (x.copy(order="K"), y))
        if expected.error is None or not isinstance(got.error, (TracingError, SymbolicValueError)):
            assert got.describe(warnings=False) == expected.describe(warnings=False)
