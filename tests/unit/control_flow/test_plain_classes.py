"""Objects whose classes have operators and properties, and functions that count in variables around
them: in a trace, they run as they were written where nothing symbolic is reachable."""

import collections
import threading
from collections.abc import Callable
from typing import Any

import pytest

import autograph as ag
from autograph.staging import plain_loops

LOG: list[Any] = []


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vector(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __eq__(self, o):
        return self.x == o.x and self.y == o.y

    def __hash__(self):
        return hash((self.x, self.y))

    def __bool__(self):
        return self.x != 0

    @property
    def size(self):
        return self.x * self.x + self.y * self.y

    @size.setter
    def size(self, v):
        LOG.append(v)
        self.x, self.y = v, 0


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, at):
        return self.rows[at[0]][at[1]]

    def __setitem__(self, at, v):
        self.rows[at[0]][at[1]] = v

    def __len__(self):
        return len(self.rows)

    def __contains__(self, v):
        return any(v in row for row in self.rows)

    def __iter__(self):
        for row in self.rows:
            yield from row

    def __matmul__(self, o):
        n = len(self)
        made = Table([[0] * n for _ in range(n)])
        for i in range(n):
            for j in range(n):
                made[i, j] = sum(self[i, k] * o[k, j] for k in range(n))
        return made


class Log:
    def __init__(self):
        self.depth = self.most = 0

    def __enter__(self):
        self.depth += 1
        self.most = max(self.most, self.depth)
        return self

    def __exit__(self, kind, error, where):
        self.depth -= 1
        return kind is not None and issubclass(kind, KeyError)

    def __call__(self, v):
        self.most += v
        return self


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        self.k = self.n
        return self

    def __next__(self):
        if not self.k:
            raise StopIteration
        self.k -= 1
        return self.k


Pair = collections.namedtuple("Pair", "p q")


def counter(n=0):
    seen = []

    def count(k=1):
        nonlocal n, seen
        n += k
        if k > 1:
            seen = [*seen, n]
        return n

    return count, lambda: (n, list(seen))


def operators():
    v = Vector(0, 0)
    for i in range(20):
        v = v + Vector(i, 1) * 2
    return v.x, v.y, v == Vector(380, 40), len({v, Vector(1, 2), Vector(1, 2)}), bool(v)


def operators_of_operators():
    a = Table([[i * j % 7 for j in range(6)] for i in range(6)])
    b = a @ a
    return list(b), 30 in b, sum(b), max(a)


def properties():
    v = Vector(1, 2)
    for i in range(9):
        v.size = v.size % 7 + i
    return v.size


def blocks():
    log, n = Log(), 0
    for i in range(9):
        with log as inner:
            n += inner.depth
            if i % 3 == 0:
                raise KeyError(i)
            log(i)
    return log.most, log.depth, n


def own_iterators():
    return sum(DOWN), max(DOWN), sorted(DOWN)


def variables_around():
    counts = [counter(i) for i in range(3)]
    for i in range(12):
        counts[i % 3][0](i)
    return [state() for _, state in counts]


def named_tuples():
    seen, at = set(), Pair(0, 0)
    for i in range(12):
        at = at._replace(p=at.p + i % 2, q=at.q - i % 3)
        seen.add(at)
    return len(seen), at.p, at.q


def byte_arrays():
    sieve = bytearray([1]) * 40
    for i in range(2, 7):
        if sieve[i]:
            sieve[i * i::i] = bytes(len(range(i * i, 40, i)))
    return bytes(sieve), sum(sieve)


DOWN = Countdown(5)
PROGRAMS = (operators, operators_of_operators, properties, blocks, own_iterators, variables_around,
            named_tuples, byte_arrays)


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_runs_as_written(program: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    were_plain, as_written = [], plain_loops._as_written

    def noted(*args: Any) -> Any:
        made = as_written(*args)
        were_plain.append(made is not NotImplemented)
        return made

    monkeypatch.setattr(plain_loops, "_as_written", noted)
    LOG.clear()
    assert ag.function(program)() == program()
    assert were_plain and all(were_plain)
    assert LOG[:len(LOG) // 2] == LOG[len(LOG) // 2:]


def left_blocks(x):
    log = Log()
    for i in range(9):
        with log:
            if i == 5:
                return i, log.most, sum(Countdown(x)), [*Countdown(3)]
    return None


def symbolic_parts(x):
    v = Vector(1, 2)
    for i in range(6):
        v = v + Vector(i, 1)
    w = v + Vector(x, 0)
    for i in range(6):
        w = w + Vector(i, i)
    return w.x, w.y, v.x, w == v, bool(w)


def set_by_a_branch(x):
    v = Vector(1, 2)
    if x > 1:
        v.size = 9
    for i in range(6):
        v = v + Vector(i, 0)
    if x > 2:
        v.size = v.size + 1
    return v.size, v.x


def symbolic_item(x):
    t = Table([[1, 2], [3, 4]])
    t[0, 1] = x
    u = t @ t
    t[1, 1] = 5
    for i in range(6):
        t[1, 0] = t[1, 0] + i
    return list(u), list(t), 5 in t, x in t


def counted_in_a_branch(x):
    count, state = counter(1)
    count(2)
    if x > 1:
        count(5)
    for i in range(6):
        if x > i:
            count(i)
    count(3)
    return state(), count(x), state()


def counted_outside(x):
    if x > 1:
        COUNT(2)
    COUNT()
    return STATE(), x


def raised_by_a_method(x):
    t = Table([[1], [2]])
    n = 0
    for i in range(6):
        try:
            n += t[i, 0]
        except IndexError:
            n += 10
        if x > i:
            n += 100
    return n


def chosen_object(x):
    a, b = Vector(1, 1), Vector(2, 2)
    v = a if x > 1 else b
    v.size = 3
    for i in range(6):
        a = a + Vector(i, 1)
    return a.x, b.x, v.x, v.size


COUNT, STATE = counter()


@pytest.mark.parametrize("program", [
    left_blocks, symbolic_parts, set_by_a_branch, symbolic_item, counted_in_a_branch,
    counted_outside, raised_by_a_method, chosen_object])
@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}])
def test_as_plain_python(program: Callable[..., Any], options: dict[str, Any]) -> None:
    global COUNT, STATE
    outcomes = []
    for f in (program, ag.function(program, **options)):
        if program is counted_outside and not options:
            return  # it happens while tracing
        COUNT, STATE = counter()
        LOG.clear()
        outcomes.append(([f(x) for x in (0, 2, 5, 1)], STATE(), len(LOG)))
    assert outcomes[0] == outcomes[1]


def test_another_thread_traces_meanwhile() -> None:
    waits, goes_on = threading.Event(), threading.Event()

    class Slow(Vector):
        def __add__(self, o):
            if threading.current_thread() is not threading.main_thread() and o.x == 3:
                LOG.append("waits")
                waits.set()
                goes_on.wait(60)
            return Slow(self.x + o.x, self.y + o.y)

    def plain_sum():
        v = Slow(0, 0)
        for i in range(6):
            v = v + Slow(i, 1)
        return v.x

    def symbolic_sum(x):
        v = Slow(x, 0) + Slow(1, 1)
        return v.x if v.x > 2 else -v.x

    LOG.clear()
    found = []
    other = threading.Thread(target=lambda: found.append(ag.function(plain_sum)()))
    other.start()
    assert waits.wait(60)
    f = ag.function(symbolic_sum)
    both = f(1), f(4)
    goes_on.set()
    other.join()
    assert (both, found) == ((-2, 5), [15])
