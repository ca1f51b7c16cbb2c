"""Works out the tables of `redial analyze` from the exported files of a study, with pandas, scipy,
statsmodels and pingouin, and compares them with what the program says.

    python3 tables.py EXPORT NUMBERS.json

NUMBERS.json is what `redial analyze STUDY --json` prints. Agreement is 1e-9 relative or 1e-12
absolute. What is undefined there (constant data) has to be undefined here.
"""

import json
import math
import pathlib
import sys
import warnings

import numpy as np
import pandas as pd
import pingouin
from scipy import stats
from statsmodels.stats.multitest import multipletests

import redial

warnings.filterwarnings("ignore")
data = redial.load(pathlib.Path(sys.argv[1]))
[version] = json.loads(pathlib.Path(sys.argv[2]).read_text())["versions"]
plan = version["plan"]

reconstruction = data["reconstruction_questions"]
single = data["single_dimension_questions"]
ended = {
    "reconstruction": reconstruction[~reconstruction.practice & (reconstruction.outcome != "abandoned")],
    "single": single[~single.practice & (single.outcome != "abandoned")],
}
both = pd.concat([table[["session", "stage_id", "response_time_s"]] for table in ended.values()])
scores = data["scores"].merge(
    pd.concat([reconstruction, single])[["session", "stage", "stage_id"]].drop_duplicates(), on=["session", "stage"]
)


def values(metric):
    """A value for each person and stage."""
    of = ended["reconstruction"]
    if metric == "completion_rate":
        of = of[of.outcome.isin(["solved", "skipped", "missed"])]
        column = (of.outcome == "solved").astype(float)
    elif metric == "correct_rate":
        of = ended["single"][ended["single"].right.notna()]
        column = of.right.astype(float)
    elif metric == "response_time_s":
        of, column = both, both.response_time_s
    elif metric == "error_auc":
        column = of.error_auc_s
    elif metric == "slide_distance":
        column = of.slide_distance_widths
    elif metric == "difficulty":
        of = scores[scores.score == "difficulty"]
        column = of.value
    else:
        of = ended["single"]
        column = of[metric].astype(float)
    return column.groupby([of.session, of.stage_id]).mean().dropna()


compared = 0


def same(place, found, expected):
    global compared
    compared += 1
    ok = found is not None and (
        math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    )
    assert ok, (place, found, expected)


raw, places = {}, []
for comparison in version["included"]["comparisons"]:
    metric, name = comparison["metric"], comparison["name"]
    if metric not in plan["metrics"]:
        continue
    stages = [row["condition"] for row in comparison["conditions"]]
    wide = values(metric).unstack("stage_id").reindex(columns=stages)
    wide = wide.dropna(how="all")
    complete = wide.dropna()
    place = (name, metric)
    assert comparison["n"] == len(complete), (place, comparison["n"], len(complete))
    for row in comparison["conditions"]:
        of, described = wide[row["condition"]].dropna(), row["description"]
        assert described["n"] == len(of), place
        same(place, described["mean"], of.mean())
        same(place, described["sd_population"], of.std(ddof=0))
        same(place, described["sd_sample"], of.std(ddof=1))
        same(place, described["median"], of.median())
        same(place, described["quartile_1"], of.quantile(0.25))
        same(place, described["quartile_3"], of.quantile(0.75))
        theirs = sorted(entry["value"] for entry in row["values"])
        assert np.allclose(theirs, sorted(of), rtol=1e-12, atol=0), place
    anova = comparison["omnibus"]["means"]["anova"]
    varies = complete.sub(complete.mean(axis=1), axis=0).sub(complete.mean(), axis=1).abs().max().max() > 1e-12
    if varies:
        long = complete.melt(ignore_index=False, var_name="stage_id").reset_index()
        rm = pingouin.rm_anova(long, dv="value", within="stage_id", subject="session", detailed=True, correction=True)
        same(place, anova["f"], rm["F"][0])
        same(place, anova["p"], rm["p_unc"][0])
        same(place, anova["epsilon"], rm["eps"][0])
        same(place, anova["p_greenhouse_geisser"], rm["p_GG_corr"][0])
        friedman = stats.friedmanchisquare(*(complete[stage] for stage in stages))
        ranks = comparison["omnibus"]["ranks"]
        same(place, ranks["chi_squared"], friedman.statistic)
        same(place, ranks["p"], friedman.pvalue)
    else:
        assert "f" not in anova, (place, anova)
    for pair in comparison["pairs"]:
        a, b = complete[pair["first"]], complete[pair["second"]]
        difference = a - b
        tests, here = pair["tests"], (*place, pair["first"], pair["second"])
        if difference.std() > 1e-12:
            t = stats.ttest_rel(a, b)
            same(here, tests["t"]["t"], t.statistic)
            same(here, tests["t"]["p"], t.pvalue)
            same(here, tests["t"]["d_z"]["value"], difference.mean() / difference.std())
            spread = math.sqrt((a.var() + b.var()) / 2)
            same(here, tests["t"]["d_av"]["value"], difference.mean() / spread)
            raw.setdefault(metric, []).append(t.pvalue)
            places.append((metric, len(raw[metric]) - 1, here, pair["p_corrected"]))
            # The program knows the values as they are, where a subtraction leaves 1e-17.
            rounded = difference.round(12)
            if (rounded != 0).any():
                w = stats.wilcoxon(rounded, zero_method="wilcox", correction=True, method="asymptotic")
                same(here, tests["rank"]["p"], w.pvalue)
        else:
            assert "t" not in tests["t"], (here, tests)
corrected = {metric: multipletests(ps, method="holm")[1] for metric, ps in raw.items()}
for metric, index, here, theirs in places:
    same(here, theirs, corrected[metric][index])
stages_of = {comparison["name"]: [row["condition"] for row in comparison["conditions"]]
             for comparison in version["included"]["comparisons"]}
tested = [across for across in version["included"]["across"] if across["metric"] in plan["metrics"]]
assert bool(tested) == bool(plan["across"])
for across in tested:
    place = ("across", *across["comparisons"], across["metric"])
    rows = []
    for name in across["comparisons"]:
        wide = values(across["metric"]).unstack("stage_id").reindex(columns=stages_of[name]).dropna()
        wide.columns = range(wide.shape[1])
        rows.append(wide.melt(ignore_index=False, var_name="condition").reset_index().assign(group=name))
    long = pd.concat(rows)
    if "between" not in across["anova"]:
        continue
    mixed = pingouin.mixed_anova(long, dv="value", within="condition", subject="session", between="group")
    for key, source in (("between", "group"), ("interaction", "Interaction")):
        [row] = mixed[mixed.Source == source].to_dict("records")
        same((*place, key), across["anova"][key]["f"], row["F"])
        same((*place, key), across["anova"][key]["p"], row["p_unc"])
assert compared > 500, compared
print(f"{compared} numbers of the tables agree.")
