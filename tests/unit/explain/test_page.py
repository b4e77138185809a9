"""The page without a browser: one file, everything of the user's escaped, nothing from outside."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from autograph.explain.coloring import colored_lines
from autograph.tools import to_code
from tests.house.checkout import ROOT
from tests.support import explained_programs as programs
from tests.unit.tools import folder

VOID = {"meta", "br", "input", "link"}


class Reader(HTMLParser):
    """Reads a page, and complains of tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def html() -> str:
    return programs.settle.explain(programs.GRID, 0.5).html()


def test_page_is_well_formed(html: str) -> None:
    tags = [tag for tag, _ in read(html).tags]
    assert tags.count("section") == 3
    assert tags.count("script") == 3  # of the page, its drawing, and the layout for a worker


def test_page_needs_nothing_from_outside(html: str) -> None:
    for _, attributes in read(html).tags:
        assert not {"src", "href", "srcset"} & set(attributes)
    bare = re.sub(r"http://www\.w3\.org/\S*", "", html)
    assert not re.search(r"url\((?!#)|@import|sourceMappingURL|fetch\(|XMLHttp|https?://", bare)


def test_a_page_that_is_handed_on_names_no_folder(html: str) -> None:
    titles = {tag["title"] for _, tag in read(html).tags if tag.get("title")}
    assert any(re.fullmatch(r"explained_programs\.py:\d+", title or "") for title in titles), titles
    assert re.search(r"called at \w+\.py:\d+", html) and str(ROOT) not in html


def test_user_text_is_escaped(html: str) -> None:
    reader = read(html)
    assert "<b>markup</b>" in reader.text and "</script><script>alert(1)" in reader.text
    assert "alert(1)</script>" not in html


def test_linked_elements_have_partners(html: str) -> None:
    keys = [a["data-l"] for _, a in read(html).tags if a.get("data-l")]
    source = set(re.findall(r'class="line" tabindex="0" data-l="([^"]*)"><span class="no">', html))
    assert set(keys) <= source and len(keys) > 2 * len(source) - 20


def test_page_is_the_same_every_time() -> None:
    times = re.compile(r'<span class="heat"[^\n]*?</span>|<select class="hottest".*?</select>'
                       r"|(?:under )?[\d.]+ (?:us|ms|s\b|%)")
    first, second = (times.sub("", times.sub("", programs.collatz.explain(np.int64(27)).html()))
                     for _ in range(2))
    assert first == second


def test_page_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                        capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    folder.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    run: Callable[..., folder.Said] = folder.caller(to_code.main, capfdbinary.readouterr)
    said = run("--html", "one.py", "bad.py", "broken.py")
    reader = read(said.out)
    assert said.code == 1 and [t for t, _ in reader.tags].count("section") == 2
    assert "not converted: 2" in reader.text and 'href="#failed"' in said.out
    assert "not converted" not in run("--html", "one.py").out
    assert "ag.not_(x)" in reader.text and "AG104" in reader.text and "AG102" in reader.text
    assert run("--html", "x.html", "one.py").code == 0 and read(Path("x.html").read_text())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    said = run("one.py", "--html")
    assert "writing one.html" in said.err and Path("one.html").exists() and not said.out


def test_rows_link_the_right_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                   capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    folder.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    run = folder.caller(to_code.main, capfdbinary.readouterr)
    converted = run("--html", "one.py", "--all").out.partition('id="converted"')[2]
    linked = re.findall(r'data-l="0:(\d+)"><span class="no">\d+</span><code>(.*?)</code>',
                        converted)
    texts = {line: re.sub(r"<[^>]*>", "", html).strip() for line, html in linked}
    assert texts["5"] == "return ag.not_(x)" and texts["14"] == "return (x * 2,)" and (
        texts["13"].startswith("(x,) = ag.while_loop"))


@pytest.mark.parametrize(("text", "expected"), [
    ("a = 'x' # <", 'a = <span class="str">&#x27;x&#x27;</span> <span class="com"># &lt;</span>'),
    ("if rb'\\'' or 1e5", '<span class="kw">if</span> <span class="str">rb&#x27;\\&#x27;&#x27;'
     '</span> <span class="kw">or</span> <span class="num">1e5</span>'),
    ('"""a\nb"""', '<span class="str">&quot;&quot;&quot;a</span>\n'
     '<span class="str">b&quot;&quot;&quot;</span>'),
    ("x1 = 'open", 'x1 = <span class="str">&#x27;open</span>'),
    ("f(a<b)", "f(a&lt;b)"),
])
def test_colours(text: str, expected: str) -> None:
    assert "\n".join(colored_lines(text)) == expected
