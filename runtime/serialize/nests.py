"""Nests of values and constants as plain data.

JSON's null, booleans, numbers stand for themselves. A string is a value of the graph (`"%12"`); all
else is an object with one key, which says what it is: `{"str": "text"}`, `{"tuple": […]}`.
"""

from __future__ import annotations

import math
import string
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.frame_state import Captured, Given, Selection, Shared, Spliced
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.pytree import attribute_names, field_names
from autograph.runtime.ir.undefined import UndefinedValue, is_undefined
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.ops.views import Apply, Item, Output
from autograph.runtime.serialize import allowed
from autograph.runtime.serialize.dtypes import dtype_data, dtype_of, is_longdouble
from autograph.runtime.serialize.fields import (
    attempt,
    deeper,
    has_half_characters,
    shown,
    tagged,
    the_int,
    the_list,
    the_name,
    the_text,
)
from autograph.runtime.serialize.markers import marker_data, marker_of_data
from autograph.runtime.signatures.filler import LeafRef
from autograph.runtime.signatures.weak_functions import strongly
from autograph.traceback_filter import ADDED_TO_ERRORS

MAX_BITS = 10_000
"""Longer ints are written in hexadecimal digits."""
MAX_STRING = 2 ** 26

Classes = dict[str, type]
"""The user's own classes that a file may refer to, by `module:name`."""


def class_id(cls: type) -> str:
    """Returns the name of a class of the user's in a file."""
    return f"{cls.__module__}:{cls.__qualname__}"


def classes_by_id(classes: Any) -> Classes:
    """Returns classes by the names that files have for them."""
    return {class_id(cls): cls for cls in classes}


class NestWriter:
    """Writes nests as plain data.

    array    enters an array in the file, and returns its number.
    numbers  the numbers of the graph's values.
    classes  the user's classes that may be referred to.
    """

    def __init__(self, array: Callable[[np.ndarray[Any, Any]], int], classes: Classes) -> None:
        self.array = array
        self.classes = classes
        self.numbers: dict[Value, int] = {}

    def value(self, v: Value) -> str:
        return f"%{self.numbers[v]}"

    def nest(self, x: Any) -> Any:
        """Returns a nest as plain data.

        Raises:
          SaveError: it holds something that cannot be saved.
        """
        cls = type(x)
        if cls is Value:
            return self.value(x)
        writer = _WRITERS.get(cls)
        return self.other(x) if writer is None else writer(self, x)

    def nests(self, xs: Any) -> list[Any]:
        return [self.nest(x) for x in xs]

    def pairs(self, x: dict[Any, Any]) -> list[Any]:
        return [[self.nest(k), self.nest(v)] for k, v in x.items()]

    def other(self, x: Any) -> Any:
        """Returns the data of what has no class of its own in the table."""
        cls = type(x)
        if isinstance(x, np.dtype):
            return {"dtype": dtype_data(x)}
        name = allowed.name_of(x)
        if name is not None:
            return {"ref": name}
        if isinstance(x, np.generic):
            return self.scalar(x)
        if isinstance(x, Enum) and cls.__members__.get(x.name) is x:
            return {"member": [self.class_name(cls), self.nest(x.name)]}
        if is_undefined(x):
            return {"unbound": marker_data(x, self.nest)}
        if isinstance(x, BaseException):
            return self.error(x)
        if isinstance(x, type):
            return {"class": self.class_name(x)}
        if isinstance(x, tuple) and hasattr(cls, "_fields"):
            return {"named": [self.class_name(cls), self.nests(x)]}
        if field_names(cls) is not None:
            names = attribute_names(x)
            return {"object": [self.class_name(cls),
                               [[n, self.nest(getattr(x, n))] for n in names]]}
        if x is np.random.mtrand._rand:
            return {"known": "numpy.random"}
        raise SaveError(f"{described(x)} cannot be saved", "pass what it gives as an argument")

    def class_name(self, cls: type) -> str:
        """Returns the name by which a file refers to a class."""
        name = allowed.name_of(cls)
        if name is not None:
            return name
        if class_id(cls) in self.classes:
            return class_id(cls)
        raise SaveError(f"the class {cls.__qualname__} is not in the file",
                        f"pass classes=[{cls.__name__}] to save and to load, or use tuples and "
                        "dicts")

    def scalar(self, x: np.generic) -> Any:
        held = np.asarray(x)
        return {"scalar": [dtype_data(held.dtype), held.tobytes().hex()]}

    def error(self, x: BaseException) -> Any:
        arguments = x.__reduce__()[1] if type(x).__module__ == "builtins" else x.args
        data: list[Any] = [self.class_name(type(x)), self.nests(arguments)]
        attributes = {k: v for k, v in vars(x).items() if k not in ADDED_TO_ERRORS}
        if attributes or x.__cause__ is not None:
            data.append(self.pairs(attributes))
            data.append(None if x.__cause__ is None else self.error(x.__cause__))
        return {"error": data}


