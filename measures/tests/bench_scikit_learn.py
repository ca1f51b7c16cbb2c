"""How long numpy and scikit-learn take for the work that bench.rs times. Prints seconds.

Run it with numpy 2.4.6 and scikit-learn 1.9.1, on two threads:  OMP_NUM_THREADS=2 python3 bench_scikit_learn.py
Where the whole would take minutes, a part is timed and multiplied; the line says so.
"""

import time
import warnings

import numpy as np
from sklearn.feature_selection import mutual_info_classif
from sklearn.metrics import mutual_info_score, roc_auc_score
from sklearn.neural_network import MLPClassifier

warnings.filterwarnings("ignore")


def data(rows, codes, concepts, values):
    random = np.random.default_rng(1)
    c = random.integers(values, size=(rows, concepts))
    own = np.arange(codes) % concepts
    z = c[:, own] + 0.2 * c[:, (own + 1) % concepts] + 0.3 * random.normal(size=(rows, codes))
    return z, c, np.minimum(c[:, :3].sum(axis=1), 4)


def timed(name, work, times=1, note=""):
    begun = time.perf_counter()
    work()
    print(f"{name:>16} {times * (time.perf_counter() - begun):8.2f} s   {note}", flush=True)


print("10 codes, 10 concepts of two labels, 10,000 rows")
z, c, y = data(10_000, 10, 10, 2)
train, test = slice(0, 8000), slice(8000, None)


def pairs():
    for j in range(4):
        fit = MLPClassifier((32,), batch_size=512, alpha=0.0, max_iter=25, n_iter_no_change=99).fit(z[train, :1], c[train, j])
        roc_auc_score(c[test, j], fit.predict_proba(z[test, :1])[:, 1])


def niche():
    fit = MLPClassifier((20, 20), batch_size=512, max_iter=1000).fit(z[train], y[train])
    rho = np.abs(np.corrcoef(np.hstack([z[train], fit.predict_proba(z[train])]).T)[:10, 10:])
    for beta in np.arange(21) * 0.05:
        for j in range(rho.shape[1]):
            for seen in (rho[:, j] > beta, rho[:, j] <= beta):
                roc_auc_score(y[test] == j, fit.predict_proba(np.where(seen, z[test], 0))[:, j])


timed("ois", pairs, 50, "4 of 200 networks, times 50")
timed("niche", niche)

print("50 codes, 10 concepts of five labels, 100,000 rows")
z, c, y = data(100_000, 50, 10, 5)


def mig():
    edges = [np.histogram(v, 20)[1][1:-1] for v in z.T]
    binned = [np.digitize(v, e) for v, e in zip(z.T, edges)]
    for factor in c.T:
        for code in binned:
            mutual_info_score(factor, code)


timed("mig", mig)
timed("sap", lambda: np.corrcoef(np.hstack([z, c]).T))
timed("infom, infoc", lambda: mutual_info_classif(z[:, :5], c[:, 0], n_neighbors=10), 100, "5 of 500 pairs, times 100")

print("50 codes, 50 concepts of two labels, 100,000 rows")
z, c, y = data(100_000, 50, 50, 2)


def leakage():
    bins = [np.searchsorted(np.quantile(v, [0.25, 0.5, 0.75]), v, side="right") for v in z.T]
    for i in range(5):
        mutual_info_score(bins[i], y)
        for j in range(25, 45):
            mutual_info_score(bins[i], bins[j])
            mutual_info_score(c[:, i], c[:, j])


timed("leakage", leakage, 12, "100 of 1,225 pairs, times 12")

print("64 codes, embeddings of 512 entries, 50,000 rows")
random = np.random.default_rng(2)
a, e = random.normal(size=(50_000, 64)), random.normal(size=(50_000, 512))


def monosemanticity():
    unit = e / np.linalg.norm(e, axis=1, keepdims=True)
    w = (a - a.min(axis=0)) / np.ptp(a, axis=0)
    squares = (w**2).sum(axis=0)
    return (((w.T @ unit) ** 2).sum(axis=1) - squares) / (w.sum(axis=0) ** 2 - squares)


timed("monosemanticity", monosemanticity)
