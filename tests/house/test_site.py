"""The site has every page and every public name, and builds without a warning and without a net."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import autograph as ag
from tests.house.checkout import ROOT, files

DOCS = ROOT / "docs"
PAGES = [name.removeprefix("docs/").removesuffix(".md") for name in files()
         if name.startswith("docs/") and name.endswith(".md")]


def contents(page: str) -> set[str]:
    """The pages in the tables of contents of a page, and in those of these pages."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    folder, found = (DOCS / page).parent, set()
    for table in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for name in re.findall(r"^[\w*].*", table, re.MULTILINE):
            found |= {p.relative_to(DOCS).as_posix().removesuffix(".md")
                      for p in folder.glob(f"{name}.md")}
    found.discard(page)
    return found.union(*(contents(inner) for inner in found), {page})


def test_every_page_is_in_the_contents() -> None:
    assert set(PAGES) - contents("index") == set()


def test_every_public_name_is_in_the_reference() -> None:
    text = "".join(p.read_text(encoding="utf-8") for p in (DOCS / "api").glob("*.md"))
    shown = set(re.findall(r"^\.\. auto\w+:: autograph\.(\w+)", text, re.MULTILINE))
    assert shown - set(dir(ag)) == set()
    assert set(dir(ag)) - shown - set(vars(ag.errors)) == {"__version__", "experimental"}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("sphinx") is None
                    or importlib.util.find_spec("myst_parser") is None
                    or importlib.util.find_spec("furo") is None,
                    reason="needs the extra docs: Sphinx, MyST and the theme")
def test_site_builds_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d",
               str(tmp_path / "trees"), str(DOCS), str(tmp_path / "site")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    built = tmp_path / "site"
    assert {page for page in PAGES if not (built / f"{page}.html").exists()} == set()
    function = (built / "api/functions.html").read_text(encoding="utf-8")
    assert 'id="autograph.function"' in function and "input_signature" in function
    outside = re.compile(r'(?:<script[^>]*src|<link[^>]*rel="stylesheet"[^>]*href)="https?:')
    assert [p.name for p in built.rglob("*.html") if outside.search(p.read_text("utf-8"))] == []