def _write_int(w: NestWriter, x: int) -> Any:
    return x if x.bit_length() < MAX_BITS else {"int": hex(x)}


def _write_float(w: NestWriter, x: float) -> Any:
    return x if math.isfinite(x) else {"float": repr(x)}


def _write_text(w: NestWriter, x: str) -> Any:
    if has_half_characters(x):  # in JSON, two halves are one character
        raise SaveError("a text has half a character in it (a surrogate), which a file cannot hold",
                        "pass the text as an argument")
    return {"str": x}


def _write_op(w: NestWriter, x: Op) -> Any:
    if OPS.get(x.name) is not x:
        raise SaveError(f"the op {x.name} is not in the table")
    return {"op": x.name}


def described(x: Any) -> str:
    """Returns a constant by its name, or its class's."""
    x = strongly(x)
    name = getattr(x, "__qualname__", None)
    return f"{name!r}" if isinstance(name, str) else f"an object of class {type(x).__qualname__!r}"


_WRITERS: dict[type, Callable[[NestWriter, Any], Any]] = {
    type(None): lambda w, x: None,
    bool: lambda w, x: x,
    int: _write_int,
    float: _write_float,
    str: _write_text,
    complex: lambda w, x: {"complex": [w.nest(x.real), w.nest(x.imag)]},
    bytes: lambda w, x: {"bytes": x.hex()},
    bytearray: lambda w, x: {"bytearray": x.hex()},
    type(Ellipsis): lambda w, x: {"ellipsis": True},
    tuple: lambda w, x: {"tuple": w.nests(x)},
    list: lambda w, x: {"list": w.nests(list.__iter__(x))},
    dict: lambda w, x: {"dict": w.pairs(x)},
    OrderedDict: lambda w, x: {"ordered": w.pairs(x)},
    defaultdict: lambda w, x: {"default": [w.nest(x.default_factory), w.pairs(x)]},
    slice: lambda w, x: {"slice": w.nests((x.start, x.stop, x.step))},
    range: lambda w, x: {"range": w.nests((x.start, x.stop, x.step))},
    set: lambda w, x: {"set": sorted(w.nests(x), key=repr)},
    frozenset: lambda w, x: {"frozenset": sorted(w.nests(x), key=repr)},
    np.ndarray: lambda w, x: {"array": w.array(x)},
    Op: _write_op,
    Item: lambda w, x: {"item": w.nest(x.index)},
    Apply: lambda w, x: {"apply": [_write_op(w, x.op), w.nest(x.args), w.nest(x.kwargs)]},
    Output: lambda w, x: {"output": [x.number, w.nest(x.several)]},
    Given: lambda w, x: {"given": x.number},
    LeafRef: lambda w, x: {"leaf": x.index},
    Shared: lambda w, x: {"shared": [x.number, w.nest(x.contents)]},
    Spliced: lambda w, x: {"spliced": w.nest(x.items)},
    Captured: lambda w, x: w.nest(x.value),
    Selection: lambda w, x: {"selection": w.nests(x.parts)},
}
"""How constants and nests of each class are written."""


