"""Runs one suite of CPython in this process, plainly or converted; writes what failed as JSON."""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import logging
import os
import pkgutil
import sys
import tempfile
import traceback
import unittest
from contextlib import suppress
from types import ModuleType
from typing import Any

from test import support

from tests.compatibility.cpython.suites import SUITES, Suite
from tests.compatibility.cpython.swap import convert_in_place


class Recorder(unittest.TestResult):
    """Remembers the failures, a sub-test's under the name of its test."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: dict[str, str] = {}

    def note(self, test: Any, error: Any) -> None:
        """Keeps the first traceback of a test."""
        name = getattr(test, "test_case", test).id()
        self.failed.setdefault(name, "".join(traceback.format_exception(*error)))

    def addError(self, test: Any, err: Any) -> None:
        """A test that raised."""
        self.note(test, err)

    addFailure = addError

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        """A sub-test that ended."""
        if err is not None:
            self.note(test, err)

    def addUnexpectedSuccess(self, test: Any) -> None:
        """A test that should have failed."""
        self.failed.setdefault(test.id(), "unexpected success")


def imported(name: str) -> list[ModuleType]:
    """A module, with all modules in it if it is a package."""
    module = importlib.import_module(name)
    found = [module]
    for inner in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
        if not {"__main__", "test", "tests", "idlelib"} & set(inner.name.split(".")):
            with suppress(ImportError):  # it is for another operating system
                found.append(importlib.import_module(inner.name))
    return found


def run(suite: Suite, convert: bool) -> dict[str, Any]:
    """The outcome of a suite."""
    targets = [module for name in suite.targets for module in imported(name)]
    files = {module.__file__ for module in targets if module.__file__}
    tests = unittest.defaultTestLoader.loadTestsFromNames(suite.tests)
    # The tests of `logging` count what is logged, by the compiler too.
    logging.getLogger("autograph").setLevel(logging.WARNING)
    swap = convert_in_place(files) if convert else None
    recorder = Recorder()
    tests.run(recorder)
    return {"ran": recorder.testsRun, "failed": recorder.failed,
            "converted": swap and swap.converted, "left": swap and swap.left,
            "refused": swap and swap.refused}


def main() -> None:
    """The command line: a suite, a file for the outcome."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("out")
    parser.add_argument("--convert", action="store_true")
    options = parser.parse_args()
    sys.argv[1:] = []
    faulthandler.enable()
    support.use_resources, support.verbose = [], False
    out = os.path.abspath(options.out)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        outcome = run(SUITES[options.suite], options.convert)
        with open(out, "w", encoding="utf-8") as file:
            json.dump(outcome, file)
        os.chdir("/")
    os._exit(0)  # threads and atexit handlers of the tests are of no interest


if __name__ == "__main__":
    main()
