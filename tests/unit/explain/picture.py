"""Takes the README's picture: `python -m tests.unit.explain.picture` writes docs/page.png."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from examples.collatz import collatz
from tests.house.checkout import ROOT
from tests.unit.explain.test_browser import Page, browser_of


def take(path: Path) -> None:
    """Open the page, point at a line, and take a picture."""
    found = collatz.explain(np.int64(27))
    trace = replace(found.traces[0], reason="the first call, called at collatz.py:23")
    html = replace(found, traces=(trace,)).html()
    with browser_of("--window-size=1240,880") as driver, TemporaryDirectory() as folder:
        page = Page(driver)
        page.open(Path(folder) / "collatz.html", html)
        page.hover(page.one("#source .line", "n = n // 2"))
        driver.save_screenshot(str(path))


if __name__ == "__main__":
    take(ROOT / "docs" / "page.png")
