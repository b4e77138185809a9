"""The changelog tells a user what a release has: short, by subject, in names that exist."""

import re

import autograph as ag
from tests.house.checkout import ROOT

TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_nothing_is_fixed_that_was_never_released() -> None:
    unreleased = TEXT.partition("## [Unreleased]")[2].partition("\n## ")[0]
    titles = re.findall(r"^### (.*)", unreleased, re.MULTILINE)
    before = "\n## [0" in TEXT   # a section of a release: from then on things change
    assert before or [title for title in titles
                      if re.match(r"Fixed|Changed|Added|New\b", title)] == [], (
        "say what the first release has, in the section of its subject: CONTRIBUTING.md")


def test_it_can_be_read() -> None:
    assert len(TEXT.encode()) < 15_000, "shorten what you add, or what is there"
    assert max(map(len, TEXT.splitlines())) <= 140


def test_its_names_exist() -> None:
    names = set(re.findall(r"`@?ag\.([\w.]+)", TEXT))
    assert len(names) > 40
    missing = [name for name in names if not _found(name.rstrip("."))]
    assert missing == []


def _found(name: str) -> bool:
    value: object = ag
    for part in name.split("."):
        if part == "assert_":   # a family: `ag.debugging.assert_…`
            return any(n.startswith(part) for n in dir(value))
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True
