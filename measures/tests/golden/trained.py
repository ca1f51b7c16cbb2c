"""Makes trained.json: codes, concepts and a task, and what scikit-learn's networks give for them, means of five seeds.

NPS and NIS are means of 25 seeds: NIS has a standard deviation of 0.034 between seeds, so that means of five are 0.02
apart by chance.

numpy 2.4.6, scikit-learn 1.9.1. The procedure is that of the measures ois, niche, nis-released, concept-auc,
explicitness and infomec; weights, splits and orders of rows are scikit-learn's, so that numbers agree as far as seeds of either agree.
"""

import json
import pathlib
import warnings

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

warnings.filterwarnings("ignore")
ROWS, K, SEEDS, BETA = 6000, 3, range(5), 0.4
random = np.random.default_rng(31)
z = random.multivariate_normal(np.zeros(K), np.full((K, K), 0.3) + 0.7 * np.eye(K), ROWS)
c = (z > 0).astype(int)
y = 2 * c[:, 0] + c[:, 1]
# Each code follows its concept, with a little of the next one, and noise; whole numbers of hundredths.
codes = np.round(100 * (c + 0.3 * np.roll(c, -1, axis=1) + 0.35 * random.normal(size=c.shape))).astype(int)
x = codes / 100


def network(hidden, seed, **settings):
    return MLPClassifier(hidden, random_state=seed, batch_size=512, **settings)


def fixed(hidden, seed):
    return network(hidden, seed, alpha=0.0, max_iter=25, n_iter_no_change=1000)


def purity(inputs, train, test, seed):
    def area(i, j):
        fitted = fixed((32,), seed).fit(inputs[train][:, [i]], c[train, j])
        return roc_auc_score(c[test, j], fitted.predict_proba(inputs[test][:, [i]])[:, 1])

    return np.array([[area(i, j) for j in range(K)] for i in range(K)])


def area_outside(fitted, inputs, seen, holds, j):
    return roc_auc_score(holds, fitted.predict_proba(np.where(seen, inputs, 0))[:, j])


def niches(seed):
    train, test = train_test_split(np.arange(ROWS), test_size=0.2, random_state=seed)
    fitted = network((20, 20), seed, max_iter=1000).fit(x[train], y[train])
    said = fitted.predict_proba(x[train])
    rho = np.abs(np.corrcoef(np.hstack([x[train], said]).T)[:K, K:])
    niche = rho > BETA
    labels = range(4)
    return {
        "nps": np.mean([area_outside(fitted, x[test], niche[:, j], y[test] == j, j) for j in labels]),
        "nis": np.mean([area_outside(fitted, x[test], ~niche[:, j], y[test] == j, j) for j in labels]),
        "niche_size": np.mean(niche.sum(axis=0)),
        "epochs": fitted.n_iter_,
    }


of_niches = [niches(seed) for seed in range(25)]
found = []
for seed in SEEDS:
    train, test = train_test_split(np.arange(ROWS), test_size=0.2, random_state=seed)
    of_codes, of_concepts = purity(x, train, test, seed), purity(c.astype(float), train, test, seed)
    one = {
        "ois": 2 * np.linalg.norm(of_codes - of_concepts) / K,
        "non_oracle": 2 * np.linalg.norm(of_codes - (np.eye(K) / 2 + 0.5)) / K,
    }
    fitted = network((20, 20), seed, max_iter=1000).fit(x[train], c[train])
    rho = np.abs(np.corrcoef(np.hstack([x[train], c[train]]).T)[:K, K:])
    curves = {"cem": [], "concept-quality": []}
    for beta in np.arange(0.0, 1.0, 0.05):
        said = np.stack(
            [fitted.predict_proba(np.where(rho[:, j] <= beta, x[test], 0))[:, j] for j in range(K)], axis=1
        )
        curves["cem"].append(roc_auc_score(c[test], said))
        curves["concept-quality"].append(roc_auc_score(c[test], softmax(said, axis=1)))
    for variant, curve in curves.items():
        one[variant] = np.trapezoid(curve, dx=0.05)
    one["concept_auc"] = np.mean(
        [
            roc_auc_score(c[test, j], fixed((64, 64), seed).fit(x[train], c[train, j]).predict_proba(x[test])[:, 1])
            for j in range(K)
        ]
    )
    linear = [LogisticRegression().fit(x[train], c[train, j]) for j in range(K)]
    one["explicitness"] = np.mean(
        [roc_auc_score(c[test, j], linear[j].decision_function(x[test])) for j in range(K)]
    )
    balanced = [LogisticRegression(C=np.inf, class_weight="balanced").fit(x[train], c[train, j]) for j in range(K)]
    one["infoe"] = np.mean(
        [1 - log_loss(c[test, j], balanced[j].predict_proba(x[test])) / np.log(2) for j in range(K)]
    )
    one["purity"] = of_codes
    found.append(one)
    print({k: np.round(v, 4).tolist() for k, v in one.items()})

out = {
    "versions": {"numpy": np.__version__, "scikit-learn": __import__("sklearn").__version__},
    "codes_in_hundredths": codes.tolist(),
    "concepts": c.tolist(),
    "task": y.tolist(),
    "beta": BETA,
    "means_of_25_seeds": {k: float(np.mean([f[k] for f in of_niches])) for k in of_niches[0]},
    "means_of_five_seeds": {k: np.mean([f[k] for f in found], axis=0).tolist() for k in found[0]},
}
text = ",\n".join(f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in out.items())
(pathlib.Path(__file__).parent / "trained.json").write_text("{\n" + text + "\n}\n")
