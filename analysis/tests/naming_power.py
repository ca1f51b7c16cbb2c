"""How often studies drawn from the people of naming.json tell two bundles apart: numpy, scipy's BCa interval for CC and
a jackknife interval for MIC. No code of Redial is used.

    python3 analysis/tests/naming_power.py analysis/tests

writes `naming_power.json`. numpy 2.4.6 and scipy 1.17.1 made the file.
"""

import itertools
import json
import pathlib
import sys
import warnings

import numpy as np
from scipy import stats
from scipy.spatial.distance import jensenshannon

folder = pathlib.Path(sys.argv[1])
PEOPLE, STUDIES, REPLICATES, CONCEPTS, SIZES = 10, 300, 400, 4, [3, 2]
pilot = json.loads((folder / "naming.json").read_text())["separate"]["people"]


def table(bundle):
    """People × concepts × groups: the term; −1 for none, −2 where they were not asked."""
    found = np.full((len(pilot), CONCEPTS, len(SIZES)), -2)
    for row, person in enumerate(pilot):
        for stage in person["stages"]:
            for question in stage["questions"]:
                naming = question["naming"]
                if naming["bundle"] == bundle:
                    terms = [-1 if term is None else term for term in naming["chosen"]]
                    found[row, int(naming["concept"][1:])] = terms
    return found


def pairs(times):
    """Pairs of people who are not the same person."""
    return (times.sum() ** 2 - (times ** 2).sum()) / 2


def cc(rows, times):
    values = []
    for concept in range(CONCEPTS):
        asked = rows[:, concept, 0] > -2
        own, count = rows[asked, concept], times[asked]
        everybody = pairs(count)
        if everybody == 0:
            continue
        given = sum(count[own[:, group] >= 0].sum() for group in range(len(SIZES)))
        total = 0.0
        for group, size in enumerate(SIZES):
            named = own[:, group] >= 0
            same = sum(pairs(count[own[:, group] == term]) for term in range(size))
            if given:
                total += count[named].sum() / given * pairs(count[named]) / everybody * same / everybody
        values.append(total)
    return np.mean(values) if values else np.nan


def mic(rows, times):
    counts = [np.array([times[rows[:, concept, group] == term].sum() for group, size in enumerate(SIZES)
                        for term in range(size)], float) for concept in range(CONCEPTS)]
    values = [1 - jensenshannon(a, b) ** 2 / np.log(2) for a, b in itertools.combinations(counts, 2)
              if a.sum() > 0 and b.sum() > 0]
    return np.mean(values) if values else np.nan


def bootstrap(difference, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = stats.bootstrap((np.arange(PEOPLE),), difference, vectorized=False, n_resamples=REPLICATES,
                                method="BCa", rng=rng).confidence_interval
    return found.low, found.high


def jackknife(difference, rng):
    everybody = np.arange(PEOPLE)
    without = np.array([difference(np.delete(everybody, person)) for person in everybody])
    error = np.sqrt((PEOPLE - 1) * without.var())
    half = stats.t.ppf(0.975, PEOPLE - 1) * error
    return difference(everybody) - half, difference(everybody) + half


def power(measure, interval, first, second, rng):
    apart = 0
    for _ in range(STUDIES):
        drawn = rng.integers(len(pilot), size=PEOPLE)
        both = [rows[drawn] for rows in (first, second)]

        def difference(sample):
            times = np.bincount(sample, minlength=PEOPLE)
            return measure(both[0], times) - measure(both[1], times)

        low, high = interval(difference, rng)
        apart += bool(low > 0 or high < 0)
    return apart / STUDIES


tables = {bundle: table(bundle) for bundle in ["found", "marks", "chance"]}
out = {"people": PEOPLE, "studies": STUDIES}
for name, measure, interval in [("cc", cc, bootstrap), ("mic", mic, jackknife)]:
    rng = np.random.default_rng(3)
    for first, second in [("found", "marks"), ("found", "chance")]:
        out[f"{name} {first} {second}"] = power(measure, interval, tables[first], tables[second], rng)
(folder / "naming_power.json").write_text(json.dumps(out) + "\n")
