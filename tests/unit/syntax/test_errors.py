"""Every error says where, what, and what to write instead; every class has its documentation."""

import functools
import linecache
import re
from pathlib import Path

import pytest

import autograph as ag
from autograph.runtime.ir import errors as runtime_errors
from autograph.syntax import errors
from autograph.syntax.errors import ConversionError, Span, UnsupportedSyntaxError

CLASSES = sorted((c for c in vars(errors).values()
                  if isinstance(c, type) and issubclass(c, ConversionError)),
                 key=lambda c: c.code)
DOCUMENT = (Path(__file__).parents[3] / "docs" / "errors.md").read_text(encoding="utf-8")

PUBLIC = [*CLASSES, *(c for c in vars(runtime_errors).values()
                      if isinstance(c, type) and issubclass(c, BaseException))]


@pytest.mark.parametrize("cls", PUBLIC, ids=lambda c: c.__name__)
def test_documented(cls: type[Exception]) -> None:
    """A section with a text and with an example, which shows the error as it is raised."""
    code = f"{cls.code}: " if hasattr(cls, "code") else ""
    section = re.search(rf"^## {code}{cls.__name__}\n(.*?)(?=^#+ |\Z)", DOCUMENT,
                        re.DOTALL | re.MULTILINE)
    assert section and cls.__doc__ and len(section[1].strip()) > 100
    assert f"{cls.__module__}.{cls.__name__}" in section[1] or cls is ConversionError


def test_every_public_error_is_documented() -> None:
    names = (getattr(ag, name) for name in dir(ag))
    found = {c for c in names if isinstance(c, type) and issubclass(c, BaseException)}
    assert found <= {*PUBLIC, ConversionError}


def test_codes_are_unique() -> None:
    assert len({c.code for c in CLASSES}) == len(CLASSES)


def test_form_of_a_message() -> None:
    linecache.cache["f.py"] = 1, None, ["x = 1\n", "\ty = fé(x) + 2\n"], "f.py"
    error = UnsupportedSyntaxError("no such thing", Span("f.py", 2, 5, 2, 11), "write y = 3")
    assert str(error) == (
        "f.py:2:6: AG103 no such thing\n"
        "    \ty = fé(x) + 2\n"
        "    \t    ^^^^^\n"
        "  hint: write y = 3")


def test_caret_without_an_end_and_over_lines() -> None:
    line = "    return f(x,\n"
    assert Span("f.py", 1, 4).caret(line).splitlines()[1] == "        " + "^" * 11
    assert Span("f.py", 1, 11, 2, 3).caret(line).splitlines()[1].strip() == "^" * 4


def test_message_without_a_place() -> None:
    assert str(ConversionError("something")) == "AG100 something"
    assert str(ConversionError("something", Span("gone.py", 3))) == "gone.py:3:1: AG100 something"


def test_functions_in_blocks_are_shown_at_their_def() -> None:
    with pytest.raises(ConversionError) as caught:
        ag.function(only_generator())
    head, line, caret, hint = str(caught.value).splitlines()
    assert re.match(rf"{re.escape(__file__)}:\d+:5: AG104", head)
    assert line.strip() == "def generator(x):  # below a decorator"
    assert caret == " " * line.index("def") + "^" * len(line.strip()) and "hint" in hint


def only_generator():  # type: ignore[no-untyped-def]
    @functools.wraps(print)
    def generator(x):  # below a decorator
        yield x

    del generator.__wrapped__
    return generator


def test_what_is_not_callable() -> None:
    with pytest.raises(ConversionError, match="3 cannot be converted: it is an object"):
        ag.function(3)  # type: ignore[call-overload]
