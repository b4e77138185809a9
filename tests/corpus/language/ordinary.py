"""Small programs as users write them: text, values, containers, exceptions."""

import enum
import itertools
import math
from typing import NamedTuple

from tests.corpus.arguments import NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled


def conversions(x):
    return (
        int(x),
        float(x),
        bool(x),
        round(x),
        round(x, 1),
        complex(x),
        abs(x),
        divmod(x, 2),
        pow(x, 2),
    )


def conversions_int(n):
    return (
        int(n),
        float(n),
        bool(n),
        round(n),
        round(n, -1),
        divmod(n, 3),
        pow(n, 2),
        pow(int(n), 3, 7),
        abs(n),
        ~n,
        n // 2,
        -n // 2,
        n % 4,
        n << 1,
    )


def swaps(a):
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    a[0], a[-1] = a[-1], a[0]
    return a


def while_true_breaks(n):
    steps = 0
    while True:
        if n < 0:
            why = "neg"
            break
        if n == 0:
            why = "zero"
            break
        if steps > 3:
            why = "long"
            break
        if n % 5 == 0:
            n -= 5
            steps += 1
            continue
        n -= 2
        steps += 1
    return n, steps, why


def for_else_prime(n):
    for d in range(2, 20):
        if d * d > n:
            continue
        if n % d == 0:
            r = d
            break
    else:
        r = None
    return r


class Acc:
    def __init__(self):
        self.n, self.hist, self.by = 0, [0, 0, 0], {"a": 0}


def aug_attr_items(n):
    a = Acc()
    i = 0
    while i < n:
        a.n += i
        a.hist[1] += 2
        a.by["a"] -= 1
        i += 1
    a.hist[0] |= 3
    return a.n, a.hist, a.by


class Mode(enum.Enum):
    A = 1
    B = 2


class Lv(enum.IntEnum):
    LO = 0
    HI = 5


def enums(x):
    m = Mode.A if x > 0 else Mode.B
    if m is Mode.A:
        r = "a"
    elif m == Mode.B:
        r = "b"
    return r, m.name, m.value


def int_enum(n):
    if n == Lv.HI:
        return "hi"
    if n >= Lv.LO:
        return "lo", Lv.LO + n
    return "under"


class Pt(NamedTuple):
    x: float
    y: float

    def swapped(self):
        return Pt(self.y, self.x) if self.x > self.y else self


def namedtuple_state(x):
    p = Pt(x, 1.0)
    for i in range(10):
        p = p.swapped()._replace(y=p.y + 1)
        if p.y > 4:
            break
    return p, p.x, isinstance(p, Pt), p._asdict()


def try_return_finally(x):
    log = []

    def f(v):
        try:
            if v > 0:
                return "pos"
            return "neg"
        finally:
            log.append(v)

    return f(x), f(-x), log


def try_continue_finally_count(x):
    c = 0
    s = 0.0
    for v in x:
        try:
            if v < 0:
                continue
            if v > 2:
                break
            s += v
        finally:
            c += 1
    else:
        s = -1.0
    return s, c


def ternary_calls(x):
    f = math.sin if x > 0 else math.cos
    g = (lambda v: v + 1) if x > 1 else abs
    return f(x), g(x)


def dict_of_functions(x):
    ops = {"add": lambda a: a + 1, "mul": lambda a: a * 2}
    r = x
    for name, f in ops.items():
        if r > 0:
            r = f(r)
        else:
            r = -f(r)
    return r, {k: f(x) for k, f in ops.items() if x > 0}


def starred_assign(x):
    a, *b = x
    *c, d = x[1:]
    (e, f), g = x[:2], x[2]
    if a > d:
        a, d = d, a
    return a, b, c, d, e, f, g


def nested_functions_with_loops(x):
    def count(pred):
        n = 0
        for v in x:
            if pred(v):
                n += 1
        return n

    return (
        count(lambda v: v > 0),
        count(lambda v: v > 2),
        count(lambda v: count(lambda w: w > v) > 0),
    )


