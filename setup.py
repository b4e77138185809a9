"""The README for the package index: its links lead to the repository, as the index has no files."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
LINK = re.compile(r"(?P<image>!?)(?P<text>\[[^\]]*\])\((?![a-z]+:|#)(?P<path>[^)\s]+)\)")


def absolute(link: re.Match[str]) -> str:
    """A link or picture of the README with the address of the file in the repository."""
    kind = "raw" if link["image"] else "blob"
    return f"{link['image']}{link['text']}({URLS['Source']}/{kind}/main/{link['path']})"


setup(long_description=LINK.sub(absolute, (ROOT / "README.md").read_text("utf-8")),
      long_description_content_type="text/markdown")
