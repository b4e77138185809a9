"""Recognition: what a call's guards ask of its arrays, as one call of machine code.

Python takes a tenth of a microsecond to compare the class, the dtype and the shape of an array, and
twice that to see that two of them share no memory. Functions with kernels ask all of it at once.
There is one such function in a process; what it compares with is a table of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.native.array_kernel import python_function
from autograph.runtime.native.loop_entry import CONTENTS
from autograph.runtime.native.machine import (
    ARRAY_DATA,
    ARRAY_DIMENSIONS,
    ARRAY_DTYPE,
    ARRAY_RANK,
    ARRAY_STRIDES,
)
from autograph.runtime.native.objects import TYPE
from autograph.runtime.native.symbols import addresses_of, python, thing

Layout = tuple[np.dtype[Any], tuple[int, ...]]
"""The dtype and the shape of an array."""


def recogniser(arrays: Sequence[Layout], separate: Iterable[tuple[int, int]]
               ) -> Callable[..., bool]:
    """Returns a function of arrays: True if they are plain arrays of these dtypes and shapes, and
    the pairs `separate`, by their numbers, may share no memory.

    The dtypes have to be NumPy's own, of which there is one object each.
    """
    words = [len(arrays)]
    for dtype, shape in arrays:
        words += [id(dtype), len(shape), *shape]
    pairs = list(separate)
    words += [len(pairs), *[x for pair in pairs for k in pair for x in (k, arrays[k][0].itemsize)]]
    return python_function(_machine_code()[1], np.array(words, np.int64).tobytes())


@cache
def _machine_code() -> tuple[Any, int]:
    from autograph.runtime.native.compiler import compile_module
    return compile_module(text(), "few", "recognise")


def text() -> str:
    """Returns the LLVM IR."""
    known = {
        "CLASS": thing(np.ndarray), "TRUE": thing(True), "FALSE": thing(False),
        "SHARED": python("Py_IncRef")}
    offsets = {
        "CONTENTS": CONTENTS, "TYPE": TYPE, "DTYPE": ARRAY_DTYPE, "RANK": ARRAY_RANK,
        "DIMENSIONS": ARRAY_DIMENSIONS, "STRIDES": ARRAY_STRIDES, "DATA": ARRAY_DATA}
    body = TEXT
    for name, value in known.items():
        body = body.replace(f"@{name}", value.text)
    for name, offset in offsets.items():
        body = body.replace(f"#{name}", str(offset))
    outside = [f'@"{name}" = external global i8\n' for name, _ in addresses_of(body)]
    return "".join([*outside, body])


TEXT = """
define ptr @recognise(ptr %self, ptr %objects, i64 %count) {
entry:
  %table = getelementptr i8, ptr %self, i64 #CONTENTS
  %arrays = load i64, ptr %table
  %first = getelementptr i64, ptr %table, i64 1
  br label %array
array:
  %n = phi i64 [0, %entry], [%n.on, %next]
  %known = phi ptr [%first, %entry], [%known.on, %next]
  %place = getelementptr ptr, ptr %objects, i64 %n
  %x = load ptr, ptr %place
  %class.at = getelementptr i8, ptr %x, i64 #TYPE
  %class = load ptr, ptr %class.at
  %is.array = icmp eq ptr %class, @CLASS
  br i1 %is.array, label %is.plain, label %no
is.plain:
  %dtype.at = getelementptr i8, ptr %x, i64 #DTYPE
  %dtype = load i64, ptr %dtype.at
  %rank.at = getelementptr i8, ptr %x, i64 #RANK
  %rank.word = load i32, ptr %rank.at
  %rank = zext i32 %rank.word to i64
  %known.dtype = load i64, ptr %known
  %known.rank.at = getelementptr i64, ptr %known, i64 1
  %known.rank = load i64, ptr %known.rank.at
  %same.dtype = icmp eq i64 %dtype, %known.dtype
  %same.rank = icmp eq i64 %rank, %known.rank
  %same = and i1 %same.dtype, %same.rank
  br i1 %same, label %has.layout, label %no
has.layout:
  %dims.at = getelementptr i8, ptr %x, i64 #DIMENSIONS
  %dims = load ptr, ptr %dims.at
  %known.dims = getelementptr i64, ptr %known, i64 2
  br label %axis
axis:
  %d = phi i64 [0, %has.layout], [%d.on, %same.length]
  %more.axes = icmp ult i64 %d, %rank
  br i1 %more.axes, label %length, label %next
length:
  %n.at = getelementptr i64, ptr %dims, i64 %d
  %n.of.axis = load i64, ptr %n.at
  %n.known.at = getelementptr i64, ptr %known.dims, i64 %d
  %n.known = load i64, ptr %n.known.at
  %d.on = add i64 %d, 1
  %alike = icmp eq i64 %n.of.axis, %n.known
  br i1 %alike, label %same.length, label %no
same.length:
  br label %axis
next:
  %n.on = add i64 %n, 1
  %known.on = getelementptr i64, ptr %known.dims, i64 %rank
  %more = icmp ult i64 %n.on, %arrays
  br i1 %more, label %array, label %all
all:
  %pairs = load i64, ptr %known.on
  %pairs.at = getelementptr i64, ptr %known.on, i64 1
  br label %pair
pair:
  %p = phi i64 [0, %all], [%p.on, %separate]
  %more.pairs = icmp ult i64 %p, %pairs
  br i1 %more.pairs, label %compare, label %yes
compare:
  %a.at = getelementptr [32 x i8], ptr %pairs.at, i64 %p
  %a.size.at = getelementptr i64, ptr %a.at, i64 1
  %b.at = getelementptr i64, ptr %a.at, i64 2
  %b.size.at = getelementptr i64, ptr %a.at, i64 3
  %a.number = load i64, ptr %a.at
  %a.size = load i64, ptr %a.size.at
  %b.number = load i64, ptr %b.at
  %b.size = load i64, ptr %b.size.at
  %a.place = getelementptr ptr, ptr %objects, i64 %a.number
  %b.place = getelementptr ptr, ptr %objects, i64 %b.number
  %a = load ptr, ptr %a.place
  %b = load ptr, ptr %b.place
  %a.extent = call {i64, i64} @extent(ptr %a, i64 %a.size)
  %b.extent = call {i64, i64} @extent(ptr %b, i64 %b.size)
  %a.low = extractvalue {i64, i64} %a.extent, 0
  %a.high = extractvalue {i64, i64} %a.extent, 1
  %b.low = extractvalue {i64, i64} %b.extent, 0
  %b.high = extractvalue {i64, i64} %b.extent, 1
  %p.on = add i64 %p, 1
  %begins = icmp ult i64 %a.low, %b.high
  %ends = icmp ult i64 %b.low, %a.high
  %meet = and i1 %begins, %ends
  br i1 %meet, label %no, label %separate
separate:
  br label %pair
yes:
  call void @SHARED(ptr @TRUE)
  ret ptr @TRUE
no:
  call void @SHARED(ptr @FALSE)
  ret ptr @FALSE
}

