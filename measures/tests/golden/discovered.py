"""The numbers of discovered.json, computed again: python3 discovered.py (numpy, scipy and scikit-learn as the file
names them). Fails when one differs."""
import itertools
import json
import pathlib

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import jensenshannon
from scipy.special import expit, softmax
from sklearn.metrics import mutual_info_score

golden = json.loads(pathlib.Path(__file__).with_name("discovered.json").read_text())
same = lambda found, expected: np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def purity(cov, match):
    return np.mean([cov[s, k] / cov[:, k].sum() for s, k in enumerate(match)])


def distinct(cov, concepts):
    return np.mean([np.abs(cov[:, a] - cov[:, b]).mean() for a, b in itertools.combinations(concepts, 2)])


case = golden["botcl_cov"]
cov = np.array(case["coverage_shapes_x_concepts"])
match = cov.argmax(1)
same(match, case["assoc"])
same(cov[range(5), match].mean(), case["completeness"])
same(purity(cov, match), case["purity"])
same(distinct(cov, match), golden["distinctiveness"]["pairs_of_matches"])
same(distinct(cov, sorted(set(match))), golden["distinctiveness"]["pairs_of_distinct_concepts"])
h = case["h"]
inside = np.array(h["shape_mask"])
same((np.array(h["att"])[inside] > h["beta"]).mean(), h["ratio"])
case = golden["matching_differs"]
cov = np.array(case["coverage"])
same(cov.argmax(1), case["best"])
rows, columns = linear_sum_assignment(cov, maximize=True)
same(columns, case["one_to_one"])
same(cov[rows, columns].mean(), case["one_to_one_completeness"])


def cc(groups, reading):
    pairs = list(itertools.combinations(range(len(groups[0])), 2))
    given = sum(x is not None for g in groups for x in g)
    total = 0
    for g in groups:
        named = np.mean([g[i] is not None and g[j] is not None for i, j in pairs])
        nobody = np.mean([g[i] is None and g[j] is None for i, j in pairs])
        agree = np.mean([g[i] == g[j] and (reading != "default" or g[i] is not None) for i, j in pairs])
        r = {"default": named, "literal": 1 - named, "both_none": 1 - nobody}[reading]
        total += (sum(x is not None for x in g) / given if given else 0) * r * agree
    return total


for case in golden["cc_readings"].values():
    groups = list(case["responses"].values())
    for reading in ["default", "literal", "both_none"]:
        same(cc(groups, reading), case[reading])
case = golden["botcl_user"]
groups = case["responses"].values()
same(np.mean([any(x is not None for x in person) for person in zip(*groups)]), case["CDR"])
same(mutual_info_score(case["H"], case["H2"]), case["MIC_mutual_info_score_nats"])
for case in golden["mic"].values():
    first, second = np.array(case["H"]), np.array(case["K"])
    same(mutual_info_score(first, second), case["counts_as_labels_nats"])
    same(1 - jensenshannon(first, second) ** 2 / np.log(2), case["overlap"])
    joint = np.vstack([first, second])
    same(mutual_info_score(None, None, contingency=joint), case["concept_and_term_nats"])

case = golden["botcl_attention"]
a = np.array(case["a_prime_kS"])
same(expit(a), case["overlapping_sigmoid"])
same(expit(a) * softmax(a, 0), case["non_overlapping"])
# The activations are those of the second of the two.
same(np.tanh((expit(a) * softmax(a, 0)).sum(1)), case["t_tanh_sum"])
case = golden["botcl_baselines"]
f, c = np.array(case["features_Pd"]), np.array(case["centres_kd"])
a = np.exp(-np.linalg.norm(f[None] - c[:, None], axis=2))
same(a, case["kmeans_attention_kP"])
same(np.tanh(a.sum(1)), case["kmeans_t"])
f = f - case["mean_subtracted"]
a = np.abs(c @ f.T / np.linalg.norm(c, axis=1)[:, None] / np.linalg.norm(f, axis=1))
same(a, case["pca_attention_kP"])
same(np.tanh(a.sum(1)), case["pca_t"])
case = golden["botcl_combined"]
same(np.mean(np.array(case["a_kS"]) * np.array(case["z_class_k"])[:, None], axis=0), case["a_bar"])

case = golden["iauc_dauc"]
x, w, saliency = (np.array(case[k]) for k in ["x", "w", "saliency"])
order = np.argsort(-saliency, kind="stable")
for name, start, end in [("ins", np.zeros(6), x), ("del", x, np.zeros(6))]:
    for step in [1, 2]:
        now, curve = start.copy(), [expit(w @ start - 1)]
        for i in range(0, 6, step):
            now[order[i : i + step]] = end[order[i : i + step]]
            curve.append(expit(w @ now - 1))
        same(curve, case[f"{name}_step{step}"]["curve"])
        same(np.trapezoid(curve) / (len(curve) - 1), case[f"{name}_step{step}"]["auc"])
case = golden["infidelity"]
w, e, noise = (np.array(case[k]) for k in ["w", "expl", "I"])
same(np.mean((noise @ e - noise @ w) ** 2), case["empirical"])
same(0.2**2 * np.sum((e - w) ** 2), case["closed_form_sigma02"])
case = golden["stability"]
x, changed = np.array(case["x"]), np.array(case["x_pert"])
same(np.linalg.norm(w * (x - changed)) / np.linalg.norm(x - changed), case["value"])
