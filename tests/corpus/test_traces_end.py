"""After three calls with arguments of one signature no program of the corpus is traced again.

AUTOGRAPH_TESTS=1000 runs all of them; without it a sample.
"""

import copy
from contextlib import suppress

import pytest

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.cases import PROGRAMS
from tests.support.amount import one_of

EVERY = one_of(16)
MODES = {"trace": {}, "runtime": {"effects": "runtime", "captures": "guard"}}
SETTLED, CALLS = 3, 7
CHOSEN = [(mode, case) for mode in MODES for case in PROGRAMS][::EVERY]


def traces_made(function, arguments):
    """Returns how many traces there were after each call, on copies of the arguments, and the keys
    of the calls."""
    dispatcher, counts, keys = function.__ag_dispatcher__, [], set()
    names = [p.name for p in dispatcher.parameters]
    for _ in range(CALLS):
        given = copy.deepcopy(arguments)
        if len(given) == len(names):
            keys.add(dispatcher.binder.bind(dict(zip(names, given, strict=True))).base)
        with suppress(Exception):  # programs that raise are among them
            function(*given)
        counts.append(dispatcher.cache.made)
    return counts, keys


@pytest.mark.parametrize(("mode", "case"), CHOSEN, ids=[f"{m}-{c.name}" for m, c in CHOSEN])
@pytest.mark.filterwarnings("ignore")
def test_no_program_is_traced_without_end(mode: str, case: Case) -> None:
    function = ag.function(case.function, **MODES[mode])
    for arguments in case.arguments[:2]:
        try:
            copy.deepcopy(arguments)
        except TypeError:
            pytest.skip("the arguments take no copies")
        counts, keys = traces_made(function, arguments)
        if len(keys) == 1:  # an object that counts by identity is another one in every copy
            assert counts[-1] == counts[SETTLED - 1], counts
