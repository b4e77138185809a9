"""Dtypes and types as plain data."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from autograph.runtime.ir.errors import LoadError, SaveError
from autograph.runtime.ir.type_text import CLASSES
from autograph.runtime.ir.types import (
    DYNAMIC,
    EITHER,
    EITHER_INT,
    TEXT,
    ArrayType,
    DynamicType,
    PyType,
    StackType,
    Type,
)
from autograph.runtime.serialize.fields import (
    attempt,
    deeper,
    shown,
    tagged,
    the_bool,
    the_dict,
    the_int,
    the_list,
    the_name,
    the_text,
)

SIMPLE = re.compile(r"[<>|][biufcSUVmM][0-9]{1,9}(\[[0-9]{0,9}[a-zA-Zμ]{1,2}\])?")
NAMED = tuple(n for n in ("longlong", "ulonglong") if np.dtype(n).type not in (
    np.int64, np.uint64))
"""Dtypes that equal another one, and whose numbers have a class of their own."""

MAX_DIM = 2 ** 62
MAX_FIELDS = 10_000


def longdouble_kind() -> str:
    """Returns the machine's format of long doubles, by the bits of the fraction."""
    return f"{np.finfo(np.longdouble).nmant} bits, {np.dtype(np.longdouble).itemsize} bytes"


def is_longdouble(dtype: np.dtype[Any]) -> bool:
    """Returns True if elements have the machine's own format, which others may not have."""
    return dtype.kind in "fc" and dtype.itemsize > (8 if dtype.kind == "f" else 16)


def dtype_data(dtype: np.dtype[Any]) -> Any:
    """Returns a dtype as plain data.

    Raises:
      SaveError: it holds objects, or is not one of NumPy's own.
    """
    if dtype.hasobject and dtype.kind != "T":
        raise SaveError("an array of Python objects cannot be saved",
                        "use an array of numbers or text, or a list")
    if dtype.fields:
        names = list(dtype.names or ())
        found = [dtype.fields[n] for n in names]
        titles = [f[2] if len(f) > 2 else None for f in found]
        data = {"names": names, "formats": [dtype_data(f[0]) for f in found],
                "offsets": [f[1] for f in found], "itemsize": dtype.itemsize}
        if dtype.isalignedstruct:
            data["aligned"] = True
        return {**data, "titles": titles} if any(titles) else data
    if dtype.subdtype is not None:
        return {"of": dtype_data(dtype.subdtype[0]), "shape": list(dtype.shape)}
    if dtype.kind == "T" and dtype == np.dtypes.StringDType():
        return {"strings": True}
    if is_longdouble(dtype):
        return {"longdouble": dtype.str, "format": longdouble_kind()}
    text = dtype.str
    for name in NAMED:
        if type(dtype) is type(np.dtype(name)) and dtype.isnative:
            return name
    if not SIMPLE.fullmatch(text) or np.dtype(text) != dtype or type(dtype) is not type(
            np.dtype(text)):
        raise SaveError(f"an array of dtype {dtype} cannot be saved", "cast it")
    return text


def dtype_of(x: Any, where: str, depth: int = 0) -> np.dtype[Any]:
    """Returns the dtype that `dtype_data` wrote."""
    if type(x) is str and x in NAMED:
        return np.dtype(x)
    if type(x) is str:
        made = attempt(lambda: np.dtype(x), "no dtype", where) if SIMPLE.fullmatch(x) else None
        if made is None or made.str != x:
            raise LoadError(f"{shown(x)} is no dtype", where)
        return made
    depth = deeper(depth, where)
    if type(x) is dict and "of" in x:
        the_dict(x, where, ("of", "shape"))
        inner, shape = dtype_of(x["of"], where, depth), tuple(
            the_int(d, where, 2 ** 31) for d in the_list(x["shape"], where))
        return attempt(lambda: _dtype((inner, shape)), "no dtype", where)
    if type(x) is dict and "longdouble" in x:
        return _longdouble(the_dict(x, where, ("longdouble", "format")), where)
    if type(x) is dict and "strings" in x:
        the_bool(the_dict(x, where, ("strings",))["strings"], where)
        return np.dtypes.StringDType()
    return _structured(x, where, depth)


def _dtype(spec: Any, align: bool = False) -> np.dtype[Any]:
    made: np.dtype[Any] = np.dtype(spec, align=align)
    return made