class NestReader:
    """Reads the nests that a `NestWriter` wrote.

    arrays   the arrays of the file.
    values   the graph's values by number; those that are not visible are None.
    given    how many containers there are among the arguments.
    leaves   how many leaves a nest of arguments has.
    """

    def __init__(self, arrays: list[np.ndarray[Any, Any]], classes: Classes) -> None:
        self.arrays = arrays
        self.classes = classes
        self.values: list[Value | None] = []
        self.given = 0
        self.leaves = 0
        self.depth = 0
        self.where = ""

    def value(self, x: Any) -> Value:
        """Returns the value that `%number` stands for."""
        if type(x) is str and x[:1] == "%" and x[1:].isdecimal() and len(x) < 12:
            number = int(x[1:])
            found = self.values[number] if number < len(self.values) else None
            if found is not None and x == f"%{number}":
                return found
        raise LoadError(f"{shown(x)} is no value that is made before", self.where)

    def nest(self, x: Any) -> Any:
        """Returns what plain data stands for."""
        cls = type(x)
        if cls is str:
            return self.value(x)
        if x is None or cls is bool:
            return x
        if cls is float or cls is int:
            return self.number(x)
        tag, held = tagged(x, self.where)
        reader = _READERS.get(tag)
        if reader is None:
            raise LoadError(f"{shown(tag)} is no kind of constant", self.where)
        self.depth = deeper(self.depth, self.where)
        made = reader(self, held)
        self.depth -= 1
        return made

    def number(self, x: Any) -> Any:
        if not math.isfinite(x) if type(x) is float else x.bit_length() >= MAX_BITS:
            raise LoadError("a number is not in its own form", self.where)
        return x

    def constant(self, x: Any) -> Any:
        """Returns a nest without values of the graph."""
        values, self.values = self.values, []
        made = self.nest(x)
        self.values = values
        return made

    def nests(self, xs: Any, length: int | None = None) -> list[Any]:
        return [self.nest(x) for x in the_list(xs, self.where, length)]

    def pairs(self, xs: Any) -> dict[Any, Any]:
        """Returns a dict of pairs; no key may be there twice."""
        found: dict[Any, Any] = {}
        for pair in the_list(xs, self.where):
            k, v = the_list(pair, self.where, 2)
            key = self.hashable(self.constant(k))
            if key in found:
                raise LoadError("a key is there twice", self.where)
            found[key] = self.nest(v)
        return found

    def hashable(self, x: Any) -> Any:
        attempt(lambda: hash(x), "no key", self.where)
        return x

    def text(self, x: Any) -> str:
        the_text(x, self.where, MAX_STRING)
        return sys.intern(x) if len(x) < 64 and x.isidentifier() else x

    def data(self, x: Any) -> bytes:
        """Returns bytes written in hexadecimal."""
        if type(x) is not str or x != x.lower() or not x.isascii() or not (
                x == "" or x.isalnum()):
            raise LoadError("hexadecimal digits are needed", self.where)
        return attempt(lambda: bytes.fromhex(x), "no bytes", self.where)

    def float(self, x: Any) -> float:
        if x not in ("nan", "inf", "-inf"):
            raise LoadError(f"{shown(x)} is no number", self.where)
        return float(x)

    def big(self, x: Any) -> int:
        """Returns an int that is too long for JSON's decimal digits."""
        made = attempt(lambda: int(self.text(x), 16), "no number", self.where)
        if made.bit_length() < MAX_BITS or hex(made) != x:
            raise LoadError("a number is not in its own form", self.where)
        return made

    def complex(self, x: Any) -> complex:
        parts = self.nests(x, 2)
        if any(type(p) is not float for p in parts):
            raise LoadError("two floats are needed", self.where)
        return complex(*parts)

    def ints(self, x: Any) -> range:
        parts = self.nests(x, 3)
        if any(type(p) is not int for p in parts) or parts[2] == 0:
            raise LoadError("three ints are needed", self.where)
        return range(*parts)

    def set_of(self, x: Any) -> list[Any]:
        found = [self.hashable(self.constant(v)) for v in the_list(x, self.where)]
        if len(set(found)) != len(found):
            raise LoadError("an item is there twice", self.where)
        return found

    def array(self, x: Any) -> np.ndarray[Any, Any]:
        return self.arrays[the_int(x, self.where, len(self.arrays))]

    def scalar(self, x: Any) -> np.generic:
        dtype_text, digits = the_list(x, self.where, 2)
        dtype, data = dtype_of(dtype_text, self.where), self.data(digits)
        if dtype.itemsize != len(data) or dtype.kind in "OT" or dtype.subdtype:
            raise LoadError("a scalar has the wrong number of bytes", self.where)
        if not data:
            made: Any = np.zeros((), dtype)[()]
        else:
            made = np.frombuffer(data, dtype)[0]
        if made.tobytes() != data and not is_longdouble(dtype):
            raise LoadError("a scalar is not in its own form", self.where)
        found: np.generic = np.frombuffer(bytearray(data), dtype)[0] if data else made
        return found

    def reference(self, x: Any) -> Any:
        """Returns what the closed list has under a name."""
        found = allowed.by_name().get(x, self) if type(x) is str else self
        if found is self:
            raise LoadError(f"{shown(x)} is not among what a file may name", self.where)
        return found

    def class_of(self, x: Any) -> Any:
        """Returns a class that the file refers to."""
        if type(x) is str and ":" in x:
            if x in self.classes:
                return self.classes[x]
            name = x.rpartition(":")[2]
            raise LoadError(f"it refers to the class {shown(x)}; pass it: "
                            f"ag.load(path, classes=[{shown(name)[1:-1]}])", self.where)
        found = self.reference(x)
        if not isinstance(found, type):
            raise LoadError(f"{shown(x)} is no class", self.where)
        return found

    def named(self, x: Any) -> Any:
        cls, parts = the_list(x, self.where, 2)
        found, items = self.class_of(cls), self.nests(parts)
        if not (issubclass(found, tuple) and hasattr(found, "_fields")) or (
                len(items) != len(found._fields)):
            raise LoadError(f"{shown(cls)} has not so many fields", self.where)
        return attempt(lambda: found(*items), "no named tuple", self.where)

    def member(self, x: Any) -> Any:
        """Returns a member of an enumeration of the user's."""
        cls, text = the_list(x, self.where, 2)
        found, name = self.class_of(cls), self.constant(text)
        if not issubclass(found, Enum) or type(name) is not str or name not in found.__members__:
            raise LoadError(f"{shown(cls)} has no member {shown(name)}", self.where)
        return found[name]

    def object(self, x: Any) -> Any:
        """Returns an object of a class of fields, made without a call of its own code."""
        cls, pairs = the_list(x, self.where, 2)
        found = self.class_of(cls)
        if field_names(found) is None:
            raise LoadError(f"{shown(cls)} has no fields", self.where)
        made = object.__new__(found)
        for pair in the_list(pairs, self.where):
            name, part = the_list(pair, self.where, 2)
            self.set(made, the_name(name, self.where), self.nest(part))
        if len(attribute_names(made)) != len(pairs):
            raise LoadError("an object has other attributes than its class", self.where)
        return made

    def set(self, x: Any, name: str, value: Any) -> None:
        attempt(lambda: object.__setattr__(x, name, value), "no attribute", self.where)

    def error(self, x: Any) -> BaseException:
        """Returns an exception, made without a call of the class's own code."""
        if len(the_list(x, self.where)) not in (2, 4):
            raise LoadError("an exception is needed", self.where)
        cls, arguments = self.class_of(x[0]), self.nests(x[1])
        if not issubclass(cls, Exception):
            raise LoadError(f"{shown(x[0])} is no exception", self.where)
        base = next(c for c in cls.__mro__ if c.__module__ == "builtins")
        made: BaseException = attempt(lambda: base.__new__(cls, *arguments), "no exception",
                                      self.where)
        attempt(lambda: base.__init__(made, *arguments), "no exception", self.where)
        if len(x) == 4:
            attributes = self.pairs(x[2])
            made.__dict__.update({the_name(k, self.where): v for k, v in attributes.items()})
            made.__cause__ = self.cause(x[3])
        return made

    def cause(self, x: Any) -> BaseException | None:
        found = self.nest(x)
        if found is not None and not isinstance(found, BaseException):
            raise LoadError("a cause is an exception", self.where)
        return found

    def op(self, x: Any) -> Op:
        _, name = tagged(x, self.where)
        if type(name) is not str or name not in OPS:
            raise LoadError(f"there is no op {shown(name)}", self.where)
        return OPS[name]

    def apply(self, x: Any) -> Apply:
        op, args, kwargs = the_list(x, self.where, 3)
        found, given, named = self.op(op), self.nest(args), self.nest(kwargs)
        if not found.view or type(given) is not tuple or type(named) is not dict or not all(
                type(k) is str for k in named):
            raise LoadError("no step to a view", self.where)
        return Apply(found, given, named)

    def output(self, x: Any) -> Output:
        number, several = the_list(x, self.where, 2)
        made = self.nest(several)
        if type(made) is not Apply:
            raise LoadError("no step to a view", self.where)
        return Output(the_int(number, self.where, 2 ** 31), made)

    def known(self, x: Any) -> Any:
        if x != "numpy.random":
            raise LoadError(f"{shown(x)} is not known", self.where)
        return np.random.mtrand._rand

    def unbound(self, x: Any) -> UndefinedValue:
        return marker_of_data(x, self.nest, self.where)

    def shared(self, x: Any) -> Shared:
        number, contents = the_list(x, self.where, 2)
        return Shared(the_int(number, self.where, MANY_SHARED), self.nest(contents))

    def default(self, x: Any) -> Any:
        factory, pairs = the_list(x, self.where, 2)
        made = self.constant(factory)
        if made is not None and not callable(made):
            raise LoadError("no factory of defaults", self.where)
        return defaultdict(made, self.pairs(pairs))


