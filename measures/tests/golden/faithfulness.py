"""The numbers of faithfulness.json, computed again: python3 faithfulness.py (numpy and scipy as the file names them).
Fails when one differs."""
import json
import pathlib

import numpy as np
from scipy.optimize import nnls
from scipy.special import softmax
from scipy.stats import spearmanr

golden = json.loads(pathlib.Path(__file__).with_name("faithfulness.json").read_text())
same = lambda found, expected: np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def losses(y, said, expected):
    same(np.abs(y - said).mean(), expected["SURF_MAE"])
    same(np.abs(softmax(y, 1) - softmax(said, 1)).sum(1).mean() / 2, expected["SURF_EMD"])
    same((y.argmax(1) == said.argmax(1)).mean(), expected["top1_agree"])
    same(np.mean([spearmanr(a, b)[0] for a, b in zip(y, said)]), expected["rank_corr"])
    t = golden["surf"]["t_argmax"]
    rows = range(len(y))
    same(np.mean(np.abs(y[rows, t] - said[rows, t]) / np.abs(y[rows, t])), expected["norm_l1"])


case = golden["surf"]
f, b, h, y = (np.array(case[k]) for k in ["F", "b", "H", "y"])
norms = np.linalg.norm(f, axis=1)
random, vectors = np.array(case["rand_imp"]), np.array(case["rand_cav"])
for step, v, alpha in [
    ("perfect", f / norms[:, None], norms),
    ("rand_imp", f / norms[:, None], random),
    ("full_rand", vectors, random),
]:
    p = h @ v.T
    for name, said in [("SURF", p * alpha + b), ("ICE", p * (f * v).sum(1) + b)]:
        same(said, case[name][step]["yhat"])
        losses(y, said, case[name][step])
same([2 * 100, 100 * 2048 * 3, 2 * 100 * (500 + 500 * 2048 + 2048)], list(case["flops"].values()))

case = golden["surf_spatial"]
h, v, alpha, b, y = (np.array(case[k]) for k in ["H_njd", "V_ckd", "alpha_ck", "b", "y"])
same(np.einsum("njd,cjd->nc", h, np.array(case["F_cjd"])) + b, y)
said = np.einsum("njd,ckd,ck->nc", h, v, alpha) + b
same(said, case["yhat"])
same(np.abs(y - said).mean(), case["SURF_MAE"])
same(np.abs(softmax(y, 1) - softmax(said, 1)).sum(1).mean() / 2, case["SURF_EMD"])
same(np.mean([spearmanr(a, b)[0] for a, b in zip(y, said)]), case["spearman_mean_over_inputs"])

case = golden["mcd"]
h, f, b, basis = (np.array(case[k]) for k in ["h", "F", "b", "basis"])
same(f @ basis.T, case["alpha_cj"])
parts = np.linalg.lstsq(basis.T, h.T)[0].T
same(parts @ (f @ basis.T).T + b, case["yhat_without_residual"])
case = golden["cshap1"]
same((case["acc_surrogate"] - case["a_r"]) / (case["acc_model"] - case["a_r"]), case["value"])
case = golden["surf_params"]
hidden, k, d = case["H1"], case["K"], case["D"]
same(k * hidden + hidden + hidden * d + d, case["with_biases"])
case = golden["non_negative"]
same([[nnls(np.array(v).T, h)[0] for v in case["V_ckd"]] for h in case["h"]], case["parts_nck"])
