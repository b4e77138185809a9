"""Functions with effects that become values keep their effects, or are refused."""

import pytest

from tests.corpus.state.function_values import WAYS, programs
from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample

CALLS = [(program, mode) for program in programs() for mode in MODES]

FOLLOWED = ("list", "dict", "choice", "lambda", "default of a lambda", "partial", "method", "map",
            "key", "reduce", "attribute", "vectorize")
"""Ways in which the trace follows the function, whatever it changes."""


def check(program: Small, mode: str) -> None:
    found = verdict(program, **MODES[mode])
    assert found.startswith(("right", "plain", "refused")), found


@pytest.mark.parametrize(("program", "mode"), CALLS[::29], ids=str)
def test_a_sample(program: Small, mode: str) -> None:
    check(program, mode)


@pytest.mark.parametrize("way", FOLLOWED)
def test_followed(way: str) -> None:
    assert way in WAYS
    kept = [p for p in programs() if p.name in (f"{way}, variable", f"{way}, list, objects")]
    assert [verdict(p) for p in kept] == ["right", "right"]


@pytest.mark.slow
@pytest.mark.parametrize("number", sample(range(29), 5))
def test_all(number: int) -> None:
    for program, mode in CALLS[number::29]:
        check(program, mode)
