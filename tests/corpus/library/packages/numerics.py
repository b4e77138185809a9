"""Programs with SciPy: callbacks with branches and closures, events, solvers, splines, tests."""

import numpy as np
from scipy import (
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    spatial,
    special,
    stats,
)


def root_of_pieces(x):
    def f(t):
        if t < x[0]:
            return t - x[0] - 1
        return (t - x[0]) ** 2 - 1

    r = optimize.brentq(f, x[0] + 0.1, x[0] + 5)
    if r > 3:
        return "right", round(r, 9)
    return "left", round(r, 9)


def root_with_report(x):
    r, info = optimize.brentq(lambda t: t ** 3 - abs(x[0]) - 1, 0, 3, full_output=True)
    return round(r, 9), info.converged, info.iterations > 3


def no_bracket(x):
    try:
        return round(optimize.brentq(lambda t: t - x[0], 0, 2), 9)
    except ValueError as e:
        return str(e)


def no_bracket_raises(x):
    return optimize.bisect(lambda t: t - x[0], 0, 2)


def minimum_with_penalty(x):
    def cost(p):
        c = (p[0] - x[0]) ** 2 + (p[1] - x[1]) ** 2
        if p[0] < 0:
            c += 10 * p[0] ** 2
        return c

    r = optimize.minimize(cost, np.zeros(2), method="Nelder-Mead")
    if not r.success:
        raise RuntimeError(r.message)
    return r.x.round(3), r.nfev > 10


def minimum_with_callback(x):
    seen = []
    r = optimize.minimize(lambda p: ((p - x[:2]) ** 2).sum(), np.zeros(2), method="BFGS",
                          callback=lambda p: seen.append(p.copy()))
    return len(seen) > 0, r.x.round(4), round(seen[-1][0], 4)


def calls_counted(x):
    count = 0

    def f(t):
        nonlocal count
        count += 1
        return t * t - abs(x[0]) - 1

    r = optimize.newton(f, 2.0)
    return round(r, 9), count


def stopped_early(x):
    class Enough(Exception):
        pass

    best = [np.inf]

    def f(p):
        v = ((p - x[:2]) ** 2).sum()
        if v < best[0]:
            best[0] = v
        if v < 0.5:
            raise Enough
        return v

    try:
        optimize.minimize(f, np.zeros(2), method="Nelder-Mead")
        return "ran", best[0] < 1e-3
    except Enough:
        return "stopped", best[0]


def curve(x):
    t = np.linspace(0, 1, 6)

    def model(t, a, b):
        return a * np.exp(-b * t) if a > 0 else a * t + b

    p, cov = optimize.curve_fit(model, t, x[0] * np.exp(-t), p0=(x[0], 1.0))
    return p.round(4), cov.shape


def least_squares_with_jacobian(x):
    def residual(p):
        return p[0] * x + p[1] - 2 * x

    r = optimize.least_squares(residual, [0.0, 1.0])
    if r.cost < 1e-9 and r.status > 0:
        return r.x.round(5)
    return None


def linear_program(x):
    r = optimize.linprog([-1, -abs(x[0]) - 1], A_ub=[[1, 1]], b_ub=[4 + abs(x[1])])
    return (r.x, round(r.fun, 9)) if r.status == 0 else r.message


def assignment(x):
    cost = np.abs(np.subtract.outer(x[:3], x[3:]))
    rows, columns = optimize.linear_sum_assignment(cost)
    total = 0.0
    for r, c in zip(rows, columns, strict=True):
        total += cost[r, c]
    return total, columns


def falling_ball(x):
    def move(t, y):
        return [y[1], -9.8 if y[0] > 0 else 0.0]

    def ground(t, y):
        return y[0]

    ground.terminal = True
    ground.direction = -1
    r = integrate.solve_ivp(move, (0, 5), [abs(x[0]) + 1, x[1]], events=ground)
    if r.status == 1:
        return "hit", r.t_events[0].round(6), r.y_events[0].round(6)
    return "flies", r.y[:, -1].round(6)


def several_events(x):
    def up(t, y):
        return y[0] - 1

    def down(t, y):
        return y[0] + 0.5

    r = integrate.solve_ivp(lambda t, y: [y[1], -y[0]], (0, 6), [x[0], 0.0], events=[up, down],
                            dense_output=True)
    return [len(e) for e in r.t_events], r.sol(1.0).round(5)


def with_arguments(x):
    def f(t, y, rate, limit):
        return rate * y if y[0] < limit else np.zeros_like(y)

    r = integrate.solve_ivp(f, (0, 2), [1.0], args=(x[0], 5.0), t_eval=[0.5, 1.0])
    return r.y.round(6), r.success, r.message


def old_solver(x):
    y = integrate.odeint(lambda y, t: -x[0] * y if t < 1 else 0 * y, 1.0, [0, 0.5, 1, 2])
    return y.round(5)


def area_of_pieces(x):
    value, error = integrate.quad(lambda t: t * x[0] if t > x[1] else t * t, -3, 3, points=[x[1]]
                                  if -3 < x[1] < 3 else None)
    return round(value, 6), error < 1e-6


