"""Small programs on Python's state give the plain function's results and leave its state."""

import pytest

from tests.corpus.state.small_programs import MODES, Small, programs, verdict

PROGRAMS = list(programs())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])
def test_program(program: Small, mode: str) -> None:
    if program.remark == "scipy":
        pytest.importorskip("scipy")
    found = verdict(program, **MODES[mode])
    if program.remark in ("refused", "plain"):
        assert found.startswith(program.remark), found
    elif program.remark == "plain by default":
        assert found.startswith("plain" if mode == "default" else "refused"), found
    elif program.remark == "refused by default":
        assert found.startswith("refused" if mode == "default" else "plain"), found
    elif program.remark == "while tracing" and mode == "default":
        assert found.startswith("wrong")
    else:
        assert found == "right", found
