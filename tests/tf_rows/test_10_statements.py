"""Rows 119 to 160: statements and expressions on symbolic values, each as plain Python has it."""

import contextlib

import numpy as np
import pytest

import autograph as ag

ONE, TWO = np.float64(1), np.float64(2)
I = np.int64  # noqa: E741


def outcome(f, args):
    """What a call gives or raises."""
    try:
        return plain(f(*args))
    except Exception as error:
        return type(error), str(error).splitlines()[:1]


def plain(x):
    if isinstance(x, (list, tuple, set, frozenset)):
        return type(x), [plain(y) for y in x]
    if isinstance(x, dict):
        return type(x), [(k, plain(v)) for k, v in x.items()]
    return type(x), getattr(x, "dtype", None), np.asarray(x).tolist()


def agree(f, *calls, **options):
    """Assert that plain and decorated function give the same; each call is a function that makes
    the arguments."""
    traced = ag.function(f, **options)
    for make in calls:
        args, same = make(), make()
        assert outcome(traced, args) == outcome(f, same)
        assert plain(args) == plain(same)
    return traced


def on(*values):
    return [lambda v=v: (v,) for v in values]


def test_row_119_conditions_have_pythons_truth():
    def f(x):
        if x:
            return "yes"
        elif x is None:
            return "none"
        else:
            return "no"

    agree(f, *on(I(0), I(3), ONE, np.bool_(False), np.ones(1), np.str_(""), np.str_("a"), 0, None))
    agree(f, *on(np.ones(2)))  # NumPy's error of an ambiguous truth value


def test_row_120_variable_of_one_branch():
    def f(x):
        if x > 0:
            y = x
        return y

    agree(f, *on(ONE, -ONE))


def test_row_121_none_in_one_branch():
    def f(x):
        y = None
        if x > 0:
            y = x * 2
        return y

    agree(f, *on(ONE, -ONE))


def test_row_122_other_dtype_or_structure_in_branches():
    def f(x):
        if x > 0:
            y = 1
        elif x > -1:
            y = (x, [x])
        else:
            y = 2.5
        return y

    agree(f, *on(ONE, ONE * 0, -ONE))


def test_row_123_other_shape_in_branches():
    def f(x):
        return np.ones(2) * x if x > 0 else np.ones((3, 1)) + x

    agree(f, *on(ONE, -ONE))


def test_row_124_return_in_one_branch_only():
    def f(x):
        if x > 0:
            return "positive"
        x = x - 1
        if x < -5:
            return x

    agree(f, *on(ONE, -ONE, -9 * ONE))


def test_row_125_while():
    def f(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    agree(f, *on(I(1), I(27)))


def test_row_126_loop_variable_changes_shape():
    def f(x, n):
        for _ in range(n):
            x = np.concatenate([x, x])
        return x

    agree(f, lambda: (np.ones(1), I(3)), lambda: (np.ones(1), I(0)))


def test_row_127_loop_variable_changes_dtype():
    def f(x):
        total = 0
        for v in x:
            total += v
        return total

    agree(f, *on(np.ones(3), np.ones(3, np.float32), np.ones(3, bool), np.ones(0)))


def test_row_128_loop_variable_undefined_before():
    def f(n):
        for i in range(n):
            y = i * 2
        return y

    agree(f, *on(I(3), I(0)))


def test_row_129_none_before_the_loop():
    def f(x):
        best = None
        for v in x:
            if best is None or v > best:
                best = v
        return best

    agree(f, *on(np.array([1.0, 5, 2]), np.ones(0)))


def test_row_130_iteration_over_ranges_arrays_dicts_zip_enumerate():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += i
        for k, v in {"a": x, "b": 2 * x}.items():
            total += len(k) * v.sum()
        for i, (a, b) in enumerate(zip(x, x[::-1], strict=True)):
            total += i * a - b
        for a in reversed(x):
            total = total / 2 + a
        return total

    agree(f, lambda: (np.arange(4.0), I(5)))


def test_row_131_unpacking_rows():
    def f(x):
        total = 0
        for a, b in x:
            total += a * b
        return total

    agree(f, *on(np.arange(6.0).reshape(3, 2)))


def test_row_132_break_and_continue():
    def f(x):
        total = 0
        for v in x:
            if v < 0:
                continue
            if v > 10:
                break
            total += v
        return total

    agree(f, *on(np.array([1.0, -1, 3, 11, 5]), np.array([1.0])))


def test_row_133_return_in_a_loop():
    def f(x):
        for i, v in enumerate(x):
            while v > 0:
                if v > 5:
                    return i, v
                v = v * 2 - 1
                if v == 1:
                    break
        return None

    agree(f, *on(np.array([-1.0, 1.0, 3.0]), np.array([-1.0])))


def test_row_134_loop_else():
    def f(x):
        for v in x:
            if v > 2:
                break
        else:
            return "none"
        while v < 100:
            v = v * 2
            if v == 12:
                break
        else:
            return v
        return "twelve"

    agree(f, *on(np.array([1.0, 2.0]), np.array([3.0]), np.array([5.0])))


def test_row_135_while_true():
    def f(x):
        while True:
            x = x * 2
            if x > 100:
                break
        return x

    agree(f, *on(ONE, TWO))


def test_row_136_symbolic_break_of_a_python_loop():
    def f(x):
        for i in range(5):
            if x > i:
                break
        return i

    agree(f, *on(-ONE, ONE, 3 * ONE))


def test_row_137_condition_that_becomes_symbolic():
    def f(x):
        i = 0
        while i < 3:
            i = i + x
        return i

    agree(f, *on(ONE, ONE / 2))


def test_row_138_short_circuits():
    def f(x, i):
        a = i < len(x) and x[i] > 0
        b = i >= len(x) or x[i] > 0
        c = 0 < x[0] < 5
        return a, b, c, not c, "in" if i < len(x) else "out"

    agree(f, lambda: (np.ones(2), I(1)), lambda: (np.ones(2), I(7)), lambda: (np.zeros(2), I(0)))


def test_row_139_equality_is_elementwise():
    agree(lambda x: (x == 1, x != 1, x == None), *on(np.arange(3.0), ONE))  # noqa: E711


def test_row_140_membership():
    agree(lambda x: (x in [1, 2, 3], x not in (1, 5)), *on(ONE, 5 * ONE, I(2)))


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


def test_row_156_recursion_on_python_values():
    def factorial(n):
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    agree(factorial, *on(1, 5))


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
    names = [str(n) for n in range(ag.UnrollingWarning.LIMIT + 1)]

    @ag.function
    def f(x):
        for name in names:
            x = x + len(name)
        return x

    with pytest.warns(ag.UnrollingWarning, match="for name in names"):
        f(ONE)
