"""Modes of tracing: a request for another trace leads to a mode, to more inputs, or to an error."""

import pytest

from autograph.runtime.ir.errors import TracingError
from autograph.runtime.ir.trace_signals import RetraceWithInputs
from autograph.runtime.symbolic.allocation_sites import Allocations, AllocationSites
from autograph.runtime.symbolic.trace_mode import Decision, RetraceRequest, TraceMode

WHY = Decision(None, "by reference", "an array is written")
SITE = "f.py", (1, 0, 1, 2)


def code():
    """Stands for a function that calls itself."""


def test_a_trace_that_will_do_is_not_made_again():
    mode = TraceMode()
    assert RetraceRequest().next_mode(mode, Allocations(mode.sites)) is None


def test_by_reference_once():
    mode = TraceMode()
    request = RetraceRequest(references=WHY)
    made = request.next_mode(mode, Allocations(mode.sites))
    assert made == TraceMode(by_reference=True, decisions=(WHY,))
    with pytest.raises(TracingError, match="an array is written"):
        request.next_mode(made, Allocations(made.sites))


def test_calls_of_a_function_and_then_those_on_python_values():
    request = RetraceRequest(recursion=code.__code__)
    mode = request.next_mode(TraceMode(), Allocations(AllocationSites()))
    assert mode.level_of(code.__code__) == 1
    assert request.next_mode(mode, Allocations(mode.sites)).level_of(code.__code__) == 2


def test_a_container_is_an_object_of_the_graph_by_its_site():
    made = []
    request = RetraceRequest(containers=[(made, WHY)])
    first = TraceMode()
    instrumented = request.next_mode(first, Allocations(first.sites))
    assert instrumented.sites == AllocationSites(instrumented=True) and instrumented.by_reference
    allocations = Allocations(instrumented.sites)
    allocations.note(made, SITE)
    second = request.next_mode(instrumented, allocations)
    assert second.sites.holds(SITE) and not second.sites.holds(("f.py", (2, 0, 2, 2)))
    assert second.sites.reasons == (WHY, WHY)
    again = Allocations(second.sites)
    again.note(made, SITE)
    assert not request.helps(again)
    with pytest.raises(TracingError, match="a container an array is written"):
        request.next_mode(second, again)


def test_a_container_of_the_arguments_becomes_an_input():
    given = []
    allocations = Allocations(AllocationSites())
    allocations.arguments[id(given)] = given, "x"
    with pytest.raises(RetraceWithInputs) as caught:
        RetraceRequest(containers=[(given, WHY)]).next_mode(TraceMode(), allocations)
    assert caught.value.mode.sites.arguments == {"x"}


def test_lists_that_numpy_is_given_ask_for_instrumented_code():
    mode = RetraceRequest(lists=WHY).next_mode(TraceMode(), Allocations(AllocationSites()))
    assert mode.sites.instrumented and not mode.by_reference
