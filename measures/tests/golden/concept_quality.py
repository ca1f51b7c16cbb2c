"""Computes every number of concept_quality.json again from its inputs, and stops at one that differs.

Run it with numpy 2.4.6, scipy 1.17.1 and scikit-learn 1.9.1:  python3 concept_quality.py
Formulas: Espinosa Zarlenga et al. (concept quality), its released code (mateoespinosa/cem, cem/metrics/niching.py and
oracle.py; mateoespinosa/concept-quality), arXiv 2305.18378, 2504.14094, 2504.02821 and 2602.12403.
"""

import json
import pathlib
import warnings

import numpy as np
from scipy.special import expit, softmax
from sklearn.feature_selection._mutual_info import _compute_mi_cd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, mutual_info_score, roc_auc_score

here = pathlib.Path(__file__).parent
golden = json.loads((here / "concept_quality.json").read_text())
checked = 0


def same(found, wanted, tolerance=1e-12):
    global checked
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
    checked += found.size


def auc_of_present(y, p):
    present = [j for j in range(p.shape[1]) if 0 < np.sum(y == j) < len(y)]
    return [roc_auc_score(y == j, p[:, j]) for j in present]


# AUC
case = golden["auc"]
y, p = np.array(case["y3"]), np.array(case["p3"])
same(roc_auc_score(case["y"], case["score"]), case["auc"])
same(roc_auc_score(case["y"], np.ones(8)), case["constant_score"])
same(roc_auc_score(y, p, multi_class="ovr", average="macro"), case["ovr_macro"])
same(np.mean(auc_of_present(y, p)), case["onehot_multilabel_macro"])
same(roc_auc_score(y, p, multi_class="ovr", average="weighted"), case["ovr_weighted"])
same(roc_auc_score(y, p, multi_class="ovo", average="macro"), case["ovo_macro"])
case = golden["auc_absent_label"]
found = auc_of_present(np.array(case["y"]), np.array(case["p"]))
same(found, case["per_label"][:2])
same(np.mean(found), case["mean_over_present"])


# OIS
def ois(purity, oracle):
    return 2 * np.linalg.norm(np.array(purity) - np.array(oracle)) / len(purity)


case = golden["ois"]
k = len(case["purity"])
same(ois(case["purity"], case["oracle"]), case["ois"])
same(ois(case["purity"], np.eye(k) / 2 + 0.5), case["non_oracle"])
purity = np.array(case["purity"])
np.fill_diagonal(purity, np.diag(case["oracle"]))
same(ois(purity, case["oracle"]), case["no_diag"])
align = case["align"]
matrix = np.array(align["purity_4x3"])
codes = {}
for code, concept in zip(*np.unravel_index(np.argsort(-matrix, axis=None), matrix.shape)):
    if concept not in codes and code not in codes.values():
        codes[int(concept)] = int(code)
aligned = matrix[[codes[j] for j in range(3)]]
same([codes[j] for j in range(3)], align["alignment_col_to_row"])
same(aligned, align["aligned"])
same(np.linalg.norm(aligned - case["oracle"]), align["released_score_unnormalised"])
same(ois(aligned, case["oracle"]), align["spec_score"])
for worst in (case["worst"], golden["ois_above_one"]):
    same(ois(worst["purity"], worst["oracle"]), worst["ois"])

# Niches
case = golden["niche"]
c, y = np.array(case["c"]), np.array(case["y"])
W, b = np.array(case["W"]), np.array(case["b"])


def f(codes):
    return expit(codes @ W + b)


def rho(codes, columns):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.corrcoef(np.hstack([codes, columns]).T)[: codes.shape[1], codes.shape[1] :]


def scores(predict, codes, labels, niche, width=1):
    def area(seen, j):
        return roc_auc_score(labels[:, j], predict(np.where(np.repeat(seen, width), codes, 0))[:, j])

    labels_of = range(labels.shape[1])
    return [area(niche[:, j], j) for j in labels_of], [area(~niche[:, j], j) for j in labels_of]


correlations = np.abs(rho(c, f(c)))
same(correlations, case["abs_corr_concept_vs_output"])
for beta, wanted in ((0.2, case), (0.95, case["beta095"])):
    niche = correlations > beta
    nps, nis = scores(f, c, y, niche)
    same(niche, wanted["niche"])
    same(nps, wanted["NPS_per_label"])
    same(nis, wanted["NIS_per_label"])
same(np.mean(scores(f, c, y, correlations > 0.2), axis=1), [case["NPS"], case["NIS"]])
nps, nis = scores(f, c, y, correlations > 1.0)
same(nps, case["empty_niche"]["NPS_per_label"])
same(nis, case["empty_niche"]["NIS_per_label"])
curves = golden["niche_curves"]
for i, beta in enumerate(curves["beta"]):
    niche = correlations > beta
    nps, nis = scores(f, c, y, niche)
    found = [np.mean(nps), np.mean(nis), np.mean(niche.sum(axis=0))]
    same(found, [curves["NPS"][i], curves["NIS"][i], curves["size"][i]])

