"""Variables: arrays that functions can read and change, in graphs and outside them."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from autograph.runtime.ir.errors import TracingError, at
from autograph.runtime.ir.given_types import dtype_given, shape_given
from autograph.runtime.ir.pytree import all_leaves
from autograph.runtime.ir.types import ArrayType, Dim, type_of
from autograph.runtime.ops.op import OPS
from autograph.runtime.ops.state import VARIABLE_ITEM, Storage, check_type, check_value
from autograph.runtime.ops.stores import AUGMENTED
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.operators import OPERATORS
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.source_locations import location_outside_library, user_location
from autograph.runtime.symbolic.tensor import Tensor, apply, lower
from autograph.suggestions import nearest
from autograph.traceback_filter import hiding_methods

UNSET: Any = object()
CALL = "Variable(value, dtype, shape=shape)"


class IndexedSlices(NamedTuple):
    """Rows along an array's first axis: `values[k]` belongs to row `indices[k]`.

    Args:
      values: an array of shape (n, …).
      indices: n integers; one may be there twice.

    >>> v = Variable(np.zeros(3))
    >>> v.scatter_add(IndexedSlices(np.array([1.0, 2.0]), np.array([0, 0]))).value()
    array([3., 0., 0.])
    """

    values: Any
    indices: Any


class Variable:
    """An array that functions can change: every call of a graph sees the changes, and makes them.

    Read in a computation it is an array (or NumPy scalar), so `v + 1`, `v[0]`, `np.sin(v)` work;
    `v.assign(x)`, `v.assign_add(x)`, `v += x` and `v[i] = x` change it. Reads and writes happen in
    program order. It may be made anywhere; inside a function that is traced, it must be stored (in
    an attribute, say), and is made once.

    Args:
      initial_value: an array, a number, or a function that makes one.
      dtype: the default is that of the initial value.
      name: its name in graphs and messages.
      trainable: if True, `ag.Module.trainable_variables` lists it.
      shape: the default is that of the initial value; Nones in it, or None, allow values of other
        shapes.

    Raises:
      ValueError: the initial value does not fit the shape.

    >>> v = Variable([1.0, 2.0], name="v")
    >>> v.assign_add([1.0, 1.0])
    <Variable 'v' shape=(2,) dtype=float64, value=array([2., 3.])>
    >>> v * 10
    array([20., 30.])
    """

    __slots__ = ("__weakref__", "_source", "_storage", "name", "trainable", "type")
    __hash__ = object.__hash__
    listener: ClassVar[Any] = None
    """What is told of reads and writes outside of traces: a tape."""

    def __init__(self, initial_value: Any, dtype: Any = None, name: str | None = None,
                 trainable: bool = True, shape: Sequence[Dim] | None = UNSET) -> None:
        value = initial_value
        if callable(value) and not isinstance(value, (Tensor, np.generic)):
            value = value()
        if not isinstance(value, (Tensor, Variable)):
            value = np.asarray(value, None if dtype is None else dtype_given(dtype, CALL))
        self.name = name or "Variable"
        self.trainable = trainable
        self.type = _type_for(value, dtype, shape)
        self._storage = Storage(self.type, self.name, weakref.ref(self))
        self._source: Tensor | None = None
        run = here()
        if run is None or isinstance(value, np.ndarray):
            self._storage.put(value)
        else:
            self._record("initialise_variable", value)
        if run is not None:
            run.new_variables.append((weakref.ref(self), location_outside_library()))

    @property
    def storage(self) -> Storage:
        """The storage, which holds the value; graphs refer to it."""
        return self._storage

    @classmethod
    def of_storage(cls, storage: Storage) -> Variable:
        """Returns the variable of a storage; a new one if the user's own is gone."""
        made: Variable | None = storage.owner()
        if made is None:
            made = cls.__new__(cls)
            made.name, made.trainable, made.type = storage.name, True, storage.type
            made._storage, made._source = storage, None
        return made

    @classmethod
    def of_argument(cls, source: Tensor, t: ArrayType, name: str) -> Variable:
        """Returns a variable that is an argument of a graph."""
        made = cls.__new__(cls)
        made.name, made.trainable, made.type = name, True, t
        made._source = source
        return made

    @property
    def is_argument(self) -> bool:
        """True if it stands for a variable that each call is given."""
        return self._source is not None

    @staticmethod
    def type_of(x: Any) -> ArrayType | None:
        """Returns the type of a variable; None for anything else (for guards)."""
        return x.type if type(x) is Variable else None

    # -- reading ----------------------------------------------------------------------------------

    def in_graph(self) -> Any:
        """Returns the graph's value that stands for the variable."""
        region = trace.current_region()
        assert region is not None
        target = self._source.read() if self._source is not None else (
            region.trace.captures.value_of(self._storage, self.name))
        region.trace.variable_types[target] = ArrayType(
            self.type.dtype, self.type.shape, scalar=self.type.shape == ())
        return target

    def _record(self, op: str, *args: Any) -> Any:
        (value,) = record(OPS[op], (self.in_graph(), *lower(args)), {})
        return Tensor(value)

    def read(self) -> Any:
        """Returns its value at this point, as an array that is not to be written."""
        if trace.tracing():
            return self._record("read_variable", self.type.dtype, self.type.shape)
        listener = Variable.listener
        return self._storage.read() if listener is None else listener.read(self._storage)

    __ag_read__ = read

    def value(self) -> Any:
        """Returns a copy of its value at this point."""
        return np.copy(self.read())[()]

    read_value = numpy = value

    @property
    def dtype(self) -> np.dtype[Any]:
        assert self.type.dtype is not None
        return self.type.dtype

    @property
    def shape(self) -> Any:
        return self.type.shape if self.type.is_static else self.read().shape

    @property
    def ndim(self) -> Any:
        return self.read().ndim

    @property
    def size(self) -> Any:
        return self.read().size

    # -- writing ----------------------------------------------------------------------------------

    def assign(self, value: Any) -> Variable:
        """Gives it a value; returns the variable.

        Raises:
          TypeError, ValueError: the value is of another kind of dtype, or of another shape.
        """
        value = read_all(value)
        if not trace.tracing():
            if Variable.listener is not None:
                value = Variable.listener.assigned(self._storage, value)
            self._storage.put(value)
            return self
        if type(value) in (list, tuple):
            value = apply("array", value) if any(
                isinstance(x, Tensor) for x in all_leaves(value)) else np.array(value)
        if isinstance(value, Tensor):
            if isinstance(value.type, ArrayType):
                check_type(self.type, f"the variable {self.name!r}", value.type)
        else:
            check_value(self.type, f"the variable {self.name!r}", value)
        self._record("assign_variable", value)
        return self

    def assign_add(self, delta: Any) -> Variable:
        """Adds an array or number to it; returns the variable."""
        return self.assign(self.read() + delta)

    def assign_sub(self, delta: Any) -> Variable:
        """Subtracts an array or number from it; returns the variable."""
        return self.assign(self.read() - delta)

    def sparse_read(self, indices: Any) -> Any:
        """Returns the rows at these indices."""
        return self[np.asarray(indices) if isinstance(indices, (list, tuple)) else indices]

    def scatter_nd_update(self, indices: Any, updates: Any) -> Variable:
        """Gives elements (or sub-arrays) new values; the last axis of `indices` holds their
        indices."""
        self[tuple(np.moveaxis(np.asarray(read_all(indices)), -1, 0))] = updates
        return self

    def _scatter(self, function: np.ufunc, delta: IndexedSlices) -> Variable:
        """Computes with rows in place, one after the other: an index may be there twice."""
        rows = self.value()
        function.at(rows, read_all(delta.indices), read_all(delta.values))
        return self.assign(rows)

    def __getitem__(self, index: Any) -> Any:
        index = read_all(index)
        if Variable.listener is not None and not trace.tracing():
            return self.read()[index]
        if trace.tracing():
            return self._record("variable_item", index, self.type.dtype, self.type.shape)
        return VARIABLE_ITEM.kernel(self._storage, index, None, None)

    def __setitem__(self, index: Any, value: Any) -> None:
        index, value = read_all(index), read_all(value)
        if trace.tracing():
            self._record("set_variable_item", index, value)
        elif Variable.listener is not None:
            now = self.read().copy()
            now[index] = value
            self.assign(now)
        else:
            self._storage.put_item(index, value)

    # -- as an array ------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, out: Any = (), **kwargs: Any
                        ) -> Any:
        call = ufunc if method == "__call__" else getattr(ufunc, method)
        made = call(*read_all(args), **kwargs)
        for target in out:
            _store(target, made)
        return out[0] if out else made

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
                           ) -> Any:
        return func(*read_all(args), **read_all(kwargs))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.read(), dtype=dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self.read()
        try:
            return getattr(value, name)
        except AttributeError as error:
            known = [x for x in dir(type(self)) if x[0] != "_"]
            near = nearest(name, known) or nearest(name, dir(value))
            told = f"\n  hint: did you mean {near}?" if near else ""
            raise AttributeError(
                f"a variable has no attribute {name!r}, nor has its value{told}", name=name,
                obj=self) from error.__cause__

    def __len__(self) -> int:
        return len(self.read())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read())

    def __bool__(self) -> bool:
        return bool(self.read())

    def __int__(self) -> int:
        return int(self.read())

    def __float__(self) -> float:
        return float(self.read())

    def __complex__(self) -> complex:
        return complex(self.read())

    def __index__(self) -> int:
        return operator.index(self.read())

    def __divmod__(self, other: Any) -> Any:
        return divmod(self.read(), read_all(other))

    def __rdivmod__(self, other: Any) -> Any:
        return divmod(read_all(other), self.read())

    def __round__(self, ndigits: Any = None) -> Any:
        return round(self.read(), ndigits)

    def __format__(self, spec: str) -> str:
        """Formats the value; without a format, `str(v)`, which says that it is a variable."""
        return format(self.read(), spec) if spec else str(self)

    if TYPE_CHECKING:  # type checkers do not see the operators that are set below
        def __add__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...
        def __iadd__(self, other: Any) -> Variable: ...

        __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = __add__
        __lshift__ = __rshift__ = __and__ = __or__ = __xor__ = __add__
        __lt__ = __le__ = __gt__ = __ge__ = __add__
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __add__
        __rpow__ = __rmatmul__ = __rlshift__ = __rrshift__ = __rand__ = __ror__ = __rxor__ = __add__
        __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = __iadd__
        __imatmul__ = __ilshift__ = __irshift__ = __iand__ = __ior__ = __ixor__ = __iadd__
        __pos__ = __abs__ = __invert__ = __neg__

    def __copy__(self, memo: Any = None) -> Variable:
        """Returns a new variable with the value that this one has."""
        return Variable(self.read(), self.dtype, self.name, self.trainable, self.type.shape)

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        """Returns what `pickle` needs: another process has a variable of its own."""
        return Variable, (self.value(), self.dtype, self.name, self.trainable, self.type.shape)

    def __repr__(self) -> str:
        held = "" if trace.tracing() or self._source is not None else (
            f", value={self._storage.array!r}")
        return f"<Variable {self.name!r} shape={self.type.shape} dtype={self.type.dtype}{held}>"


