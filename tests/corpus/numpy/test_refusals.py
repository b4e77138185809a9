"""What NumPy refuses, or a trace: the error says why, in NumPy's words or with a way out."""

import pytest

import autograph as ag
from autograph.runtime.ir.errors import SymbolicValueError
from tests.corpus.case import Case
from tests.corpus.numpy import errors, refused
from tests.corpus.numpy.rows import rows
from tests.support.outcome import raised_by


@pytest.mark.parametrize("case", rows("refused", refused.ROWS), ids=lambda case: case.title)
def test_refused(case: Case) -> None:
    """What cannot be traced is refused with the user's line and a way out, never done wrongly."""
    with pytest.raises(SymbolicValueError, match="hint: ") as caught:
        ag.function(case.function)(*case.arguments[0])
    assert "<refused>" in str(caught.value)


@pytest.mark.parametrize("case", rows("errors", errors.ROWS), ids=lambda case: case.title)
def test_error(case: Case) -> None:
    """What NumPy refuses is refused in its words, while tracing or when the graph runs."""
    function = ag.function(case.function)
    for arguments in case.arguments:
        plain, traced = raised_by(case.function, arguments), raised_by(function, arguments)
        assert traced[:2] == plain[:2] != ("nothing", "")
        assert traced[2] == "<errors>" or "numpy" in traced[2], "the traceback ends in our lines"
