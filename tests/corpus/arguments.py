"""Arguments of one signature each, which take different paths through the tables' programs."""

import numpy as np

SCALARS = [(np.float64(2.5),), (np.float64(-1.0),), (np.float64(0.0),), (np.float64(40.0),)]
NUMBERS = [(np.int64(5),), (np.int64(0),), (np.int64(12),), (np.int64(-3),)]
VECTORS = [
    (np.array([1.0, -2.0, 3.0]),),
    (np.array([1.0, 0.5, 8.0]),),
    (np.array([0.0, 0.0, 0.0]),),
]
MATRICES = [
    (np.array([[1.0, -2.0, 3.0], [0.0, 4.0, -1.0]]),),
    (np.array([[9.0, 1.0, 1.0], [1.0, 2.0, 3.0]]),),
    (np.zeros((2, 3)),),
]
