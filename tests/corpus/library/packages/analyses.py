"""Scripts of an analyst: fits, folds, searches, filters and tests with SciPy and scikit-learn."""

import numpy as np
from scipy import integrate, interpolate, optimize, signal, sparse, stats
from sklearn import linear_model, model_selection, pipeline, preprocessing, tree


def fit_line(x):
    t = np.arange(len(x)).reshape(-1, 1)
    model = linear_model.LinearRegression().fit(t, x)
    slope = model.coef_[0]
    if slope > 0.2:
        trend = "up"
    elif slope < -0.2:
        trend = "down"
    else:
        trend = "flat"
    return trend, round(float(model.intercept_), 8), round(model.score(t, x), 8)


def best_ridge(x):
    t = np.vander(np.linspace(0, 1, len(x)), 3)
    best, best_score = None, -np.inf
    for alpha in (0.01, 0.1, 1.0):
        model = linear_model.Ridge(alpha=alpha).fit(t, x)
        score = model.score(t, x) - 0.1 * np.abs(model.coef_).sum()
        if score > best_score:
            best, best_score = model, score
    return best.alpha, np.round(best.coef_, 8)


def pipelined(x):
    t = np.column_stack([x, x ** 2])
    labels = (x > 1).astype(int)
    if labels.sum() in (0, len(x)):
        raise ValueError(f"one class only: {labels.tolist()}")
    p = pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LogisticRegression())
    p.fit(t, labels)
    wrong = [i for i, (a, b) in enumerate(zip(p.predict(t), labels)) if a != b]
    return p.predict(t), wrong, [name for name, _ in p.steps]


def folds(x):
    found = {}
    for k, (train, test) in enumerate(model_selection.KFold(3).split(x)):
        mean = x[train].mean()
        found[k] = float(np.mean((x[test] - mean) ** 2))
    worst = max(found, key=found.get)
    return worst, found


def small_tree(x):
    t = x.reshape(-1, 1)
    y = np.where(x > np.median(x), "high", "low")
    model = tree.DecisionTreeClassifier(max_depth=1, random_state=0).fit(t, y)
    return model.predict(t).tolist(), model.classes_.tolist(), model.get_depth()


def minimised(x):
    seen = []

    def loss(p):
        seen.append(float(p[0]))
        r = x - p[0]
        return np.where(np.abs(r) < 1, 0.5 * r ** 2, np.abs(r) - 0.5).sum()

    r = optimize.minimize(loss, [0.0], method="Nelder-Mead")
    return bool(r.success), round(float(r.x[0]), 3), len(seen) == r.nfev


def curve(x):
    t = np.linspace(0, 2, len(x))

    def model(t, a, b):
        return a * np.exp(-b * t)

    y = model(t, 2 + abs(x[0]), 1.5)
    (a, b), cov = optimize.curve_fit(model, t, y, p0=(1, 1))
    return {"a": round(float(a), 5), "b": round(float(b), 5), "ok": bool(np.all(np.isfinite(cov)))}


def integral(x):
    total, error = integrate.quad(lambda t: t ** 2 if t > x[0] else 0.0, -5, 5, points=[x[0]])
    return round(total, 6), error < 1e-6


def ode(x):
    def rhs(t, y, rate):
        return [-rate * y[0], rate * y[0] if y[0] > 0.5 else 0.0]

    s = integrate.solve_ivp(rhs, (0, 1), [abs(x[0]) + 1, 0.0], args=(0.5,), t_eval=[0, 0.5, 1])
    return s.status, np.round(s.y, 5), s.message


def splined(x):
    t = np.arange(len(x))
    c = interpolate.CubicSpline(t, x)
    roots = [round(float(r), 8) for r in c.roots(extrapolate=False)]
    return roots, round(float(c.integrate(0, 3)), 8), c(1.5, 1).round(8)


def peaks(x):
    long = np.tile(x, 3)
    at, info = signal.find_peaks(long, height=0.5)
    highest = at[np.argmax(info["peak_heights"])] if len(at) else None
    return at, highest, {k: v.tolist() for k, v in info.items()}


def smoothed(x):
    b, a = signal.butter(2, 0.3)
    y = signal.lfilter(b, a, x)
    while np.abs(np.diff(y)).max() > 1:
        y = signal.lfilter(b, a, y)
    return y


def sparse_walk(x):
    n = len(x)
    m = sparse.lil_array((n, n))
    for i, v in enumerate(x):
        if v > 0:
            m[i, (i + 1) % n] = v
    c = m.tocsr()
    return c.nnz, c.sum(axis=1), (c @ np.ones(n)).tolist()


def tested(x):
    a, b = x[:3], x[3:]
    t = stats.ttest_ind(a, b, equal_var=False)
    verdict = "differ" if t.pvalue < 0.3 else "same"
    return verdict, round(float(t.statistic), 10)


def fitted_normal(x):
    mu, sigma = stats.norm.fit(x)
    d = stats.norm(mu, sigma)
    return [round(float(d.ppf(q)), 9) for q in (0.1, 0.5, 0.9)], bool(d.cdf(0) > 0.5)


def ranked(x):
    order = sorted(range(len(x)), key=lambda i: (-x[i], i))
    ranks = {name: r for r, name in enumerate(order, 1)}
    return order, ranks, stats.rankdata(x)


def scaled_then_changed(x):
    s = preprocessing.MinMaxScaler()
    t = s.fit_transform(x[:, None])
    if s.data_range_[0] > 5:
        s.feature_range = (0, 10)
        t = s.fit_transform(x[:, None])
    return t.ravel(), s.feature_range, s.inverse_transform(t).ravel()


def encoded(x):
    enc = preprocessing.OneHotEncoder(sparse_output=False)
    labels = np.array([["a"], ["b"], ["c"]])[np.clip(x, 0, 2).astype(int)]
    m = enc.fit_transform(labels)
    return m, enc.categories_[0].tolist(), enc.get_feature_names_out().tolist()


def search(x):
    r = optimize.minimize_scalar(lambda t: (t - x[0]) ** 2 + (1 if t > 2 else 0),
                                 bounds=(-3, 4), method="bounded")
    return round(r.x, 3), r.nfev > 3


def linear_program(x):
    r = optimize.linprog([-1, -2], A_ub=[[1, 1]], b_ub=[abs(x[0]) + 1], bounds=[(0, 2), (0, 3)])
    if not r.success:
        return r.message
    return np.round(r.x, 8), round(r.fun, 8)


SETS: dict = {}
