"""The functions and classes of Python and NumPy that a saved graph may name: a closed list.

Nothing else can be called by what comes from a file: there is no import, no look-up by a name from
outside. A function is listed if all it does is to compute values from its arguments (or to change
an argument in place, or to draw a random number). Functions that read or write files, look at
memory, evaluate text or make functions are not.
"""

from __future__ import annotations

import bisect
import builtins
import cmath
import collections
import copy
import functools
import heapq
import math
import operator
import random
import types
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from autograph.runtime.heap import iterators_made, objects, sorting
from autograph.runtime.ir.undefined import constant, is_bound, is_own
from autograph.runtime.ops import container_values
from autograph.runtime.ops.state import END
from autograph.runtime.tensor_methods import attributes

NUMPY = """
abs absolute acos acosh add all allclose amax amin angle any append apply_along_axis apply_over_axes
arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort
argwhere around array array2string array_equal array_equiv array_repr array_split array_str
asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asin asinh astype atan atan2
atanh atleast_1d atleast_2d atleast_3d average bartlett base_repr binary_repr bincount bitwise_and
bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor blackman block broadcast_arrays broadcast_shapes broadcast_to busday_count busday_offset
can_cast cbrt ceil choose clip column_stack common_type compress concat concatenate conj conjugate
convolve copy copysign copyto corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum
cumulative_prod cumulative_sum datetime_as_string datetime_data deg2rad degrees delete diag
diag_indices diag_indices_from diagflat diagonal diff digitize divide divmod dot dsplit dstack
ediff1d einsum einsum_path empty empty_like equal exp exp2 expand_dims expm1 extract eye fabs
fill_diagonal fix flatnonzero flip fliplr flipud float_power floor floor_divide fmax fmin fmod
format_float_positional format_float_scientific frexp frombuffer fromiter full full_like gcd
geomspace gradient greater greater_equal hamming hanning heaviside histogram histogram2d
histogram_bin_edges histogramdd hsplit hstack hypot i0 identity imag indices inner insert interp
intersect1d invert is_busday isclose iscomplex iscomplexobj isdtype isfinite isfortran isin isinf
isnan isnat isneginf isposinf isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lcm
ldexp left_shift less less_equal lexsort linspace log log10 log1p log2 logaddexp logaddexp2
logical_and logical_not logical_or logical_xor logspace matmul matrix_transpose matvec max maximum
may_share_memory mean median meshgrid min min_scalar_type minimum mintypecode mod modf moveaxis
multiply nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin
nanpercentile nanprod nanquantile nanstd nansum nanvar ndim negative nextafter nonzero not_equal
ones ones_like outer packbits pad partition percentile permute_dims piecewise place poly polyadd
polyder polydiv polyfit polyint polymul polysub polyval positive pow power prod promote_types ptp
put put_along_axis putmask quantile rad2deg radians ravel ravel_multi_index real real_if_close
reciprocal remainder repeat require reshape resize result_type right_shift rint roll rollaxis roots
rot90 round row_stack searchsorted select setdiff1d setxor1d shape shares_memory sign signbit sin
sinc sinh size sort sort_complex spacing split sqrt square squeeze stack std subtract sum swapaxes
take take_along_axis tan tanh tensordot tile trace transpose trapezoid tri tril tril_indices
tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide trunc typename union1d
unique unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unstack unwrap
vander var vdot vecdot vecmat vsplit vstack where zeros zeros_like
linalg.cholesky linalg.cond linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigh
linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matmul linalg.matrix_norm
linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.multi_dot linalg.norm
linalg.outer linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals
linalg.tensordot linalg.tensorinv linalg.tensorsolve linalg.trace linalg.vecdot linalg.vector_norm
fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn
fft.ifftshift fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn
strings.add strings.capitalize strings.center strings.count strings.decode strings.encode
strings.endswith strings.expandtabs strings.find strings.index strings.isalnum strings.isalpha
strings.isdecimal strings.isdigit strings.islower strings.isnumeric strings.isspace strings.istitle
strings.isupper strings.ljust strings.lower strings.lstrip strings.mod strings.multiply
strings.partition strings.replace strings.rfind strings.rindex strings.rjust strings.rpartition
strings.rstrip strings.startswith strings.str_len strings.strip strings.swapcase strings.title
strings.translate strings.upper strings.zfill
lib.stride_tricks.sliding_window_view polynomial.polynomial.polyval
random.seed random.default_rng random.rand random.randn random.random random.uniform random.normal
random.standard_normal random.integers random.randint random.choice random.permutation
random.shuffle random.exponential random.poisson random.binomial random.beta random.gamma
random.random_sample random.SeedSequence random.PCG64 random.PCG64DXSM random.Philox random.SFC64
random.MT19937 random.Generator random.RandomState
linalg.LinAlgError exceptions.AxisError
ndarray generic number integer signedinteger unsignedinteger inexact floating complexfloating
flexible character bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64
complex64 complex128 longdouble clongdouble longlong ulonglong intp uintp str_ bytes_ void
datetime64 timedelta64 dtype finfo iinfo r_ c_ s_ index_exp mgrid ogrid
"""
"""Names in `numpy`."""

