"""Branches, loops, lists, objects, recursion, and writes to arrays."""

import math

import numpy as np

from tests.support.slope_programs.registry import X, program


@program(X)
def if_elem(x):
    return x[0] * x[1] if x[0] > x[1] else x[2] ** 2


@program(X)
def while_break(x):
    s = 0.0
    i = 0
    while True:
        s += x[i % 4] ** 2
        i += 1
        if s > 7:
            break
    return s * x[0]


@program(X)
def for_continue_else(x):
    s = 0.0
    for v in x:
        if v < 0.5:
            continue
        s += v * v * v
    else:
        s *= x[0]
    return s


@program(X)
def lists(x):
    out = []
    for v in x:
        if v > 0.6:
            out.append(v * v)  # noqa: PERF401
    return sum(out) + len(out)


@program(X)
def list_np(x):
    return np.sum(np.array([v * np.sin(v) for v in x]) ** 2)


@program(X)
def stack_list(x):
    rows = []
    for i in range(int(x[0] * 0) + 3):
        rows.append(x * i)  # noqa: PERF401
    return np.sum(np.stack(rows) ** 2 * np.arange(4))


def fact(n, x):
    return 1.0 if n == 0 else x * fact(n - 1, x)


@program(X)
def recursion(x):
    return fact(5, x[0]) + fact(2, x[1])


def fib(x, n):
    if n < 2.0:
        return x
    return fib(x * 1.1, n - 1) + fib(x * x, n - 2)


@program(1.05, 5.5)
def recursion2(x, n):
    return fib(x, n)


@program(X)
def inplace(x):
    y = x.copy()
    y[1:] *= y[:-1]
    y[0] += y[3]
    y **= 2
    return y.sum()


@program(X)
def alias(x):
    y = x.copy()
    z = y[1:3]
    z *= 3.0
    y[2] += y[1]
    return np.sum(y * y) + np.sum(z)


@program(X)
def mutated(x):
    x[1] = x[0] * x[2]
    x += 1.0
    return np.prod(x)


@program(X)
def dict_state(x):
    d = {"a": x[0], "b": [x[1], x[2]]}
    d["c"] = d["a"] * d["b"][0]
    d["b"].append(d["c"] ** 2)
    return sum(d["b"]) + d["c"]


class Acc:
    def __init__(self):
        self.v = 0.0

    def add(self, t):
        self.v = self.v + t * t
        return self


@program(X)
def objects(x):
    a = Acc()
    for t in x:
        a.add(t)
    return a.v * x[0]


@program(X)
def closures(x):
    k = x[0]

    def g(y):
        nonlocal k
        k = k * y
        return k

    for i in range(3):
        g(x[i])
    return k


@program(X)
def gen(x):

    def g():
        for v in x:
            yield (v * v)

    return sum(g())


@program(X)
def tryfin(x):
    s = 0.0
    try:
        s = x[0] ** 2
    finally:
        s = s * x[1]
    return s


@program(X)
def newton(x):
    y = x[0]
    while abs(y * y - x[1]) > 1e-13:
        y = 0.5 * (y + x[1] / y)
    return y * x[2]


@program(X)
def rk4(x):
    y = x.copy()
    h = 0.05
    f = lambda y: np.array([y[1], -np.sin(y[0]), y[3] * y[0], -y[2]])
    for _ in range(20):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(y**2)


@program(X)
def nested_store(x):
    T = np.zeros((4, 4))
    for i in range(4):
        for j in range(i + 1):
            T[i, j] = x[i] * x[j] + (T[i - 1, j] if i > 0 else 0.0)
    return np.sum(T**2)


@program(X)
def bubble(x):
    y = x * np.array([1.0, -1, 1, -1])
    for i in range(4):
        for j in range(3 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = (y[j + 1], y[j])
    return np.sum(y * np.array([1.0, 2.0, 3.0, 4.0]) ** 2)


@program(X)
def walrus_etc(x):
    if (n := (x[0] * x[1])) > 0.1:
        return n**2
    return x[3]


@program(X)
def starunpack(x):
    a, *b = x
    return a * sum(b)


@program(X)
def zipenum(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, x[::-1], strict=True)):
        s += i * a * b * b
    return s


@program(X)
def ternary_comp(x):
    return sum(v if v > 0.8 else v**2 for v in x) * max(x) * min(x[0], x[1])


@program(X)
def pyscalar(x):
    a = float(x[0])
    return (
        math.sin(a) * math.exp(x[1])
        + math.sqrt(a)
        + abs(a - 3)
        + a**3
        + pow(a, 2)
        + math.hypot(a, x[1])
    )


@program(X)
def stackpop(x):
    s = list(x)
    t = 0.0
    while s:
        t = t * 0.5 + s.pop() ** 2
    return t


@program(X)
def setslices(x):
    z = np.zeros((3, 4))
    z[1] = x
    z[:, 2] = x[:3] ** 2
    z[::2, ::-2] += x[1]
    z[2, ...] *= x
    return np.sum(z**2)


@program(X)
def until_eps(x):
    t = x[0]
    s = 0.0
    n = 0
    while t > 1e-08:
        s = s + t
        t = t * x[0] / (n + 2.0)
        n += 1
        if n > 100:
            return s
    return s


@program(X)
def early(x):
    for v in x:
        if v > 1.0:
            return v**3
    return x.sum()
