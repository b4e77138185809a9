"""Programs with pandas: frames and series that are made, changed and read inside a function."""

import numpy as np
import pandas as pd


def made_and_summed(x):
    df = pd.DataFrame({"a": x, "b": x * 2})
    return float(df["a"].sum()), df["b"].to_numpy()


def column_added(x):
    df = pd.DataFrame({"a": x})
    df["b"] = df["a"] ** 2
    df["c"] = np.where(df["a"] > 1, 1.0, 0.0)
    return df.to_numpy(), list(df.columns)


def chosen_by_a_sum(x):
    df = pd.DataFrame({"a": x})
    if df["a"].sum() > 5:
        df["sign"] = "many"
    else:
        df["sign"] = "few"
    return df["sign"].tolist()


def rows_dropped(x):
    df = pd.DataFrame({"a": x, "k": np.arange(len(x)) % 2})
    df = df[df["a"] > 0]
    if len(df) > 3:
        df = df.head(3)
    return df["a"].to_numpy(), len(df)


def grouped(x):
    df = pd.DataFrame({"k": np.arange(len(x)) % 3, "v": x})
    means = df.groupby("k")["v"].mean()
    total = 0.0
    for key, value in means.items():
        if value > 0:
            total += key * value
    return total, means.to_numpy()


def rows_in_a_loop(x):
    df = pd.DataFrame({"a": x, "b": x[::-1]})
    found = []
    for _, row in df.iterrows():
        if row["a"] > row["b"]:
            found.append(row["a"] - row["b"])
    return found


def tuples_in_a_loop(x):
    df = pd.DataFrame({"a": x, "b": x[::-1]})
    total = 0.0
    for row in df.itertuples():
        if row.a < 0:
            continue
        total += row.a * row.b
    return total


def cells_set(x):
    df = pd.DataFrame({"a": x, "b": np.zeros(len(x))})
    for i in range(len(df)):
        if x[i] > 0:
            df.loc[i, "b"] = x[i] * 10
    return df["b"].to_numpy()


def positions_set(x):
    s = pd.Series(x.copy())
    s.iloc[0] = 7.0
    if s.max() > 4.5:
        s.iloc[1:3] = -1.0
    return s.to_numpy(), s.idxmin()


def applied(x):
    s = pd.Series(x)
    limit = x.mean()

    def clip(v):
        if v > limit:
            return limit
        return v

    return s.apply(clip).to_numpy()


def rolled(x):
    s = pd.Series(x).rolling(3).mean().dropna()
    if s.empty:
        return None
    return s.iloc[-1], s.tolist()


def missing_filled(x):
    y = np.where(x < 0, np.nan, x)
    s = pd.Series(y)
    if s.isna().any():
        s = s.fillna(s.mean())
    return s.to_numpy(), int(s.isna().sum())


def merged(x):
    left = pd.DataFrame({"k": [0, 1, 2], "a": x[:3]})
    right = pd.DataFrame({"k": [2, 0, 5], "b": x[3:]})
    both = left.merge(right, on="k", how="left")
    return both.to_numpy(), both["b"].isna().sum()


def pivoted(x):
    df = pd.DataFrame({"r": [0, 0, 1, 1, 2, 2], "c": list("ababab"), "v": x})
    table = df.pivot_table(index="r", columns="c", values="v")
    best = None
    for c in table.columns:
        m = table[c].max()
        if best is None or m > best[1]:
            best = (c, m)
    return best


def sorted_rows(x):
    df = pd.DataFrame({"a": x, "n": list("uvwxyz")}).sort_values("a", ascending=False)
    first = df.iloc[0]
    if first["a"] > 4.5:
        return first["n"], df["n"].tolist()
    return df["n"].tolist()[-1]


def times(x):
    index = pd.date_range("2024-01-01", periods=len(x), freq="D")
    s = pd.Series(x, index=index)
    weekly = s.resample("2D").sum()
    return weekly.to_numpy(), str(weekly.index[0].date())


def cut_in_bins(x):
    bins = pd.cut(x, [-10, 0, 2, 10], labels=["low", "mid", "high"])
    counts = {}
    for b in bins:
        counts[b] = counts.get(b, 0) + 1
    return counts


def appended_frames(x):
    parts = []
    for i, v in enumerate(x):
        if v > 0:
            parts.append(pd.DataFrame({"i": [i], "v": [v]}))
    if not parts:
        return 0
    return pd.concat(parts, ignore_index=True).to_numpy()


def missing_column(x):
    df = pd.DataFrame({"a": x})
    if x[0] > 0:
        return df["a"].iloc[0]
    return df["nothing"].iloc[0]


def missing_column_caught(x):
    df = pd.DataFrame({"a": x})
    try:
        return df["nothing" if x[0] > 0 else "a"].sum()
    except KeyError as e:
        return str(e)


def described(x):
    d = pd.Series(x).describe()
    return {k: float(v) for k, v in d.items()}


def given_frame(df, limit):
    df["over"] = df["a"] > limit
    if df["over"].all():
        df.drop(columns="b", inplace=True)
    return df["over"].sum()


def given_frame_returned(df, limit):
    out = df.copy()
    out.loc[out["a"] > limit, "b"] = 0.0
    return out, out.shape


def correlated(x):
    df = pd.DataFrame({"a": x, "b": x[::-1], "c": x * x})
    c = df.corr()
    pairs = []
    for i, p in enumerate(c.columns):
        for q in c.columns[i + 1:]:
            if abs(c.loc[p, q]) > 0.3:
                pairs.append((p, q))
    return pairs


def printed(x):
    s = pd.Series(x, name="v")
    if s.max() > 4.5:
        print(s.max(), s.name)
    print(s.head(2).tolist())
    return s.name


def text_columns(x):
    s = pd.Series(["a-1", "b-2", "c-3"]).str.split("-", expand=True)
    s[1] = s[1].astype(float) * x[0]
    return s[0].tolist(), s[1].to_numpy()


def _frames():
    x, y = np.array([1.0, -2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    return [(pd.DataFrame({"a": v, "b": v * 2}), np.float64(limit))
            for v, limit in ((x, 0.5), (y, 1.0), (y, 5.0))]


SETS = {"given_frame": _frames(), "given_frame_returned": _frames()}
