"""What scipy, statsmodels and pingouin make of `data.json`.

    python3 measures/tests/statistics/reference.py > measures/tests/statistics/scipy.json
"""

import json
import pathlib
import sys

import numpy as np
import pandas as pd
import pingouin
import scipy
import statsmodels
from scipy import integrate, optimize, special, stats
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

data = json.loads((pathlib.Path(__file__).parent / "data.json").read_text())
out = {"versions": {"numpy": np.__version__, "scipy": scipy.__version__,
                    "statsmodels": statsmodels.__version__, "pingouin": pingouin.__version__}}

fifths = np.array(data["rates_fifths"])
a, b, c = (fifths / 5).T
# Ranks of exact whole numbers: differences of floating-point fifths would lose their ties.
w = stats.wilcoxon(fifths[:, 0], fifths[:, 1], zero_method="wilcox", correction=True, method="asymptotic")
out["wilcoxon"] = {"statistic": w.statistic, "p": w.pvalue}
d = fifths[:, 0] - fifths[:, 1]
r = stats.rankdata(np.abs(d[d != 0]))
plus, minus = r[d[d != 0] > 0].sum(), r[d[d != 0] < 0].sum()
out["wilcoxon"]["rank_biserial"] = (plus - minus) / (plus + minus)
f = stats.friedmanchisquare(a, b, c)
out["friedman"] = {"statistic": f.statistic, "p": f.pvalue,
                   "w": float(pingouin.friedman(pd.DataFrame({"a": a, "b": b, "c": c}))["W"].iloc[0])}
groups = data["groups"]
k = stats.kruskal(*groups)
out["kruskal"] = {"statistic": k.statistic, "p": k.pvalue}
m = stats.mannwhitneyu(groups[0], groups[2], use_continuity=True, method="asymptotic")
out["mann_whitney"] = {"u": m.statistic, "p": m.pvalue}
table = data["retention"]
x = stats.chi2_contingency(table, correction=False)
out["chi_squared"] = {"statistic": x.statistic, "p": x.pvalue, "df": x.dof,
                      "smallest_expected": x.expected_freq.min(),
                      "cramers_v": stats.contingency.association(np.array(table), "cramer")}
out["fisher_2x2"] = stats.fisher_exact(table[:2]).pvalue
out["fisher_2x2_far"] = stats.fisher_exact([[40, 2], [9, 30]]).pvalue

# Intervals of effect sizes from noncentral distributions.
def delta(t, df, p):
    return optimize.brentq(lambda d: stats.nct.cdf(t, df, d) - p, t - 10, t + 10, xtol=1e-13)

t = stats.ttest_rel(a, b)
out["paired"] = {"t": t.statistic, "p": t.pvalue,
                 "d_z": [delta(t.statistic, 17, p) / np.sqrt(18) for p in (0.975, 0.025)]}
t = stats.ttest_ind(groups[0], groups[2])
n1, n2 = len(groups[0]), len(groups[2])
out["independent"] = {"t": t.statistic, "p": t.pvalue,
                      "d": [delta(t.statistic, n1 + n2 - 2, p) * np.sqrt(1 / n1 + 1 / n2) for p in (0.975, 0.025)]}
f = stats.f_oneway(*groups)
df1, df2 = len(groups) - 1, sum(map(len, groups)) - len(groups)
lam = [optimize.brentq(lambda l: stats.ncf.cdf(f.statistic, df1, df2, l) - p, 0, 500, xtol=1e-12) for p in (0.95, 0.05)]
out["one_way"] = {"f": f.statistic, "p": f.pvalue, "interval": [l / (l + df1 + df2 + 1) for l in lam]}
f = stats.f_oneway(groups[0], groups[1])
out["one_way_small"] = {"f": f.statistic, "p": f.pvalue}

