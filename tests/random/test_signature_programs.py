"""What one signature changes, the others read."""

import pytest

from tests.random.signature_programs import PROGRAMS, verdict
from tests.support.amount import sample


@pytest.mark.filterwarnings("ignore::autograph.RetracingWarning")
@pytest.mark.parametrize("program", sample(PROGRAMS, 6, "signatures"), ids=" ".join)
def test_signatures_share_state(program: tuple[str, str, str, str]) -> None:
    assert verdict(*program) == "right"
