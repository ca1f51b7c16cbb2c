"""Makes trained_shipped.json: what scikit-learn gives for codes that ship with the zoo, means of five seeds.

numpy 2.4.6, scikit-learn 1.9.1. The procedures are those of trained.py, over all kept rows, with factors cut into
classes as measures/src/classes.rs cuts them: a factor of more than ten values into quarters.
"""

import json
import pathlib
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

warnings.filterwarnings("ignore")
HERE = pathlib.Path(__file__).parent
ZOO = HERE.parents[2] / "models" / "zoo"
SEEDS, BETA = range(5), 0.2
MODELS = {"dsprites-vae5": True, "sinelines-vae5": False, "mnist-ae10": False}


def classes(column):
    values = np.sort(column)
    different = np.unique(values)
    cuts = different[1:] if len(different) <= 10 else [values[len(values) * part // 4] for part in (1, 2, 3)]
    return np.searchsorted(cuts, column, side="right")


def network(hidden, seed, **settings):
    return MLPClassifier(hidden, random_state=seed, batch_size=512, **settings)


def auc(truth, said):
    """The AUC of probabilities, a column for each class: one class against the rest, mean over those present."""
    if said.shape[1] == 2:
        return roc_auc_score(truth, said[:, 1])
    return np.mean([roc_auc_score(truth == k, said[:, k]) for k in range(said.shape[1])])


def area(inputs, truth, train, test, hidden, seed):
    fit = network(hidden, seed, alpha=0.0, max_iter=25, n_iter_no_change=1000).fit(inputs[train], truth[train])
    return auc(truth[test], fit.predict_proba(inputs[test]))


def purity(inputs, truth, train, test, seed):
    k = truth.shape[1]
    return np.array([[area(inputs[:, [i]], truth[:, j], train, test, (32,), seed) for j in range(k)] for i in range(k)])


def values(column):
    """The second of two values, or all: what is told from the rest."""
    of = np.unique(column)
    return of[1:] if len(of) == 2 else of


def scores(x, c, y, with_ois, seed):
    train, test = train_test_split(np.arange(len(x)), test_size=0.2, random_state=seed)
    one = {}
    if with_ois:
        of_codes, of_concepts = (purity(a, c, train, test, seed) for a in (x, c.astype(float)))
        one["ois"] = 2 * np.linalg.norm(of_codes - of_concepts) / c.shape[1]
    one["concept-auc"] = np.mean([area(x, column, train, test, (64, 64), seed) for column in c.T])
    one["explicitness"] = np.mean(
        [
            roc_auc_score(column[test] == v, LogisticRegression().fit(x[train], column[train] == v).decision_function(x[test]))
            for column in c.T
            for v in values(column)
        ]
    )
    balanced = [LogisticRegression(C=np.inf, class_weight="balanced", max_iter=1000).fit(x[train], k[train]) for k in c.T]
    counts = [np.bincount(k) / len(k) for k in c.T]
    one["infoe"] = np.mean(
        [1 - log_loss(k[test], f.predict_proba(x[test])) / np.log(len(p)) for k, f, p in zip(c.T, balanced, counts)]
    )
    if y is not None:
        one["task-auc"] = area(x, y, train, test, (64, 64), seed)
        fit = network((20, 20), seed, max_iter=1000).fit(x[train], y[train])
        rho = np.abs(np.corrcoef(np.hstack([x[train], fit.predict_proba(x[train])]).T)[: x.shape[1], x.shape[1] :])
        niche = rho > BETA

        def outside(seen, j):
            return roc_auc_score(y[test] == j, fit.predict_proba(np.where(seen, x[test], 0))[:, j])

        labels = range(rho.shape[1])
        one["nps"] = np.mean([outside(niche[:, j], j) for j in labels])
        one["nis"] = np.mean([outside(~niche[:, j], j) for j in labels])
    return one


out = {"versions": {"numpy": np.__version__, "scikit-learn": __import__("sklearn").__version__}, "models": {}}
for model, with_ois in MODELS.items():
    x = np.load(ZOO / model / "codes.npy").astype(float)
    factors = np.load(ZOO / model / "factors.npy").astype(float)
    about = json.loads((ZOO / model / "codes.json").read_text())
    c = np.stack([classes(column) for column in factors.T], axis=1)
    y = c[:, about["factors"].index(about["task"])] if "task" in about else None
    found = [scores(x, c, y, with_ois, seed) for seed in SEEDS]
    out["models"][model] = {k: [float(np.mean([f[k] for f in found])), float(np.std([f[k] for f in found], ddof=1))] for k in found[0]}
    print(model, out["models"][model], flush=True)
    (HERE / "trained_shipped.json").write_text(json.dumps(out, indent=1) + "\n")
