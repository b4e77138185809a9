"""Repeated calls of concrete and loaded functions are recognised by guards, and not bound."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions import concrete_function
from autograph.runtime.serialize.loaded import LoadedFunction

Pair = namedtuple("Pair", "left right")


@dataclass
class Point:
    x: object
    y: object


def nested(a, b, c=2):
    return {"u": a + b["p"], "v": [b["q"][0] * c, b["q"][1]]}


def pairs(p, *more, scale=1.0, **named):
    return p.left * scale + sum(more) + sum(named.values())


def points(p):
    return p.x + p.y


def writes(a, b):
    a += 1
    return a + b


def appends(items, x):
    items.append(x)
    return len(items)


X = np.arange(3.0)
CALLS = {
    "nested": (nested, ((X, {"p": X, "q": (X, 1)}), {}), ((X, {"p": X, "q": (X, 1)}, 2), {})),
    "keywords": (nested, ((X,), {"b": {"p": X, "q": (X, 1)}}), ((), {
        "a": X, "b": {"p": X, "q": (X, 1)}, "c": 2})),
    "any number": (pairs, ((Pair(X, 1), X, X), {"scale": 2.0, "k": X}), ()),
    "objects": (points, ((Point(X, X + 1),), {}), ()),
    "a number of NumPy": (points, ((Point(np.float64(1), np.float64(2)),), {}), ()),
}


@pytest.fixture
def unbound(monkeypatch):
    """Makes binding a call an error, once it is called."""
    def refuse(*args, **kwargs):
        raise AssertionError("the call was bound")

    def start():
        monkeypatch.setattr(concrete_function, "bind_direct", refuse)
        monkeypatch.setattr(LoadedFunction, "_found", refuse)
    return start


def same(a, b):
    np.testing.assert_equal(a, b)
    return True


@pytest.mark.parametrize("name", CALLS)
def test_calls_like_earlier_ones_are_not_bound(name, unbound):
    function, (args, kwargs), other = CALLS[name]
    concrete = ag.function(function).get_concrete_function(*args, **kwargs)
    for _ in range(2):
        assert same(concrete(*args, **kwargs), function(*args, **kwargs))
    if other:
        assert same(concrete(*other[0], **other[1]), function(*args, **kwargs))
    unbound()
    assert same(concrete(*args, **kwargs), function(*args, **kwargs))


def test_loaded_functions_too(unbound, tmp_path):
    args = X, {"p": X, "q": (X, 1)}
    graph = ag.function(nested)
    graph(*args)
    graph(np.float64(1), {"p": X, "q": (X, 1)})
    ag.save(tmp_path / "kept.agz", graph)
    loaded = ag.load(tmp_path / "kept.agz")
    for _ in range(3):
        assert same(loaded(*args), nested(*args))
        assert same(loaded(np.float64(1), args[1]), nested(1.0, args[1]))
    unbound()
    assert same(loaded(*args), nested(*args))
    assert same(loaded(np.float64(1), args[1]), nested(1.0, args[1]))


def test_other_calls_go_their_way():
    args = X, {"p": X + 1, "q": (X + 2, 1)}
    concrete = ag.function(nested).get_concrete_function(*args)
    for _ in range(5):
        concrete(*args)
    assert same(concrete([1, 2, 3], args[1]), nested(np.array([1, 2, 3.0]), args[1]))
    with pytest.raises(ag.SignatureError):
        concrete(args[0], {"q": (X + 2, 1), "p": X + 1})
    for wrong in ((X, {"p": X, "q": (X, 2)}), (X, {"p": X}), (np.ones(4), args[1]), (X,),
                  (X, *args[1:], 3), (X, *args[1:], 2, 2), (X.astype(int).tolist(), {"p": 1})):
        with pytest.raises(ag.SignatureError):
            concrete(*wrong)
    with pytest.raises(ag.SignatureError):
        concrete(*args, d=1)


def test_many_and_wide_arguments(unbound):
    def total(a, *more):
        return sum(more, a) + sum(x for x in a_list(more))

    def a_list(more):
        return list(more)

    args = [X + k for k in range(70)]
    concrete = ag.function(total).get_concrete_function(*args)
    deep = ag.function(lambda d: sum(x["x"][0] for x in d)).get_concrete_function(
        [{"x": [x]} for x in args])
    for _ in range(3):
        assert same(concrete(*args), total(*args))
        assert same(deep([{"x": [x]} for x in args]), sum(args))
    unbound()
    assert same(concrete(*args), total(*args))
    assert same(deep([{"x": [x]} for x in args]), sum(args))


def test_arrays_alone_in_order_and_by_name():
    concrete = ag.function(lambda n, x: x * n).get_concrete_function(3, X)
    for _ in range(5):
        assert same(concrete(X), X * 3) and same(concrete(3, X), X * 3) and same(
            concrete(x=X), X * 3)


def test_written_arguments_that_share_memory():
    concrete = ag.function(writes).get_concrete_function(np.ones(3), np.ones(3))
    for _ in range(4):
        assert same(concrete(np.ones(3), np.ones(3)), np.full(3, 3.0))
    a = np.ones(6)
    with pytest.raises(ag.InvalidArgumentError, match="pass a copy, or call the function"):
        concrete(a[:3], a[1:4])
    assert same(a, np.ones(6)) and same(concrete(a[:3], a[3:]), np.full(3, 3.0))


def test_containers_are_changed():
    concrete = ag.function(appends).get_concrete_function([X], X + 1)
    for _ in range(5):
        items = [X]
        assert concrete(items, X + 1) == 2
        assert same(items, [X, X + 1])


def test_inside_a_trace():
    concrete = ag.function(writes).get_concrete_function(np.ones(3), np.ones(3))
    for _ in range(4):
        concrete(np.ones(3), np.ones(3))
    outer = ag.function(lambda a, b: concrete(a, b) * 2)
    for k in range(3):
        a = np.full(3, k * 1.0)
        assert same(outer(a, np.ones(3)), np.full(3, 2.0 * (k + 2)))
        assert same(a, np.full(3, k + 1.0))


def test_a_call_in_a_trace_is_like_no_other(tmp_path):
    reciprocal = ag.function(lambda x: 1 / x).get_concrete_function(np.float64(1.0))
    ag.save(tmp_path / "reciprocal.agz", ag.function(lambda x: 1 / x), (np.float64(1.0),))
    for f in (reciprocal, ag.load(tmp_path / "reciprocal.agz")):
        for _ in range(4):
            ag.function(lambda x, f=f: f(x))(np.float64(2.0))
        ag.grad(lambda x, f=f: f(x) * x)(np.float64(2.0))
        with pytest.raises(ag.SignatureError):
            f(np.ones(3))


@pytest.mark.parametrize("given", [np.array(1.0), np.float64(1.0), ag.TensorSpec([])], ids=repr)
@pytest.mark.parametrize("x", [np.array(2.0), np.float64(2.0), 2.0, 2], ids=repr)
def test_a_number_is_given_in_a_trace_as_outside(given, x):
    f = ag.function(lambda x: x + 1).get_concrete_function(given)
    g = ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec([])])
    for called in f, g:
        assert same(called(x), np.float64(3.0))
        assert same(ag.function(lambda x, f=called: f(x))(x), np.float64(3.0))
        widened = ag.function(lambda x, f=called: f(x), reduce_retracing=True)
        assert same(widened(x), np.float64(3.0))
        if type(x) is not int:
            assert ag.grad(lambda x, f=called: f(x) * x)(x) == 5.0


def test_an_array_without_axes_is_written():
    def add_five(x):
        x[...] = x + 5
        return x

    concrete = ag.function(add_five).get_concrete_function(np.array(1.0))
    for _ in range(3):
        x = np.array(2.0)
        assert concrete(x) is x and same(x, np.array(7.0))
    assert same(concrete(3.0), np.array(8.0))
