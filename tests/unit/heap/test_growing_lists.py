"""Lists that grow in staged loops and branches: the same items, and real lists back."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.kernels.stack import stacked


def grows(x, n):
    out = ag.new_list([])
    while n > 0:
        x = x * 0.5
        out.append(x)
        n = n - 1
    return np.array(out), ag.len(out)


def filters(xs):
    out = ag.new_list([])
    for v in xs:
        if v > 0:
            out.append(v)
    return out


def looks_back(xs):
    path = ag.new_list([xs[0]])
    for i in ag.range(1, ag.len(xs)):
        path.append(path[-1] + xs[i])
    return np.stack(path[::-1])


def pops(n):
    stack = ag.new_list([n])
    while n > 0:
        n = n - 1
        stack.append(n)
    last = stack.pop()
    return last, stack, stack[0]


def iterates(n):
    items = ag.new_list([])
    while n > 0:
        items.append(n)
        n = n // 2
    total = n
    for item in items:
        total = total + item
    return total


def changes(n):
    items = ag.new_list([])
    while n > 0:
        items.append(n % 3)
        n = n // 2
    items[0] = n
    items.sort()
    items.reverse()
    return items, items.count(1)


def stays_known(x):
    pair = ag.new_list([x, x + 1])
    pair.append(x + 2)
    return len(pair), pair[1], pair


I, F = np.int64, np.float64  # noqa: E741  # the two dtypes
CASES = [
    (grows, (F(3.0), I(5))), (grows, (F(3.0), I(0))), (filters, (np.array([1.0, -2.0, 3.0]),)),
    (filters, (np.arange(-10.0, 20.0),)), (looks_back, (np.arange(5.0),)),
    (looks_back, (np.arange(40.0),)), (pops, (I(4),)), (iterates, (I(37),)), (iterates, (I(0),)),
    (changes, (I(100),)), (stays_known, (F(2.0),)),
]


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_same_items(function, arguments, executor):
    traced = ag.function(function, executor=executor)
    for _ in range(2):
        assert repr(traced(*arguments)) == repr(ag.convert(function)(*arguments))


def test_appending_in_a_loop_does_not_copy_the_list():
    source = ag.function(grows).get_concrete_function(F(3.0), I(5)).source
    assert ".append(" in source
    assert "[*" not in source


def test_len_of_an_unknown_length_is_refused_with_the_line():
    def length(n):
        out = ag.new_list([])
        while n > 0:
            out.append(n)
            n = n - 1
        return out.__len__()

    with pytest.raises(TypeError, match=r"length is known only when the graph runs(.|\n)*ag\.len"):
        ag.function(length)(I(3))


def test_a_list_that_starts_in_a_literal_grows_in_place():
    def path(x):
        made = [x]
        for i in range(12):
            x = x + i
            made.append(x)
        return np.stack(made[::-1])

    np.testing.assert_equal(ag.function(path)(F(2.0)), path(F(2.0)))


A = np.array


@pytest.mark.parametrize("parts", [
    [np.float64(1), np.float64(2)], [A([1, 2]), A([3, 4])], [A(1.5), A(2.5)], [],
    [A([1, 2]), A([3.0, 4])], [A([1, 2], np.int8), A([3, 4])], [A([1, 2]), A([3])], [1, 2.5],
    [np.float64(1), 2], [A([[1, 2]], order="F"), A([[3, 4]])], [A(["a", "b"]), A(["cc", "d"])],
    [A([1, 2], ">i4"), A([1, 2], ">i4")], [A([1, 2], object), A([3, 4], object)], (A([1]), A([2])),
    [np.ma.masked_array([1, 2]), A([3, 4])], [A([1, 2]), np.ma.masked_array([1, 2], [0, 1])],
    [np.bool_(True), np.bool_(False)], [A([]), A([])], [A([1, 2]), [3, 4]],
])
def test_stacked_is_stack(parts):
    try:
        expected = np.stack(parts)
    except Exception as error:
        with pytest.raises(type(error)) as found:
            stacked(parts)
        assert str(found.value) == str(error)
        return
    made = stacked(parts)
    assert type(made) is type(expected) and made.dtype == expected.dtype
    assert made.flags.c_contiguous == expected.flags.c_contiguous
    np.testing.assert_array_equal(made, expected)


def test_an_array_is_added_to_the_elements_of_a_list() -> None:
    def plus(x):
        items, more = [1.0, 2.0], [x[0]]
        more += [x[1]]
        items += x
        return items, more + x, x + more

    x = np.array([3.0, 4.0])
    for got, expected in zip(ag.function(plus)(x), plus(x), strict=True):
        assert type(got) is np.ndarray and np.array_equal(got, expected)
