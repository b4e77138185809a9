"""Sums and products in ONNX: onnxruntime's reductions of integers compute with doubles, so that
those of large integers are made of its exact operations."""

from __future__ import annotations

from autograph.runtime.export.onnx.builder import Builder, T


def reduce(b: Builder, op: str, x: T, axes: tuple[int, ...], keepdims: bool) -> T:
    """One of ONNX's reductions."""
    shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape)) if keepdims else tuple(
        d for i, d in enumerate(x.shape) if i not in axes)
    if not axes:
        return x
    inner = b.computed_in(op, x.dtype)
    made = b.node(op, [b.cast(x, inner), b.ints(*axes)], inner, shape, keepdims=int(keepdims))
    return b.cast(made, x.dtype)


def reduce_exactly(b: Builder, op: str, x: T, axes: tuple[int, ...], keepdims: bool) -> T:
    """A sum or product that wraps as NumPy's does; of integers, an axis at a time."""
    if x.dtype.kind not in "iu" or not axes:
        return reduce(b, op, x, axes, keepdims)
    made = x
    for axis in sorted(axes, reverse=True):
        made = _summed(b, made, axis) if op == "ReduceSum" else multiplied(b, made, axis)[0]
    if not keepdims:
        return made
    shape = tuple(1 if i in axes else d for i, d in enumerate(x.shape))
    return b.node("Unsqueeze", [made, b.ints(*sorted(axes))], x.dtype, shape)


def _summed(b: Builder, x: T, axis: int) -> T:
    """The product with a vector of ones: a `MatMul` of integers is exact."""
    inner = b.computed_in("MatMul", x.dtype)
    last = moved(b, b.cast(x, inner), axis, x.ndim - 1)
    ones = b.expand(b.constant(1, inner), b.vector([b.dim(x, axis)]), last.shape[-1:])
    return b.cast(b.node("MatMul", [last, ones], inner, last.shape[:-1]), x.dtype)


def moved(b: Builder, x: T, axis: int, to: int) -> T:
    """Returns an array with an axis at another place."""
    if axis == to:
        return x
    order = [i for i in range(x.ndim) if i != axis]
    order.insert(to, axis)
    return b.node("Transpose", [x], x.dtype, tuple(x.shape[i] for i in order), perm=order)


def multiplied(b: Builder, x: T, axis: int) -> tuple[T, T]:
    """Returns the product along an axis, and the products of the first elements: a `Scan`, whose
    state is the product so far; ONNX's reference scans along the first axis alone."""
    rest = tuple(d for i, d in enumerate(x.shape) if i != axis)
    lengths = b.vector([b.dim(x, i) for i in range(x.ndim) if i != axis]) if rest else b.ints()
    one = b.expand(b.constant(1, x.dtype), lengths, rest)
    if x.shape[axis] == 0:
        return one, x
    x = moved(b, x, axis, 0)
    state, row = T(b, b.fresh("state"), x.dtype, rest), T(b, b.fresh("row"), x.dtype, rest)
    with b.nested() as nodes:
        product = state * row
        out = [b.given(product), b.given(product)]
    body = b.graph(nodes, "product", [state, row], [T(b, t.name, x.dtype, rest) for t in out])
    last, found = b.several("Scan", [one, x], [(x.dtype, rest), (x.dtype, x.shape)], body=body,
                            num_scan_inputs=1)
    return last, moved(b, found, 0, axis)
