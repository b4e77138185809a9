"""`Tensor`, the symbolic value: a handle on an SSA value, with NumPy's aliasing and mutation."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from autograph.extension_points import POINTS
from autograph.own_attributes import class_has
from autograph.runtime.ir.call_frames import (
    is_asked_by_user,
    is_exit_asked,
    is_structural,
    is_subscript,
    kept_as_it_is,
    no_iterable,
    unpack_count,
)
from autograph.runtime.ir.errors import SymbolicValueError, TracingError, at
from autograph.runtime.ir.graph import PLAIN, Value, leaves, map_leaves, map_unless_constant
from autograph.runtime.ir.pytree import all_leaves, is_leaf
from autograph.runtime.ir.types import (
    CONTAINERS,
    DYNAMIC,
    ArrayType,
    DynamicType,
    PyType,
    Type,
    class_name,
    has_memory,
    is_container,
    is_maybe_undefined,
    is_number,
    is_of_class,
    may_have_memory,
)
from autograph.runtime.ir.undefined import constant
from autograph.runtime.ops import OPS, pure
from autograph.runtime.ops.indexing import GETITEM
from autograph.runtime.ops.op import Op
from autograph.runtime.ops.type_rules import by_position
from autograph.runtime.ops.views import Apply, Output, Step, may_share, step_of
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.aliasing import (
    Handle,
    Rearranged,
    Reference,
    Reshaped,
    steps_of,
    tie,
)
from autograph.runtime.symbolic.asked_class import AskedClass
from autograph.runtime.symbolic.frame_variables import SYMBOLIC
from autograph.runtime.symbolic.memory_order import needed, shares
from autograph.runtime.symbolic.record import record
from autograph.runtime.symbolic.region import refuse_elsewhere
from autograph.runtime.symbolic.source_locations import user_location

CONSTANT = pure(constant, lambda value: DYNAMIC)
"""Reads an attribute that an object may lack, and its class has."""


class BoundMethod:
    """A method of a container of the graph: the trace records its calls. If it becomes a value, the
    graph makes it."""

    __slots__ = ("container", "name")

    def __init__(self, container: Tensor, name: str) -> None:
        self.container = container
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        t = self.container._handle.value.type
        assert isinstance(t, PyType)
        return METHODS[t.cls](self.name)(self.container, *args, **kwargs)

    def value(self) -> Tensor:
        """Returns the method as a value of the graph."""
        return apply("getattr_", self.container, self.name)  # type: ignore[no-any-return]


@is_leaf
class Tensor(AskedClass):
    """A value that is not known while a function is traced; it behaves as NumPy's ndarray.

    Functions get tensors for their array arguments; programs need not make any. Python operators,
    NumPy functions and methods on one record equations. `y = x` is an alias, `x[1:]` a view, and a
    write `x[i] = v` is seen by both, as in NumPy.

    >>> import autograph as ag
    >>> @ag.function
    ... def kind(x):
    ...     ag.trace("traced with", x.dtype, x.shape)
    ...     return x + 1
    >>> kind(np.ones(3))
    traced with float64 (3,)
    array([2., 2., 2.])
    """

    __slots__ = ("__weakref__", "_handle")
    __ag_records__ = True
    __hash__ = None  # type: ignore[assignment]  # as an ndarray: `==` is elementwise

    def __init__(self, value: Value, base: Tensor | None = None, step: Step | None = None,
                 seen: Value | None = None) -> None:
        self._handle: Handle
        here = trace.current.region
        by_reference = here is not None and here.trace.mode.by_reference
        put_handle(self, Reference(value) if by_reference else Handle(
            value, None if base is None else base._handle, step, seen))

    def read(self) -> Value:
        """Returns the SSA value that the tensor stands for now."""
        return self._handle.read()

    def write(self, value: Value) -> None:
        """Makes the tensor, its aliases and its views stand for another value."""
        self._handle.write(value)

    def bound(self, free: bool) -> Tensor:
        """Returns the tensor, after a check that its variable is bound; `free`: the variable is a
        free one."""
        t: Any = self._handle.value.type
        if is_of_class(t):  # the object goes on without the attribute
            if t.bound == DYNAMIC:
                return Tensor(record(CONSTANT, (self.read(),), {})[0])
            if may_have_memory(t.bound):
                raise TracingError(
                    "an attribute that a staged branch or loop sets to an array is read from the "
                    f"class while it is not set{at(user_location())}\n"
                    "  hint: set it before the branch or loop, or in `__init__`")
            return Tensor(record(OPS["bound"], (self.read(), free), {})[0])
        if is_maybe_undefined(t):
            self._handle.rebind(record(OPS["bound"], (self.read(), free), {})[0])
        return self

    @property
    def type(self) -> Type:
        """The type: what the trace knows of the value."""
        return self._handle.read().type

    @property
    def shape(self) -> Any:
        """A tuple of ints, and of symbolic ints where a dimension is not known."""
        t = self.type
        if isinstance(t, ArrayType) and t.shape is not None:
            if all(isinstance(d, int) for d in t.shape):
                return t.shape
            return tuple(d if isinstance(d, int) else apply("dim", self, i)
                         for i, d in enumerate(t.shape))
        return () if is_number(t) else apply("shape", self)

    @property
    def ndim(self) -> Any:
        t = self.type
        if isinstance(t, ArrayType) and t.shape is not None:
            return len(t.shape)
        return 0 if is_number(t) else apply("ndim", self)

    @property
    def size(self) -> Any:
        t = self.type
        if isinstance(t, ArrayType) and t.shape is not None and all(
                isinstance(d, int) for d in t.shape):
            return math.prod(d for d in t.shape if isinstance(d, int))
        return apply("size", self)

    @property
    def dtype(self) -> Any:
        """A dtype, or a symbolic one where only the run knows it."""
        t = self.type
        if isinstance(t, PyType):
            raise AttributeError(f"'{class_name(t)}' object has no attribute 'dtype'")
        return t.dtype if isinstance(t, ArrayType) and t.dtype is not None else apply("dtype", self)

    def __getattr__(self, name: str) -> Any:
        t = self._handle.value.type  # not `self.type`: it may be out of its trace
        if isinstance(t, PyType) and t.cls in METHODS and callable(getattr(t.cls, name, None)):
            return BoundMethod(self, name)
        if isinstance(t, PyType) and name[:2] != "__" and hasattr(t.cls, name) and (
                is_number(t) or t.cls is range or not callable(getattr(t.cls, name))):
            return apply("getattr_", self, name)  # `range(n).stop`
        if (name.startswith("__") and name not in NAMES) or not isinstance(t, DynamicType):
            cls = class_name(t)
            if name[:2] != "__" and isinstance(t, ArrayType) and t.scalar and hasattr(
                    getattr(t.dtype, "type", None), name):
                return apply("getattr_", self, name)
            own = np.generic if isinstance(t, ArrayType) and t.scalar else np.ndarray
            raise AttributeError(f"a symbolic {t} has no attribute {name!r}" if not cls or hasattr(
                own, name) else f"'{cls}' object has no attribute {name!r}")
        return apply("getattr_", self, name)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
        raise TypeError("a Tensor cannot be the base of a class")

    def __format__(self, spec: str) -> str:
        if spec:
            _refuse(self, "a formatted text of", "it is known only when the graph runs",
                    "this line is not converted: format in converted code, or use ag.print")
        return str(self)

    def __repr__(self) -> str:
        return trace.noted(shown(self._handle.value), sys._getframe(1))

    def __getitem__(self, index: Any) -> Any:
        return apply("look_up" if may_grow(self.type) else "getitem", self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        t = self.type
        if is_number(t) and not has_memory(t):
            raise TypeError(f"'{class_name(t)}' object does not support item assignment")
        if isinstance(t, DynamicType) or is_container(t):
            if not trace.by_reference():
                trace.need_references("an item of something is assigned that is not known to be an "
                                      "array")
            value = POINTS.read_for(index, value)
            index, value = (index, POINTS.read_operand(value)) if type(index) is slice else (
                handed_over((index, value)))
        if type(index) is tuple and len(index) == 1 and index[0] is Ellipsis:
            (index,) = index  # see `indexing.INTO`
        index = lower(index)
        if not (isinstance(value, Tensor) and self._handle.has_just_got(index, value._handle)):
            self._handle.update(index, lower(value))

    def __iter__(self) -> Iterator[Any]:
        t = self.type
        if isinstance(t, ArrayType) and t.shape and isinstance(t.shape[0], int):
            return iter([self[i] for i in range(t.shape[0])])
        if (t.shape == () if isinstance(t, ArrayType) else isinstance(t, PyType)
                and t.cls not in (str, bytes, range, *CONTAINERS)):
            raise no_iterable(t, sys._getframe(1))
        if (parts := unpacking(self, sys._getframe(1))) is not None:
            return parts
        if isinstance(t, DynamicType) or is_container(t) or is_structural(sys._getframe(1)):
            trace.want_one("is gone through by Python, and known only when the graph runs")
        if is_subscript(sys._getframe(1)):
            trace.want_stored()
        _refuse(self, "iterate over", "its length is not known before the graph runs",
                "write a `for` statement in converted code, or use ag.map_fn / ag.for_loop")

    def __len__(self) -> int:
        t = self.type
        if isinstance(t, ArrayType) and t.shape is not None:
            if not t.shape:
                kind = f"object of type '{class_name(t)}' has no len()"
                raise TypeError(kind if t.scalar else "len() of unsized object")
            if isinstance(t.shape[0], int):
                return t.shape[0]
        _refuse(self, "len() of", "its length is not known before the graph runs",
                "call ag.len(x), or x.shape[0]: both may be symbolic")

    def __contains__(self, item: Any) -> bool:
        _refuse(self, "`in` on", "the answer is not known before the graph runs",
                "write ag.in_(item, x), or (x == item).any()")

    def __bool__(self) -> bool:
        if is_exit_asked(sys._getframe(1)):
            _refuse_block()
        if is_structural(sys._getframe(1)):
            trace.want_one("is compared by what is known only when the graph runs")
        if is_subscript(sys._getframe(1)):
            trace.want_arrays()
        _refuse(self, "a Python bool of", "it is known only when the graph runs",
                "this line is not converted: move it into a function that ag.function or "
                "ag.convert sees, or use ag.cond, np.where, np.logical_and")

    def __index__(self) -> int:
        if is_subscript(sys._getframe(1)):
            trace.want_one("is indexed by a number that is known only when the graph runs")
        if self.type == PyType(str):  # such as open() asks, which takes a number, too
            _refuse(self, "the text of", "it is known only when the graph runs",
                    "move the line with its block into a function under ag.py_function, or pass "
                    "the text as an argument")
        _refuse(self, "a Python integer of", "it is known only when the graph runs",
                "index an array with it (not a Python object), or pass the number as a Python int")

    def __int__(self) -> int:
        trace.want_arrays()
        _refuse(self, "int() of", "it is known only when the graph runs", "use ag.int(x)")

    def __float__(self) -> float:
        if is_subscript(sys._getframe(1)):
            trace.want_one("is given a number that only the run knows")
        trace.want_arrays()
        _refuse(self, "float() of", "it is known only when the graph runs",
                "use ag.float(x); an array from outside the function cannot hold it: make the "
                "array in the function")

    def __complex__(self) -> complex:
        trace.want_arrays()
        _refuse(self, "complex() of", "it is known only when the graph runs", "use ag.complex(x)")

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        if is_subscript(sys._getframe(1)):
            trace.want_arrays()
        else:
            trace.look_into_lists()
        _refuse(self, "a NumPy array of", "it is known only when the graph runs",
                "a function that does not dispatch on its arguments is called through "
                "ag.convert(f)(…) or ag.numpy_function; of a list make an array, np.array(xs); an "
                "array from outside the function cannot hold it: make the array in the function")


put_handle = Tensor.__dict__["_handle"].__set__
"""Sets a new tensor's handle; an assignment would ask what else the attribute may be."""


