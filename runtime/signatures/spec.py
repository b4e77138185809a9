"""TensorSpec and input signatures: the types of array arguments, declared beforehand."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from operator import is_
from typing import Any

import numpy as np

from autograph.own_attributes import class_has
from autograph.runtime.ir.errors import InvalidArgumentError as InvalidArgumentError
from autograph.runtime.ir.errors import SignatureError as SignatureError
from autograph.runtime.ir.given_types import dtype_given, shape_given
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import children, map_nest
from autograph.runtime.ir.stand_ins import STAND_INS, array_of
from autograph.runtime.ir.types import PY_NUMBERS, ArrayType, Dim, PyType, Type
from autograph.runtime.signatures.cache_keys import covers, join_keys
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.suggestions import of_class
from autograph.traceback_filter import hiding_frames

CALL = "TensorSpec(shape, dtype)"
"""How a spec is written, in messages."""


class TensorSpec:
    """The dtype and shape of an argument. Shape `()` is a NumPy scalar.

    Args:
      shape: a sequence of ints, names and Nones (unknown); None if the rank is unknown. Dimensions
        of the same name are equal, in all arguments.
      dtype: anything `np.dtype` takes.
      name: the argument's name in graphs; not part of the type.

    Raises:
      TypeError: the shape is no sequence of dimensions, or the dtype is none.

    >>> TensorSpec([None, 3], np.float32)
    TensorSpec(shape=(None, 3), dtype=float32, name=None)
    >>> TensorSpec(["n", "n"]).is_compatible_with(np.ones((2, 3)))
    False
    """

    __slots__ = ("name", "type")

    @hiding_frames
    def __init__(self, shape: Sequence[Dim] | None = None, dtype: Any = np.float64,
                 name: str | None = None) -> None:
        known = None if shape is None else shape_given(shape, CALL)
        self.type = ArrayType(dtype_given(dtype, CALL), known, scalar=known == ())
        self.name = name

    @classmethod
    def from_tensor(cls, value: Any, name: str | None = None) -> TensorSpec:
        """Returns the spec of a concrete array, NumPy scalar or variable."""
        array = np.asarray(array_of(value))
        return cls(array.shape, array.dtype, name)

    @classmethod
    def of_type(cls, t: ArrayType, name: str | None = None) -> TensorSpec:
        """Returns the spec of an argument of a trace; one of shape `()` may be an array there."""
        made = cls(t.shape, t.dtype, name)
        made.type = t
        return made

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """Returns the same spec under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @property
    def shape(self) -> tuple[Dim, ...] | None:
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        assert self.type.dtype is not None
        return self.type.dtype

    def is_compatible_with(self, value: Any) -> bool:
        """Returns True if an array or NumPy scalar, or everything that a spec admits, fits."""
        spec = value if isinstance(value, TensorSpec) else TensorSpec.from_tensor(value)
        return spec.is_subtype_of(self)

    def is_subtype_of(self, other: TensorSpec) -> bool:
        """Returns True if the other spec admits everything that this one admits."""
        return covers(other.type, self.type)

    def most_specific_common_supertype(self, others: Sequence[TensorSpec]) -> TensorSpec | None:
        """Returns the narrowest spec that admits what any of them does; None if dtypes differ."""
        joined: Any = self.type
        for other in others:
            joined = None if joined is None else join_keys(joined, other.type)
        return None if joined is None else TensorSpec(joined.shape, joined.dtype, self.name)

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """Returns the narrowest spec that admits what either does.

        Raises:
          ValueError: the dtypes differ.
        """
        joined = self.most_specific_common_supertype([other])
        if joined is None:
            raise ValueError(f"no TensorSpec is compatible with {self} and {other}")
        return joined

    def placeholder_value(self, context: Any = None) -> Tensor:
        """Returns a symbolic value of this type, for use while something is traced."""
        return Tensor(Value(self.type, self.name or ""))

    def flatten(self) -> list[TensorSpec]:
        """Returns the specs in it: a list of itself."""
        return [self]

    def to_tensors(self, value: Any) -> list[Any]:
        """Returns the arrays in a value of this type: a list of the value."""
        return [value]

    def from_tensors(self, tensors: Sequence[Any]) -> Any:
        """Returns the value with these arrays in it: the only one of them."""
        (value,) = tensors
        return value

    def cast(self, value: Any) -> Any:
        """Returns the value as an array or NumPy scalar of this spec; converts numbers and lists.

        Raises:
          SignatureError: it is an array of another dtype, or of another shape.
        """
        return _fit_leaf(value, self, self.name or "value", {})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype, self.name

    def __repr__(self) -> str:
        return spec_text(self.type, self.name)


