"""Scripts over tables: reports, joins, categories, text columns, several libraries in each."""

import itertools

import numpy as np
import pandas as pd


def monthly_report(x):
    days = pd.date_range("2024-01-30", periods=len(x), freq="D")
    s = pd.Series(x, index=days)
    by_month = s.groupby(s.index.month).agg(["sum", "mean", "count"])
    best = by_month["sum"].idxmax()
    lines = [f"{m:02d}: {row['sum']:.2f} ({int(row['count'])})" for m, row in by_month.iterrows()]
    if by_month["mean"].max() > 2:
        lines.append(f"best {best}")
    return "\n".join(lines)


def outliers(x):
    df = pd.DataFrame({"v": x})
    q1, q3 = df["v"].quantile([0.25, 0.75])
    width = q3 - q1
    mask = (df["v"] < q1 - 0.5 * width) | (df["v"] > q3 + 0.5 * width)
    if not mask.any():
        return "none", df
    kept = df.loc[~mask].reset_index(drop=True)
    return kept["v"].tolist(), int(mask.sum())


def merged_tables(x):
    left = pd.DataFrame({"k": [0, 1, 2, 3, 4, 5], "v": x})
    right = pd.DataFrame({"k": [1, 3, 5], "w": x[:3]})
    m = left.merge(right, on="k", how="left").fillna({"w": 0.0})
    m["t"] = m["v"] * m["w"]
    top = m.nlargest(2, "t")
    return top[["k", "t"]].to_dict("records"), m.shape


def cleaned_text(x, text):
    df = pd.DataFrame({"line": text.splitlines()})
    df["n"] = df["line"].str.extract(r"(\d+)", expand=False).astype(float)
    df["n"] = df["n"].fillna(x.mean())
    if (df["n"] > x.max()).any():
        df = df[df["n"] <= x.max()]
    return df["n"].tolist(), df["line"].str.upper().tolist()


def pivot(x):
    df = pd.DataFrame({"a": list("xyxyxy"), "b": [1, 1, 2, 2, 3, 3], "v": x})
    p = df.pivot_table(index="a", columns="b", values="v", aggfunc="sum")
    return p.loc["x"].to_dict(), p.to_numpy(), p.columns.tolist()


def resampled(x):
    s = pd.Series(np.tile(x, 2), pd.date_range("2024", periods=12, freq="8h"))
    daily = s.resample("D").mean()
    change = daily.pct_change().dropna()
    return [round(float(v), 9) for v in daily], bool((change > 0).all())


def frame_changed(df, x):
    df["z"] = (df["a"] - df["a"].mean()) / df["a"].std()
    df.loc[df["a"] > x[0], "flag"] = True
    df.drop(columns="b", inplace=True)
    return len(df.columns)


def correlated(x):
    df = pd.DataFrame({"a": x, "b": x ** 2, "c": -x})
    c = df.corr()
    strong = [(i, j) for i, j in itertools.combinations(c.columns, 2) if abs(c.loc[i, j]) > 0.9]
    return strong, c.round(9).to_numpy()


def category(x):
    s = pd.cut(pd.Series(x), [-np.inf, 0, 2, np.inf], labels=["low", "mid", "high"])
    return s.value_counts().sort_index().to_dict(), s.cat.codes.tolist()


_ARRAYS = [np.array(v) for v in ([1.0, -2.0, 3.0, 0.5, 4.0, 2.5], [-1.0, 2.0, 5.0, -0.5, 0.25, 1.5],
                                 [4.0, 4.0, 0.0, -3.0, 1.0, 2.0])]
_TEXTS = ["The cat 12 and the dog\n7 cats", "no numbers\nat all 3", "100 birds\n\nfly 5 away, fly"]
SETS = {"cleaned_text": [*zip(_ARRAYS, _TEXTS, strict=True)],
        "frame_changed": [(pd.DataFrame({"a": x, "b": x}), x) for x in _ARRAYS]}
