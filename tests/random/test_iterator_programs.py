"""Every kind of iterator, read and asked in every way: as plain Python does it, or refused."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.iterator_programs import PROGRAMS, verdict
from tests.support.amount import sample


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 17, "iterators"))
def test_iterators_are_those_of_python(program: tuple[str, str], mode: str) -> None:
    found = verdict(*program, mode)
    assert not found.startswith("wrong"), found


def test_an_iterator_is_its_own() -> None:
    assert verdict("enumerate(x)", "return e.__iter__() is e, next(e), list(e)",
                   "default") == "right"
