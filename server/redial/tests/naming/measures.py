"""CDR, CC and MIC of a naming study from its export, by their definitions: standard library only, no code of Redial.

usage: python3 measures.py concept_naming_questions.jsonl concept_naming_terms.jsonl

Prints, by bundle, the mean over concepts (MIC: over pairs of concepts). All groups of terms are taken as one of all
combinations, as for a vocabulary whose card says `combined`.
"""
import json
import math
import sys
from collections import Counter, defaultdict
from itertools import combinations

questions, terms = ([json.loads(line) for line in open(path)] for path in sys.argv[1:3])
key = lambda row: (row["session"], row["stage"], row["question"])
given = defaultdict(dict)
for row in terms:
    if row["final"] and row["set"] == 1:
        given[key(row)][row["term_group"]] = row["term"] or None

answers = defaultdict(lambda: defaultdict(list))  # bundle → concept → answers: a combination of terms, or None
named = defaultdict(lambda: defaultdict(list))
for row in questions:
    if row["outcome"] != "finished" or row["practice"]:
        continue
    chosen = given[key(row)]
    whole = None if None in chosen.values() else tuple(chosen[group] for group in sorted(chosen))
    answers[row["model"]][row["concept"]].append(whole)
    named[row["model"]][row["concept"]].append(any(term is not None for term in chosen.values()))


def consistency(said):
    pairs = list(combinations(said, 2))
    both = sum(a is not None and b is not None for a, b in pairs) / len(pairs)
    same = sum(a is not None and a == b for a, b in pairs) / len(pairs)
    return both * same


def overlap(first, second):
    p, q = (Counter(term for term in said if term is not None) for said in (first, second))
    np, nq = sum(p.values()), sum(q.values())
    if not np or not nq:
        return None
    divergence = 0.0
    for term in set(p) | set(q):
        a, b = p[term] / np, q[term] / nq
        m = (a + b) / 2
        divergence += sum(x * math.log(x / m) / 2 for x in (a, b) if x > 0)
    return 1 - divergence / math.log(2)


mean = lambda values: sum(values) / len(values)
out = {}
for bundle, of_concept in answers.items():
    likeness = [overlap(a, b) for a, b in combinations(of_concept.values(), 2)]
    out[bundle] = {
        "cdr": mean([mean(said) for said in named[bundle].values()]),
        "cc": mean([consistency(said) for said in of_concept.values()]),
        "mic": mean([value for value in likeness if value is not None]),
    }
print(json.dumps(out))
