"""The arguments of the algorithms and solvers."""

import numpy as np

from tests.corpus.export import algorithms, solvers

R = np.random.default_rng(0)
v = R.normal(size=7)
v2 = R.normal(size=7)
M = R.normal(size=(4, 4))
X = R.normal(size=(6, 4))
I = R.uniform(size=(6, 7))
iv = np.array([3, 1, 4, 1, 5, 9, 2])
jv = np.array([2, 7, 1, 8, 2, 8])
S = M @ M.T + 4 * np.eye(4)
T = np.array([[0.7, 0.3], [0.4, 0.6]])
E = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
O = np.array([0, 1, 2, 2, 0])
A = R.uniform(size=(5, 5)) < 0.4
mask = X > 0
PROGRAMS = {
    algorithms.mlp: (X, M, v[:4], M.copy()),
    algorithms.softmax_ce: (X, M),
    algorithms.layer_norm: (X,),
    algorithms.attention: (X, M, M.copy()),
    algorithms.rnn: (X, M, M.copy()),
    algorithms.rnn_states: (X, M, M.copy()),
    algorithms.ema: (v,),
    algorithms.median3: (I,),
    algorithms.sobel: (I,),
    algorithms.blur: (I,),
    algorithms.threshold: (I,),
    algorithms.histogram_eq: (I,),
    algorithms.lcs: (iv, jv),
    algorithms.knapsack: (iv, v),
    algorithms.edit: (iv, jv),
    algorithms.viterbi: (O, T, E),
    algorithms.forward_hmm: (O, T, E),
    algorithms.inverse_sample: (abs(v), R.uniform(size=5)),
    algorithms.systematic: (abs(v), np.float64(0.3)),
    algorithms.box_muller: (R.uniform(0.1, 0.9, 5), R.uniform(size=5)),
    algorithms.metropolis: (R.uniform(size=7), v),
    algorithms.bubble: (v,),
    algorithms.insertion: (v,),
    algorithms.topk: (v,),
    algorithms.rank: (v,),
    algorithms.quickselect: (v,),
    algorithms.mask_mean: (v,),
    algorithms.clip_masked: (v,),
    algorithms.where_chain: (v * 2,),
    algorithms.count_runs: (v,),
    algorithms.collatz: (np.int64(27),),
    algorithms.newton: (np.float64(2),),
    algorithms.bisect: (np.float64(1), np.float64(2)),
    algorithms.gcd: (np.int64(48), np.int64(36)),
    algorithms.early: (abs(v),),
    algorithms.first_negative: (v,),
    algorithms.nested: (v,),
    algorithms.compose: (v,),
    solvers.cholesky: (S,),
    solvers.power_iter: (S,),
    solvers.jacobi: (S, v[:4]),
    solvers.conv1d: (v, v2[:3]),
    solvers.np_convolve: (v, v2[:3]),
    solvers.np_cov: (X.T.copy(),),
    solvers.np_gradient: (v,),
    solvers.np_interp: (v, np.sort(v2), v.copy()),
    solvers.polyfit_eval: (v, v2[:3]),
    solvers.np_polyval: (v2[:3], v),
    solvers.autocorr: (v,),
    solvers.zero_cross: (v,),
    solvers.iir: (v, np.float64(0.5), np.float64(0.2)),
    solvers.kalman: (v,),
    solvers.euler: (v[:2],),
    solvers.rk4: (abs(v), np.float64(0.1)),
    solvers.life: (R.integers(0, 2, (6, 6)).astype(bool),),
    solvers.mandel: (v, v2),
    solvers.kmeans: (X, X[:2].copy()),
    solvers.gd: (X, v[:6]),
    solvers.adam: (X, v[:6]),
    solvers.pagerank: (A.astype(float),),
    solvers.floyd: (R.uniform(size=(5, 5)),),
    solvers.bfs_levels: (A, np.int64(0)),
    solvers.sieve: (np.int64(7),),
    solvers.digits: (np.int64(9876),),
    solvers.bits: (np.int64(1234567),),
    solvers.xorshift: (np.int64(12345),),
    solvers.all_any: (mask,),
    solvers.bool_arith: (mask,),
    solvers.int_div: (iv, iv[::-1].copy() - 4),
    solvers.shift_ops: (iv,),
    solvers.trapezoid: (v, np.sort(v2)),
    solvers.unwrap_: (v * 5,),
    solvers.norm_rows: (X,),
    solvers.outer_sum: (v, v2),
    solvers.pairwise: (X,),
    solvers.dictstate: (v,),
    solvers.tuple_state: (v,),
    solvers.buckets: (v,),
    solvers.stack_machine: (v,),
    solvers.try_free: (abs(v),),
    solvers.cont: (v,),
    solvers.dc: (solvers.P(M, v[:4]), X),
    solvers.dc_loop: (solvers.P(M, v[:4]), X),
}
