"""Every row of every table, plainly and under ag.function: all that can be seen must agree."""

import importlib
import pkgutil

import pytest

import autograph as ag
from autograph.runtime.ir.errors import SymbolicValueError
from tests.corpus.numpy import errors, refused, tables
from tests.corpus.numpy.outcome import outcome, raised_by
from tests.corpus.numpy.rows import Row, rows

# What does not agree yet: why, and which rows. A row that agrees after all fails the test.
KNOWN_GAPS: list[tuple[str, tuple[str, ...]]] = [
    ("NumPy gives the array's own memory, though np.array is to copy", ("np.array(x.flat)",)),
]
GAPS = {text: reason for reason, texts in KNOWN_GAPS for text in texts}

TABLES = {module.name: importlib.import_module(f"{tables.__name__}.{module.name}")
          for module in pkgutil.iter_modules(tables.__path__)}
ROWS = {name: rows(name, table.ROWS) for name, table in TABLES.items()}


def cases() -> list[object]:
    """Every row; those that are known not to agree are expected to fail."""
    return [pytest.param(row, id=f"{name}: {row}", marks=[
        pytest.mark.xfail(reason=GAPS[str(row)], strict=True)] if str(row) in GAPS else [])
        for name, found in ROWS.items() for row in found]


@pytest.mark.parametrize("row", cases())
def test_row(row: Row) -> None:
    """The first call makes the trace, the second uses it with other values."""
    function = ag.function(row.function)
    for arguments in row.calls():
        plain, _ = outcome(row.function, arguments)
        traced, error = outcome(function, arguments)
        assert traced == plain, error
    assert function.experimental_get_tracing_count() <= 1


@pytest.mark.parametrize("row", rows("refused", refused.ROWS), ids=str)
def test_refused(row: Row) -> None:
    """What cannot be traced is refused with the user's line and a way out, never done wrongly."""
    with pytest.raises(SymbolicValueError, match="hint: ") as caught:
        ag.function(row.function)(*row.calls()[0])
    assert "<refused>" in str(caught.value)


@pytest.mark.parametrize("row", rows("errors", errors.ROWS), ids=str)
def test_error(row: Row) -> None:
    """What NumPy refuses is refused in its words, while tracing or when the graph runs."""
    function = ag.function(row.function)
    for arguments in row.calls():
        plain, traced = raised_by(row.function, arguments), raised_by(function, arguments)
        assert traced[:2] == plain[:2] != ("nothing", "")
        assert traced[2] == "<errors>" or "numpy" in traced[2], "the traceback ends in our lines"


def test_the_tables_are_large_and_have_no_duplicates() -> None:
    texts = [str(row) for found in ROWS.values() for row in found]
    assert len(texts) >= 2000
    assert sorted(texts) == sorted(set(texts))
    assert [text for text in GAPS if text not in texts] == []