released = case["released"]
signed = rho(c, y)
same(signed, released["corr_concept_vs_truth"])
same(np.abs(signed) > 0.2, released["niche"])
curve, with_softmax = [], []
for beta in np.arange(0.0, 1.0, 0.05):
    niche = np.abs(signed) > beta
    said = np.stack([f(np.where(~niche[:, j], c, 0))[:, j] for j in range(3)], axis=1)
    curve.append(roc_auc_score(y, said))
    with_softmax.append(roc_auc_score(y, softmax(said, axis=1)))
same(curve, released["nis_curve_beta_0_to_095"])
same(np.trapezoid(curve, dx=0.05), released["niche_impurity_score_trapezoid"])
same(with_softmax, golden["nis_released_concept_quality"]["curve"])
same(np.trapezoid(with_softmax, dx=0.05), golden["nis_released_concept_quality"]["trapezoid"])
constant = c.copy()
constant[:, 2] = case["constant_column"]["c_col2"]
with np.errstate(invalid="ignore"):
    same(np.abs(rho(constant, y)) > 0.2, case["constant_column"]["niche"])

case = golden["niche_multi"]
c, y = np.array(case["c_ndk"]), np.array(case["y"])
W, b = np.array(case["W_dkl"]), np.array(case["b"])
n, d, k = c.shape
flat = c.transpose(0, 2, 1).reshape(n, k * d)
weights = W.transpose(1, 0, 2).reshape(k * d, -1)
correlations = np.abs(rho(flat, expit(flat @ weights + b))).reshape(k, d, -1).max(axis=1)
same(correlations, case["abs_corr_max_over_d"])
for beta in ("0.2", "0.5"):
    wanted = golden[f"niche_multi_beta{beta}"]
    niche = correlations > float(beta)
    nps, nis = scores(lambda x: expit(x @ weights + b), flat, y, niche, d)
    same(niche, wanted["niche"])
    same(nps, wanted["NPS_per_label"])
    same(nis, wanted["NIS_per_label"])

# InfoMEC
case = golden["infomec"]
s, z = np.array(case["sources"]), np.array(case["latents"])
z = (z - z.mean(axis=0)) / z.std(axis=0)
raw = np.array(case["latents"])
active = np.ptp(raw, axis=0) >= np.ptp(raw, axis=0).max() / 20
nmi = np.array(
    [
        [_compute_mi_cd(z[:, j], s[:, i], 10) / mutual_info_score(s[:, i], s[:, i]) for j in range(z.shape[1])]
        for i in range(s.shape[1])
    ]
)
same(nmi * active, case["nmi_ksg_k10_no_noise"])
same(active, case["active"])
kept = nmi[:, active]
m, k = kept.shape
same((np.mean(kept.max(axis=0) / kept.sum(axis=0)) - 1 / m) / (1 - 1 / m), case["InfoM"])
same((np.mean(kept.max(axis=1) / kept.sum(axis=1)) - 1 / k) / (1 - 1 / k), case["InfoC"])
explicit = []
for i in range(m):
    fit = LogisticRegression(C=np.inf, class_weight="balanced", tol=1e-12, max_iter=100000).fit(z, s[:, i])
    null = np.log(len(np.unique(s[:, i])))
    explicit.append((null - log_loss(s[:, i], fit.predict_proba(z))) / null)
same(explicit, case["InfoE_per_source"], 1e-7)
same(np.mean(explicit), case["InfoE"], 1e-7)

# Leakage
case = golden["leakage"]
c, y, hat = np.array(case["c_true"]), np.array(case["y"]), np.array(case["c_hat"])
bins = np.stack([np.searchsorted(np.quantile(v, [0.25, 0.5, 0.75]), v, side="right") for v in hat.T], axis=1)
same(bins, case["codes"])
mi = mutual_info_score
ctl = [max(0, (mi(bins[:, i], y) - mi(c[:, i], y)) / mi(y, y)) for i in range(3)]
same(ctl, case["CTL_per_concept"])
same(np.mean(ctl), case["CTL"])


def relative(a, b):
    return mi(a, b) / np.sqrt(mi(a, a) * mi(b, b))


icl = np.array(
    [
        [0 if i == j else max(0, relative(bins[:, i], bins[:, j]) - relative(c[:, i], c[:, j])) for j in range(3)]
        for i in range(3)
    ]
)
same(icl, case["ICL_matrix"])
same(icl.sum() / 6, case["ICL"])

# Monosemanticity
case = golden["monosemanticity"]
e, a = np.array(case["embeddings_unit"]), np.array(case["activations"])
w = (a - a.min(axis=0)) / np.ptp(a, axis=0)
upper = np.triu_indices(len(e), 1)
pairs = [np.outer(v, v)[upper] for v in w.T]
same([np.sum(v * (e @ e.T)[upper]) / v.sum() for v in pairs], case["pairwise"])
same(
    [
        (np.sum((v @ e) ** 2) - np.sum(v**2)) / (v.sum() ** 2 - np.sum(v**2))
        for v in w.T
    ],
    case["single_pass"],
)
print(f"{checked} numbers agree")
