"""The page on the format names all that a file may hold."""

import re

import pytest

from autograph.runtime.ir.type_text import CLASSES
from autograph.runtime.ir.types import DYNAMIC, EITHER, EITHER_INT, TEXT, PyType, StackType, Type
from autograph.runtime.serialize.dtypes import NAMED, type_data
from autograph.runtime.serialize.nests import _READERS
from autograph.runtime.serialize.programs import OPTIONAL, REQUIRED
from autograph.runtime.serialize.save import TABLES
from tests.house.checkout import ROOT

PAGE = (ROOT / "docs" / "agz-format.md").read_text()
NAMES = {word for code in re.findall(r"`([^`]+)`", PAGE) for word in re.findall(r"[a-z_]+", code)}


def test_each_kind_of_constant_is_named() -> None:
    assert {*_READERS} - NAMES == set()


def test_each_key_is_named() -> None:
    assert {*TABLES, *REQUIRED, *OPTIONAL, *NAMED} - NAMES == set()


@pytest.mark.parametrize("t", [
    DYNAMIC, EITHER, EITHER_INT, *TEXT.values(), StackType(None), PyType(CLASSES["int"])])
def test_each_kind_of_type_is_named(t: Type) -> None:
    assert {*type_data(t)} - NAMES == set()