def double_area(x):
    v, _ = integrate.dblquad(lambda b, a: a * b if a > b else x[0], 0, 1, lambda a: 0,
                             lambda a: a)
    return round(v, 7)


def samples_integrated(x):
    return integrate.trapezoid(x, dx=0.5), integrate.simpson(x), integrate.cumulative_trapezoid(x)


def spline(x):
    s = interpolate.CubicSpline(np.arange(6.0), x)
    roots = s.roots(extrapolate=False)
    if len(roots):
        return roots.round(6), s(2.5), s.derivative()(1.0)
    return s(2.5), None


def interpolated(x):
    f = interpolate.interp1d(np.arange(6.0), x, bounds_error=False, fill_value=-1.0)
    return [float(f(t)) if f(t) >= 0 else None for t in (0.5, 2.5, 7.0)]


def peaks(x):
    at, found = signal.find_peaks(np.concatenate([x, x[::-1]]), height=0.0)
    if at.size == 0:
        return "none"
    return at, found["peak_heights"].max(), sorted(found)


def filtered(x):
    b, a = signal.butter(2, 0.3 if x[0] > 0 else 0.6)
    return signal.lfilter(b, a, x).round(9)


def tested(x):
    r = stats.ttest_1samp(x, 0.0)
    if r.pvalue < 0.1:
        return "differs", round(r.statistic, 6)
    return "same", type(r).__name__


def fitted_distribution(x):
    loc, scale = stats.norm.fit(x)
    d = stats.norm(loc, scale)
    return d.cdf(0.0) if scale > 2 else d.ppf([0.1, 0.9])


def drawn(x):
    return stats.norm.rvs(loc=x[0], scale=1.0, size=3, random_state=4)


def regression(x):
    r = stats.linregress(np.arange(6.0), x)
    slope, *_ = r
    return (r.slope, r.rvalue ** 2) if slope > 0 else r.intercept


def ranks(x):
    return stats.rankdata(x), stats.mode(x.round()).mode, stats.zscore(x)


def factored(x):
    a = np.outer(x[:3], x[:3]) + 3 * np.eye(3)
    try:
        c = linalg.cholesky(a, lower=True)
    except linalg.LinAlgError:
        return "not positive"
    return linalg.solve_triangular(c, x[3:], lower=True)


def not_positive(x):
    a = np.diag(x[:3])
    try:
        return linalg.cho_factor(a)[0]
    except np.linalg.LinAlgError as e:
        return str(e)


def decomposed(x):
    p, low, u = linalg.lu(x.reshape(2, 3))
    s = linalg.svdvals(x.reshape(2, 3))
    rank = 0
    for v in s:
        if v > 1e-9:
            rank += 1
    return rank, p, np.abs(low).max(), u.shape


def labelled(x):
    labels, n = ndimage.label(x > 0)
    sizes = []
    for k in range(1, n + 1):
        sizes.append(int((labels == k).sum()))
    return n, sizes, ndimage.center_of_mass(x * x)


def neighbours(x):
    t = spatial.cKDTree(np.stack([x, x[::-1]], 1))
    d, i = t.query([0.0, 0.0], k=2)
    pairs = t.query_pairs(2.0)
    return d, i, sorted(pairs)


def hull(x):
    h = spatial.ConvexHull(np.stack([x, x ** 2], 1))
    return round(h.area, 6), len(h.vertices)


def spectrum(x):
    f = np.abs(fft.rfft(x))
    k = int(f[1:].argmax()) + 1
    return k, f[k] if f[k] > 3 else 0.0


def special_values(x):
    out = []
    for v in x:
        out.append(special.gamma(v) if v > 0 else special.erf(v))
    return out


def vectorized(x):
    f = np.vectorize(lambda v: special.expit(v) if v > 0 else 0.0)
    return f(x)


def fixed_point(x):
    r = optimize.fixed_point(lambda v: np.cos(v) if v < 3 else v / 2, abs(x[0]))
    return round(float(r), 8)


def bounded(x):
    r = optimize.minimize_scalar(lambda t: abs(t - x[0]), bounds=(0, 2), method="bounded")
    return round(float(r.x), 4), bool(r.success)


def constrained(x):
    r = optimize.minimize(lambda p: (p ** 2).sum(), [1.0, 1.0], method="SLSQP", constraints=[
        {"type": "ineq", "fun": lambda p: p[0] - x[0] if x[0] > 0 else p[1] + x[0]}])
    return r.x.round(4), r.message


def stepped(x):
    s = integrate.RK45(lambda t, y: -y, 0, [1.0], 2)
    s.y[0] = x[0]
    n = 0
    while s.status == "running":
        s.step()
        n += 1
    return n, s.y


def turned(x):
    r = spatial.transform.Rotation.from_euler("z", 90, degrees=True)
    return r.apply(x[:3]), (r * spatial.transform.Rotation.from_rotvec(x[:3])).as_quat()


SETS = {}
