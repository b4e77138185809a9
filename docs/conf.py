"""How Sphinx builds the site: `python -m sphinx -W docs build/site` (extra `docs`), offline."""

import inspect
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]

project = "autograph"
author = "the authors of autograph"
copyright = "the authors of autograph; Apache-2.0"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "autograph"
html_theme_options = {"source_repository": SOURCE, "source_branch": "main",
                      "source_directory": "docs/"}
html_show_sourcelink = False

myst_heading_anchors = 3
myst_enable_extensions = ["fieldlist"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"        # docstrings give shapes and dtypes; signatures stay short
napoleon_use_rtype = False


CODE = re.compile(r"(?<!`)`([^`\n]+)`(?![`_])(?=(\w?))")
OUTSIDE = re.compile(r"(?<=\]\()((?:\.\./)+)([^)\s]*)(?=\))")


def code_in_docstrings(app: Any, what: str, name: str, thing: object, options: object,
                       lines: list[str]) -> None:
    """Makes `x` code, as in Markdown, also where a letter follows it: `x`s."""
    lines[:] = [CODE.sub(lambda m: f"``{m[1]}``" + ("\\" if m[2] else ""), line)
                for line in lines]


class Default:
    """A default value, shown by a name."""

    def __init__(self, value: object) -> None:
        self.text = getattr(value, "__name__", "…")

    def __repr__(self) -> str:
        return self.text


def names_of_defaults(app: Any, thing: Any, bound_method: bool) -> None:
    """Shows defaults that no source text gives back (functions, classes, marks) by their names.

    Sphinx's own way (`autodoc_preserve_defaults`) reads the source of the function, which fails
    where a function tells its signature itself, as `ag.function` does.
    """
    if not inspect.isfunction(thing):
        return
    signature = inspect.signature(thing)
    shown = [p.replace(default=Default(p.default))
             if p.default is not p.empty and repr(p.default).startswith("<") else p
             for p in signature.parameters.values()]
    if shown != [*signature.parameters.values()]:
        thing.__signature__ = signature.replace(parameters=shown)


def links_to_the_source(app: Any, page: str, text: list[str]) -> None:
    """Lets links to what is no page (programs, tests) lead to the repository."""
    def address(link: re.Match[str]) -> str:
        target = (ROOT / "docs" / page).parent / link[0]
        inside = target.resolve().is_relative_to(ROOT / "docs")
        return link[0] if inside else f"{SOURCE}/blob/main/{target.resolve().relative_to(ROOT)}"
    text[0] = OUTSIDE.sub(address, text[0])


def explained_page(app: Any, error: Exception | None) -> None:
    """Writes the page of an explanation, which the front page shows."""
    if error is None and app.builder.format == "html":
        sys.path.insert(0, str(ROOT))
        import numpy as np

        from examples.collatz import collatz
        collatz.explain(np.int64(27)).save(str(Path(app.outdir) / "explained.html"))


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("build-finished", explained_page)
    app.connect("autodoc-process-docstring", code_in_docstrings, priority=400)
    app.connect("autodoc-before-process-signature", names_of_defaults)
    app.connect("source-read", links_to_the_source)