class Itself:
    """Stands for a variable that is put into a container or an object: there it is itself, and not
    its value.

    Raises:
      TracingError: it is an argument of the graph.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Variable) -> None:
        refuse_argument(variable)
        self.variable = variable


def refuse_argument(x: Any) -> None:
    """Refuses a variable that each call is given, where it would have to be itself."""
    if isinstance(x, Variable) and x.is_argument:
        raise TracingError(
            "a variable that each call is given is put into a container or an object, or a branch "
            f"or a loop leaves it{at(user_location())}\n  hint: put its value there, v.value()")


def here() -> Any:
    """Returns the current trace, if there is one."""
    region = trace.current_region()
    return None if region is None else region.trace


def _type_for(value: Any, dtype: Any, shape: Any) -> ArrayType:
    """Returns the type of a variable with this initial value."""
    t = value.type if isinstance(value, (Tensor, Variable)) else type_of(value)
    if not isinstance(t, ArrayType) or (t.dtype is None and dtype is None):
        raise TypeError("the first value of a variable must have a dtype that is known while "
                        f"tracing, not {t}\n  hint: give the variable a dtype")
    known = t.shape if shape is UNSET else None if shape is None else shape_given(shape, CALL)
    return ArrayType(t.dtype if dtype is None else np.dtype(dtype), known, scalar=known == ())


def read_all(nest: Any) -> Any:
    """Returns a nest of Python's containers with its variables read."""
    if isinstance(nest, Variable):
        return nest.read()
    if type(nest) in (tuple, list):
        return type(nest)(map(read_all, nest))
    if type(nest) is dict:
        return {k: read_all(v) for k, v in nest.items()}
    if type(nest) is slice:
        return slice(*map(read_all, (nest.start, nest.stop, nest.step)))
    return nest