def _structured(x: Any, where: str, depth: int) -> np.dtype[Any]:
    the_dict(x, where, ("names", "formats", "offsets", "itemsize"), ("aligned", "titles"))
    names = the_list(x["names"], where)
    if len(names) > MAX_FIELDS:
        raise LoadError("too many fields", where)
    size = the_int(x["itemsize"], where, 2 ** 31)
    spec: dict[str, Any] = {
        "names": [the_text(n, where) for n in names],
        "formats": [dtype_of(f, where, depth) for f in the_list(x["formats"], where, len(names))],
        "offsets": [the_int(o, where, size + 1)
                    for o in the_list(x["offsets"], where, len(names))],
        "itemsize": size}
    if "titles" in x:
        spec["titles"] = [None if t is None else the_text(t, where)
                          for t in the_list(x["titles"], where, len(names))]
    aligned = "aligned" in x and the_bool(x["aligned"], where)
    return attempt(lambda: _dtype(spec, aligned), "no dtype", where)


def _longdouble(x: dict[str, Any], where: str) -> np.dtype[Any]:
    if x["format"] != longdouble_kind():
        raise LoadError(f"the file has long doubles of another machine ({shown(x['format'])}); "
                        f"this one's have {longdouble_kind()}", where)
    text = the_text(x["longdouble"], where)
    made = attempt(lambda: np.dtype(text), "no dtype", where) if re.fullmatch(
        "[<>][fc][0-9]{2}", text) else np.dtype("f8")
    if not is_longdouble(made) or made.str != text:
        raise LoadError(f"{shown(text)} is no long double", where)
    return made


# -- types ----------------------------------------------------------------------------------------


def type_data(t: Type) -> Any:
    """Returns a type as plain data."""
    if isinstance(t, PyType):
        if CLASSES.get(t.cls.__name__) is not t.cls:
            raise SaveError(f"a value of class {t.cls.__name__} cannot be saved")
        return {"py": t.cls.__name__}
    if isinstance(t, ArrayType):
        if t.either:
            return {"either": True if t == EITHER else t.either}
        shape = None if t.shape is None else list(t.shape)
        data = {"dtype": None if t.dtype is None else dtype_data(t.dtype), "shape": shape}
        return {**data, "scalar": True} if t.scalar else data
    if isinstance(t, StackType):
        return {"stack": None if t.item is None else type_data(t.item)}
    if t.cls is not None:
        return {"text": np.dtype(t.cls).kind}
    if t.maybe_undefined:
        held = None if t.bound is None else type_data(t.bound)
        return {"of_class" if t.of_class else "maybe": held}
    return {"dynamic": True}


def type_of_data(x: Any, where: str, depth: int = 0) -> Type:
    """Returns the type that `type_data` wrote."""
    if type(x) is dict and "shape" in x:
        return _array_type(the_dict(x, where, ("dtype", "shape"), ("scalar",)), where)
    tag, held = tagged(x, where)
    if tag == "py" and type(held) is str and held in CLASSES:
        return PyType(CLASSES[held])
    if tag == "text" and type(held) is str and held in TEXT:
        return TEXT[held]
    if tag in ("maybe", "of_class"):
        return DynamicType(True, None if held is None else type_of_data(
            held, where, deeper(depth, where)), of_class=tag == "of_class")
    if tag == "stack":
        return StackType(None if held is None else type_of_data(
            held, where, deeper(depth, where)))
    if tag in ("dynamic", "either") and held is True:
        return DYNAMIC if tag == "dynamic" else EITHER
    if tag == "either" and held == EITHER_INT.either:
        return EITHER_INT
    raise LoadError(f"{shown(tag)} is no type", where)


def _array_type(x: dict[str, Any], where: str) -> ArrayType:
    dtype = None if x["dtype"] is None else dtype_of(x["dtype"], where)
    shape = None if x["shape"] is None else tuple(
        _dim(d, where) for d in the_list(x["shape"], where))
    scalar = "scalar" in x and the_bool(x["scalar"], where)
    if (scalar and shape != ()) or len(shape or ()) > 64:
        raise LoadError("no type has this shape", where)
    return ArrayType(dtype, shape, scalar)


def _dim(x: Any, where: str) -> int | str | None:
    if x is None or type(x) is str:
        return None if x is None else the_name(x, where)
    return the_int(x, where, MAX_DIM)
