"""The page in a real browser, headless: no request, no complaint, hover and keys, a drawing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support import explained_programs as programs

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
CHROMEDRIVER = shutil.which("chromedriver")
if CHROMIUM is None or CHROMEDRIVER is None:
    pytest.skip("there is no chromium with its chromedriver here", allow_module_level=True)
selenium = pytest.importorskip("selenium", reason="selenium is not installed (the extra `browser`)")
from selenium import webdriver  # noqa: E402
from selenium.webdriver import ActionChains, Keys  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

pytestmark = pytest.mark.slow
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


class Page:
    """A page in the browser."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, path: Path, html: str) -> None:
        path.write_text(html, encoding="utf-8")
        self.driver.get_log("performance")
        self.driver.get(path.as_uri())

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str, text: str = "") -> Any:
        return next(e for e in self.all(selector) if text in e.text)

    def hover(self, e: Any) -> None:
        ActionChains(self.driver).move_to_element(e).perform()

    def press(self, *keys: str) -> None:
        ActionChains(self.driver).send_keys(*keys).perform()

    def draw(self) -> None:
        """Asks for the drawing, which a worker lays out, and waits until it is there."""
        self.script("page.draw()")
        WebDriverWait(self.driver, 30).until(lambda _: self.all(".drawing svg"))

    def script(self, text: str) -> Any:
        return self.driver.execute_script(text)

    def texts(self, selector: str) -> list[str]:
        return self.script(f"return [...document.querySelectorAll({selector!r})].map("
                           "e => e.textContent)")

    def requests(self) -> list[str]:
        entries = (json.loads(e["message"])["message"]
                   for e in self.driver.get_log("performance"))
        return [e["params"]["request"]["url"] for e in entries
                if e["method"] == "Network.requestWillBeSent"]


