"""The trace cache: it finds traces by key, drops the one unused for longest, and tells of it."""

import gc

import numpy as np

import autograph as ag


def cache_of(f):
    return f.__ag_dispatcher__.cache


def test_the_trace_unused_for_longest_goes():
    f = ag.function(lambda x: x + 1, max_traces=2)
    for k in (1, 2, 1, 3):
        f(np.ones(k))
    assert sorted(c.inputs[0].shape for c in cache_of(f).traces.values()) == [(1,), (3,)]
    assert f.cache_info()[:4] == (2, 2, 3, 1)


def test_a_general_trace_serves_calls_with_other_keys():
    f = ag.function(lambda x: x + 1, reduce_retracing=True)
    for k in (1, 2, 3, 4):
        f(np.ones(k))
    assert cache_of(f).made == 2 and len(cache_of(f).general) == 1


def test_traces_go_with_the_objects_that_they_are_for():
    class Scale:
        factor = 2.0

        def __call__(self, x):
            return x * self.factor

    f = ag.function(lambda scale, x: scale(x))
    scale = Scale()
    assert f(scale, 3.0) == 6.0 and len(cache_of(f).traces) == 1
    del scale
    gc.collect()
    assert cache_of(f).traces == {}


def test_state_that_a_trace_finds_becomes_an_input():
    counts = {"n": 0}

    @ag.function
    def count(x):
        counts["n"] = counts["n"] + x
        return counts["n"]

    assert [count(np.float64(k)) for k in (1, 2, 3)] == [1, 3, 6]
    (state,) = cache_of(count).states.values()
    assert [location.name for location in state.locations] == ["n"]
    count.cache_clear()
    assert cache_of(count).traces == {}


def test_nothing_is_forgotten_while_the_interpreter_ends():
    """Then the modules that could do it are gone."""
    f = ag.function(lambda x: x + 1)
    f(np.ones(2))
    cache = f.__ag_dispatcher__.cache
    (key,) = cache.traces
    cache._forget_dead(key, lambda: True)
    assert list(cache.traces) == [key]
    cache._forget_dead(key)
    assert list(cache.traces) == []
