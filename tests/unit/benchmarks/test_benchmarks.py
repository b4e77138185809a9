"""The measuring itself: turns are fair, chunks are long enough, candidates agree."""

import numpy as np
import pytest

import autograph as ag
from benchmarks import (
    call_overhead,
    data,
    gradients,
    harness,
    latency,
    power,
    stages,
    workloads,
)
from benchmarks.gradient_programs import ROWS, Row


def test_measure_calls_everyone_and_orders_by_speed() -> None:
    data = np.arange(200_000.0)
    medians = harness.measure({"slow": lambda: np.sort(-data), "fast": lambda: data[0]}, repeats=3)
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


def test_every_workload_has_a_family_and_the_small_ones_agree() -> None:
    for work in (*data.calls(), *data.scalar_loops(), *data.array_loops()):
        assert work.family in data.FAMILIES
        if work.family != "array loops":
            assert {"eager", "ours"} <= set(workloads.candidates(work))


def test_summary_has_the_means_of_each_family() -> None:
    found = {"power": [{"eager": 2.0, "ours": 1.0}]}
    (_, power_line, all_line) = workloads.summary(found)
    assert power_line.split() == ["power", "2.00", "-", "-"]
    assert all_line.split() == ["all", "2.00", "-", "-"]


def test_stages_are_booked_once_and_taken_off_again() -> None:
    from autograph.conversion import driver
    from autograph.passes import pipeline

    before = driver.find, pipeline.PASSES
    text, arguments = latency.FUNCTIONS["branches"]
    function = latency.written(text, 0)
    found = stages.split([lambda: ag.function(function).get_concrete_function(*arguments)])
    assert (driver.find, pipeline.PASSES) == before
    once = [stage for stage, _, name in stages.STAGES if name in ("find", "_outcome", "emit")]
    assert [found[stage][1] for stage in once] == [1, 1, 1]
    assert found["pass: control_flow"][1] == found["optimiser: dead code"][1] == 1


def test_table_of_stages_puts_the_longest_first() -> None:
    rows = stages.table({"f": {"short": (1e-3, 1), "tiny": (1e-6, 9), "long": (2e-3, 2)}})
    assert [row.split("  ")[0] for row in rows.splitlines()[1:]] == [
        "long", "short", "all shorter stages"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_gradients_that_are_timed_are_right(row: Row) -> None:
    gradients.check(row.function, row.arguments, row.argnums)


def test_programs_of_the_corpus_that_are_differentiated() -> None:
    found = list(gradients.programs())
    assert len(found) > 60 and len({name for name, _, _ in found}) == len(found)
