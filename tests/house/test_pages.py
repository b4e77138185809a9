"""The pages name files that exist, link to pages that exist, and show the glossary's terms once."""

import re
from collections import Counter

import pytest

from tests.house.checkout import ROOT, files

PAGES = [name for name in files() if name.endswith(".md")]
NAMED = re.compile(r"`((?:autograph|runtime|tools|tests|docs|benchmarks|examples)/[\w./-]*\w/?)`")
LINK = re.compile(r"\]\(([\w./-]+)(?:#[\w-]+)?\)")


@pytest.mark.parametrize("page", PAGES)
def test_page_names_files_that_exist(page: str) -> None:
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    links = LINK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


def test_glossary_defines_a_term_once() -> None:
    text = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| (?!term|---)([^|]+) \|", text, re.MULTILINE)
    assert len(terms) > 60 and [term for term, n in Counter(terms).items() if n > 1] == []


def test_tour_names_files_in_short_that_exist() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", text))
    assert named and [name for name in named
                      if not any(f"/{file}".endswith(f"/{name}") for file in files())] == []


def test_tour_names_every_package() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    picture = (ROOT / "docs/architecture.svg").read_text(encoding="utf-8")
    packages = {name.removesuffix("__init__.py") for name in files()
                if re.fullmatch(r"(?:runtime|autograph)/\w+/__init__\.py", name)}
    assert {name for name in packages if f"| `{name}` |" not in text} == set()
    assert {name for name in packages if f">{name.split('/')[1]}</text>" not in picture} == set()
