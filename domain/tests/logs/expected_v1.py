"""Metrics of a sample log, written down again from the paper's definitions.

Independent of Redial's code: standard library only.
usage: python3 expected_v1.py v1.plan.json v1.events.jsonl > v1.expected.json
"""
import json
import sys

plan = json.load(open(sys.argv[1]))
events = [json.loads(line) for line in open(sys.argv[2])]
questions = []
for e in events:
    kind, at = e["kind"], e["at_ms"]
    if kind == "question_started":
        stage = plan["stages"][e["stage"]]
        ranges = [d["max"] - d["min"] for d in stage["model"]["latent"]]
        q = {"start": at, "shots": [], "active": [at], "ranges": ranges}
    elif kind == "snapshot":
        q["shots"].append((at, e))
        q["active"].append(q["start"] + e["elapsed_ms"])
    elif kind in ("activity", "display_switched", "dial_renamed"):
        q["active"].append(at)
    elif kind in ("question_solved", "question_skipped"):
        path = [s["z"] for _, s in q["shots"]]
        slide = sum(abs(b - a) / r for z, y in zip(path, path[1:]) for a, b, r in zip(z, y, q["ranges"]))
        times = [s["elapsed_ms"] / 1000 for _, s in q["shots"]] + [(at - q["start"]) / 1000]
        errors = [s["squared_error"] for _, s in q["shots"]]
        auc = sum(err * (t1 - t0) for err, t0, t1 in zip(errors, times, times[1:]))
        marks = sorted(q["active"]) + [at]
        active = sum(min(b - a, 3000) for a, b in zip(marks, marks[1:])) / 1000
        questions.append({
            "outcome": kind.removeprefix("question_"),
            "response_time_s": (at - q["start"]) / 1000,
            "active_time_s": active,
            "slide_distance": slide,
            "error_auc": auc,
        })
json.dump(questions, sys.stdout, indent=1)
print()