def _store(target: Any, made: Any) -> None:
    """Stores a result into the target of `out=`: an array, a tensor or a variable."""
    if isinstance(target, Variable):
        target.assign(made)
    elif target is not None:
        target[...] = made


def _operator(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)
    return lambda self, *others: function(self.read(), *read_all(others))


def _swapped(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)
    return lambda self, other: function(read_all(other), self.read())


def _inplace(name: str) -> Callable[..., Any]:
    function = getattr(operator, name)
    return lambda self, other: self.assign(function(self.read(), read_all(other)))


for _op in OPERATORS:
    setattr(Variable, f"__{_op.dunder}__", _operator(f"__{_op.dunder}__"))
for _dunder in AUGMENTED:
    setattr(Variable, f"__r{_dunder}__", _swapped(f"__{_dunder}__"))
    setattr(Variable, f"__i{_dunder}__", _inplace(f"__{_dunder}__"))


def _scattering(function: np.ufunc | None) -> Callable[..., Variable]:
    def scatter(self: Variable, delta: IndexedSlices) -> Variable:
        if not hasattr(delta, "indices"):
            raise TypeError(f"rows and their numbers are given together, not as {delta!r}\n"
                            "  hint: write ag.IndexedSlices(values, indices)")
        if function is not None:
            return self._scatter(function, delta)
        self[read_all(delta.indices)] = delta.values
        return self

    words = "Give rows new values" if function is None else f"np.{function.__name__} of rows"
    scatter.__doc__ = f"{words}: `delta` is an `IndexedSlices`."
    return scatter


for _name, _ufunc in {"update": None, "add": np.add, "sub": np.subtract, "mul": np.multiply,
                      "div": np.divide, "min": np.minimum, "max": np.maximum}.items():
    setattr(Variable, f"scatter_{_name}", _scattering(_ufunc))
hiding_methods(Variable, "read", "in_graph")
