"""Computes the numbers of disentanglement_lib.json again, and stops at one that differs.

numpy 2.4.6 and scikit-learn 1.9.1; formulas of disentanglement_lib's mig, modularity_explicitness and sap_score.
"""

import json
import pathlib

import numpy as np
from sklearn.metrics import mutual_info_score

here = pathlib.Path(__file__).parent
case = json.loads((here / "disentanglement_lib.json").read_text())["dlib"]
mig_200 = json.loads((here / "disentanglement.json").read_text())["mig_200"]
codes, continuous = np.array(mig_200["Z_learned"]).T, np.array(mig_200["Z_true"]).T
factors = np.array(case["factors_discrete"])
bins = case["num_bins"]
binned = np.array([np.digitize(c, np.histogram(c, bins)[1][:-1]) for c in codes])
mi = np.array([[mutual_info_score(f, c) for f in factors] for c in binned])
entropy = np.array([mutual_info_score(f, f) for f in factors])
np.testing.assert_allclose(mi, case["mi_nats"], atol=1e-12)
np.testing.assert_allclose(entropy, case["entropy_nats"], atol=1e-12)
ordered = np.sort(mi, axis=0)[::-1]
np.testing.assert_allclose(np.mean((ordered[0] - ordered[1]) / entropy), case["discrete_mig"], atol=1e-12)
squares = mi**2
largest = squares.max(axis=1)
modularity = 1 - (squares.sum(axis=1) - largest) / (largest * (len(factors) - 1))
np.testing.assert_allclose(modularity.mean(), case["modularity"], atol=1e-12)
explained = np.array([[np.corrcoef(c, f)[0, 1] ** 2 for f in continuous] for c in codes])
np.testing.assert_allclose(explained, case["sap_continuous_scores"], atol=1e-12)
ordered = np.sort(explained, axis=0)[::-1]
np.testing.assert_allclose(np.mean(ordered[0] - ordered[1]), case["sap_continuous"], atol=1e-12)
print("all agree")