def call_value(x: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Records a call of a value that only the run knows: it may change what it leads to."""
    if not trace.by_reference():
        trace.need_references("a function is called that only the run knows")
    return apply("call_object", x, *handed_over(args), **handed_over(kwargs))


def shown(value: Value) -> str:
    name, t = value.hint or "_", value.type
    if isinstance(t, ArrayType):
        shape = "<unknown>" if t.shape is None else str(t.shape)
        return f'Tensor("{name}", shape={shape}, dtype={t.dtype or "unknown"})'
    return f'Tensor("{name}", {t.cls.__name__ if isinstance(t, PyType) else t})'


NAMES = frozenset({"__name__", "__qualname__", "__dict__"})
"""Attributes of classes, functions and objects that arrays lack, so that code may look them up."""

METHODS: dict[type, Callable[[str], Callable[..., Any]]] = {}
"""By a class of Python: a function that returns, by name, what records a call of its method."""


def handed_over(nest: Any) -> Any:
    """Returns what an object of the graph is given: containers in it become objects as well."""
    return POINTS.embed_containers(nest)


def may_grow(t: Type) -> bool:
    """Returns True if a look-up may change the object, as in a defaultdict."""
    if isinstance(t, PyType):
        return t.cls is defaultdict and trace.by_reference()
    return isinstance(t, DynamicType) and trace.holds_objects()


def unpacking(tensor: Tensor, frame: FrameType) -> Iterator[Any] | None:
    """Returns the items for `a, b = tensor`, or None if the frame does something else."""
    count, t = unpack_count(frame), tensor.type
    if count is None:
        return None
    if isinstance(t, ArrayType) and t.shape is not None and len(t.shape) > 1:
        apply("check_unpacked", tensor, count)
        return iter([tensor[i] for i in range(count)])  # rows are views
    found = apply("unpacked", tensor, count)
    return iter(found if isinstance(found, tuple) else (found,))


LOWERED: dict[type, Callable[[Any], Any]] = {}
"""By another class that stands for symbolic values: a function that returns its nest of values."""


def lower(nest: Any) -> Any:
    """Returns a nest of tensors, arrays and constants as a nest of values and constants."""
    if type(nest) is not tuple:
        return map_leaves(_lower_leaf, nest)
    return tuple([
        x._handle.read() if type(x) is Tensor and type(x._handle.value.type) is ArrayType
        else x if type(x) in PLAIN else map_unless_constant(_lower_leaf, x) for x in nest])


def _lower_leaf(leaf: Any) -> Any:
    if type(leaf) in PLAIN:
        return leaf
    if isinstance(leaf, Tensor):
        leaf._handle.note_late_check()
        return leaf.bound(free=True).read()  # code checks the variables of its own function
    if type(leaf) in LOWERED:
        return lower(LOWERED[type(leaf)](leaf))
    if isinstance(leaf, BaseException):
        return leaf if (made := LOWERED[BaseException](leaf)) is leaf else lower(made)
    here = trace.current_region()
    if here is not None and isinstance(leaf, np.ndarray):
        return here.trace.captures.value_of(here.trace.captures.snapshot(leaf))
    if class_has(type(leaf), "__ag_read__"):  # a variable
        return _lower_leaf(leaf.__ag_read__())
    return leaf if here is None else POINTS.check_constant(leaf)


def apply(op: Op | str, /, *args: Any, **kwargs: Any) -> Any:
    """Records a call of an op; returns a tensor, or a tuple for several outputs.

    The result of a view op on an array is a view of it: a write to one changes the other.
    """
    here = trace.current.region
    if here is None:
        refuse_elsewhere(
            x._handle.region for x in all_leaves((args, kwargs)) if isinstance(x, Tensor))
    if isinstance(op, str):
        op = OPS[op]
    if kwargs and not args:
        args, kwargs = by_position(op.kernel, args, kwargs)
    if here is not None and here.trace.mode.tuples and (op.dunder or not op.reads_only):
        args = POINTS.tuples_as_values(op, args)
    low_args, low_kwargs = lower(args), lower(kwargs) if kwargs else kwargs
    values = record(op, low_args, low_kwargs)
    t = values[0].type if len(values) == 1 else None
    if isinstance(t, ArrayType) and not (op.view or op.effect == "call" or t.has_objects):
        return Tensor(values[0])
    if [v for v in values if may_hold(v.type, op)]:
        POINTS.note_operands(op, args, kwargs, values)
    if here is not None and here.trace.mode.by_reference:
        made = [Tensor(v) for v in values]
        return made[0] if len(made) == 1 else op.result(made)
    shares = may_share(op, _types(op, low_args), kwargs) if op.view else (
        op.effect == "call" or op.holds_operands)
    viewed = op.view and shares is True and isinstance(args[0], Tensor) and has_memory(
        low_args[0].type)
    if len(values) != 1:
        return op.result([
            _view(v, args[0], Output(k, Apply(op, low_args[1:], low_kwargs)))
            if viewed and not (k and op.views_each) else _tied(Tensor(v), op, args, kwargs, shares)
            for k, v in enumerate(values)])
    (value,) = values
    if viewed and has_memory(value.type):
        return _view(value, args[0], step_of(op, low_args[1:], low_kwargs))
    return _tied(Tensor(value), op, args, kwargs, shares)


def _tied(made: Tensor, op: Op, args: tuple[Any, ...], kwargs: dict[str, Any],
          shares: bool | None) -> Tensor:
    """Ties a new tensor to the arguments whose memory it may share, and returns it."""
    t = made._handle.value.type
    if (shares is not False or (isinstance(t, DynamicType) and not op.view)) and may_have_memory(t):
        given = args[:1] if op.view and not op.views_each else (args, kwargs)
        tie(made._handle, filter(None, map(_memory, leaves(given))))
    return made


def may_hold(t: Type, op: Op) -> bool:
    """Returns True if a result of an op, of this type, may be a container, or hold one that is an
    operand."""
    if isinstance(t, ArrayType):
        return t.has_objects
    keeps = op.dunder or not op.reads_only
    return bool(keeps) and (t in (DYNAMIC, PyType(slice), PyType(tuple)) or is_container(t))


def _memory(x: Any) -> Handle | None:
    """Returns the handle of what may be, or hold, a writable array."""
    here = trace.current_region()
    if isinstance(x, np.ndarray) and here is not None and trace.from_outside(x):
        captures = here.trace.captures
        handle: Handle = captures.handles.setdefault(id(x), Handle(captures.value_of(x)))
        return handle
    return x._handle if isinstance(x, Tensor) and may_have_memory(x._handle.value.type) else None


def _view(value: Value, base: Tensor, step: Step) -> Tensor:
    """Returns a tensor that is a view of another, or a copy if the memory order demands one."""
    tensor = Tensor(value, base, step, base.read())
    if isinstance(step, Apply) and step.op.may_copy:
        root = tensor._handle.root.read()
        needs = needed(root)
        known = shares(root.type, steps_of(tensor._handle)) if needs is not None and isinstance(
            root.type, ArrayType) else None
        tensor._handle = Rearranged(tensor._handle, needs or frozenset()) if known is False else (
            Reshaped(tensor._handle, needs if known else None))
    return tensor


def _types(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the arguments that tell whether a view op makes a view, with types for values."""
    return tuple([map_unless_constant(_type, x) for x in args[:2 if op is GETITEM else 1]])


def _type(x: Any) -> Any:
    return x.type if isinstance(x, Value) else x


SYMBOLIC.add(Tensor)


def _refuse_block() -> NoReturn:
    raise TracingError(
        "an exception leaves a `with` statement, and only the run knows if it goes on: `__exit__` "
        f"returns a symbolic value{at(user_location())}\n"
        "  hint: return True or False from `__exit__`, or use `try` and `except`", about_state=True)


def _refuse(tensor: Tensor, wanted: str, why: str, instead: str) -> NoReturn:
    error = SymbolicValueError(  # `read` refuses one that has escaped from its trace for that
        f"{wanted} a symbolic value ({shown(tensor.read())}): {why}{at(user_location())}\n"
        f"  hint: {kept_as_it_is(sys._getframe(2)) or instead}")
    if is_asked_by_user(sys._getframe(2)):
        trace.note_refusal(error)
    raise error
