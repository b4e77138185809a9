"""What `ag.NAME` gives does not depend on which modules were imported before."""

import json
import subprocess
import sys

from autograph.facade import _tells, public_names
from autograph.other_libraries import INSTEAD
from tests.house.checkout import ROOT

NAMES = """
import json, pkgutil, sys
import autograph as ag

def answer(name):
    try:
        found = getattr(ag, name)
    except AttributeError as error:
        return str(error)
    return f"{type(found).__name__} {getattr(found, '__module__', '')} {found.__name__}"

def answers(names):
    return {name: answer(name) for name in names}

packages = sorted(m.name for m in pkgutil.iter_modules(ag.__path__))
names = sorted({*packages, *dir(ag), "explian", "reduce_sum"} - {"__version__"})
"""
BEFORE = f"{NAMES}\nprint(json.dumps([packages, dir(ag), answers(names)]))"
AFTER = f"""{NAMES}
for module in pkgutil.walk_packages(ag.__path__, "autograph."):
    if not module.name.endswith("__main__"):
        try:
            __import__(module.name)
        except ModuleNotFoundError as error:
            assert not error.name.startswith("autograph"), error
import autograph.runtime.ops.op
assert autograph.runtime.ops.op.OPS
print(json.dumps([packages, dir(ag), answers(names)]))"""


def run(program: str) -> list:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=ROOT, text=True,
                          check=True, capture_output=True)
    return json.loads(done.stdout)


def test_names_are_what_they_are_whatever_was_imported() -> None:
    before, after = run(BEFORE), run(AFTER)
    assert before == after
    assert before[1] == public_names()


def test_sub_packages_that_functions_have_as_methods_are_answered() -> None:
    packages, _names, answers = run(BEFORE)
    for name in packages:
        assert not _tells(name) or name in INSTEAD
    assert "f.explain(x)" in answers["explain"]
