"""Rows 141 to 160: expressions, containers and definitions, each as plain Python has it."""

import contextlib

import numpy as np
import pytest

import autograph as ag
from tests.compatibility.tensorflow.agreement import agree, on

ONE, TWO = np.float64(1), np.float64(2)
I = np.int64  # noqa: E741


def test_row_141_comprehensions():
    def f(x):
        return ([v * 2 for v in x if v > 1], {int(v): v for v in x}, sum(v for v in x),
                [a + b for a in x for b in x if a != b])

    agree(f, *on(np.arange(3.0)))


def test_row_142_builtins():
    def f(x, v):
        return [len(x), abs(v), sorted(x), sum([v, v]), pow(v, 2), isinstance(v, np.floating),
                int(v), float(v), list(range(int(v))), any(x > 1), all(x > 1), max(x), min(v, 2),
                sum(x), round(v), divmod(v, 2), list(reversed(x)), list(x), tuple(x), bool(v),
                complex(v), next(iter(x)), list(enumerate(x)), list(zip(x, x, strict=True)),
                list(map(np.sin, x)), list(filter(lambda a: a > 1, x))]

    agree(f, lambda: (np.arange(3.0), np.float64(3)))


def test_row_143_numpy_functions_and_methods():
    def f(x, i):
        table = np.arange(6).reshape(2, 3)
        return (x.T, x.sum(), x.mean(axis=0), np.sin(x), np.asarray(x), table[i], np.linalg.norm(x),
                np.einsum("ij,ij->i", x, x), x.astype(np.float32), x.reshape(-1).argsort())

    agree(f, lambda: (np.arange(4.0).reshape(2, 2), I(1)))


def test_row_144_look_up_by_a_symbolic_index_or_key():
    def f(i):
        return ["a", "b", "c"][i], {0: "zero", 2: "two"}[i]

    agree(f, *on(I(0), I(2), I(1), I(9)))


def test_row_145_item_assignment_is_seen_through_aliases_and_by_the_caller():
    def f(x, i):
        y = x
        row = x[i]
        row[0] = 5.0
        x[1, :] += 1
        return y, row

    agree(f, lambda: (np.zeros((2, 2)), I(1)))


def test_row_146_all_indexing():
    def f(x, i, m):
        return (x[m], x[i:i + 2], x[..., -1], x[None], x[[0, 2]], x[::-1], x[m, 0],
                x[np.array([0, 1]), [1, 0]], x[-1], x[i, i])

    agree(f, lambda: (np.arange(9.0).reshape(3, 3), I(1), np.array([True, False, True])))


def test_row_147_append_in_a_loop():
    def f(n):
        out = []
        for i in range(n):
            if i % 2 == 0:
                out.append(i * i)  # noqa: PERF401
        return out, len(out)

    agree(f, *on(I(5), I(0)))


class Box:
    def __init__(self):
        self.a = 0

    def change(self, by):
        self.a += by


def test_row_148_items_and_attributes_assigned_in_loops():
    box = Box()

    def f(n):
        d, items = {"k": 0}, [1, 2]
        box.a = 0
        for i in range(n):
            d["k"] += i
            items[0] = items[1] + i
            box.a = box.a + 1
        return d, items, box.a

    agree(f, *on(I(3), I(0), I(4)))
    assert box.a == 4 and not hasattr(box.a, "type")


total = 0


def count_up():
    global total
    total += 1


def test_row_149_changes_made_by_called_functions():
    def f(n):
        global total
        total = 0
        box = Box()
        for i in range(n):
            count_up()
            box.change(i)
        return total, box.a

    agree(f, *on(I(3)))
    assert total == 3


def test_row_150_keys_that_are_loop_variables():
    def f(n):
        d = {"a": 0, "b": 1}
        for i in range(n):
            for key in d:
                d[key] += i
        return d

    agree(f, *on(I(3)))


def test_row_151_closures_see_loop_variables():
    def f(n):
        i = 0
        late = lambda: i

        def also():
            return i

        for i in range(n):  # noqa: B007
            pass
        return late(), also()

    agree(f, *on(I(3)))


def test_row_152_definitions_inside():
    def f(x):
        class Adder:
            def __init__(self, by):
                self.by = by

            def add(self, to):
                if to > 0:
                    return to + self.by
                return to

        count = 0

        def inner(y):
            nonlocal count
            count += 1
            return Adder(2).add(y)

        return inner(x) + inner(-x), count

    agree(f, *on(ONE))


def test_row_153_global_and_nonlocal_writes_in_loops():
    state = 0

    def f(n):
        global total
        nonlocal state
        total = 0
        for i in range(n):
            total = total + i
            state = i
        return total + state

    agree(f, *on(I(4)))
    assert (total, state) == (6, 3) and not hasattr(total, "type")


def test_row_154_every_other_statement():
    @contextlib.contextmanager
    def noted(log, name):
        log.append(name)
        try:
            yield
        finally:
            log.append("/" + name)

    def f(x):
        log = []
        with noted(log, "a"):
            try:
                if (y := x * 2) > 3:
                    raise ValueError("big")
                log.append(y)
            except ValueError as error:
                log.append(str(error))
            finally:
                log.append("finally")
        match x:
            case 1:
                log.append("one")
            case _:
                log.append("other")
        first, *rest = [x, y, 3]
        del y
        return log, first, rest, f"{x:.1f}"

    agree(f, *on(ONE, TWO))


def test_row_155_generators_consumed_inside():
    def positive(x):
        for v in x:
            yield v * 2

    agree(lambda x: (sum(positive(x)), [v + 1 for v in positive(x)]), *on(np.arange(3.0)))


def test_row_156_recursion():
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    agree(factorial, *on(1, 5))
    agree(factorial, *on(np.int64(1), np.int64(5)))


def test_row_157_index_in_a_dead_branch():
    def f(x):
        if x.shape[0] > 4:
            return x[4]
        return -1

    agree(f, *on(np.arange(3), np.arange(6)))


def test_row_158_functions_without_a_file():
    namespace = {"ag": ag}
    exec("def f(x):\n    return 1 if x > 0 else -1", namespace)
    with pytest.raises(ag.SourceUnavailableError) as caught:
        ag.function(namespace["f"])(ONE)
    assert "hint" in str(caught.value)
    pair = [lambda x: 1 if x > 0 else 2, lambda x: 3 if x > 0 else 4]
    assert [ag.function(f)(-ONE) for f in pair] == [2, 4]


def test_row_159_names_of_the_compiler():
    def f(x):
        return 1 if x > 0 else 2

    assert "ag.cond" in ag.to_code(f) and ag.to_graph(f)(-1) == 2
    assert ag.function(ag.do_not_convert(lambda x: x + 1))(ONE) == 2
    ag.set_verbosity(0)
    ag.experimental.set_loop_options(maximum_iterations=1)


def test_row_160_limits_are_told_with_the_line():
    names = [[n] for n in range(ag.UnrollingWarning.LIMIT + 1)]

    @ag.function
    def f(x):
        for name in names:
            x = x + len(name)
        return x

    with pytest.warns(ag.UnrollingWarning, match="for name in names"):
        f(ONE)
