"""Small programs of all kinds that have derivatives, with arguments at which they have."""

from tests.support.slope_programs import arrays as arrays
from tests.support.slope_programs import control_flow as control_flow
from tests.support.slope_programs import linear_algebra as linear_algebra
from tests.support.slope_programs.registry import PROGRAMS as PROGRAMS