def itertools_use(x):
    acc = list(itertools.accumulate(x))
    ch = list(itertools.chain(x, [1.0]))
    pr = [(a, b) for a, b in itertools.pairwise(x) if a < b]
    return acc, ch, pr


def string_building(x):
    parts = []
    for i in range(3):
        if x > i:
            parts.append(f"{i}:{x}")
        else:
            parts.append("-")
    return ",".join(parts)


def while_else_return(n):
    while n > 0:
        n -= 4
        if n == 1:
            return "one"
    else:
        return "done", n


def exceptions_nested(x):
    try:
        try:
            if x < 0:
                raise ValueError("in")
            elif x == 0:
                1 / 0
        except ZeroDivisionError as e:
            raise RuntimeError("zero") from e
        finally:
            y = 1
    except (RuntimeError, ValueError) as e:
        return type(e).__name__, str(e), type(e.__cause__).__name__, y
    return y


def chained_comparison_walrus(x):
    if 0 < (y := x * 2) < 10:
        return "in", y
    return "out", y


def is_none_flow(x):
    best = None
    for k in range(4):
        if best is None or x * k > best:
            best = x * k if k != 2 else None
    return best


def minmax_default(x):
    pos = [v for v in x if v > 0]
    return max(pos, default=None), min((v for v in x if v < 0), default=0.0), len(pos), sum(pos)


def divmod_loop(n):
    digits = []
    m = abs(int(n))
    while m:
        m, d = divmod(m, 10)
        digits.append(d)
    return digits[::-1]


def gcd(n):
    a, b = n, 18
    while b:
        a, b = b, a % b
    return a


def bool_of_array_size(x):
    y = x[x > 0]
    if y.size:
        return y[0], len(y)
    return "empty"


def array_truth_raises(x):
    if x > 0:
        return 1
    return 2


def type_error(x):
    try:
        return x + "a"
    except TypeError as e:
        return "type error"


def attribute_error(x):
    try:
        return x.foo
    except AttributeError as e:
        return str(e)


CASES = [
    titled("conversions", conversions, *SCALARS),
    titled("conversions int", conversions_int, *NUMBERS),
    titled("swaps", swaps, *VECTORS),
    titled("while true breaks", while_true_breaks, *NUMBERS),
    titled("for else prime", for_else_prime, *NUMBERS),
    titled("aug attr items", aug_attr_items, *NUMBERS),
    titled("enums", enums, *SCALARS),
    titled("int enum", int_enum, *NUMBERS),
    titled("namedtuple state", namedtuple_state, *SCALARS),
    titled("try return finally", try_return_finally, *SCALARS),
    titled("try continue finally count", try_continue_finally_count, *VECTORS),
    titled("ternary calls", ternary_calls, *SCALARS),
    titled("dict of functions", dict_of_functions, *SCALARS),
    titled("starred assign", starred_assign, *VECTORS),
    titled("nested functions with loops", nested_functions_with_loops, *VECTORS),
    titled("itertools use", itertools_use, *VECTORS),
    titled("string building", string_building, *SCALARS),
    titled("while else return", while_else_return, *NUMBERS),
    titled("exceptions nested", exceptions_nested, *SCALARS),
    titled("chained comparison walrus", chained_comparison_walrus, *SCALARS),
    titled("is none flow", is_none_flow, *SCALARS),
    titled("minmax default", minmax_default, *VECTORS),
    titled("divmod loop", divmod_loop, *NUMBERS),
    titled("gcd", gcd, *NUMBERS),
    titled("bool of array size", bool_of_array_size, *VECTORS),
    titled("array truth raises", array_truth_raises, *VECTORS),
    titled("type error", type_error, *SCALARS),
    titled("attribute error", attribute_error, *SCALARS),
]