out["noncentral_t"] = [{"t": t, "df": df, "delta": d, "cdf": stats.nct.cdf(t, df, d)}
                       for t, df, d in [(2, 14, 1), (-1.5, 4, 0.7), (8, 28, 6), (0, 9, 0.4), (3.2, 2.5, 2), (15, 98, 14)]]
out["noncentral_f"] = [{"f": f, "df1": d1, "df2": d2, "lambda": l, "cdf": stats.ncf.cdf(f, d1, d2, l)}
                       for f, d1, d2, l in [(2, 2, 28, 3), (10, 6, 98, 40), (0.4, 1.7, 30, 1), (50, 2, 42, 100)]]
out["t_quantile"] = [{"tail": q, "df": df, "t": stats.t.isf(q, df)}
                     for q, df in [(0.025, 14), (0.05, 2.5), (0.005, 98), (1e-8, 4), (0.25, 1)]]
out["normal_quantile"] = [{"p": p, "z": stats.norm.ppf(p)} for p in [0.975, 0.025, 1e-10, 0.5, 0.3]]
out["chi_squared_tail"] = [{"x": x, "df": df, "p": stats.chi2.sf(x, df)} for x, df in [(3, 2), (60, 6), (0.1, 1), (300, 3)]]
out["quantiles"] = {q: float(np.quantile(data["skewed"], float(q))) for q in ("0", "0.1", "0.25", "0.5", "0.9", "1")}

# BCa from given replicates: means of resamples that the Rust test writes would move with its
# generator, so these are fixed here.
sample = np.array(data["skewed"])
rng = np.random.default_rng(7)
replicates = np.round(rng.choice(sample, (400, len(sample))).mean(axis=1), 6)
class Stored:
    bootstrap_distribution = replicates
bca = stats.bootstrap((sample,), np.mean, n_resamples=0, bootstrap_result=Stored(), method="BCa", confidence_level=0.95)
out["bca"] = {"replicates": replicates.tolist(),
              "low": bca.confidence_interval.low, "high": bca.confidence_interval.high}
full = stats.bootstrap((sample,), np.mean, n_resamples=9999, method="BCa", rng=np.random.default_rng(1))
out["bca_full"] = {"low": full.confidence_interval.low, "high": full.confidence_interval.high}

# Equivalence: two one-sided tests, and their power by integration over the estimated spread.
p, low, high = ttost_paired(b, c, -0.3, 0.3)
out["tost_paired"] = {"p": p, "p_low": low[1], "p_high": high[1]}
p, low, high = ttost_ind(groups[0], groups[1], -1, 1, usevar="unequal")
out["tost_independent"] = {"p": p, "p_low": low[1], "p_high": high[1]}

def power(n, df, se_factor, difference, sd, low, high, alpha=0.05):
    """P(both one-sided tests reject): the difference given the estimated sd is normal."""
    critical, se = stats.t.isf(alpha, df), sd * se_factor
    def inside(s):
        upper, lower = (high - critical * s * se - difference) / se, (low + critical * s * se - difference) / se
        return max(0.0, special.ndtr(upper) - special.ndtr(lower)) * stats.chi.pdf(s * np.sqrt(df), df) * np.sqrt(df)
    end = (high - low) / (2 * critical * se)
    return integrate.quad(inside, 0, min(end, 1 + 12 / np.sqrt(df)), epsabs=1e-12, limit=500)[0]

out["tost_power"] = [{"n": n, "difference": d, "sd": s, "low": l, "high": h,
                      "paired": power(n, n - 1, 1 / np.sqrt(n), d, s, l, h),
                      "independent": power(n, 2 * n - 2, np.sqrt(2 / n), d, s, l, h)}
                     for n, d, s, l, h in [(15, 0, 0.3, -0.2, 0.2), (30, 0.05, 0.3, -0.2, 0.2), (8, 0, 0.3, -0.2, 0.3), (200, 0, 1, -0.1, 0.4)]]

json.dump(out, sys.stdout, indent=1, default=float)
print()