@hiding_frames
def type_spec_from_value(value: Any) -> Any:
    """Returns the `TensorSpec` of an array, number or variable; of a nest, a nest of specs.

    Args:
      value: an array, NumPy scalar, Python number or variable, or a nest of them.

    Returns:
      A TensorSpec with the value's dtype and shape, or a nest of them.

    >>> type_spec_from_value([np.zeros(3), 2])
    [TensorSpec(shape=(3,), dtype=float64, name=None), TensorSpec(shape=(), dtype=int64, name=None)]
    """
    def spec(x: Any) -> Any:
        known = isinstance(x, (np.ndarray, np.generic, int, float, complex))
        return TensorSpec.from_tensor(x) if known or class_has(type(x), "__ag_read__") else x

    return map_nest(spec, value)


def value_like(t: Type) -> Any:
    """Returns an argument of a type, if it is one of arrays or numbers; else None."""
    if isinstance(t, PyType):
        return t.cls() if t.cls in PY_NUMBERS else None
    if not isinstance(t, ArrayType):
        return None
    return TensorSpec(t.shape, t.dtype) if t.shape != () or t.scalar else np.zeros((), t.dtype)


def spec_text(t: ArrayType, name: str | None = None) -> str:
    """Returns the text `TensorSpec(…)` of a type."""
    shape = "<unknown>" if t.shape is None else _shape_text(t.shape)
    dtype = "unknown" if t.dtype is None else "str" if t.dtype.kind in "UT" else str(t.dtype)
    return f"TensorSpec(shape={shape}, dtype={dtype}, name={name!r})"


def _shape_text(shape: tuple[Dim, ...]) -> str:
    inside = ", ".join(str(d) for d in shape)
    return f"({inside},)" if len(shape) == 1 else f"({inside})"


Dims = dict[str, Dim]
"""The values of the named dims in a call."""

Specs = dict[str, Any]
"""Parameter name -> its spec, or a nest of specs; the default value if there is no spec."""


def specs_by_name(signature: Sequence[Any], parameters: list[inspect.Parameter]) -> Specs:
    """Returns an `input_signature` as a dict by parameter name.

    Raises:
      TypeError: something in it is not a TensorSpec; a parameter without a default has none; too
        many.
    """
    if not isinstance(signature, (tuple, list)):
        raise TypeError(f"input_signature must be a sequence of TensorSpec objects, got "
                        f"{signature!r}\n  hint: write [ag.TensorSpec(shape, dtype), ...], one for "
                        "each parameter without a default")
    for number, item in enumerate(signature):
        for spec in _flat(item):
            if not isinstance(spec, TensorSpec):
                raise TypeError(
                    "input_signature must be a possibly nested sequence of TensorSpec objects, got "
                    f"{spec!r} in item {number}\n  hint: write ag.TensorSpec(shape, dtype) there")
    positional = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.KEYWORD_ONLY)]
    if not any(p.kind is p.VAR_POSITIONAL for p in positional) and len(signature) > len(positional):
        extra = len(signature) - len(positional)
        names = ", ".join(p.name for p in positional)
        raise TypeError(f"input_signature contains {extra} extra type constraint"
                        f"{'s' if extra > 1 else ''}: the function takes ({names})\n"
                        "  hint: write one ag.TensorSpec for each parameter")
    found = inspect.Signature(parameters).bind_partial(*signature)
    for p in parameters:
        required = p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        if p.name not in found.arguments and required:
            raise TypeError(f"input_signature missing type constraint for {p.name}\n  hint: add an "
                            f"ag.TensorSpec for {p.name}, or give {p.name} a default value")
    found.apply_defaults()
    return dict(found.arguments)


def fit(arguments: dict[str, Any], specs: Specs) -> dict[str, Any]:
    """Returns the arguments as the specs want them: Python numbers and lists become arrays.

    Raises:
      SignatureError: an array of another dtype or shape; another value for a parameter without a
        spec.
    """
    dims: Dims = {}
    return {name: _fit(x, specs[name], name, dims) if name in specs else x
            for name, x in arguments.items()}


def _fit(x: Any, spec: Any, name: str, dims: Dims) -> Any:
    if isinstance(spec, TensorSpec):
        return _fit_leaf(x, spec, name, dims)
    if not any(isinstance(leaf, TensorSpec) for leaf in _flat(spec)):
        return _fit_constant(x, spec, name)
    left, right = children(spec), children(x)
    assert left is not None
    if right is None or left[0] != right[0]:
        raise SignatureError(f"{name} has another structure than its TensorSpecs ({spec!r}): {x!r}")
    parts = zip(right[1], left[1], strict=True)
    made = [_fit(a, b, f"{name}[{i}]", dims) for i, (a, b) in enumerate(parts)]
    return x if all(map(is_, made, right[1])) else right[2](made)  # the call may change it


