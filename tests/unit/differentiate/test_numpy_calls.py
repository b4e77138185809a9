"""Calls of NumPy's functions: both modes against differences, or a clear refusal.

A sample of them runs by default; AUTOGRAPH_TESTS=1000 runs all.
"""

from zlib import crc32

import pytest

from tests.random.test_numeric_programs import load
from tests.support.amount import ALL
from tests.support.numpy_calls import CALLS, REFUSED, STATEMENTS, arguments, source_of
from tests.support.slopes import Trial, Verdict

ONE_OF = 8
CHOSEN = [x for x in (*CALLS, *STATEMENTS, *REFUSED) if ALL
          or not crc32(x.encode()) % ONE_OF]


def verdict(call: str) -> Verdict:
    source, names = source_of(call)
    given = arguments()
    return Trial(load(source, f"<{call}>"), tuple(given[x] for x in names),
                 crc32(call.encode())).verdict()


@pytest.mark.parametrize("call", CHOSEN)
def test_call(call: str) -> None:
    found = verdict(call)
    assert found.outcome == ("refused" if call in REFUSED else "agree"), found.told
    assert REFUSED.get(call, "") in found.told
