"""Programs of all kinds of data do the same in another process that cannot read their source."""

from pathlib import Path

from tests.corpus.export import elsewhere, records_and_texts
from tests.support.survival import REFUSED, SURVIVED, UNTRACED, fates

CASES = [*elsewhere.CASES, *records_and_texts.CASES]
NOT_SAVED = {
    "spans": (REFUSED, "the class Span is not in the file"),
    "masked_means": (REFUSED, "numpy.ma.core.masked_invalid"),
    "polynomials": (REFUSED, "numpy.polynomial.polynomial.Polynomial"),
    "picky": (UNTRACED, "does not fit its signature"),  # one call raises while it is traced
}
"""Programs that do not survive as they are, each with a part of the reason."""


def test_they_survive(tmp_path: Path) -> None:
    found = {f.name.partition(".")[2]: f for f in fates(CASES, [], tmp_path)}
    assert len(found) == len(CASES)
    assert {name: f.kind for name, f in found.items() if f.kind != SURVIVED} == {
        name: kind for name, (kind, _) in NOT_SAVED.items()}
    assert all(why in found[name].why for name, (_, why) in NOT_SAVED.items())
