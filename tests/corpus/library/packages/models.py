"""Programs with statsmodels: models that are fitted inside a function, and what follows."""

import numpy as np
import pandas as pd
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.stats import multitest, stattools, weightstats
from statsmodels.tsa import stattools as tsa


def least_squares(x):
    r = sm.OLS(x, sm.add_constant(np.arange(6.0))).fit()
    if r.pvalues[1] < 0.3:
        return "trend", r.params.round(6)
    return "none", round(float(r.rsquared), 6)


def backward(x):
    data = np.column_stack([np.ones(6), np.arange(6.0), np.sin(np.arange(6.0))])
    left = [0, 1, 2]
    while len(left) > 1:
        p = sm.OLS(x, data[:, left]).fit().pvalues
        worst = int(np.argmax(p))
        if p[worst] < 0.3:
            break
        left.pop(worst)
    return left


def formula(x):
    df = pd.DataFrame({"y": x, "t": np.arange(6.0), "g": list("ababab")})
    r = smf.ols("y ~ t + C(g)", data=df).fit()
    return {k: round(float(v), 6) for k, v in r.params.items()}


def weighted(x):
    w = np.where(x > 0, 1.0, 0.25)
    r = sm.WLS(x, np.ones(6), weights=w).fit()
    return r.params.round(9), r.df_resid


def generalized(x):
    y = (x > 0.7).astype(float)
    r = sm.GLM(y, sm.add_constant(np.array([0.0, 1, 0, 1, 1, 0])),
               family=sm.families.Gaussian()).fit()
    return r.params.round(6), r.converged


def smoothed(x):
    z = sm.nonparametric.lowess(x, np.arange(6.0), frac=0.8, it=0)
    return z[:, 1].round(6) if z[0, 1] > 0 else None


def autocorrelation(x):
    a = tsa.acf(x, nlags=3, fft=False)
    for k in range(1, len(a)):
        if a[k] < 0:
            return k, a[k]
    return None


def corrected(x):
    p = 1 / (1 + np.exp(x))
    reject, fixed, *_ = multitest.multipletests(p, 0.2, method="fdr_bh")
    return reject, fixed, int(reject.sum()) if reject.any() else -1


def compared(x):
    t, p, df = weightstats.ttest_ind(x[:3], x[3:])
    return (round(float(t), 8), df) if p > 0.5 else "differ"


def watson(x):
    d = stattools.durbin_watson(x)
    return "positive" if d < 1 else ("negative" if d > 3 else d)


def predicted(x):
    r = sm.OLS(x, sm.add_constant(np.arange(6.0))).fit()
    p = r.get_prediction(np.array([[1.0, 6.0]]))
    low, high = p.conf_int()[0]
    return round(float(low), 5), round(float(high), 5), low < x[-1] < high


def density(x):
    k = sm.nonparametric.KDEUnivariate(x)
    k.fit(bw=1.0)
    return k.evaluate(0.0).round(8), k.bw


def robust(x):
    r = sm.RLM(x, sm.add_constant(np.arange(6.0)), M=sm.robust.norms.HuberT()).fit()
    return r.params.round(4)


def wrong_formula(x):
    df = pd.DataFrame({"y": x})
    try:
        return smf.ols("y ~ nothing" if x[0] > 0 else "y ~ 1", data=df).fit().params.to_numpy()
    except Exception as e:
        return type(e).__name__


SETS = {}
