"""Without `jit_compile`, machine code comes when it is worth compiling, and stays if faster."""

import math
from threading import Thread
from time import sleep
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions import tiers
from autograph.runtime.native.kernel import Kernel

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


def total(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            s += x[i] * x[i]
    return s


def executor_of(f: Any, *arguments: Any) -> str:
    found: str = f.get_concrete_function(*arguments).execution.executor
    return found


X = np.random.default_rng(0).random(500)


def test_a_few_calls_run_over_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "LOOK", math.inf)
    f = ag.function(total)
    assert f(X) == f(X) == total(X)
    assert executor_of(f, X) == "tiered"


def test_a_long_loop_is_compiled_in_the_first_call() -> None:
    f, x = ag.function(total), np.tile(X, 4000)
    assert f(x).tobytes() == ag.function(total, jit_compile=False)(x).tobytes()
    assert executor_of(f, x) == "native"


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling is thought to take no time."""
    for name in ("LOOK", "COMPILING"):
        monkeypatch.setattr(tiers, name, 0.0)


def settles(f: Any, expected: Any, *arguments: Any) -> str:
    for _ in range(20):
        assert f(*arguments) == expected
    return executor_of(f, *arguments)


@pytest.mark.usefixtures("cheap")
def test_what_was_faster_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = total(X)
    monkeypatch.setattr(tiers, "BETTER", 1e9)
    assert settles(ag.function(total), expected, X) == "native"
    monkeypatch.setattr(tiers, "BETTER", 0.0)
    monkeypatch.setattr(Kernel, "__call__", lambda self, *values: sleep(0.01))  # it steps back
    assert settles(ag.function(total), expected, X) == "tiered"


@pytest.mark.usefixtures("cheap")
def test_where_compiling_fails_it_stays_over_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(Kernel, "compile", fails)
    assert settles(ag.function(total), total(X), X) == "tiered"


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("options", [{"jit_compile": False}, {"executor": "interpreter"}])
def test_other_choices_stay(options: Any) -> None:
    f = ag.function(total, **options)
    assert settles(f, total(X), X) == options.get("executor", "python")


@pytest.mark.usefixtures("cheap")
def test_without_kernels_it_is_not_watched_any_more() -> None:
    f = ag.function(lambda names: [n.upper() for n in names] + ["end"])
    for _ in range(5):
        assert f(["a", "b"]) == ["A", "B", "end"]
    concrete = f.get_concrete_function(["a", "b"])
    assert not isinstance(concrete.run, tiers.Tiers)


@pytest.mark.usefixtures("cheap")
def test_errors_are_those_of_numpy() -> None:
    def first_above(x: Any, n: Any) -> Any:
        k = 0
        while x[k] < n:
            k += 1
        return k / (k + 3)

    f = ag.function(first_above)
    for _ in range(20):
        assert f(X, 0.5) == first_above(X, 0.5)
        with pytest.raises(IndexError, match="out of bounds"):
            f(X, 2.0)


@pytest.mark.usefixtures("cheap")
def test_threads_may_call_while_it_is_compiled() -> None:
    f, expected, found = ag.function(total), total(X), list[Any]()
    threads = [Thread(target=lambda: found.extend(f(X) for _ in range(30))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 120


def test_time_that_machine_code_does_not_save_is_no_reason_to_compile(
        monkeypatch: pytest.MonkeyPatch) -> None:
    def scaled(x: Any) -> Any:
        sleep(0.03)
        y = x * 2 + 1
        return y / (y + x) - x * y + y * y - x / 3

    monkeypatch.setattr(tiers, "LOOK", 0.0)
    monkeypatch.setattr(tiers, "COMPILING", 1.0)
    f = ag.function(scaled)
    for _ in range(10):
        assert f(X).tobytes() == scaled(X).tobytes()
    assert executor_of(f, X) == "tiered"
    assert f.get_concrete_function(X).run.native is None


@pytest.mark.usefixtures("cheap")
def test_arrays_of_open_lengths_are_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def scaled(x: Any) -> Any:
        y = x * 2 + 1
        return y / (y + x) - x * y

    monkeypatch.setattr(tiers, "BETTER", 1e9)
    f = ag.function(scaled, input_signature=[ag.TensorSpec((None,), np.float64)])
    for n in range(1, 21):
        x = np.tile(X, n)
        assert f(x).tobytes() == scaled(x).tobytes()
    assert executor_of(f) == "native"