@contextmanager
def browser_of(*arguments: str) -> Iterator[Any]:
    """A browser, headless, for as long as the block takes."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*ARGUMENTS, *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    try:
        yield driver
    finally:
        driver.quit()


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    with browser_of("--window-size=1500,900") as driver:
        yield Page(driver)


@pytest.fixture
def page(browser: Page, tmp_path: Path) -> Page:
    programs.settle.cache_clear()
    browser.open(tmp_path / "page.html", programs.settle.explain(programs.GRID, 0.5).html())
    return browser


@pytest.fixture(autouse=True)
def silent(browser: Page) -> Iterator[None]:
    """Whatever a test does, the console stays empty."""
    yield
    assert browser.driver.get_log("browser") == []


def test_loads_from_a_file_and_asks_for_nothing_else(page: Page) -> None:
    urls = page.requests()
    assert len(urls) == 1 and urls[0].startswith("file://") and urls[0].endswith("page.html")


def test_hover_marks_what_comes_from_the_line(page: Page) -> None:
    page.hover(page.one("#source .line", "if grid[0] > 1"))
    assert [t[2:] for t in page.texts("#source .lit > .no, #source .lit > code")] != []
    assert len(page.all("#source .lit")) == 1
    assert page.texts("#converted .lit code") == [
        "        def if_true():", "        ag.cond(grid[0] > 1, if_true, ag.identity)"]
    graph = page.texts("#graph .lit")
    assert len(graph) == 3 and "greater" in graph[1] and "cond" in graph[2]
    assert "one `cond` node" in page.one("#about").text


def test_hover_on_a_node_shows_its_operands_and_users(page: Page) -> None:
    page.hover(page.one("#graph .eq", "greater(b"))
    assert [t for t in page.texts("#graph .operand") if "max(a)" in t]
    assert [t for t in page.texts("#graph .user") if t.startswith("yield")]
    assert "while np.max" in page.one("#source .lit").text


def test_keys_alone(page: Page) -> None:
    page.press(Keys.ARROW_DOWN)
    for _ in range(30):
        if "while np.max" in page.driver.switch_to.active_element.text:
            break
        page.press(Keys.ARROW_DOWN)
    assert "while np.max" in page.driver.switch_to.active_element.text
    page.press(Keys.ARROW_RIGHT)
    assert "loop" in page.driver.switch_to.active_element.text
    page.press(Keys.ARROW_RIGHT)
    active = page.driver.switch_to.active_element
    assert "while" in active.text or "absolute" in active.text
    page.press(Keys.ENTER)
    assert page.all(".pinned")
    page.press(Keys.ESCAPE)
    assert not page.all(".pinned")
    page.press("c")
    assert not page.all(".ag-graph details[open]")
    page.press("o")
    assert len(page.all(".ag-graph details[open]")) == 2
    page.press("?")
    assert page.one("#help").is_displayed()
    page.press(Keys.ESCAPE)
    assert not page.one("#help").is_displayed()


def test_drawing(page: Page) -> None:
    page.draw()
    assert len(page.all(".drawing .cluster")) == 5  # while, test, body, cond, true
    texts = page.texts(".drawing .node text")
    assert any("store_item" in t for t in texts) and any(t.startswith("while(") for t in texts)
    page.hover(page.one("#source .line", "grid[0] = 0.5"))
    assert [t for t in page.texts(".drawing .node.lit text") if "store_item" in t]
    page.press("d")
    assert not page.all(".drawing") and page.one("#graph .eq", "store_item").is_displayed()


def test_a_wide_drawing_leaves_room_for_the_source(browser: Page, tmp_path: Path) -> None:
    import numpy as np
    browser.open(tmp_path / "wide.html", programs.wide.explain(*map(np.ones, range(1, 13))).html())
    browser.draw()
    assert browser.one("#source").size["width"] > 300
    shown, drawn = browser.script("""
        const svg = document.querySelector(".drawing svg"), all = svg.getBBox();
        const box = svg.viewBox.baseVal;
        return [[box.x, box.y, box.width, box.height], [all.x, all.y, all.width, all.height]]""")
    assert shown[0] <= drawn[0] and shown[2] >= drawn[2] and shown[3] >= drawn[3]
    browser.press("+")
    nearer = browser.script("return document.querySelector('.drawing svg').viewBox.baseVal.width")
    assert nearer < shown[2]
    browser.press("f")
    whole = browser.script("return document.querySelector('.drawing svg').viewBox.baseVal.width")
    assert whole == shown[2]


OVERLAPS = """
    const boxes = [...document.querySelectorAll(".drawing .node rect")].map((r) => r.getBBox());
    const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x ||
        a.y + a.height <= b.y || b.y + b.height <= a.y;
    let bad = 0;
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { if (!apart(a, b)) bad++; }));
    return [boxes.length, bad]"""


def test_no_two_nodes_of_a_drawing_overlap(page: Page) -> None:
    page.draw()
    count, bad = page.script(OVERLAPS)
    assert count > 15 and bad == 0


def test_six_hundred_nodes_are_drawn(browser: Page, tmp_path: Path) -> None:
    import numpy as np
    explanation = programs.near_and_far.explain(np.ones(3))
    assert 550 <= explanation.traces[0].ops.total() <= 600
    browser.open(tmp_path / "long.html", explanation.html())
    browser.draw()
    count, bad = browser.script(OVERLAPS)
    assert count >= 550 and bad == 0


SHAPE = """const { width, height } = document.querySelector(".drawing svg").dataset;
    return width / height"""


def program_of(kind: str, nodes: int) -> str:
    """Returns the source of a function f(x): a chain, many that one uses, or nested branches."""
    if kind == "nested":
        return "def f(x):\n" + "".join(
            f"    if x[0] > {i}:\n        return x + {i}\n" for i in range(nodes // 3)
        ) + "    return x\n"
    numbers = range(nodes // 2)
    body = {"chain": "    x = np.sin(x + {0})\n", "wide": "    a{0} = np.sin(x * {0}.5)\n"}[kind]
    last = "x" if kind == "chain" else f"[{', '.join(f'a{i}' for i in numbers)}]"
    return "def f(x):\n" + "".join(map(body.format, numbers)) + f"    return {last}\n"


@pytest.mark.parametrize(("kind", "nodes"), [("chain", 600), ("wide", 600), ("nested", 180)])
def test_graphs_of_any_shape_are_drawn_as_a_window_is(browser: Page, tmp_path: Path, kind: str,
                                                      nodes: int) -> None:
    import numpy as np

    import autograph as ag
    (tmp_path / "made.py").write_text(f"import numpy as np\n{program_of(kind, nodes)}")
    scope: dict[str, Any] = {}
    source = (tmp_path / "made.py").read_text()
    exec(compile(source, str(tmp_path / "made.py"), "exec"), scope)
    f = ag.function(scope["f"])
    f(np.ones(3))
    browser.open(tmp_path / "made.html", f.explain().html())
    browser.draw()
    count, bad = browser.script(OVERLAPS)
    assert count >= nodes and bad == 0
    assert kind == "nested" or 0.5 < browser.script(SHAPE) < 4


def test_a_drawing_is_laid_out_in_a_worker_from_the_page_itself(page: Page) -> None:
    page.script("""window.made = []; const Real = Worker;
        window.Worker = function (url) { made.push(url); return new Real(url); };""")
    page.draw()
    assert [url.startswith("blob:") for url in page.script("return made")] == [True]
    page.press("d")  # closes it
    page.script("window.Worker = function () { throw new Error('refused'); }")
    page.draw()
    assert len(page.all(".drawing .cluster")) == 5


def test_a_drawing_that_is_closed_before_it_is_there_does_not_come(page: Page) -> None:
    page.script("""window.waiting = []; window.Worker = function () {
        this.postMessage = (data) => waiting.push(() => this.onmessage({ data: layout(data) }));
        this.terminate = () => {}; };""")
    page.press("d")
    assert page.texts(".drawing") == ["Drawing 22 nodes …"]
    page.press("d")
    page.script("waiting.forEach((answer) => answer())")
    assert not page.all(".drawing") and page.one("#graph .eq", "store_item").is_displayed()


def test_search_marks_and_goes_on(page: Page) -> None:
    page.press("/", "grid[0]", Keys.ENTER)
    assert len(page.all(".found")) >= 3 and page.all(".lit")
    page.press(Keys.ESCAPE)
    assert not page.all(".found")


def test_hottest_lines_lead_to_the_line(page: Page) -> None:
    page.script("""const s = document.querySelector(".hottest:not([hidden])"); s.selectedIndex = 1;
        s.dispatchEvent(new Event("change"))""")
    assert len(page.all("#source .lit")) == 1 and page.all(".pinned")
    assert page.all("#source .lit .heat")


def test_panes_are_hidden_and_dragged(page: Page) -> None:
    page.one(".tab", "Converted").click()
    assert not page.one("#converted").is_displayed()
    page.one(".tab", "Converted").click()
    before = page.one("#source").size["width"]
    grip = page.all(".grip")[0]
    ActionChains(page.driver).drag_and_drop_by_offset(grip, 150, 0).perform()
    assert page.one("#source").size["width"] > before + 100


def test_code_is_not_wrapped(page: Page) -> None:
    heights = page.script("return [...document.querySelectorAll('#source .line')].map("
                          "e => Math.round(e.getBoundingClientRect().height))")
    assert len(set(heights)) == 1


def test_narrow_screens_have_tabs(tmp_path: Path) -> None:
    path = tmp_path / "narrow.html"
    with browser_of("--window-size=500,900") as driver:
        narrow = Page(driver)
        narrow.open(path, programs.settle.explain(programs.GRID, 0.5).html())
        assert [p.is_displayed() for p in narrow.all(".pane")] == [True, False, False]
        narrow.one(".tab", "Graph").click()
        assert [p.is_displayed() for p in narrow.all(".pane")] == [False, False, True]
        narrow.one(".tab", "Source").click()
        narrow.one("#draw").click()  # what it draws is there to see
        assert [p.is_displayed() for p in narrow.all(".pane")] == [False, False, True]


def test_closed_region_is_one_node_in_the_drawing(page: Page) -> None:
    page.press("c")
    page.draw()
    assert page.all(".drawing .node.closed") and not page.all(".drawing .cluster")


def test_dark_and_light(page: Page) -> None:
    def colours() -> list[str]:
        return page.script("const s = getComputedStyle(document.body);"
                           "return [s.backgroundColor, s.color]")

    page.script("document.documentElement.dataset.theme = 'light'")
    light = colours()
    page.press("t")
    assert colours() == light[::-1] or colours() != light
    assert contrast(*colours()) > 7 and contrast(*light) > 7


def contrast(a: str, b: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    def luminance(colour: str) -> float:
        parts = [int(x) / 255 for x in colour[colour.index("(") + 1: -1].split(",")[:3]]
        linear = [x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("width", [390, 1200])
def test_tags_stand_beside_the_code(page: Page, width: int) -> None:
    page.driver.set_window_size(width, 800)
    covered = page.script("""
        return [...document.querySelectorAll("#source .line")].filter(line => {
          const tags = line.querySelector(".tags");
          return tags && tags.getBoundingClientRect().left <
            line.querySelector("code").getBoundingClientRect().right;
        }).length;""")
    page.driver.set_window_size(1500, 900)
    assert covered == 0


def test_several_traces(browser: Page, tmp_path: Path) -> None:
    import numpy as np
    programs.collatz.cache_clear()
    programs.collatz(np.int64(3))
    programs.collatz(np.int32(3))
    browser.open(tmp_path / "two.html", programs.collatz.explain().html())
    assert [len(browser.all(".trace")), len(browser.all(".trace:not([hidden])"))] == [2, 1]
    assert "i32" in browser.one(".trace:not([hidden])").text
    browser.script("const s = document.getElementById('traces'); s.value = 0;"
                   "s.dispatchEvent(new Event('change'))")
    assert "i64" in browser.one(".trace:not([hidden])").text
    rows = browser.all("#overview tbody tr")
    assert len(rows) == 2 and "the first call" in browser.script(
        "return document.querySelector('#overview').textContent")
    browser.one("#overview summary").click()
    rows[1].click()
    assert "i32" in browser.one(".trace:not([hidden])").text


def test_readable_without_scripts_and_in_print(page: Page, tmp_path: Path) -> None:
    page.press("c")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert not page.one("nav").is_displayed() and not page.one("#about").is_displayed()
        shown = page.script("return document.querySelector('.notes').getClientRects().length")
        assert shown == 1
        pdf = page.driver.execute_cdp_cmd("Page.printToPDF", {})
        assert len(pdf["data"]) > 10_000
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_two_thousand_nodes_stay_usable(browser: Page, tmp_path: Path) -> None:
    import numpy as np
    explanation = programs.huge.explain(np.ones(3))
    assert explanation.traces[0].ops.total() >= 2000
    browser.open(tmp_path / "huge.html", explanation.html())
    line = browser.one("#source .line", "x = (x + a)")
    browser.hover(line)
    assert len(browser.all("#graph .lit")) >= 1400
    milliseconds = browser.script("""
        const lines = [...document.querySelectorAll("#source .line")];
        const start = performance.now();
        for (let i = 0; i < 20; i++)
            lines[i % lines.length].dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
        return (performance.now() - start) / 20;""")
    assert milliseconds < 500  # a bound that only a page that hangs can miss
    browser.press("d")
    assert "too many to draw" in browser.one(".drawing").text
    browser.press("d")


def test_page_of_a_file(browser: Page, tmp_path: Path) -> None:
    from autograph.tools import to_code
    from tests.unit.tools import folder
    folder.make(tmp_path)
    target = tmp_path / "out.html"
    assert to_code.main([str(tmp_path / "one.py"), "--all", "--html", str(target)]) == 0
    browser.open(target, target.read_text(encoding="utf-8"))
    browser.hover(browser.one("#source .line", "x = x * 2"))
    assert browser.texts("#converted .lit code") == ["        return (x * 2,)"]
