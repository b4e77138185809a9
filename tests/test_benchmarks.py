"""The measuring itself: turns are fair, chunks are long enough, candidates agree."""

import numpy as np

from benchmarks import call_overhead, harness, power


def test_measure_calls_everyone_and_orders_by_speed() -> None:
    data = np.arange(200_000.0)
    medians = harness.measure({"slow": lambda: np.sort(-data), "fast": lambda: data[0]}, rounds=3)
    assert medians["fast"] < medians["slow"]


def test_chunk_is_long_enough() -> None:
    number = harness.repetitions(lambda: None)
    assert number > 100


def test_show_gives_the_ratio_to_the_first() -> None:
    assert "b 1 ms (2.00x)" in harness.show("t", {"a": 2e-3, "b": 1e-3})


def test_candidates_of_power_agree() -> None:
    assert {"eager NumPy", "ours, y=100", "ours, symbolic y"} <= set(power.candidates())


def test_candidates_of_call_overhead_agree() -> None:
    for function, arguments in call_overhead.PROGRAMS.values():
        found = call_overhead.candidates(function, arguments)
        np.testing.assert_equal(found["ours"](), found["eager"]())
