"""Made-up people of two data sets with three models each, and what pandas, scipy and pingouin
make of them under the plan of `analysis.rs`.

    python3 analysis/tests/people.py analysis/tests   # numpy 2.4.6, pandas, scipy 1.17.1, pingouin 0.7.0

writes `people.json` and `expected.json`.
"""

import json
import pathlib
import sys

import numpy as np
import pandas as pd
import pingouin
import scipy
from scipy import stats
from statsmodels.stats.multitest import multipletests

folder = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(90)
people = []
for p in range(32):
    group = ["lines", "shapes"][p % 2]
    skill, pace = rng.normal(0, 0.7), rng.normal(0, 0.3)
    complete = bool(rng.random() > 0.15)
    stages = []
    order = rng.permutation(3)
    for place, m in enumerate(order):
        questions = []
        if not complete and place == 2:
            count = 0  # left before the last stage
        elif not complete and place == 1:
            count = 3
        else:
            count = 7
        own = rng.normal(0, 0.4)
        for q in range(count):
            chance = 1 / (1 + np.exp(-(skill + own + [-0.8, 0.4, 1.4][m])))
            solved = bool(rng.random() < chance)
            time = float(np.round(rng.lognormal(3 + pace - 0.2 * m + (0 if solved else 1), 0.5), 2))
            outcome = "solved" if solved else ("cut" if rng.random() < 0.1 else "skipped")
            if not complete and q == count - 1:
                outcome = None
            questions.append({
                "outcome": outcome, "response_time_s": time, "active_time_s": round(time * 0.9, 2),
                "away_s": 4.0 if rng.random() < 0.03 else 0.0,
                "slide_distance": float(np.round(rng.gamma(3, 1), 3)),
                "error_auc": float(np.round(rng.gamma(4, 30 / (m + 1)), 2)),
                "error_auc_present": 1.0,
            })
        rated = count == 7 and rng.random() > 0.05
        stages.append({
            "stage": f"{group}-{['ae', 'vae', 'gt'][m]}", "model": f"{group}-{m}", "weights_sha256": "",
            "threshold": 0.1, "task": "reconstruction", "skip_after_s": 30.0, "questions": questions,
            "scores": {"difficulty": float(np.clip(np.round(5 - skill - m + rng.normal(0, 0.8)), 1, 7))} if rated else {},
        })
    people.append({"study_sha256": "0" * 64, "complete": complete, "marked": bool(p == 5), "stages": stages})
(folder / "people.json").write_text(json.dumps(people, indent=0) + "\n")

names = {g: [f"{g}-{m}" for m in ("ae", "vae", "gt")] for g in ("lines", "shapes")}
out = {"versions": {"numpy": np.__version__, "pandas": pd.__version__, "scipy": scipy.__version__,
                    "pingouin": pingouin.__version__}}
included = [p for p in people if p["complete"] and not p["marked"]]
out["excluded"] = [sum(not p["complete"] for p in people), sum(p["complete"] and p["marked"] for p in people)]
out["attrition"] = {g: [sum(p["stages"][0]["stage"].startswith(g) and (p in included) == kept for p in people)
                        for kept in (True, False)] for g in names}
out["attrition_fisher"] = stats.fisher_exact([out["attrition"][g] for g in names]).pvalue
out["attrition_chi"] = stats.chi2_contingency([out["attrition"][g] for g in names], correction=False).pvalue


def table(who, metric):
    rows = []
    for i, p in enumerate(who):
        for s in p["stages"]:
            ended = [q for q in s["questions"] if q["outcome"]]
            if metric == "difficulty":
                value = s["scores"].get("difficulty")
            elif metric == "completion_rate":
                of = [q["outcome"] == "solved" for q in ended if q["outcome"] in ("solved", "skipped")]
                value = np.mean(of) if of else None
            else:
                value = np.mean([q[metric] for q in ended]) if ended else None
            rows.append({"person": i, "group": s["stage"].split("-")[0], "stage": s["stage"], "value": value})
    return pd.DataFrame(rows).astype({"value": float})


raw, places = [], []
for sample, who in (("included", included), ("everyone", people)):
    out[sample] = {}
    for group, stages in names.items():
        for metric in ("completion_rate", "response_time_s", "error_auc", "difficulty"):
            data = table(who, metric)
            data = data[data.group == group]
            wide = data.pivot(index="person", columns="stage", values="value")[stages]
            complete = wide.dropna()
            long = complete.melt(ignore_index=False).reset_index()
            rm = pingouin.rm_anova(long, dv="value", within="stage", subject="person", detailed=True, correction=True)
            found = {
                "n": len(complete), "left_out": len(wide) - len(complete),
                "mean": wide.mean().tolist(), "sd": wide.std(ddof=0).tolist(),
                "median": wide.median().tolist(), "count": wide.count().tolist(),
                "f": rm["F"][0], "p": rm["p_unc"][0], "eps": rm["eps"][0], "p_gg": rm["p_GG_corr"][0],
                "friedman": stats.friedmanchisquare(*(complete[s] for s in stages)).pvalue,
                "pairs": [stats.ttest_rel(complete[stages[a]], complete[stages[b]]).pvalue for a, b in ((0, 1), (0, 2), (1, 2))],
            }
            out[sample][f"{group} {metric}"] = found
            if sample == "included" and metric != "response_time_s":
                raw += found["pairs"]
                places += [(f"{group} {metric}", i) for i in range(3)]
for (key, index), p in zip(places, multipletests(raw, method="holm")[1]):
    out["included"][key].setdefault("holm", [0, 0, 0])[index] = p

data = table(included, "completion_rate")
data["place"] = data.stage.str.split("-").str[1]
full = data.groupby("person").value.transform(lambda v: v.notna().all())
mixed = pingouin.mixed_anova(data[full], dv="value", within="place", subject="person", between="group", correction=True)
out["across"] = {row["Source"]: row["F"] for _, row in mixed.iterrows()}
out["across_p"] = {row["Source"]: row["p_unc"] for _, row in mixed.iterrows()}
(folder / "expected.json").write_text(json.dumps(out, indent=1, default=float) + "\n")
