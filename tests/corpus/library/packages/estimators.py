"""Programs with scikit-learn: estimators that are fitted and asked inside a function."""

import numpy as np
from sklearn import (
    cluster,
    datasets,
    decomposition,
    ensemble,
    linear_model,
    metrics,
    model_selection,
    neighbors,
    pipeline,
    preprocessing,
    svm,
    tree,
)


def _rows(x):
    return np.stack([x, x * x, np.arange(len(x))], axis=1)


def fitted_line(x):
    m = linear_model.LinearRegression().fit(x[:, None], 2 * x + 1)
    if m.coef_[0] > 1.5:
        return m.predict(x[:, None]).round(6), round(float(m.intercept_), 6)
    return None


def scored(x):
    y = (x > 1).astype(int)
    m = tree.DecisionTreeClassifier(random_state=0).fit(_rows(x), y)
    score = m.score(_rows(x), y)
    if score < 1:
        raise ValueError(f"bad {score}")
    return m.predict(_rows(x)), score


def best_of_several(x):
    y = np.sin(x)
    best, name = -np.inf, None
    for alpha in (0.01, 0.1, 1.0, 10.0):
        m = linear_model.Ridge(alpha=alpha).fit(_rows(x), y)
        r = m.score(_rows(x), y)
        if r > best:
            best, name = r, alpha
    return name, round(float(best), 6)


def clusters(x):
    m = cluster.KMeans(2, n_init=3, random_state=0).fit(x[:, None])
    low, high = sorted(m.cluster_centers_.ravel().round(6))
    if high - low > 4:
        return "far", low, high
    return "near", m.inertia_ > 1


def nearest(x):
    m = neighbors.KNeighborsRegressor(2).fit(_rows(x), x)
    out = []
    for row in _rows(x[::-1] + 0.1):
        p = m.predict(row[None])[0]
        out.append(p if p > 0 else 0.0)
    return out


def scaled(x):
    s = preprocessing.StandardScaler()
    z = s.fit_transform(x[:, None])
    if abs(s.mean_[0]) > 1:
        return s.inverse_transform(z).ravel().round(9), s.scale_.round(9)
    return z.ravel().round(9)


def piped(x):
    p = pipeline.make_pipeline(preprocessing.MinMaxScaler(), linear_model.LinearRegression())
    p.fit(x[:, None], x ** 2)
    return p.predict(np.array([[x.max()], [x.min()]])).round(6), [n for n, _ in p.steps]


def folds(x):
    kept = []
    for train, test in model_selection.KFold(3).split(x):
        if x[test].mean() > x[train].mean():
            kept.append(test)
    return kept


def split(x):
    a, b = model_selection.train_test_split(x, test_size=2, random_state=3)
    return a, b, len(a) if a.sum() > b.sum() else -1


def components(x):
    p = decomposition.PCA(2).fit(_rows(x))
    k, total = 0, 0.0
    while total < 0.9:
        total += p.explained_variance_ratio_[k]
        k += 1
    return k, round(float(total), 6)


def unfitted(x):
    m = linear_model.LinearRegression()
    if x[0] > 0:
        m.fit(x[:, None], x)
    return m.predict(x[:1, None]).round(6)


def unfitted_caught(x):
    m = linear_model.LinearRegression()
    try:
        if x[0] > 0:
            m.fit(x[:, None], x)
        return m.predict(x[:1, None]).round(6)
    except Exception as e:
        return type(e).__name__


def measured(x):
    y = (x > 0).astype(int)
    p = (x > np.median(x)).astype(int)
    acc = metrics.accuracy_score(y, p)
    if acc == 1.0:
        return "perfect"
    return acc, metrics.confusion_matrix(y, p)


def errors_measured(x):
    return metrics.mean_squared_error(x, x[::-1]), metrics.r2_score(x, np.sort(x))


def encoded(x):
    names = ["p" if v > 0 else "n" for v in x]
    e = preprocessing.LabelEncoder()
    codes = e.fit_transform(names)
    return codes, e.classes_.tolist(), e.inverse_transform(codes[:2]).tolist()


def partial_fits(x):
    m = linear_model.SGDRegressor(random_state=0, learning_rate="constant", eta0=0.01)
    rounds = 0
    for _ in range(20):
        m.partial_fit(x[:, None] / 10, x / 5)
        rounds += 1
        if abs(m.coef_[0]) > 0.05:
            break
    return rounds, m.coef_.round(9)


def own_transformer(x):
    offset = x.min()
    t = preprocessing.FunctionTransformer(lambda v: np.log1p(v - offset))
    return t.fit_transform(x[:, None]).ravel()


def own_metric(x):
    def d(a, b):
        if a[0] > b[0]:
            return a[0] - b[0]
        return 2 * (b[0] - a[0])

    return metrics.pairwise_distances(x[:, None], metric=d)


def searched(x):
    y = 3 * x
    g = model_selection.GridSearchCV(linear_model.Ridge(), {"alpha": [0.1, 1.0]}, cv=2)
    g.fit(x[:, None], y)
    return g.best_params_["alpha"], round(float(g.best_score_), 6)


def forest_importance(x):
    m = ensemble.RandomForestRegressor(5, random_state=0).fit(_rows(x), x)
    top = int(np.argmax(m.feature_importances_))
    return ("x", "square", "index")[top]


def support_vectors(x):
    y = x > 0.3
    if y.all() or not y.any():
        return None
    m = svm.SVC(kernel="linear").fit(_rows(x), y)
    return len(m.support_), m.predict(_rows(x))


def given_model(model, x):
    if x.sum() > 5:
        model.fit(x[:, None], -x)
    return model.predict(x[:, None]).round(6)


def remembered(model, x):
    model.seen_ = x.sum()
    if model.seen_ > 5:
        model.set_params(alpha=2.0)
    return model.get_params()["alpha"], model.seen_


def converged(x):
    m = linear_model.Lasso(alpha=1e-4, max_iter=2, tol=1e-12)
    m.fit(_rows(x), np.exp(x / 2))
    return m.n_iter_


def moons(x):
    data, y = datasets.make_moons(20, random_state=int(abs(x[0])))
    return data.sum() * x[1], y[:4]


def _models():
    rows = [np.array(v) for v in ([1.0, -2.0, 3.0], [4.0, 2.0, 5.0], [0.5, 1.5, 1.0])]
    return [(linear_model.Ridge(alpha=0.5).fit(rows[0][:, None], rows[0]), x) for x in rows]


SETS = {"given_model": _models(), "remembered": _models()}