define internal {i64, i64} @extent(ptr %x, i64 %size) noinline {
entry:
  %data.at = getelementptr i8, ptr %x, i64 #DATA
  %data = load i64, ptr %data.at
  %rank.at = getelementptr i8, ptr %x, i64 #RANK
  %rank.word = load i32, ptr %rank.at
  %rank = zext i32 %rank.word to i64
  %dims.at = getelementptr i8, ptr %x, i64 #DIMENSIONS
  %dims = load ptr, ptr %dims.at
  %strides.at = getelementptr i8, ptr %x, i64 #STRIDES
  %strides = load ptr, ptr %strides.at
  %end = add i64 %data, %size
  br label %axis
axis:
  %d = phi i64 [0, %entry], [%d.on, %wide]
  %low = phi i64 [%data, %entry], [%low.on, %wide]
  %high = phi i64 [%end, %entry], [%high.on, %wide]
  %more = icmp ult i64 %d, %rank
  br i1 %more, label %length, label %done
length:
  %n.at = getelementptr i64, ptr %dims, i64 %d
  %n = load i64, ptr %n.at
  %none = icmp eq i64 %n, 0
  br i1 %none, label %empty, label %wide
wide:
  %stride.at = getelementptr i64, ptr %strides, i64 %d
  %stride = load i64, ptr %stride.at
  %steps = sub i64 %n, 1
  %width = mul i64 %steps, %stride
  %backwards = icmp slt i64 %width, 0
  %down = select i1 %backwards, i64 %width, i64 0
  %up = select i1 %backwards, i64 0, i64 %width
  %low.on = add i64 %low, %down
  %high.on = add i64 %high, %up
  %d.on = add i64 %d, 1
  br label %axis
done:
  %some = insertvalue {i64, i64} undef, i64 %low, 0
  %both = insertvalue {i64, i64} %some, i64 %high, 1
  ret {i64, i64} %both
empty:
  ret {i64, i64} zeroinitializer
}
"""
"""The first loop is over the arrays, the second over the pairs; `extent` gives the addresses that
the elements of an array are between, or nothing for an empty one."""
