"""Made-up answers of a naming study, and what numpy, scipy, scikit-learn and krippendorff make of them. No code of
Redial is used.

    python3 analysis/tests/naming.py analysis/tests

writes `naming.json`: the people as `Person`s, and for separate and for combined groups the expected numbers.
numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1, krippendorff 0.9.0 made the file.
"""

import itertools
import json
import pathlib
import sys

import krippendorff
import numpy as np
from scipy import stats
from scipy.spatial.distance import jensenshannon
from sklearn.metrics import mutual_info_score

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(31)
GROUPS = [("position", ["upper", "middle", "lower"]), ("shape", ["circle", "line"])]
SIZES = [len(terms) for _, terms in GROUPS]
BUNDLES = [("found", "learnt", 0.7), ("marks", "manual", 0.95), ("chance", "random", 0.2)]
CONCEPTS = 4


def person(number):
    """Each is asked about three of the four concepts of each bundle."""
    stages = []
    for bundle, kind, clarity in BUNDLES:
        questions = []
        for concept in rng.permutation(CONCEPTS)[:3]:
            sees = rng.random() < clarity
            chosen = [int(concept) % size if sees else int(rng.integers(size)) for size in SIZES]
            if not sees and rng.random() < 0.6:
                chosen = [None, None]
            elif rng.random() < 0.1:
                chosen[int(rng.integers(2))] = None
            questions.append((int(concept), chosen))
        stages.append((bundle, kind, questions))
    return stages


people = [person(number) for number in range(14)]


def as_json(combined):
    def naming(bundle, kind, concept, chosen):
        groups = [{"group": group, "terms": terms} for group, terms in GROUPS]
        return {"vocabulary": "digits", "bundle": bundle, "kind": kind, "concept": f"c{concept}", "groups": groups,
                "combined": combined, "chosen": chosen}

    def stage(bundle, kind, questions):
        made = [{"outcome": "finished", "response_time_s": 20.0, "active_time_s": 18.0, "away_s": 0.0,
                 "naming_rate": float(any(t is not None for t in chosen)),
                 "naming": naming(bundle, kind, concept, chosen)} for concept, chosen in questions]
        return {"stage": "naming", "model": bundle, "weights_sha256": "", "task": "concept_naming",
                "questions": made}

    return [{"study_sha256": "0" * 64, "complete": True, "marked": False,
             "stages": [stage(*of_bundle) for of_bundle in stages]} for stages in people]


def answers(bundle, concept, combined):
    """People who were asked × groups; None where none was chosen."""
    rows = [chosen for stages in people for name, _, questions in stages if name == bundle
            for c, chosen in questions if c == concept]
    if combined:
        return [[None if None in row else row[0] * SIZES[1] + row[1]] for row in rows]
    return rows


def consistency(rows, reading):
    pairs = list(itertools.combinations(rows, 2))
    given = sum(term is not None for row in rows for term in row)
    total = 0.0
    for group in range(len(rows[0])):
        both = np.mean([a[group] is not None and b[group] is not None for a, b in pairs])
        neither = np.mean([a[group] is None and b[group] is None for a, b in pairs])
        same = np.mean([a[group] == b[group] for a, b in pairs])
        named_same = np.mean([a[group] is not None and a[group] == b[group] for a, b in pairs])
        weight = sum(row[group] is not None for row in rows) / given if given else 0.0
        total += weight * {"default": both * named_same, "literal": (1 - both) * same,
                           "both_none": (1 - neither) * same}[reading]
    return total


def histogram(rows, sizes):
    counts = []
    for group, size in enumerate(sizes):
        counts += [sum(row[group] == term for row in rows) for term in range(size)]
    return np.array(counts, float)


def alpha(bundle, group, combined):
    table = []
    for stages in people:
        own = {c: chosen for name, _, questions in stages if name == bundle for c, chosen in questions}
        row = []
        for concept in range(CONCEPTS):
            chosen = own.get(concept, [None, None])
            if combined:
                chosen = [None if None in chosen else chosen[0] * SIZES[1] + chosen[1]]
            row.append(np.nan if chosen[group] is None else chosen[group])
        table.append(row)
    return krippendorff.alpha(np.array(table), level_of_measurement="nominal")


def expected(combined):
    sizes = [SIZES[0] * SIZES[1]] if combined else SIZES
    out, of_concepts = {}, {}
    for bundle, _, _ in BUNDLES:
        each = [answers(bundle, concept, combined) for concept in range(CONCEPTS)]
        cdr = [np.mean([any(t is not None for t in row) for row in rows]) for rows in each]
        cc = {reading: [consistency(rows, reading) for rows in each] for reading in ["default", "literal", "both_none"]}
        counts = [histogram(rows, sizes) for rows in each]
        pairs = list(itertools.combinations(counts, 2))
        overlap = [1 - jensenshannon(a, b) ** 2 / np.log(2) for a, b in pairs]
        out[bundle] = {
            "people": len(people),
            "cdr": [np.mean(cdr), np.std(cdr, ddof=1)],
            "cc": [np.mean(cc["default"]), np.std(cc["default"], ddof=1)],
            "mic": [np.mean(overlap), np.std(overlap, ddof=1)],
            "cc_literal": np.mean(cc["literal"]),
            "cc_both_none": np.mean(cc["both_none"]),
            "mic_concept_and_term": np.mean([concept_and_term(a, b) for a, b in pairs]),
            "mic_counts": np.mean([mutual_info_score(a, b) for a, b in pairs]),
            "alpha": [alpha(bundle, group, combined) for group in range(len(sizes))],
            "counts": [list(map(int, c)) for c in counts],
            "nothing": [sum(all(t is None for t in row) for row in rows) for rows in each],
        }
        of_concepts[bundle] = {"cdr": cdr, "cc": cc["default"]}
    for measure in ["cdr", "cc"]:
        groups = [of_concepts[bundle][measure] for bundle, _, _ in BUNDLES]
        out[f"kruskal_{measure}"] = list(stats.kruskal(*groups))
    difference = np.mean(of_concepts["found"]["cc"]) - np.mean(of_concepts["chance"]["cc"])
    out["found_minus_chance_cc"] = difference
    test = stats.mannwhitneyu(of_concepts["found"]["cc"], of_concepts["chance"]["cc"], method="asymptotic",
                              use_continuity=False)
    out["found_chance_u"] = test.statistic
    return out


def concept_and_term(a, b):
    """Mutual information of two variables, from a sample of pairs (concept, term)."""
    concepts = [0] * int(a.sum()) + [1] * int(b.sum())
    terms = list(np.repeat(np.arange(len(a)), a.astype(int))) + list(np.repeat(np.arange(len(b)), b.astype(int)))
    return mutual_info_score(concepts, terms)


made = {name: {"people": as_json(combined), "expected": expected(combined)}
        for name, combined in [("separate", False), ("combined", True)]}
(folder / "naming.json").write_text(json.dumps(made) + "\n")