NUMPY_CLASSES = """
linalg._linalg.EighResult linalg._linalg.EigResult linalg._linalg.QRResult
linalg._linalg.SlogdetResult linalg._linalg.SVDResult lib._arraysetops_impl.UniqueAllResult
lib._arraysetops_impl.UniqueCountsResult lib._arraysetops_impl.UniqueInverseResult
"""
"""Named tuples that NumPy's functions return."""

BUILTINS = """
abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate float format
frozenset hash hex int isinstance issubclass iter len list max min next object oct ord pow range
repr reversed round set slice sorted str sum tuple zip memoryview
"""

MODULES: tuple[tuple[Any, str], ...] = (
    (operator, """abs add and_ concat contains countOf delitem eq floordiv ge getitem gt iadd iand
     iconcat ifloordiv ilshift imatmul imod imul indexOf index inv invert ior ipow irshift is_
     is_not isub itruediv ixor le lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem
     sub truediv truth xor"""),
    (math, " ".join(n for n in dir(math) if callable(getattr(math, n)) and n[0] != "_")),
    (cmath, " ".join(n for n in dir(cmath) if callable(getattr(cmath, n)) and n[0] != "_")),
    (heapq, "heappush heappop heapify heapreplace heappushpop merge nlargest nsmallest"),
    (bisect, "bisect bisect_left bisect_right insort insort_left insort_right"),
    (copy, "copy deepcopy"),
    (collections, "deque OrderedDict defaultdict Counter"),
    (types, "SimpleNamespace"),
    (random, "Random"),
    (functools, "_make_key"),  # the key of a cache of `functools.lru_cache`
)

TEXT_METHODS = """
capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii
isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust
lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit
rstrip split splitlines startswith strip swapcase title upper zfill decode hex
"""
CONTAINER_METHODS: tuple[tuple[type, str], ...] = (
    (list, """append clear copy count extend index insert pop remove reverse sort
     __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __mul__ __getitem__
     __setitem__ __delitem__"""),
    (tuple, "count index"),
    (dict, """clear copy get items keys pop popitem setdefault update values __setitem__
     __delitem__"""),
    (set, """add clear copy difference difference_update discard intersection
     intersection_update isdisjoint issubset issuperset pop remove symmetric_difference
     symmetric_difference_update union update"""),
    (collections.deque, "appendleft extendleft popleft rotate"),
    (collections.OrderedDict, "move_to_end"),
    (collections.Counter, "elements most_common subtract total"),
    (bytearray, "append extend pop insert remove reverse clear"),
    (np.ndarray, "sort partition put fill itemset setfield byteswap astype conjugate"),
    (float, "is_integer hex as_integer_ratio conjugate"),
    (int, "bit_length bit_count as_integer_ratio conjugate is_integer"),
)
"""Methods as functions: `list.append`. As names they are what `call_method` may call."""

ATTRIBUTES = """
T real imag shape ndim size dtype flags itemsize nbytes strides start stop step kind name char
names itemsize c_contiguous f_contiguous contiguous fortran writeable owndata aligned
numerator denominator args eigenvalues eigenvectors U S Vh Q R sign logabsdet values counts indices
inverse_indices maxlen eps max min tiny bits resolution default_factory
"""
"""The attributes that a saved graph may look up by name, of values that the run knows."""

