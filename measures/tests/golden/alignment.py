"""The numbers of alignment.json, computed again: python3 alignment.py (numpy as the file names it). Fails when one
differs."""
import json
import pathlib

import numpy as np

golden = json.loads(pathlib.Path(__file__).with_name("alignment.json").read_text())
same = lambda found, expected: np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)

case = golden["cgim_cem"]
theta, codes, labels = (np.array(case[k]) for k in ["theta_LxK", "u_hat_NxL", "u_true_NxL"])
y, said = np.array(case["y"]), np.array(case["pred"])
truth = np.stack([labels[y == k].mean(0) for k in range(3)], 1)
seen = np.stack([codes[(y == k) & (said == k)].mean(0) for k in range(3)], 1)
same(truth, case["V_class_mean"])
same(seen, case["U_star_correct_mean"])
cosine = lambda a, b: a @ b / np.linalg.norm(a) / np.linalg.norm(b)
pearson = lambda a, b: np.corrcoef(a, b)[0, 1]
for number, against in enumerate([theta, seen, theta * seen], 1):
    name = f"CGIM{number}"
    same([cosine(a, b) for a, b in zip(against, truth)], case["per_concept"][name])
    same([cosine(a, b) for a, b in zip(against.T, truth.T)], case["per_class"][name])
    other = golden["cgim_pearson"][name]
    same([pearson(a, b) for a, b in zip(against, truth)], other["per_concept"])
    same([pearson(a, b) for a, b in zip(against.T, truth.T)], other["per_class"])
for name, value in [("theta_u", theta.T[said] * codes), ("u", codes), ("theta", theta.T[said])]:
    order = np.argsort(-value, axis=1, kind="stable")
    for first in [1, 3, 5]:
        there = np.take_along_axis(labels, order[:, :first], 1).mean(1)
        expected = case["CEM"][f"{name}_l{first}"]
        same(there, expected["per_image"])
        same(there.mean(), expected["all"])
        same(there[y == said].mean(), expected["correct"])

case = golden["coam_clm"]
features, vectors = np.array(case["E_HWd"]), np.array(case["C_Ld"])
maps = np.einsum("ld,hwd->lhw", vectors, features) / 4
same(maps, case["F_LHW"])
same(maps.mean((1, 2)), case["identity_check_mean_F_equals_projection_over_d"])


def hits(pixels, points, size):
    order = [np.argsort(-p.ravel(), kind="stable")[:size] for p in pixels]
    return [int(r * pixels.shape[2] + c in o) for o, (r, c) in zip(order, points)]


up = maps.repeat(2, 1).repeat(2, 2)
for alpha in [1, 2, 3, 6]:
    same(hits(up, case["points_row_col"], alpha * 24 // 12), case["hits"][f"alpha{alpha}"])


def taps(old, new):
    place = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
    matrix = np.zeros((new, old))
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, old - 1)
    matrix[range(new), low] += 1 - (place - low)
    matrix[range(new), high] += place - low
    return matrix


case = golden["clm_bilinear"]
up = np.einsum("ah,lhw,bw->lab", taps(2, 8), maps, taps(3, 12))
same(up[:, 0], case["F_up_row0"])
same(up[:, 5], case["F_up_row5"])
for alpha, expected in case["hits"].items():
    same(hits(up, case["points_row_col"], int(float(alpha) * 96 / 12)), expected)

case = golden["clm_mean"]
known, filled = [], []
for order, visible, hit in zip(case["order_per_image"], case["known_visible"], case["hit"]):
    seen = [c for c in order if visible[c]][:2]
    known += [np.mean([hit[c] for c in seen])] if seen else []
    filled.append(np.mean([visible[c] * hit[c] for c in order[:2]]))
same(np.mean(known), case["l2_first_known"])
same(np.mean(filled), case["l2_zero_filled"])
