# %% [markdown]
# # The declared analysis of {{study}}
#
# Repeats with pandas and scipy what the study's plan declares, from tables that `redial export` wrote:
# `redial export {{study}}{{simulated}} --out data`, with this notebook beside the folder. Inclusion rules, withdrawals and
# quotas are those of `data/included`; the plan's own exclusions are worked out here. Mixed models are in `analysis.R`
# alone. Kept as Redial {{version}} wrote it; change a copy.

# %%
import json
import pathlib

import numpy as np
import pandas as pd
from scipy import stats

export = pathlib.Path("data")
plan = json.loads(r"""{{plan}}""")
within = plan["conditions_vary"] == "within"

# %% [markdown]
# ## Tables

# %%
def table(name):
    first, *rest = name.split("_")
    camel = first + "".join(part.capitalize() for part in rest)
    [file] = (export / "data" / "included").glob(f"*_description-{camel}_data.csv")
    return pd.read_csv(file, dtype=str, keep_default_na=False, na_values=[""])


def number(column):
    return pd.to_numeric(column)


def yes(column):
    return column.map({"true": 1.0, "false": 0.0})


def rate(*counted):
    return lambda q: (q.outcome == "solved").astype(float).where(q.outcome.isin(counted))


def share(part, whole):
    return lambda q: number(q[part]) / number(q[whole]).where(number(q[whole]) > 0)


def questions(task):
    of = table(f"{task}_questions")
    return of[(of.practice != "true") & (of.study_sha256 == plan["version"])]


TASKS = {task: questions(task) for task in ("reconstruction", "single_dimension", "exploration", "concept_naming")}
CONDITION = "model" if plan["conditions_are"] == "model" else "stage_id"
# What a row of a table of questions says about a metric.
COLUMNS = {
    "completion_rate": (["reconstruction"], rate("solved", "skipped", "missed")),
    "completion_rate_with_cut": (["reconstruction"], rate("solved", "skipped", "missed", "cut")),
    "response_time_s": (list(TASKS), lambda q: number(q.response_time_s)),
    "slide_distance": (["reconstruction"], lambda q: number(q.slide_distance_widths)),
    "error_auc": (["reconstruction"], lambda q: number(q.error_auc_s)),
    "error_auc_present": (["reconstruction"], lambda q: number(q.error_auc_present_s)),
    "error_auc_change": (["reconstruction"], lambda q: number(q.error_auc_s)),
    "correct_rate": (["single_dimension"], lambda q: yes(q.right)),
    "confidence": (["single_dimension"], lambda q: number(q.confidence)),
    "understanding": (["single_dimension"], lambda q: number(q.understanding)),
    "passes": (["reconstruction"], lambda q: number(q.passes)),
    "monotone_share": (["reconstruction"], share("monotone_moves", "moves")),
    "reversals_per_s": (["reconstruction"], share("direction_reversals", "active_time_s")),
    "first_improvement_s": (["reconstruction"], lambda q: number(q.first_improvement_ms) / 1000),
    "naming_rate": (["concept_naming"], lambda q: yes(q.named)),
}


def rows_of(metric):
    """A row for each question that ended, or for each stage."""
    if metric in COLUMNS:
        tasks, value = COLUMNS[metric]
        found = [TASKS[task][TASKS[task].outcome != "abandoned"] for task in tasks]
        found = pd.concat([q.assign(value=value(q)) for q in found if len(q)] or [TASKS[tasks[0]].assign(value=0.0)])
    elif metric in ("staircase_threshold", "staircase_reversals"):
        found = table("staircases").assign(question="0")
        found["value"] = number(found["threshold_level" if metric == "staircase_threshold" else "reversals"])
    else:
        # Scores of blocks (difficulty, raw_tlx, sus), and those that a questionnaire declares.
        scores = table("scores")
        stages = pd.concat([q[["session", "stage", "stage_id"]] for q in TASKS.values()]).drop_duplicates()
        found = scores[scores.score == metric.removeprefix("score.")].merge(stages, on=["session", "stage"]).assign(question="0")
        found["value"] = number(found.value)
    found = found[found.session.isin(sessions.session)].dropna(subset="value")
    return found.assign(condition=found[CONDITION], at=number(found.stage), number=number(found.question))


def mean_of(metric):
    if metric != "error_auc_change":
        return "mean"

    def change(values):
        half = (len(values) - 1) // 2
        return values.iloc[-half:].mean() - values.iloc[:half].mean() if half else np.nan

    return change


def values_of(metric):
    """The value of each person in each condition."""
    rows = rows_of(metric).sort_values(["session", "at", "number"])
    return rows.groupby(["session", "condition"]).value.agg(mean_of(metric)).unstack("condition")

# %% [markdown]
# ## Who is left out

# %%
sessions = table("sessions")
sessions = sessions[sessions.study_sha256 == plan["version"]]
scored = pd.concat([q[["session", "outcome", "away_s"]] for q in TASKS.values()])
rules = plan["exclusions"]
if rules["marked"]:
    sessions = sessions[sessions.marked != "true"]
