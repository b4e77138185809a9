"""What a function leaves when it is dropped: nothing of its module, its trace or its values."""

import gc
import linecache
import weakref

import numpy as np
import pytest

import autograph as ag

SOURCE = """
def loads(x, n, scale=2):
    total = x * scale
    for k in range(n):
        if x[k] > 0:
            total = total + x[k]
    return np.sum(total) / x[n]
"""


class Marker:
    """Lives as long as the globals of the module that has it."""


def used(executor: str, name: str) -> list[weakref.ref[object]]:
    """Traces a function of a new module, has it raise and its error told, and drops it; returns
    what must be gone: its globals and its trace."""
    marker = Marker()
    scope = {"np": np, "__name__": "dropped", "marker": marker}
    linecache.cache[name] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), name)
    exec(compile(SOURCE, name, "exec"), scope)
    plain = scope["loads"]
    function = ag.function(plain, executor=executor)
    x = np.arange(1.0, 4.0)
    assert function(x, np.int64(2)) > 0
    with pytest.raises(IndexError):
        function(x, np.int64(3))
    graph = function.get_concrete_function(x, np.int64(2)).graph
    del linecache.cache[name]
    return [weakref.ref(marker), weakref.ref(graph)]


@pytest.mark.parametrize("executor", ["python", "interpreter"])
def test_nothing_is_kept(executor: str) -> None:
    left = used(executor, f"<dropped {executor}>")
    used(executor, f"<dropped later {executor}>")
    gc.collect()
    assert [ref() for ref in left] == [None] * 2


def recursive(calls: int) -> weakref.ref[object]:
    @ag.function
    def count(x, n):
        return count(x - 1, n) + 1 if x > n else x

    for _ in range(calls):
        count(np.float64(4.0), 3)
    return weakref.ref(count)


def with_super(calls: int) -> weakref.ref[object]:
    class Base:
        def add(self, x):
            return x + 1

    class Derived(Base):
        @ag.function
        def add(self, x):
            return super().add(x) + 1

    for _ in range(calls):
        assert Derived().add(np.float64(1.0)) == 3
    return weakref.ref(Derived)


@pytest.mark.parametrize("calls", [0, 1, 9])
@pytest.mark.parametrize("make", [recursive, with_super])
def test_a_function_that_leads_to_itself_is_collected(make, calls: int) -> None:
    gone = make(calls)
    gc.collect()
    assert gone() is None
