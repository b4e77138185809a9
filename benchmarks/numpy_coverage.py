"""Which of the NumPy functions that programs use are known to the runtime, by use.

    python -m benchmarks.numpy_coverage

Prints how many of them have a record in the op table (with types, and generated tests), how many a
replacement (what is called instead), and how many are called as they are when
the graph runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import autograph  # noqa: F401  # fills the table of replacements
from autograph.conversion.conversion_rules import REPLACEMENTS
from autograph.runtime.ops import by_function
from autograph.runtime.symbolic.numpy_protocols import DISPATCHED

USES = """
    array 1093 zeros 885 asarray 883 arange 671 sqrt 542 empty 532 ones 479 abs 478 sum 467
    concatenate 422 any 392 dot 386 where 366 isnan 302 max 301 unique 293 all 282 log 267 mean
    264 eye 248 atleast_1d 224 linspace 221 zeros_like 217 isfinite 217 vstack 213 exp 207 diff
    206 cumsum 196 full 193 clip 191 maximum 188 min 177 argsort 177 hstack 166 issubdtype 165
    isscalar 160 asanyarray 160 ceil 159 linalg.norm 151 atleast_2d 145 nonzero 143 sort 139
    column_stack 136 cos 135 allclose 135 diag 134 repeat 131 tile 130 sin 130 prod 125 round 124
    reshape 124 ones_like 118 empty_like 118 searchsorted 114 squeeze 110 minimum 109 argmax 109
    sign 107 linalg.inv 106 floor 106 append 102 broadcast_to 96 argmin 95 copy 93
    ascontiguousarray 91 shape 89 flatnonzero 89 stack 88 logical_and 85 isinf 82 ravel 81 median
    81 bincount 79 size 78 transpose 77 logical_not 76 isin 76 array_equal 76 power 75 log10 73
    isclose 73 ndim 71 arctan2 71 outer 67 meshgrid 66 iterable 63 random.default_rng 62 pad 61
    frombuffer 61 std 59 full_like 57 iscomplexobj 56 multiply 55 linalg.solve 55 broadcast_arrays
    55 result_type 54 percentile 53 logical_or 53 delete 53 moveaxis 52 real 51 ptp 51 log2 50
    einsum 50 add 49 linalg.pinv 48 interp 47 nanmin 44 average 44 require 43 take 42 roll 42
    linalg.svd 42 count_nonzero 42 nanmax 41 identity 41 unravel_index 40 setdiff1d 40 var 39
    subtract 39 linalg.matrix_rank 38 expand_dims 38 rad2deg 37 divide 37 deg2rad 37 radians 36
    arccos 36 apply_along_axis 36 trace 34 insert 34 hypot 34 array_split 34 arctan 34 ix_ 33
    arcsin 33 mod 32 linalg.det 32 fromfile 32 cov 32 imag 31 split 30 matmul 30 fill_diagonal 30
    cross 30 square 29 equal 29 linalg.lstsq 28 intersect1d 26 cumprod 26 nextafter 25 log1p 25
    loadtxt 25 fromiter 25 broadcast_shapes 25 nan_to_num 24 lexsort 24 degrees 24 tan 23
    promote_types 23 linalg.eigh 23 datetime_data 23 putmask 22 kron 22 can_cast 22
"""
"""NumPy's functions by the number of files that use them, counted in 2,506 files of 24 packages
(pandas, scipy, scikit-learn, statsmodels, astropy, xarray, mne and others)."""

KINDS = ("in the op table", "by a replacement", "called as it is")


def used() -> Iterator[tuple[str, int]]:
    """(name below `np.`, number of files), the most used first."""
    words = USES.split()
    yield from zip(words[::2], map(int, words[1::2]), strict=True)


def kind_of(name: str) -> str:
    """How a function is known.

    >>> kind_of("sum"), kind_of("array"), kind_of("cov")
    ('in the op table', 'in the op table', 'called as it is')
    """
    function = np
    for part in name.split("."):
        function = getattr(function, part)
    if function in by_function:
        return KINDS[0]
    return KINDS[1] if function in REPLACEMENTS or function in DISPATCHED else KINDS[2]


def main() -> None:
    """Prints the figures."""
    found = list(used())
    total = sum(files for _, files in found)
    print(f"{len(found)} functions, used {total} times")
    for kind in KINDS:
        names = [(name, files) for name, files in found if kind_of(name) == kind]
        share = sum(files for _, files in names) / total
        print(f"  {kind + ':':<18} {len(names):>4} functions, {share:7.2%} of the uses")
        if kind != KINDS[0]:
            print(f"    {', '.join(name for name, _ in names)}")


if __name__ == "__main__":
    main()
