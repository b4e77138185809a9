"""`with` blocks that let every exception pass are no handlers."""

import sys
from collections.abc import Callable
from types import CodeType

import pytest

from autograph.runtime.ir.exception_tables import _is_covered, lets_exceptions_pass


class Passing:
    """Lets every exception pass."""

    def __enter__(self) -> None:
        lets_exceptions_pass(sys._getframe(1))

    def __exit__(self, *error: object) -> None:
        pass


def here() -> tuple[CodeType, int]:
    frame = sys._getframe(1)
    return frame.f_code, frame.f_lasti


def alone():
    with Passing():
        return here()


def one_in_the_other():
    with Passing(), Passing():
        return here()


def in_try():
    try:
        with Passing():
            return here()
    except ValueError:
        return None


def around_try():
    with Passing():
        try:
            return here()
        except ValueError:
            return None


def in_finally():
    try:
        with Passing():
            return here()
    finally:
        print(end="")


@pytest.mark.parametrize(("f", "handled"), [
    (alone, False), (one_in_the_other, False), (in_try, True), (around_try, True),
    (in_finally, True)])
def test_with_that_lets_exceptions_pass(f: Callable[[], tuple[CodeType, int]], handled: bool
                                        ) -> None:
    assert _is_covered(*f()) == handled
