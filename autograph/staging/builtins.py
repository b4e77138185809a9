"""Python's builtins with a symbolic value among their arguments: what each of them records."""

from __future__ import annotations

import builtins
import io
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from autograph import operators
from autograph.extension_points import POINTS
from autograph.libraries import is_library
from autograph.runtime.heap import run_time_containers, streams
from autograph.runtime.heap.growing_lists import StagedList
from autograph.runtime.heap.hidden_state import (
    followed,
    has_hidden_state,
    is_stream,
    is_used_by_run,
)
from autograph.runtime.heap.iterators import Cursor
from autograph.runtime.heap.kept_functions import is_read_by_run
from autograph.runtime.heap.reachability import parts_of_slice
from autograph.runtime.heap.selected_objects import SelectedObject
from autograph.runtime.ir.types import PyType, possible_classes
from autograph.runtime.ops import OPS, pure
from autograph.runtime.ops.state import NEXT
from autograph.runtime.replacements.functions import is_text_of_run, symbolic
from autograph.runtime.symbolic import trace
from autograph.runtime.symbolic.tensor import Tensor, apply
from autograph.staging.attributes import ATTRIBUTES, class_of
from autograph.staging.generators import Items, is_symbolic
from autograph.staging.identity import identity
from autograph.staging.iteration import length_of
from autograph.staging.iterator_attributes import kind_of
from autograph.staging.iterator_builtins import ITERATOR_BUILTINS
from autograph.staging.library_functions import bytes_
from autograph.staging.reductions import REDUCTIONS, of_values

Fn = Callable[..., Any]


def _convert(name: str) -> Fn:
    """Returns what `int(x)` and the like do if an argument is symbolic."""
    def staged(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_symbolic, args)):
            return NotImplemented
        return apply(OPS[name], *args, **kwargs)

    return staged


def _range(*args: Any) -> Any:
    return apply("range_", *args) if any(map(is_symbolic, args)) else NotImplemented


def _isinstance(x: Any, classes: Any) -> Any:
    if (kind := kind_of(x)) is not None:
        return issubclass(kind, classes)
    if not isinstance(x, Tensor):
        return NotImplemented
    known = possible_classes(x.bound(free=True).type) or filter(None, (class_of_new(x),))
    answers = {issubclass(cls, classes) for cls in known}
    return answers.pop() if len(answers) == 1 else apply(
        pure(isinstance, lambda *types: PyType(bool)), x, classes)


def _type(x: Any) -> Any:
    if type(x) is StagedList:
        return builtins.list
    if isinstance(x, Cursor):
        return x.__class__
    if (kind := kind_of(x)) is not None:
        return kind
    if not isinstance(x, Tensor):
        return NotImplemented
    return class_of(x) or class_of_new(x) or apply(pure(builtins.type), x)


def class_of_new(x: Tensor) -> type | None:
    """Returns the class of an object that the run makes; None if it is not known to be one. The
    class of such an object is never set."""
    here = trace.current_region()
    return None if here is None else here.trace.classes_of_new.get(x.read())


def _callable(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return NotImplemented
    return False if class_of(x) else apply(pure(builtins.callable), x)


def _len(x: Any) -> Any:
    if isinstance(x, Items) and x.kind is not None:  # an iterator: Python raises
        return NotImplemented
    return length_of(x) if is_symbolic(x) else NotImplemented


def _text(name: str) -> Fn:
    """Returns what `str(x)` and the like do if x, or something in it, is symbolic."""
    def staged(*args: Any) -> Any:
        return apply(name, *args) if is_text_of_run(args) else NotImplemented

    return staged


def _print_by_parts(*args: Any, file: Any, sep: str | None = None, end: str | None = None,
                    flush: bool = False) -> None:
    """Prints to an object of a class of the user's, whose `write` is traced, as Python does."""
    write = POINTS.convert_callback(file.write)
    for number, x in enumerate(args):
        if number:
            write(" " if sep is None else sep)
        write(operators.str(x))
    write("\n" if end is None else end)
    if flush:
        POINTS.convert_callback(file.flush)()


def _print(*args: Any, **kwargs: Any) -> Any:
    here, file = trace.current_region(), kwargs.get("file")
    of_run = symbolic(args, {})
    if file is not None and file is sys.stderr and trace.effects_at_run_time():
        file = kwargs["file"] = apply("getattr_", sys, "stderr")  # another call may redirect it
    if isinstance(file, Tensor):
        return apply("print_", *args, **kwargs)
    if here is not None and type(getattr(type(file), "write", None)) is FunctionType and (
            not is_library(type(file).__module__)):
        return _print_by_parts(*args, **kwargs)
    if isinstance(file, streams.STREAMS):
        if is_used_by_run(file, of_run):
            return apply("print_", *args, **kwargs)
        if of_run:
            streams.refuse_stream(file)
        return NotImplemented
    if here is not None and file is None and sys.stdout is not here.trace.stdout:
        if of_run:  # redirected in the function
            streams.refuse_stream(sys.stdout)
        return NotImplemented
    if trace.effects_at_run_time():
        return apply("print_", *args, **kwargs)
    if here is None or file not in (None, here.trace.stdout):
        return NotImplemented
    text = io.StringIO()
    builtins.print(*args, **{**kwargs, "file": text})
    return trace.note_print(text.getvalue())


def slice_(*parts: Any) -> slice:
    """Makes a slice; refuses parts that can be changed while a function is traced."""
    return slice(*(parts_of_slice(*parts) if trace.tracing() else parts))


def _next(iterator: Any, *default: Any) -> Any:
    """Stage `next`; the run may read an iterator from outside."""
    if type(iterator) is SelectedObject:
        return iterator.each(lambda one: _next(one, *default))
    if has_hidden_state(iterator) or is_stream(iterator):
        return followed(builtins.next, iterator, partial(apply, NEXT))(iterator, *default)
    if is_read_by_run(iterator):
        return apply(NEXT, iterator, *default)
    return ITERATOR_BUILTINS[builtins.next](iterator, *default)


BUILTINS: dict[Fn, Fn] = {
    builtins.str: _text("str_"),
    builtins.repr: _text("repr_"),
    builtins.ascii: _text("ascii_"),
    builtins.format: _text("format_"),
    **{f: _convert(f"{f.__name__}_") for f in (
        builtins.chr, builtins.ord, builtins.bin, builtins.oct, builtins.hex)},
    builtins.len: _len,
    builtins.range: _range,
    builtins.int: _convert("int_"),
    builtins.float: _convert("float_"),
    builtins.complex: _convert("complex_"),
    builtins.bool: _convert("truth"),
    builtins.abs: _convert("absolute"),
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.callable: _callable,
    builtins.id: identity,
    **{c: of_values(run_time_containers.constructed(c)) for c in (
        builtins.dict, builtins.set, builtins.frozenset, builtins.bytearray,
        builtins.memoryview)},
    **ATTRIBUTES,
    **ITERATOR_BUILTINS,
    **REDUCTIONS,
    builtins.bytes: bytes_,
    builtins.print: _print,
    builtins.next: _next,
}
"""Builtin -> what it does if a symbolic value is among its arguments."""
