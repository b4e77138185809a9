"""Random programs on arrays beside closed pages: machine code touches nothing that is not theirs.

    AUTOGRAPH_TESTS=100 python -m pytest tests/random/test_native_guarded.py

The programs run in a process of their own, whose last words are the seed of one that crashed.
"""

import os
import subprocess
import sys

import pytest

from tests.house.checkout import ROOT
from tests.random.guarded_programs import KINDS
from tests.support.amount import FIRST, count

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pages are closed in another way")

EACH = 10


@pytest.mark.parametrize("first", range(FIRST, FIRST + count(EACH), EACH))
@pytest.mark.parametrize("kind", KINDS)
def test_same_as_plain(kind: str, first: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.random.guarded_programs", kind, str(first), str(EACH)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT, capture_output=True, text=True,
        check=False)
    told = [line for line in done.stdout.splitlines() if not line.startswith("seed ")]
    assert (done.returncode, told) == (0, []), done.stdout[-3000:] + done.stderr[-2000:]