MANY_SHARED = 2 ** 31
"""The number of a shared container is below this."""

_READERS: dict[str, Callable[[NestReader, Any], Any]] = {
    "str": NestReader.text, "float": NestReader.float, "int": NestReader.big,
    "complex": NestReader.complex, "bytes": NestReader.data,
    "bytearray": lambda r, x: bytearray(r.data(x)),
    "ellipsis": lambda r, x: Ellipsis,
    "tuple": lambda r, x: tuple(r.nests(x)), "list": NestReader.nests, "dict": NestReader.pairs,
    "ordered": lambda r, x: OrderedDict(r.pairs(x)), "default": NestReader.default,
    "slice": lambda r, x: slice(*r.nests(x, 3)), "range": NestReader.ints,
    "set": lambda r, x: set(r.set_of(x)), "frozenset": lambda r, x: frozenset(r.set_of(x)),
    "array": NestReader.array, "scalar": NestReader.scalar,
    "dtype": lambda r, x: dtype_of(x, r.where), "ref": NestReader.reference,
    "class": NestReader.class_of, "named": NestReader.named, "member": NestReader.member,
    "object": NestReader.object,
    "error": NestReader.error, "op": lambda r, x: r.op({"op": x}),
    "item": lambda r, x: Item(r.nest(x)), "apply": NestReader.apply, "output": NestReader.output,
    "given": lambda r, x: Given(the_int(x, r.where, r.given)),
    "leaf": lambda r, x: LeafRef(the_int(x, r.where, r.leaves)),
    "shared": NestReader.shared,
    "spliced": lambda r, x: Spliced(r.nest(x)), "selection": lambda r, x: Selection(r.nests(x, 3)),
    "known": NestReader.known,
    "unbound": NestReader.unbound,
}
"""How each kind is read back."""


def template_fields(text: str) -> bool:
    """Returns True if a template of `str.format` shows its arguments only, and no attributes."""
    try:
        for _, name, spec, _ in string.Formatter().parse(text):
            if name and not name.isidentifier() and not name.isdecimal():
                return False
            if spec and not template_fields(spec):
                return False
    except ValueError:
        return True  # Python raises that, when the graph runs
    return True
