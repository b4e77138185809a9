"""Functions with effects that containers of the run keep: as plain Python does it, or refused."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.kept_callables import PROGRAMS, source, verdict
from tests.support.amount import sample


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 400, "kept callables"), ids="-".join)
def test_kept_functions_act_as_in_python(program: tuple[str, ...], mode: str) -> None:
    found = verdict(source(*program), f"<kept {program}, {mode}>", mode)
    assert not found.startswith(("wrong", "no end", "invalid")), found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", ["sets", "appends", "passes on", "called", "holder"])
def test_methods_in_a_queue_of_events_are_followed(function: str, mode: str) -> None:
    text = source(function, "argument", "heap", "called", "straight")
    assert verdict(text, f"<events {function}, {mode}>", mode) == "right"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [("lambda appends", "other", "list", "called", "straight"),
                                     ("builtin", "other", "by index", "called", "loop")])
def test_what_another_argument_leads_to_is_changed(program: tuple[str, ...], mode: str) -> None:
    assert verdict(source(*program), f"<shared {program}, {mode}>", mode) == "right"
