"""The corpus by reference and by value: the same results, and the same left in the arguments.

A sample of the programs runs by default; AUTOGRAPH_TESTS=1000 runs all of them.
"""

from zlib import crc32

import pytest

import autograph as ag
from autograph.runtime.references.targets import NotByValue
from tests.corpus.case import Case
from tests.corpus.cases import CASES, ROWS
from tests.support.alarm import Endless, alarm
from tests.support.amount import ALL
from tests.support.by_reference import check_by_value

ONE_OF = 60
PATIENCE = 20.0

SAMPLE = [case for case in (*CASES, *ROWS) if ALL or not crc32(case.name.encode()) % ONE_OF]


@pytest.mark.parametrize("case", SAMPLE, ids=[case.name for case in SAMPLE])
def test_by_value(case: Case) -> None:
    arguments = case.arguments[0]
    try:
        with alarm(PATIENCE):
            check_by_value(case.function, arguments)
    except NotByValue as error:
        pytest.skip(f"it is refused: {error}")
    except Endless:
        pytest.skip("the program runs for ever on these values")
    except (ag.errors.TracingError, ag.ConversionError) as error:
        pytest.skip(f"it has no graph: {type(error).__name__}")
    except Exception as error:
        with pytest.raises(type(error)):
            case.function(*arguments)
