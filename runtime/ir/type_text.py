"""Types read back from the text of graphs."""

from __future__ import annotations

from autograph.runtime.ir.types import (
    CONTAINERS,
    DYNAMIC,
    EITHER,
    EITHER_INT,
    TEXT,
    ArrayType,
    DynamicType,
    PyType,
    StackType,
    Type,
    parse_dtype,
)

CLASSES = {c.__name__: c for c in (
    int, float, complex, bool, str, bytes, range, slice, type(None), *CONTAINERS)}


def parse_type(text: str) -> Type:
    """Returns the type that a text describes: the inverse of `str`.

    >>> str(parse_type("f64[n, ?, 3]")), str(parse_type("any[*]?")), str(parse_type("py.int?class"))
    ('f64[n, ?, 3]', 'any[*]?', 'py.int?class')
    """
    if text in (str(EITHER), str(EITHER_INT)):
        return EITHER if text == str(EITHER) else EITHER_INT
    if text in ("dynamic", "undefined"):
        return DYNAMIC if text == "dynamic" else DynamicType(True)
    for t in TEXT.values():
        if text == str(t):
            return t
    if text.endswith("?class"):
        return DynamicType(True, parse_type(text[:-6]), of_class=True)
    if text.endswith("?"):
        return DynamicType(True, parse_type(text[:-1]))
    if text.startswith("py."):
        return PyType(CLASSES[text[3:]])
    if text.startswith("stack<") and text.endswith(">"):
        return StackType(parse_type(text[6:-1]) if text[6:-1] else None)
    base, dims = _split_dims(text)
    dtype = None if base == "any" else parse_dtype(base)
    if dims is None:
        return ArrayType(dtype, (), scalar=True)
    if dims == "*":
        return ArrayType(dtype, None)
    return ArrayType(dtype, tuple(map(_dim, split_commas(dims))))


def _split_dims(text: str) -> tuple[str, str | None]:
    """`'M8[ns]'[3, n]` as its dtype and its dims, None if there are no brackets."""
    head = text.rindex("'") + 1 if text.startswith("'") else 0
    at = text.find("[", head)
    return (text, None) if at < 0 else (text[:at], text[at + 1:-1])


def _dim(text: str) -> int | str | None:
    return None if text == "?" else int(text) if text.isdigit() else text


def split_commas(text: str) -> list[str]:
    """Returns the parts between commas that are not inside brackets or quotes.

    >>> split_commas("a: f64[2, n], b: 'M8[ns]'[3]")
    ['a: f64[2, n]', "b: 'M8[ns]'[3]"]
    """
    parts, depth, quoted, start = [], 0, False, 0
    for at, c in enumerate(text):
        quoted ^= c == "'"
        depth += 0 if quoted else (c in "[(") - (c in "])")
        if c == "," and not depth and not quoted:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts
