"""Section 1.16: what TensorFlow gets wrong without a word, and ours must not."""

import random
import time

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


def test_case_01_each_literal_has_its_own_trace():
    f = ag.function(lambda n: n)
    assert [repr(f(x)) for x in (1, True, 1.0)] == ["1", "True", "1.0"]


count = 0


def bump():
    global count
    count += 1


def test_case_02_effect_of_a_called_function_counts_each_time():
    @ag.function
    def f(n):
        global count
        count = 0
        for _ in range(n):
            bump()
        return count

    assert f(np.int64(3)) == 3 == count


def test_case_03_write_need_not_be_assigned():
    @ag.function
    def f(x):
        ta = ag.TensorArray(np.float64, size=2)
        ta.write(0, x)
        ta.write(1, x)
        return ta.stack()

    assert f(ONE).tolist() == [1, 1]


def test_case_04_lambda_sees_the_variable_not_its_old_value():
    @ag.function
    def f(n):
        i = 0
        late = lambda: i
        for i in range(n):  # noqa: B007
            pass
        return late()

    assert f(np.int64(3)) == 2


def test_case_05_text_holds_values():
    assert ag.function(lambda x: f"{x}")(ONE) == "1.0"


def test_case_06_prints_are_in_order(capsys):
    v = ag.Variable(0.0)

    @ag.function
    def f(x):
        ag.print("1")
        if x > 0:
            v.assign(x)
            ag.print("2")
        ag.print("3")

    for _ in range(50):
        f(ONE)
    assert capsys.readouterr().out == "1\n2\n3\n" * 50


def test_case_07_nothing_happens_after_a_failed_check():
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        v.assign_add(x)
        ag.debugging.Assert(x > 1, [x])
        v.assign_add(10.0)

    with pytest.raises(ag.InvalidArgumentError):
        f(ONE)
    assert v.numpy() == 2


def test_case_08_raise_in_an_untaken_branch():
    @ag.function
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x

    assert f(ONE) == 1


def test_case_09_exclusive_cases_are_checked():
    f = ag.function(lambda x: ag.case([(x > 0, lambda: 1), (x > -1, lambda: 2)], lambda: 3,
                                      exclusive=True))
    with pytest.raises(ag.InvalidArgumentError):
        f(ONE)


def test_case_12_no_option_drops_a_write():
    v = ag.Variable(1.0)
    with pytest.warns(DeprecationWarning):
        f = ag.function(lambda: v.assign(5.0), experimental_attributes={"_disable_acd": True})
    f()
    assert v.numpy() == 5


class Holder:
    def __init__(self):
        self.value = self.other = None


def test_case_13_nothing_symbolic_stays_behind():
    holder, items = Holder(), []

    @ag.function
    def f(x):
        global count
        count = x * 2
        holder.value = x + 1
        items.append(x)
        if x > 0:
            holder.other = x

    for x in (ONE, ONE * 2):
        f(x)
        assert (count, holder.value, items[-1], holder.other) == (2 * x, x + 1, x, x)
    assert items == [1, 2]


def test_case_14_random_numbers_and_time_are_not_frozen():
    f = ag.function(lambda x: (np.random.random(), random.random(), time.perf_counter()))  # noqa: NPY002
    first, second = f(ONE), f(ONE)
    assert all(a != b for a, b in zip(first, second, strict=True))
