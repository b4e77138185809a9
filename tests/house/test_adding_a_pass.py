"""The diff that docs/adding-a-pass.md shows is of the files as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.house.checkout import ROOT

PAGE = (ROOT / "docs" / "adding-a-pass.md").read_text(encoding="utf-8")


def hunks() -> Iterator[tuple[str, str]]:
    """The files that the diff changes, and what stands there afterwards, hunk by hunk."""
    (diff,) = re.findall(r"```diff\n(.*?)```", PAGE, re.DOTALL)
    for part in re.split(r"^--- .*\n", diff, flags=re.MULTILINE)[1:]:
        head, *changes = re.split(r"^@@.*\n", part, flags=re.MULTILINE)
        for change in changes:
            lines = [line[1:] for line in change.splitlines() if line[:1] in "+ "]
            yield head.strip().removeprefix("+++ b/"), "\n".join(lines) + "\n"


@pytest.mark.parametrize(("name", "text"), list(hunks()))
def test_diff_is_true(name: str, text: str) -> None:
    assert text in (ROOT / name).read_text(encoding="utf-8")


def test_diff_has_the_whole_pass() -> None:
    name, text = next(hunks())
    assert name.startswith("autograph/passes/")
    assert text == (ROOT / name).read_text(encoding="utf-8")
