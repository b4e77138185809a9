"""Programs of a page, over objects: the same as plain Python in each mode, call by call."""

import warnings

import pytest

import autograph as ag
from tests.corpus.library import small_searches, small_systems
from tests.corpus.state.small_programs import MODES
from tests.support.beside_plain import verdict

PROGRAMS = {f.__name__: (f, sets) for module in (small_systems, small_searches)
            for f, sets in module.PROGRAMS.items()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_plain_python(name: str, mode: str) -> None:
    f, sets = PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)  # what a text calls is not known
        found = verdict(f, [(arguments, {}) for arguments in sets], mode)
    assert (found.kind, found.why) == ("same", "")
