"""The programs, and the arrays that they are called with."""

import numpy as np

from tests.support.entered_programs import registry

RNG = np.random.default_rng(0)
X = RNG.uniform(0.3, 1.7, (4,))
M = RNG.uniform(0.3, 1.7, (3, 3)) + 2 * np.eye(3)
R = RNG.standard_normal((4, 3))
PROGRAMS, program = registry()
