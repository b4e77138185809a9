"""The programs, with their arguments."""

from tests.support.entered_programs import registry

PROGRAMS, program = registry()
