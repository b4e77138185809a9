"""Work measured by the functions that are called: no load of the machine changes it."""

import sys
from collections.abc import Callable


def calls_made(run: Callable[[], object]) -> int:
    """Returns how many Python functions a call makes."""
    counted = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