CALL_METHODS = frozenset(
    name for cls, names in CONTAINER_METHODS for name in names.split()
    if cls is not np.ndarray) | {"most_common"}

OWN: tuple[Callable[..., Any], ...] = (
    constant, is_bound, is_own, sorting.order_of_keys, container_values.order_after, objects.build,
    attributes._store_flat, *iterators_made.MAKERS.values())
"""Functions of the runtime that a graph may call."""


class _Method:
    """Makes functions that call a method, or read an attribute, of an array."""

    @staticmethod
    @cache
    def call(name: str) -> Callable[..., Any]:
        def method(x: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(x, name)(*args, **kwargs)

        method.__name__, method.__qualname__ = name, f"ndarray.{name}"
        return method

    @staticmethod
    @cache
    def read(name: str) -> Callable[..., Any]:
        def attribute(x: Any) -> Any:
            return getattr(x, name)

        attribute.__name__, attribute.__qualname__ = "attribute", f"ndarray.{name}"
        attribute.__module__ = "numpy"
        return attribute


CALLED = ("tolist", "is_integer", "hex", "as_integer_ratio", "to_bytes", "tobytes", "byteswap",
          "bit_count")
READ = ("flags", "strides", "itemsize", "nbytes")
UFUNC_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")


def _entries() -> Iterator[tuple[str, Any]]:
    for name in BUILTINS.split():
        yield f"builtins.{name}", getattr(builtins, name)
    for module, names in MODULES:
        for name in names.split():
            yield f"{module.__name__}.{name}", getattr(module, name)
    for name in (*NUMPY.split(), *NUMPY_CLASSES.split()):
        try:
            yield f"numpy.{name}", operator.attrgetter(name)(np)
        except AttributeError:
            continue  # a NumPy that does not have it
    for text in (str, bytes):
        yield from ((f"{text.__name__}.{name}", getattr(text, name))
                    for name in TEXT_METHODS.split() if hasattr(text, name))
    for cls, names in CONTAINER_METHODS:
        for name in names.split():
            if hasattr(cls, name):
                yield f"{cls.__name__}.{name}", getattr(cls, name)
    for name, x in vars(builtins).items():
        if isinstance(x, type) and issubclass(x, Exception):
            yield f"builtins.{name}", x
    yield from ((f"autograph.{f.__name__.lstrip('_')}", f) for f in OWN)
    yield from ((f"ndarray.{name}()", _Method.call(name)) for name in CALLED)
    yield from ((f"ndarray.{name}", _Method.read(name)) for name in READ)
    yield "autograph.END", END
    yield "type(None)", type(None)
    yield "type(...)", type(Ellipsis)
    yield "range_iterator", type(iter(range(0)))


@cache
def by_name() -> dict[str, Any]:
    """Returns what may be named, by name."""
    found = dict(_entries())
    for name, x in list(found.items()):
        if isinstance(x, np.ufunc):
            found.update((f"{name}.{m}", getattr(x, m)) for m in UFUNC_METHODS)
    return found


@cache
def _names() -> dict[Any, str]:
    names: dict[Any, str] = {}
    for name, x in by_name().items():
        names.setdefault(x if isinstance(x, _BOUND) else id(x), name)
    return names


_BOUND = (types.BuiltinMethodType, types.MethodDescriptorType)
"""Made anew at each look-up, but equal."""


def name_of(x: Any) -> str | None:
    """Returns the name under which a saved graph refers to a function, class or other object.

    The result is None if it may not.

    >>> name_of(np.add), name_of(np.add.reduce), name_of(math.sqrt), name_of(open)
    ('numpy.add', 'numpy.add.reduce', 'math.sqrt', None)
    """
    found = _names().get(x if isinstance(x, _BOUND) else id(x))
    return found or _name_of_method(x)


def _name_of_method(x: Any) -> str | None:
    """Returns the name of a function of the runtime that calls a method of an array."""
    where, name = getattr(x, "__module__", None) or "", getattr(x, "__qualname__", "")
    if isinstance(x, types.FunctionType) and name.startswith("ndarray."):
        known = f"{name}()" if where.startswith("autograph.") else name
        return known if where.startswith(("autograph.", "numpy")) and known in by_name() else None
    return None
