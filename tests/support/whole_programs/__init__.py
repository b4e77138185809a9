"""Whole programs in the styles of many people, with arguments at which they have derivatives."""

from tests.support.whole_programs import buffers as buffers
from tests.support.whole_programs import calculations as calculations
from tests.support.whole_programs import densities as densities
from tests.support.whole_programs import dynamics as dynamics
from tests.support.whole_programs import geometry as geometry
from tests.support.whole_programs import layers as layers
from tests.support.whole_programs import learning as learning
from tests.support.whole_programs import losses as losses
from tests.support.whole_programs import matrices as matrices
from tests.support.whole_programs import optimisers as optimisers
from tests.support.whole_programs import recursions as recursions
from tests.support.whole_programs import sequences as sequences
from tests.support.whole_programs import signals as signals
from tests.support.whole_programs import simulations as simulations
from tests.support.whole_programs import styles as styles
from tests.support.whole_programs import textbook as textbook
from tests.support.whole_programs import training as training
from tests.support.whole_programs.registry import PROGRAMS as PROGRAMS
