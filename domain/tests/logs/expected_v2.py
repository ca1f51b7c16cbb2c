"""Measures of the sample log of format 2, written down again from their definitions.

Independent of Redial's code: standard library only.
usage: python3 expected_v2.py v2.plan.json v2.keys.json v2.events.jsonl > v2.expected.json
"""
import json
import sys

plan, keys = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
events = [json.loads(line) for line in open(sys.argv[3])]
page = [e for e in events if e.get("author", "participant") == "participant"]
assert [e["seq"] for e in page] == list(range(len(page)))

# Stretches in which nobody looked: hidden, or asleep.
away, since = [], None
for e in page:
    if e["kind"] == "page_hidden":
        since = e["at_ms"]
    elif e["kind"] == "page_shown":
        away.append((since, e["at_ms"]))
    elif e["kind"] == "page_slept":
        away.append((e["at_ms"] - e["slept_ms"], e["at_ms"]))


def away_within(a, b):
    return sum(max(0, min(b, t) - max(a, s)) for s, t in away)


def sign_changes(values, target):
    signs = [v > target for v in values if v != target]
    return sum(a != b for a, b in zip(signs, signs[1:]))


def reconstruction(q, key, stage):
    start, end, shots = q["start"], q["end"], q["shots"]
    ranges = [d["max"] - d["min"] for d in stage["model"]["latent"]]
    path = [s["z"] for s in shots]
    at = [start + s["elapsed_ms"] for s in shots] + [end]
    pieces = [(s["squared_error"], a, b) for s, a, b in zip(shots, at, at[1:])]
    marks = sorted([start] + at[:-1] + q["active"]) + [end]
    # A slide goes on until another dial is taken up.
    slides, crossings = [], {}
    for z, y in zip(path, path[1:]):
        for i, (a, b) in enumerate(zip(z, y)):
            if a != b:
                if not slides or slides[-1][0] != i:
                    slides.append((i, [a]))
                slides[-1][1].append(b)
                crossings.setdefault(i, [a]).append(b)
    return {
        "response_time_s": (end - start) / 1000,
        "active_time_s": sum(min(b - a, 3000) for a, b in zip(marks, marks[1:])) / 1000,
        "away_s": away_within(start, end) / 1000,
        "slide_distance": sum(abs(b - a) / r for z, y in zip(path, path[1:]) for a, b, r in zip(z, y, ranges)),
        "error_auc": sum(e * (b - a) / 1000 for e, a, b in pieces),
        "error_auc_present": sum(e * (b - a - away_within(a, b)) / 1000 for e, a, b in pieces),
        "overshoots": [sum(sign_changes(v, t) for d, v in slides if d == i) for i, t in enumerate(key["target"])],
        "zero_crossings": [sign_changes(crossings.get(i, []), t) for i, t in enumerate(key["target"])],
        "renamings": q["renamings"],
    }


def single_dimension(q, key, stage):
    question = stage["questions"][q["question"]]
    value = key["z"][question["dimension"]]
    # The right answer once more, from the value and the ranges alone: the nearest range.
    distance = [max(low - value, value - high, 0) for low, high in question["options"]["ranges"]]
    return {
        "response_time_s": (q["end"] - q["start"]) / 1000,
        "choice_time_s": (q["chosen"][-1] - q["start"]) / 1000,
        "right": q["option"] == distance.index(min(distance)),
        "more_examples": q["sets"],
    }


out, q = [], None
for e in page:
    kind, event, at = e["kind"], e.get("event"), e["at_ms"]
    if kind == "question_started":
        q = {"start": at, "stage": e["stage"], "question": e["question"], "shots": [], "active": [], "chosen": [], "renamings": 0, "sets": 0}
    elif event == "snapshot":
        q["shots"].append(e)
    elif event == "dial_renamed":
        q["active"].append(at)
        q["renamings"] += 1
    elif event == "more_examples_shown":
        q["sets"] += 1
    elif event == "chosen":
        q["chosen"].append(at)
    elif event in ("solved", "answered", "finished"):
        q["end"] = at
        q["option"] = e.get("option")
        stage, key = plan["stages"][q["stage"]]["task"], keys[q["stage"]][q["question"]]
        measure = {"reconstruction": reconstruction, "single_dimension": single_dimension}.get(kind)
        out.append({"task": kind, "outcome": event, **(measure(q, key, stage) if measure else {"response_time_s": (at - q["start"]) / 1000})})
json.dump(out, sys.stdout, indent=1)
print()
