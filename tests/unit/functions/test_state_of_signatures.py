"""What one signature of a function changes, its other signatures read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


class Counter:
    def __init__(self) -> None:
        self.n, self.seen = 0, list[float]()

    def count(self, x: Any, writes: bool) -> Any:
        if writes:
            if x > 0:
                self.n += 1
                self.seen.append(x)
        return x + self.n + len(self.seen)


G: list[float] = []
S = Counter()


def global_list(x: Any, writes: bool, o: Counter) -> Any:
    if writes:
        if x > 0:
            G.append(x)
    return x + len(G)


def global_object(x: Any, writes: bool, o: Counter) -> Any:
    return S.count(x, writes)


def argument(x: Any, writes: bool, o: Counter) -> Any:
    if writes:
        if x > 0:
            o.n += 1
    return x + o.n


def by_shape(x: Any, writes: bool, o: Counter) -> Any:
    x = np.ones(1 + writes) * x
    return sizes(x, o)


@ag.function
def sizes(x: Any, o: Counter) -> Any:
    if len(x) > 1:
        if x.sum() > 0:
            o.n += 1
    return x[0] + o.n


FUNCTIONS = [global_list, global_object, argument]


@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_signatures_share_their_state(function: Callable[..., Any], mode: str) -> None:
    results = []
    for call in (function, ag.function(function, **MODES[mode])):
        G.clear()
        S.__init__()  # type: ignore[misc]
        o = Counter()
        results.append([float(call(np.float64(1.0), writes, o))
                        for writes in map(bool, (0, 1, 0, 1, 1, 0, 0, 1, 0, 0))])
    assert results[0] == results[1]


@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
@pytest.mark.parametrize("mode", MODES)
def test_a_method_reads_what_it_changed_with_another_constant(mode: str) -> None:
    class Converted(Counter):
        count = ag.function(Counter.count, **MODES[mode])

    results = []
    for cls in (Counter, Converted):
        o, other = cls(), cls()
        results.append([float(x.count(np.float64(1.0), writes)) for x, writes in (
            (o, False), (o, True), (o, False), (other, False), (other, True), (other, False),
            (o, True), (o, False), (other, False))])
    assert results[0] == results[1]


def test_shapes_are_signatures_too() -> None:
    o = Counter()
    found = [float(by_shape(np.float64(1.0), writes, o)) for writes in (
        False, True, False, True, False)]
    assert found == [1.0, 2.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("how", [{}, {"effects": "runtime"},
                                 {"effects": "runtime", "captures": "guard"}])
def test_what_is_kept_outside_is_found_once_for_all_signatures(how: dict[str, Any]) -> None:
    log: list[float] = []

    @ag.function(**how)
    def f(x: np.ndarray) -> Any:
        log.append(x.sum())
        return x * 2

    for n in (1, 2, 3, 1, 2, 3):
        f(np.ones(n))
    assert log == [1.0, 2.0, 3.0] * 2
    assert f.cache_info().traced == 4, "the first found the list and served one call"


def test_signatures_with_state_outside_are_generalised() -> None:
    log: list[float] = []

    @ag.function(reduce_retracing=True)
    def f(x: np.ndarray, k: int) -> Any:
        log.append(x.sum() + k)
        return x * k

    for n in range(1, 8):
        assert f(np.ones(n), n).tolist() == [n] * n
    assert log == [2.0 * n for n in range(1, 8)]
    assert f.cache_info().traced == 3


def test_a_counter_in_a_dict_outside_is_no_part_of_the_guard() -> None:
    counts = {"calls": 0, "scale": 2.0}

    @ag.function(effects="runtime", captures="guard")
    def f(x: np.ndarray) -> Any:
        counts["calls"] += 1
        return x * counts["scale"]

    assert [f(np.ones(1))[0] for _ in range(4)] == [2.0] * 4
    assert counts["calls"] == 4 and f.cache_info().traced == 2
    counts["scale"] = 3.0
    assert f(np.ones(1))[0] == 3.0
    del counts["scale"]
    with pytest.raises(KeyError):
        f(np.ones(1))


def test_a_list_in_a_dict_outside_is_no_part_of_the_guard() -> None:
    kept: dict[str, Any] = {"log": [], "scale": 2.0}

    @ag.function(effects="runtime", captures="guard")
    def f(x: np.ndarray) -> Any:
        kept["log"].append(x.sum())
        return x * kept["scale"]

    for n in range(5):
        assert f(np.full(1, float(n)))[0] == 2.0 * n
    assert kept["log"] == [0.0, 1.0, 2.0, 3.0, 4.0] and f.cache_info().traced <= 3
    kept["scale"], kept["log"] = 3.0, []
    assert f(np.ones(1))[0] == 3.0 and kept["log"] == [1.0]


def test_state_is_not_guessed_for_other_objects() -> None:
    class Meter:
        def __init__(self) -> None:
            self.seen: list[float] = []

    meters = [Meter() for _ in range(3)]

    @ag.function(effects="runtime")
    def f(number: int, x: float) -> float:
        meters[number].seen.append(x)
        return x + len(meters[number].seen)

    found = [f(i % 3, np.float64(i)) for i in range(12)]
    assert found == [i + i // 3 + 1 for i in range(12)]
    assert [m.seen for m in meters] == [[j, j + 3, j + 6, j + 9] for j in range(3)]