for limit in rules["away"]:
    away = number(scored.away_s).groupby(scored.session).sum()
    sessions = sessions[~sessions.session.isin(away.index[away > limit])]
for fewest in rules["solved"]:
    solved = (scored.outcome == "solved").groupby(scored.session).sum().reindex(sessions.session).fillna(0)
    sessions = sessions[(solved >= fewest).to_numpy()]
outlying = set()
for rule in rules["outlying"]:
    values = values_of(rule["metric"])
    z = (values - values.mean()) / values.std()
    outlying |= set(z.index[(z.abs() > rule["beyond_sd"]).any(axis=1)])
sessions = sessions[~sessions.session.isin(outlying)]
print(len(sessions), "people")

# %% [markdown]
# ## Tests

# %%
def rounded(values):
    """Without what rounding leaves: values that are equal are ties."""
    most = np.abs(values).max(initial=0.0)
    return values if most == 0 else np.round(values, 11 - int(np.ceil(np.log10(most))))


def signed_rank(differences):
    d = rounded(differences)
    d = d[d != 0]
    ranks, n = stats.rankdata(np.abs(d)), len(d)
    v = ranks[d > 0].sum()
    ties = sum(count**3 - count for count in np.unique(ranks, return_counts=True)[1])
    variance = (n * (n + 1) * (2 * n + 1) - ties / 2) / 24
    off = abs(v - n * (n + 1) / 4)
    p = 1.0 if off == 0 else min(1.0, 2 * stats.norm.sf((off - 0.5) / np.sqrt(variance)))
    return 2 * v / ranks.sum() - 1, np.nan, p


def contrast(samples, weights, only_weighted):
    n = np.array([len(s) for s in samples])
    mean, variance = np.array([s.mean() for s in samples]), np.array([s.var(ddof=1) for s in samples])
    used = weights != 0 if only_weighted or plan["test"] == "welch" else n > 0
    parts = (weights**2 * variance / n)[used]
    if plan["test"] == "welch":
        se, df = np.sqrt(parts.sum()), parts.sum() ** 2 / (parts**2 / (n[used] - 1)).sum()
    else:
        df = (n[used] - 1).sum()
        se = np.sqrt(((n - 1) * variance)[used].sum() / df * (weights**2 / n)[used].sum())
    estimate = (weights * mean)[used].sum()
    return estimate, se, 2 * stats.t.sf(abs(estimate / se), df)


def tested(kind, wide, weights):
    """Estimate, standard error and p of a weighted sum of conditions."""
    if within:
        x = wide.to_numpy() @ np.clip(weights, 0, None)
        y = wide.to_numpy() @ np.clip(-weights, 0, None)
        if plan["test"] == "rank":
            return signed_rank(x - y)
        d = x - y
        return d.mean(), stats.sem(d), stats.ttest_rel(x, y).pvalue
    samples = [wide[condition].dropna().to_numpy() for condition in wide]
    if plan["test"] == "rank":
        both = rounded(np.concatenate(samples))
        of = np.repeat(np.arange(len(samples)), [len(s) for s in samples])
        x, y = both[of == np.argmax(weights)], both[of == np.argmin(weights)]
        u = stats.mannwhitneyu(x, y, use_continuity=True, method="asymptotic")
        return 2 * u.statistic / (len(x) * len(y)) - 1, np.nan, u.pvalue
    return contrast(samples, weights, kind == "pair")


def corrected(p):
    p, n = p.to_numpy(), len(p)
    order = np.argsort(p)
    ranked = p[order]
    if plan["correction"] == "bonferroni":
        ranked = ranked * n
    elif plan["correction"] == "holm":
        ranked = np.maximum.accumulate(ranked * np.arange(n, 0, -1))
    elif plan["correction"] == "BH":
        ranked = np.minimum.accumulate((ranked * n / np.arange(1, n + 1))[::-1])[::-1]
    out = np.empty(n)
    out[order] = np.minimum(ranked, 1.0)
    return out

# %%
results = []
for comparison, conditions in plan["comparisons"].items():
    of = [
        ("pair", f"{a} - {b}", {a: 1.0, b: -1.0})
        for i, a in enumerate(conditions)
        for b in conditions[i + 1 :]
    ]
    of += [("contrast", name, w) for name, w in plan["contrasts"].items() if set(w) <= set(conditions)]
    for metric in plan["metrics"] if plan["test"] != "mixed_model" else []:
        wide = values_of(metric).reindex(columns=conditions)
        wide = wide.dropna(how="any" if within else "all")
        for kind, name, weights in of:
            numbers = tested(kind, wide, np.array([weights.get(it, 0.0) for it in conditions]))
            results.append((comparison, metric, kind, name, len(wide), *numbers))
results = pd.DataFrame(results, columns=["comparison", "metric", "kind", "name", "n", "estimate", "se", "p"])
families = ["kind"] if plan["family"] == "study" else ["kind", "comparison", "metric"]
results["p_corrected"] = results.groupby(families).p.transform(corrected)
results.to_csv("analysis-python.csv", index=False)
results
