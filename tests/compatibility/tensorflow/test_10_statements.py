"""Rows 119 to 140: statements and conditions, each as plain Python has it."""

import numpy as np

from tests.compatibility.tensorflow.agreement import agree, on

ONE, TWO = np.float64(1), np.float64(2)
I = np.int64  # noqa: E741


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