def _fit_constant(x: Any, known: Any, name: str) -> Any:
    """Returns the value of a parameter without a spec, which must equal its default."""
    if x is known or known == {} or (type(x) is type(known) and _equal(x, known)):
        return x
    if isinstance(x, Tensor):  # as a derivative takes every number
        raise SignatureError(
            f"{name} was given as a symbolic {x.type}, but it is Literal[{known!r}] in this "
            f"signature\n  hint: bind it around the call: lambda x: f(x, {known!r})")
    raise SignatureError(
        f"{name} was given as {x!r}, but it is Literal[{known!r}] in this signature\n  hint: leave "
        "it out, give it a TensorSpec, or call the function for another signature")


def _equal(a: Any, b: Any) -> bool:
    return bool(repr(a) == repr(b) if isinstance(a, float) else np.all(a == b))


def _fit_leaf(x: Any, spec: TensorSpec, name: str, dims: Dims) -> Any:
    if isinstance(x, TensorSpec):
        return TensorSpec.from_spec(spec, x.name)
    if class_has(type(x), "__ag_read__"):
        x = x.__ag_read__()
    if isinstance(x, Tensor):
        fitting = _as_given(x, spec)
        if covers(spec.type, fitting.type, dims):
            return fitting
        raise _misfit(name, spec, f"a symbolic {x.type}")
    array: Any = x if isinstance(x, (np.ndarray, np.generic)) else _as_array(x, spec, name)
    if not covers(spec.type, ArrayType(array.dtype, array.shape, scalar=(
            array.ndim == 0 and spec.type.scalar)), dims):
        wrong = ("use a TensorSpec whose shape fits: None stands for any length of an axis"
                 if array.dtype == spec.dtype else "")
        raise _misfit(name, spec, f"an array with shape={array.shape}, dtype={array.dtype}", dims,
                      wrong)
    if array.ndim or type(x) in STAND_INS:
        return array
    return np.asarray(array) if _is_array_without_axes(spec) else array[()]


def _is_array_without_axes(spec: TensorSpec) -> bool:
    return spec.shape == () and not spec.type.scalar


def _as_given(x: Tensor, spec: TensorSpec) -> Tensor:
    """Returns a symbolic number as what a call with its value is given: an array without axes as a
    NumPy scalar, a Python number as one of the spec's dtype; what is none, as it is."""
    t = x.type
    if isinstance(t, PyType) and t.cls in PY_NUMBERS and spec.dtype is not None:
        of_spec = np.result_type(np.dtype(t.cls), spec.dtype).kind == spec.dtype.kind
        x = apply("asarray", x, spec.dtype) if of_spec else x
    if _is_array_without_axes(spec):
        return apply("asarray", x) if getattr(x.type, "scalar", False) else x
    return apply("getitem", x, ()) if getattr(x.type, "shape", None) == () and not getattr(
        x.type, "scalar", True) else x


def _as_array(x: Any, spec: TensorSpec, name: str) -> Any:
    """Converts a Python number, string or list to an array; a float is no integer."""
    try:
        array = np.asarray(x)
        if array.dtype.kind != "O" and np.can_cast(array.dtype, spec.dtype, "unsafe") and (
                np.result_type(array.dtype, spec.dtype).kind == spec.dtype.kind or not array.size):
            return np.asarray(x, spec.dtype)
    except (TypeError, ValueError, OverflowError):
        pass
    if repr(x) == object.__repr__(x):  # that shows an address
        raise _misfit(name, spec, of_class(x), hint=(
            "an object has no TensorSpec: leave self, and other objects, out of the list"))
    raise _misfit(name, spec, repr(x), hint="give an array, or a number or list that makes one")


def _misfit(name: str, spec: TensorSpec, got: str, dims: Dims | None = None, hint: str = ""
            ) -> SignatureError:
    if known := ", ".join(f"{n} = {d}" for n, d in (dims or {}).items() if n in (spec.shape or ())):
        got += f" where {known}"
        hint = "axes of one name have one length: give them other names, or None for any length"
    hint = hint or (f"convert it, e.g. with x.astype({str(spec.dtype)!r}), or use a wider "
                    "TensorSpec")
    return SignatureError(
        f"{name} does not fit its signature: expected {spec!r}, got {got}\n  hint: {hint}")


def _flat(nest: Any) -> Iterator[Any]:
    found = children(nest)
    if found is None:
        yield nest
    else:
        for c in found[1]:
            yield from _flat(c)
