"""Numbers of every dtype: promotion by NEP 50, Python against NumPy scalars, integer division."""

import numpy as np

from tests.corpus.case import Case


def arithmetic(x, y):
    return x + y, x - y, x * y


def division(x, y):
    return x / y, x // y, x % y


def powers(x):
    return x**2, x**0.5, 2**x


def with_python_int(x):
    return x + 1, 2 * x, x - 1


def with_python_float(x):
    return x + 1.5, 0.5 * x


def negates(x):
    return -x, +x, abs(x)


def bit_operations(x, y):
    return x & y, x | y, x ^ y, ~x, x << 1, x >> 1


def comparisons(x, y):
    return x < y, x <= y, x == y, x != y, x > y, x >= y


def literal_arithmetic(n, x):
    size = n * 2 + 1
    return x * size, size


def python_numbers_stay_python(n):
    total = 0
    for i in range(n):
        total += i / 2
    return total


def casts(x):
    return np.float32(x), np.int64(x), np.asarray(x, dtype=np.complex128)


def accumulates(x, n):
    total = 0
    for _ in range(n):
        total += x
    return total


def promotes_in_branch(x):
    y = x
    if x > 1:
        y = y * 0.5
    return y


def zero_dimensional(x):
    y = x + 0
    return y, x[()], x.item() if x.ndim == 0 else None


def complex_numbers(z):
    return z.real, z.imag, abs(z), z.conjugate(), z * 1j


def type_tests(x):
    if isinstance(x, float):
        return 1
    if isinstance(x, np.integer):
        return 2
    return 3


def dtype_in_condition(x):
    if x.dtype == np.float32:
        return x * 2
    return x


def horner(x):
    total = 0
    for c in (2, -1, 0.5, 3):
        total = total * x + c
    return total


def large_python_int(x):
    return x, 2**70


def nan_aware(x):
    if x != x:
        return 0.0
    return x


def int_overflow_free(x):
    return x.astype(np.int64) * 1000


DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
          np.float32, np.float64]
EACH = [(dtype(3),) for dtype in DTYPES] + [(3,), (3.0,)]
TWO = [(a(7), b(2)) for a in DTYPES for b in (np.int8, np.uint16, np.int64, np.float32)] + [
    (7, 2), (7, np.float32(2)), (np.int8(7), 2), (7.5, np.int32(2)), (np.array(7), 2)]
INTEGERS = [(np.int8(6), np.int8(3)), (np.int64(12), np.int64(10)), (np.uint8(200), np.uint8(15)),
            (6, 3), (np.int32(6), 3)]

CASES = [
    Case(arithmetic, *TWO),
    Case(division, *TWO),
    Case(powers, *EACH),
    Case(with_python_int, *EACH),
    Case(with_python_float, *EACH),
    Case(negates, *[e for e in EACH if not isinstance(e[0], np.unsignedinteger)]),
    Case(bit_operations, *INTEGERS),
    Case(comparisons, *TWO),
    Case(literal_arithmetic, (3, np.float64(2.0)), (4, np.float64(2.0)), (3, np.int8(2))),
    Case(python_numbers_stay_python, (4,), (5,), (np.int64(4),)),
    Case(casts, *EACH),
    Case(accumulates, *[(*e, 5) for e in EACH]),
    Case(promotes_in_branch, *EACH, (np.int64(0),)),
    Case(zero_dimensional, (np.array(3),), (np.array(2.5),)),
    Case(complex_numbers, (np.complex128(3 + 4j),), (np.complex64(1 - 1j),), (3 + 4j,)),
    Case(type_tests, *EACH),
    Case(dtype_in_condition, (np.ones(2, np.float32),), (np.ones(2),), (np.float32(3),)),
    Case(horner, *EACH),
    Case(large_python_int, (np.float64(1.0),), (3,)),
    Case(nan_aware, (np.float64(np.nan),), (np.float64(2.0),), (float("nan"),)),
    Case(int_overflow_free, (np.int8(100),), (np.array([100, 50], dtype=np.int8),)),
]
