"""Measures of the sample log of concept naming (events of format 1), written down again from their definitions.

Independent of Redial's code: standard library only.
usage: python3 expected_naming.py naming.plan.json naming.keys.json naming.events.jsonl > naming.expected.json
"""
import json
import sys

plan, keys = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
events = [json.loads(line) for line in open(sys.argv[3])]
assert [e["seq"] for e in events] == list(range(len(events)))
stage = plan["stages"][0]["task"]
groups = stage["vocabulary"]["groups"]


def ids(terms):
    return [None if term is None else group["terms"][term]["id"] for group, term in zip(groups, terms)]


def measured(shown, key):
    """`shown` are the events of one question, its start included."""
    start = shown[0]["at_ms"]
    nothing = [None] * len(groups)
    sets, none, changed, open_since, enlarged, seen = [list(nothing)], False, [], None, 0, []
    definitions, example, explanation, finished = [0] * len(groups), 0, "", False
    for e in shown[1:]:
        event, at = e["event"], e["at_ms"]
        if event == "changed":
            changed.append(at)
            if e["choice"] == "none_of_them":
                sets, none = [list(nothing)], True
            elif e["choice"] == "second_set_begun":
                sets.append(list(nothing))
            elif e["choice"] == "second_set_given_up":
                sets.pop()
            else:
                sets[e["set"]][e["group"]] = e.get("term")
                none = False
        elif event in ("sample_enlarged", "sample_closed", "finished"):
            if open_since is not None:
                enlarged += at - open_since
            open_since = at if event == "sample_enlarged" else None
            seen += [e["sample"]] if event == "sample_enlarged" else []
            finished |= event == "finished"
        elif event == "definitions_opened":
            definitions[e["group"]] += 1
        elif event == "example_opened":
            example += 1
        elif event == "explanation_written":
            explanation = e["text"]
    out = {
        "outcome": "finished" if finished else None,
        "model": key["bundle"],
        "response_time_s": (shown[-1]["at_ms"] - start) / 1000,
        "named": any(term is not None for term in sets[0]),
        "none_of_them": none,
        "terms": ids(sets[0]),
        "explanation": explanation,
        "first_choice_s": (changed[0] - start) / 1000,
        "last_choice_s": (changed[-1] - start) / 1000,
        "changes": len(changed),
        "enlargements": len(seen),
        "samples_enlarged": len(set(seen)),
        "enlarged_s": enlarged / 1000,
        "definitions_opened": definitions,
        "example_opened": example,
        "concept_kind": key["concept_kind"],
        "concept": key["concept"],
    }
    if len(sets) > 1:
        out["second_terms"] = ids(sets[1])
    if "expected" in key:
        out["expected_terms"] = ids(key["expected"])
    return out


starts = [i for i, e in enumerate(events) if e["kind"] == "question_started"]
ends = starts[1:] + [len(events)]
of_task = lambda e: e["kind"] in ("question_started", "concept_naming")
print(json.dumps([measured([e for e in events[a:b] if of_task(e)], key) for a, b, key in zip(starts, ends, keys[0])],
                 indent=1))
