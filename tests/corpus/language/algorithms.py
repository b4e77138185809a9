"""Small programs as users write them: algorithms, state machines, objects."""

import abc
import collections
import contextlib
import math

import numpy as np

from tests.corpus.arguments import MATRICES, NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled

LISTS = [(np.array([3, 1, 2, 5, 4, 9, 8, 7, 6, 0]),), (np.array([1, 1, 1, 0, 9, 1, 1, 2, 2, 3]),)]


def dict_of_zip(x):
    d = dict(zip("abcdefghij", x))
    return d["c"], max(d.values()), [k for k, v in d.items() if v > 5]


def running_max(x):
    best = []
    m = -1
    for v in x:
        m = max(m, v)
        best.append(m)
    return best


def two_sum(x):
    for i, a in enumerate(x):
        for j, b in enumerate(x):
            if i < j and a + b == 9:
                return i, j
    return None


def insertion_sort(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def quick_partition(a):
    p = a[-1]
    i = 0
    for j in range(len(a) - 1):
        if a[j] <= p:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[-1] = a[-1], a[i]
    return i, a


def sieve(x):
    n = len(x)
    flags = np.ones(n, dtype=bool)
    flags[:2] = False
    for i in range(2, n):
        if flags[i]:
            flags[i * i :: i] = False
    return np.nonzero(flags)[0], x[flags]


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def newton(n):
    x = float(n) if n > 0 else 1.0
    for _ in range(50):
        nx = 0.5 * (x + n / x)
        if abs(nx - x) < 1e-9:
            break
        x = nx
    return x


def bits(n):
    c = 0
    m = abs(n)
    while m:
        c += m & 1
        m >>= 1
    return c


def state_machine(n):
    state = "start"
    steps = []
    for i in range(6):
        if state == "start":
            state = "run" if n > i else "idle"
        elif state == "run":
            state = "stop" if i > 2 else "run"
        elif state == "idle":
            state = "run"
        else:
            break
        steps.append(state)
    return state, steps


def state_machine_match(n):
    state, k = "a", 0
    while k < n:
        match state:
            case "a":
                state = "b"
            case "b" if k > 2:
                state = "c"
            case "b":
                state = "a"
            case _:
                break
        k += 1
    return state, k


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    def bigger(self, o):
        return self if self.area() > o.area() else o


class Sq(Shape):
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a * self.a


class Ci(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r**2 if self.r > 0 else 0.0


def polymorphism(x):
    a, b = Sq(x), Ci(1.0)
    c = a.bigger(b)
    return c.area(), isinstance(c, Sq), type(c).__name__, sum(s.area() for s in (a, b, c))


def context_reentrant(x):
    depth = []

    @contextlib.contextmanager
    def level(n):
        depth.append(n)
        yield len(depth)
        depth.pop()

    with level(1) as a, level(2) as b:
        if x > 0:
            with level(3) as c:
                r = a + b + c
        else:
            r = a + b
    return r, depth


def try_else_finally_order(x):
    out = []
    for k in range(3):
        try:
            if k == 1 and x > 0:
                raise ValueError(k)
            out.append(("try", k))
        except ValueError as e:
            out.append(("except", e.args[0]))
        else:
            out.append(("else", k))
        finally:
            out.append(("finally", k))
    return out


class MyErr(Exception):
    def __init__(self, code, msg="m"):
        super().__init__(msg)
        self.code = code


def custom_error_code(x):
    try:
        if x < 0:
            raise MyErr(3)
        if x == 0:
            raise MyErr(x + 1, "zero")
    except MyErr as e:
        return e.code, str(e), e.args
    return "ok"


def error_returned_from_branch(x):
    err = None
    if x < 0:
        err = MyErr(x, f"neg {x}")
    if err is not None:
        return err.code, str(err)
    return "none"


def deep_unpack(x):
    (a, (b, *c)), d = (x, (1.0, x, 2.0)), [x]
    if a > b:
        (a, b), (c, d) = (b, a), (d, c)
    return a, b, c, d


def default_args(x):
    def f(a, b=x * 2, *, c=None):
        if c is None:
            c = b
        return a + c

    return f(1), f(1, 2), f(1, c=x)


def mutable_default(x):
    def f(v, acc=[]):
        acc.append(v)
        return len(acc)

    f(1)
    f(x)
    return f(2)


def lambda_in_loop(x):
    fs = [lambda v, k=k: v * k for k in range(3)]
    return sum(f(x) for f in fs), [f(x) if x > 1 else f(1) for f in fs]


def recursion_list(x):
    def depth(l):
        if isinstance(l, list):
            return 1 + max(depth(v) for v in l)
        return 0

    return depth([[x], 1])


def all_any_not(x):
    return all(v > -5 for v in x), not any(v > 2 for v in x), all(x), any(x)


def nested_comp(x):
    return (
        [[a * b for a in x if a > b] for b in x],
        {i: v for i, v in enumerate(x) if v > 0},
        {int(v) for v in x if v >= 0},
    )


def nested_comp_matrix(m):
    return (
        [v for r in m for v in r if v > 0],
        [[r[j] for r in m] for j in range(3)],
        sum(sum(r) for r in m),
    )


def zip_star(m):
    return [a + b for a, b in zip(*m)], list(zip(*m))[0], [max(c) for c in zip(*m)]


def enumerate_reverse(x):
    r = []
    for i, v in reversed(list(enumerate(x))):
        if v > 0:
            r.append((i, v))
    return r


def unpack_in_for(x):
    t = 0.0
    for i, (a, b) in enumerate(zip(x, x[1:])):
        if a < b:
            t += i
    return t


def deque_use(x):
    d = collections.deque(maxlen=2)
    for v in x:
        d.append(v)
    return list(d), d[0], sum(d)


def string_join(x):
    return ", ".join(f"{v:.1f}" for v in x), "|".join(str(v) for v in x if v > 0)


def format_spec(x):
    w = 10
    return (
        f"{x:{w}.2f}",
        f"{x=:.1f}",
        f"{'pos' if x > 0 else 'neg'}",
        "{0:>6}|{0!r}".format(x),
        f"{x:,.2f}",
        f"{int(x):05d}",
    )


def float_methods(x):
    f = float(x)
    return f.is_integer(), f.hex(), x.is_integer(), f.as_integer_ratio(), f.real


def math_funcs(x):
    return (
        math.floor(x),
        math.ceil(x),
        math.sqrt(abs(x)),
        math.hypot(x, 1),
        math.isnan(x),
        math.copysign(1, x),
        math.fsum([x, 1.0]),
        math.dist([x, 0.0], [1.0, 1.0]),
        math.prod([x, 2.0]),
        math.modf(x),
    )


def int_division_zero(n):
    try:
        return 10 // int(n), 10 % int(n), int(n) ** -1
    except ZeroDivisionError as e:
        return str(e)


def np_int_zero(n):
    with np.errstate(all="ignore"):
        return 10 // n, 10 % n, 10 / n


def bool_ops_values(x):
    return (
        x and 1,
        x or "zero",
        not x,
        (x > 0) + 1,
        (x > 0) & (x < 10),
        x > 0 or x,
        None or x,
        x and x > 1 and "yes",
    )


def ternary_nested(x):
    return "a" if x < 0 else "b" if x == 0 else ("c" if x < 10 else "d"), (
        1 if x > 0 else 2
    ) if x > -0.5 else 3


def while_complex(x):
    n = 0
    while (y := x - n) > 0 and not n > 10 or n == 0:
        n += 1
        if y < 1:
            continue
    return n, y


def del_and_rebind(x):
    y = x
    if x > 0:
        del y
        y = 5
    z = [1, 2, 3]
    del z[0]
    return y, z


def global_counter(x):
    global COUNT
    COUNT = 0
    for i in range(3):
        if x > i:
            COUNT += 1
    return COUNT


def type_switch(x):
    v = x if x > 0 else (int(x) if x < 0 else "zero")
    if isinstance(v, str):
        return "str", v
    if isinstance(v, int):
        return "int", v
    return "float", v


def callable_class(x):
    class Poly:
        def __init__(self, *c):
            self.c = c

        def __call__(self, v):
            r = 0.0
            for k in reversed(self.c):
                r = r * v + k
            return r

    p = Poly(1.0, x, 2.0)
    return p(x), [p(k) for k in range(3)], list(map(p, [x, 1.0]))


CASES = [
    titled("dict of zip", dict_of_zip, *LISTS),
    titled("running max", running_max, *LISTS),
    titled("two sum", two_sum, *LISTS),
    titled("insertion sort", insertion_sort, *LISTS),
    titled("quick partition", quick_partition, *LISTS),
    titled("sieve", sieve, *LISTS),
    titled("fib", fib, *NUMBERS),
    titled("newton", newton, *NUMBERS),
    titled("bits", bits, *NUMBERS),
    titled("state machine", state_machine, *NUMBERS),
    titled("state machine match", state_machine_match, *NUMBERS),
    titled("polymorphism", polymorphism, *SCALARS),
    titled("context reentrant", context_reentrant, *SCALARS),
    titled("try else finally order", try_else_finally_order, *SCALARS),
    titled("custom error code", custom_error_code, *SCALARS),
    titled("error returned from branch", error_returned_from_branch, *SCALARS),
    titled("deep unpack", deep_unpack, *SCALARS),
    titled("default args", default_args, *SCALARS),
    titled("mutable default", mutable_default, *SCALARS),
    titled("lambda in loop", lambda_in_loop, *SCALARS),
    titled("recursion list", recursion_list, *SCALARS),
    titled("all any not", all_any_not, *VECTORS),
    titled("nested comp", nested_comp, *VECTORS),
    titled("nested comp matrix", nested_comp_matrix, *MATRICES),
    titled("zip star", zip_star, *MATRICES),
    titled("enumerate reverse", enumerate_reverse, *VECTORS),
    titled("unpack in for", unpack_in_for, *VECTORS),
    titled("deque use", deque_use, *VECTORS),
    titled("string join", string_join, *VECTORS),
    titled("format spec", format_spec, *SCALARS),
    titled("float methods", float_methods, *SCALARS),
    titled("math funcs", math_funcs, *SCALARS),
    titled("int division zero", int_division_zero, *NUMBERS),
    titled("np int zero", np_int_zero, *NUMBERS),
    titled("bool ops values", bool_ops_values, *SCALARS),
    titled("ternary nested", ternary_nested, *SCALARS),
    titled("while complex", while_complex, *SCALARS),
    titled("del and rebind", del_and_rebind, *SCALARS),
    titled("global counter", global_counter, *SCALARS),
    titled("type switch", type_switch, *SCALARS),
    titled("callable class", callable_class, *SCALARS),
]
