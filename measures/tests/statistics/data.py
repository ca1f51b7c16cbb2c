"""Made-up data for the tests of statistics; `reference.py` and `reference.R` work on the same.

    python3 measures/tests/statistics/data.py > measures/tests/statistics/data.json   # numpy 2.4.6
"""

import json
import sys

import numpy as np

rng = np.random.default_rng(20261122)


def fixed(values, digits):
    return [round(float(v), digits) for v in values]


def design(people, models, items, sd_person, sd_person_model, sd_item, missing):
    """Rows of a study where everyone meets every item, on one of the models in turn."""
    person, model, item, effect = [], [], [], []
    u = rng.normal(0, sd_person, people)
    v = rng.normal(0, sd_person_model, (people, models))
    w = rng.normal(0, sd_item, items)
    for p in range(people):
        for m in range(models):
            for i in range(items):
                if rng.random() < missing:
                    continue
                person.append(p), model.append(m), item.append(i)
                effect.append(u[p] + v[p, m] + w[i])
    return {"person": person, "model": model, "item": item}, np.array(effect), np.array(model)


# Completion rates of 18 people with 3 models, in fifths: many ties.
rates = (rng.binomial(5, np.array([0.2, 0.5, 0.6]), (18, 3))).tolist()
# Seven groups of unequal size, rounded so that there are ties.
groups = [fixed(rng.normal(m, s, n), 1) for m, s, n in
          zip([3, 3.2, 4, 4.4, 3.1, 5, 3.8], [1, 0.8, 1.5, 1, 1.2, 0.7, 1], [15, 12, 17, 15, 9, 14, 15])]
# Three groups of people with four conditions each.
mixed = [[fixed(rng.normal(0, 1) + np.array([0, 0.4, 0.9, 0.7]) + g * np.array([0, 0.3, 0, -0.4])
                + rng.normal(0, [0.6, 0.9, 1.2, 0.7]), 3) for _ in range(n)]
         for g, n in enumerate([14, 15, 11])]
retention = [[13, 2], [15, 5], [9, 10], [14, 1], [12, 3], [15, 9], [11, 4]]
skewed = fixed(rng.lognormal(3, 0.8, 40), 3)

columns, effect, model = design(24, 3, 10, 0.8, 0.5, 0.6, 0.06)
n = len(effect)
linear = dict(columns, y=fixed(10 + np.array([0, 0.6, 1.1])[model] + effect + rng.normal(0, 1, n), 4))
columns, effect, model = design(30, 3, 8, 1.0, 0.6, 0.5, 0.05)
n = len(effect)
eta = 0.3 + np.array([0, 0.8, -0.7])[model] + effect
logistic = dict(columns, y=(rng.random(n) < 1 / (1 + np.exp(-eta))).astype(int).tolist())
columns, effect, model = design(40, 3, 4, 1.2, 0.0, 0.0, 0.05)
n = len(effect)
latent = np.array([0, 0.9, -0.5])[model] + effect + rng.logistic(0, 1, n)
ordinal = dict(columns, y=(np.digitize(latent, [-2.5, -1.2, 0, 1, 2.2]) + 1).tolist())
# No variance between people: the mixed model is singular.
columns, effect, model = design(20, 3, 5, 0.0, 0.0, 0.0, 0.0)
noise = rng.normal(0, 1, (20, 15))
noise -= noise.mean(axis=1, keepdims=True)
singular = dict(columns, y=fixed(np.array([0, 0.5, 1.0])[model] + noise.ravel(), 4))

# Times to solving (1), skipping (2) or being cut (0), seven questions a person, with ties.
times, causes, people, conditions = [], [], [], []
for p in range(30):
    pace = rng.normal(0, 0.4)
    for q in range(7):
        t = [rng.exponential(40 * np.exp(pace)), rng.exponential(80), rng.uniform(30, 200)]
        c = int(np.argmin(t))
        times.append(max(1.0, float(np.round(t[c]))))
        causes.append([1, 2, 0][c])
        people.append(p)
        conditions.append(p % 2)

json.dump({
    "made_with": {"numpy": np.__version__},
    "rates_fifths": rates,
    "groups": groups,
    "mixed": mixed,
    "retention": retention,
    "skewed": skewed,
    "linear": linear,
    "logistic": logistic,
    "ordinal": ordinal,
    "singular": singular,
    "incidence": {"time": times, "cause": causes, "person": people, "condition": conditions},
}, sys.stdout)
print()
