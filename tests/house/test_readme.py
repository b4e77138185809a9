"""The commands of the README are the commands that the continuous integration runs."""

import re

from tests.house.checkout import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def test_readme_has_the_two_commands() -> None:
    main_job, tests = COMMANDS[:2]
    assert "pip install" in main_job and "to_code examples/" in main_job
    assert "pip install" in tests and "-m pytest" in tests


def test_readme_names_files_that_exist() -> None:
    named = re.findall(r"\b(?:examples|docs|benchmarks|tests)/[\w./-]+\w", README)
    assert named and [name for name in named if not (ROOT / name).exists()] == []


def test_ci_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "readme_command 1" in script and "readme_command 2" in script
