"""Works out the tables of `redial analyze` from the exported files of a study, and compares them
with what the program says.

    python3 tables.py EXPORT NUMBERS.json RSCRIPT

NUMBERS.json is what `redial analyze STUDY --json` prints. The people left out are compared, too:
`raw/` against "everyone". References and the agreement asked for:

- closed forms: scipy, statsmodels, pingouin and R's afex, 1e-9 relative or 1e-12 absolute;
- intervals of effect sizes: scipy's noncentral distributions, 1e-6;
- bootstrap intervals: scipy's BCa, of other random numbers, so that each end may differ by 0.25
  standard errors and one step of the scale; `measures` tests the ends for the same replicates;
- mixed models: R's lme4, lmerTest and ordinal, contrasts within 0.05 standard errors and the
  log-likelihood within 0.01 of the better of two optimisers, standard errors within 5 %;
- curves of how questions end: R's survival, 1e-9.

What is undefined there (constant data) has to be undefined here.
"""

import collections
import json
import math
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pingouin
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests

import redial

warnings.filterwarnings("ignore")
export, numbers, rscript = map(pathlib.Path, sys.argv[1:])
[version] = json.loads(numbers.read_text())["versions"]
plan = version["plan"]
compared = collections.Counter()
# What R is asked for, and where its answers are looked up.
asked = {"repeated": {}, "mixed": {}, "models": {}, "incidence": {}, "tables": {}}
later = []


def same(place, found, expected, relative=1e-9, absolute=1e-12):
    compared[place[1]] += 1
    ok = found is not None and math.isclose(found, expected, rel_tol=relative, abs_tol=absolute)
    assert ok, (place, found, expected)


def exactly(place, found, expected):
    compared[place[1]] += 1
    assert found == expected, (place, found, expected)


def ask_r(kind, place, question, check):
    key = str(len(asked[kind]))
    asked[kind][key] = question
    later.append((kind, key, place, check))


def ended(table):
    return table[~table.practice & (table.outcome != "abandoned")]


def ends(of):
    """The first and the last questions of each person and stage."""
    ordered = of.sort_values("question")
    groups = [ordered.session, ordered.stage_id]
    size = (ordered.question.groupby(groups).transform("size") - 1) // 2
    place = ordered.groupby(groups).cumcount()
    count = ordered.question.groupby(groups).transform("size")
    return ordered[place < size], ordered[place >= count - size]


class People:
    """The exported tables of some people: those included, or everyone."""

    def __init__(self, group):
        data = redial.load(export, "raw" if group == "everyone" else "included")
        self.sessions = data["sessions"]
        self.all_reconstruction = data["reconstruction_questions"]
        self.all_reconstruction = self.all_reconstruction[~self.all_reconstruction.practice]
        self.reconstruction = ended(data["reconstruction_questions"])
        self.single = ended(data["single_dimension_questions"])
        self.dimensions = data["reconstruction_dimensions"]
        self.snapshots = data["reconstruction_snapshots"]
        stages = pd.concat(
            [data[f"{task}_questions"][["session", "stage", "stage_id"]] for task in ("reconstruction", "single_dimension")]
        ).drop_duplicates()
        scores = data["scores"].merge(stages, on=["session", "stage"])
        self.difficulty = scores[scores.score == "difficulty"]

    def questions(self, metric, stages):
        """What each question of these stages says about a metric."""
        of = self.reconstruction if self.reconstruction.stage_id.isin(stages).any() else self.single
        of = of[of.stage_id.isin(stages)]
        if metric in ("completion_rate", "completion_rate_with_cut"):
            counted = ["solved", "skipped", "missed"] + (["cut"] if metric.endswith("cut") else [])
            of = of[of.outcome.isin(counted)]
            column = (of.outcome == "solved").astype(float)
        elif metric == "correct_rate":
            of = of[of.right.notna()]
            column = of.right.astype(float)
        elif metric == "response_time_s":
            column = of.response_time_s
        elif metric in ("error_auc", "error_auc_change"):
            column = of.error_auc_s
        elif metric == "error_auc_present":
            column = of.error_auc_present_s
        elif metric == "slide_distance":
            column = of.slide_distance_widths
        elif metric == "monotone_share":
            column = of.monotone_moves / of.moves.where(of.moves > 0)
        elif metric == "reversals_per_s":
            column = of.direction_reversals / of.active_time_s.where(of.active_time_s > 0)
        elif metric == "first_improvement_s":
            column = of.first_improvement_ms / 1000
        elif metric == "difficulty":
            of = self.difficulty[self.difficulty.stage_id.isin(stages)].assign(question=0)
            column = of.value
        else:
            column = of[metric]
        found = of[["session", "stage_id", "question"]].assign(value=column.astype(float))
        return found.dropna(subset="value")

    def wide(self, metric, stages):
        """A value for each person and stage."""
        questions = self.questions(metric, stages)
        if metric == "error_auc_change":
            first, last = (part.groupby(["session", "stage_id"]).value.mean() for part in ends(questions))
            values = last - first
        else:
            values = questions.groupby(["session", "stage_id"]).value.mean()
        return values.unstack("stage_id").reindex(columns=stages).dropna(how="all")


def noncentrality(cdf, probability, low, high):
    """Where a noncentral distribution's `cdf` of the noncentrality falls to `probability`."""
    if cdf(low) <= probability:
        return low
    return optimize.brentq(lambda at: cdf(at) - probability, low, high, xtol=1e-13, rtol=1e-14)


def effects_of_f(place, test):
    """Partial η² and ω², whose interval is that of the noncentrality of F."""
    f, df1, df2 = test["f"], test["df1"], test["df2"]
    same(place, test["partial_eta_squared"]["value"], df1 * f / (df1 * f + df2))
    same(place, test["partial_omega_squared"]["value"], df1 * (f - 1) / (df1 * f + df2 + 1))
    for name, probability in (("low", 0.95), ("high", 0.05)):
        of = noncentrality(lambda at: stats.ncf.cdf(f, df1, df2, at) if at > 0 else stats.f.cdf(f, df1, df2),
                           probability, 0, 10 * df1 * f + 100)
        for effect in ("partial_eta_squared", "partial_omega_squared"):
            same(place, test[effect]["interval"][name], of / (of + df1 + df2 + 1), 1e-6, 1e-6)


def described(place, rows, wide):
    rng = np.random.default_rng(1)
    for row in rows:
        of, found = wide[row["condition"]].dropna(), row["description"]
        exactly(place, found["n"], len(of))
        same(place, found["mean"], of.mean())
        same(place, found["sd_population"], of.std(ddof=0))
        same(place, found["sd_sample"], of.std(ddof=1))
        same(place, found["median"], of.median())
        same(place, found["quartile_1"], of.quantile(0.25))
        same(place, found["quartile_3"], of.quantile(0.75))
        theirs = sorted(entry["value"] for entry in row["values"])
        assert np.allclose(theirs, sorted(of), rtol=1e-12, atol=0), place
        if of.std() > 1e-12:
            # Means of few values of a coarse scale come in steps of this size.
            step = np.diff(np.unique(of.round(9))).min() / len(of)
            drawn = stats.bootstrap((of,), np.mean, n_resamples=29_999, method="BCa", batch=1_000, random_state=rng)
            for name in ("low", "high"):
                off = abs(row["interval"][name] - getattr(drawn.confidence_interval, name))
                compared[place[1]] += 1
                assert off < 0.25 * of.sem() + 1.01 * step, (place, row["interval"], drawn.confidence_interval)


def omnibus(place, found, complete):
    anova = found["means"]["anova"]
    residual = complete.sub(complete.mean(axis=1), axis=0).sub(complete.mean(), axis=1)
    if residual.abs().max().max() <= 1e-12:
        assert "f" not in anova, (place, anova)
        return
    long = complete.melt(ignore_index=False, var_name="stage_id").reset_index()
    table = pingouin.rm_anova(long, dv="value", within="stage_id", subject="session", detailed=True, correction=True)
    same(place, anova["f"], table["F"][0])
    same(place, anova["p"], table["p_unc"][0])
    same(place, anova["squares_conditions"], table["SS"][0])
    same(place, anova["squares_error"], table["SS"][1])
    grand = complete.stack().mean()
    same(place, anova["squares_people"], complete.shape[1] * ((complete.mean(axis=1) - grand) ** 2).sum())
    effects_of_f(place, anova)
    friedman = stats.friedmanchisquare(*(complete[stage] for stage in complete))
    same(place, found["ranks"]["chi_squared"], friedman.statistic)
    same(place, found["ranks"]["p"], friedman.pvalue)
    same(place, found["ranks"]["effect"], friedman.statistic / (len(complete) * (complete.shape[1] - 1)))

    def of_r(r):
        for key in ("f", "p", "epsilon", "p_greenhouse_geisser"):
            same((*place, "afex"), anova[key], r[key])

    ask_r("repeated", place, {"rows": complete.values.tolist()}, of_r)


def pair_tests(place, pair, complete):
    """Returns p, where there is one."""
    a, b = complete[pair["first"]], complete[pair["second"]]
    difference = a - b
    test, rank, n = pair["tests"]["t"], pair["tests"]["rank"], len(complete)
    declared, row = pair["declared"], pair["declared"]["result"]
    exactly(place, declared["test"], "paired_t")
    same(place, declared["estimate"], difference.mean())
    if difference.std() <= 1e-12:
        assert "reason" in test and "reason" in row, (place, test, row)
        return None
    t = stats.ttest_rel(a, b)
    same(place, test["t"], t.statistic)
    same(place, test["df"], n - 1)
    same(place, test["p"]["two_sided"], t.pvalue)
    for side in ("less", "greater"):
        same(place, test["p"][side], stats.ttest_rel(a, b, alternative=side).pvalue)
    same(place, test["difference"], difference.mean())
    same(place, test["standard_error"], difference.sem())
    for name, end in zip(("low", "high"), t.confidence_interval(0.95)):
        same(place, test["interval"][name], end)
    d_z = difference.mean() / difference.std()
    ratio = difference.std() / math.sqrt((a.var() + b.var()) / 2)
    same(place, test["d_z"]["value"], d_z)
    same(place, test["d_av"]["value"], d_z * ratio)
    # Farther away scipy's distribution is not a number.
    reach = 4 + abs(t.statistic) / 2
    for name, probability in (("low", 0.975), ("high", 0.025)):
        of = noncentrality(lambda at: stats.nct.cdf(t.statistic, n - 1, at), probability,
                           t.statistic - reach, t.statistic + reach)
        same(place, test["d_z"]["interval"][name], of / math.sqrt(n), 1e-6, 1e-6)
        same(place, test["d_av"]["interval"][name], of / math.sqrt(n) * ratio, 1e-6, 1e-6)
    # The program knows the values as they are, where a subtraction leaves 1e-17.
    rounded = difference.round(12)
    if (rounded != 0).any():
        w = stats.wilcoxon(rounded, zero_method="wilcox", correction=True, method="asymptotic")
        same(place, rank["p"], w.pvalue)
        ranks = rounded[rounded != 0].abs().rank()
        up = ranks[rounded[rounded != 0] > 0].sum()
        same(place, rank["rank_sum_positive"], up)
        same(place, rank["rank_sum_negative"], ranks.sum() - up)
        same(place, rank["rank_biserial"], 2 * up / ranks.sum() - 1)
        exactly(place, rank["zeros"], int((rounded == 0).sum()))
    for name, number in (("statistic", t.statistic), ("df", n - 1), ("standard_error", difference.sem()), ("p", t.pvalue)):
        same(place, row[name], number)
    for name, end in zip(("low", "high"), t.confidence_interval(0.95)):
        same(place, row["interval"][name], end)
    return t.pvalue


def model(place, found, questions, stages):
    if found is None:
        return
    exactly(place, found["rows"], len(questions))
    random = [term["name"] for term in found["random"]]
    pairs = found["pairs"]

    def of_r(r):
        # An undefined fit of R's is a finding, not an agreement.
        assert "error" not in r, (place, r)
        same(place, found["log_likelihood"], r["log_likelihood"], 0, 0.01)
        for theirs, estimate, error in zip(pairs, r["estimates"], r["errors"], strict=True):
            same(place, theirs["estimate"], estimate, 0, 0.05 * error)
            same(place, theirs["standard_error"], error, 0.05)

    rows = {"kind": found["kind"], "random": random, "y": questions.value.tolist(),
            "person": questions.session.tolist(),
            "condition": [stages.index(stage) for stage in questions.stage_id]}
    ask_r("models", place, rows, of_r)


def comparisons(group, people):
    assert plan["family"] == "metric" and plan["correction"] == "holm", plan
    for comparison in version[group]["comparisons"]:
        metric, name = comparison["metric"], comparison["name"]
        place = (group, "comparisons", name, metric)
        stages = [row["condition"] for row in comparison["conditions"]]
        wide = people.wide(metric, stages)
        complete = wide.dropna()
        exactly(place, comparison["n"], len(complete))
        exactly(place, comparison["left_out"], len(wide) - len(complete))
        described(place, comparison["conditions"], wide)
        omnibus(place, comparison["omnibus"], complete)
        pairs = [(pair, (*place, pair["first"], pair["second"])) for pair in comparison["pairs"]]
        raw = [pair_tests(here, pair, complete) for pair, here in pairs]
        # The family: the pairs of one metric in one comparison. What is undefined counts in it.
        corrected = multipletests([1 if p is None else p for p in raw], method="holm")[1]
        for (pair, here), p, expected in zip(pairs, raw, corrected):
            if p is not None:
                same(here, pair["p_corrected"], expected)
        model((group, "models", name, metric), comparison["model"], people.questions(metric, stages), stages)


def across(group, people):
    stages_of = {comparison["name"]: [row["condition"] for row in comparison["conditions"]]
                 for comparison in version[group]["comparisons"]}
    assert bool(version[group]["across"]) == bool(plan["across"])
    for entry in version[group]["across"]:
        place, anova = (group, "across", *entry["comparisons"], entry["metric"]), entry["anova"]
        groups = [people.wide(entry["metric"], stages_of[name]).dropna() for name in entry["comparisons"]]
        exactly(place, anova["n"], [len(of) for of in groups])
        for effect in ("between", "within", "interaction"):
            effects_of_f(place, anova[effect])

        def of_r(r, place=place, anova=anova):
            for effect in ("between", "within", "interaction"):
                for key in ("f", "df1", "df2", "p"):
                    same((*place, effect), anova[effect][key], r[effect][key])
            for key in ("epsilon", "p_within_greenhouse_geisser", "p_interaction_greenhouse_geisser"):
                same((*place, key), anova[key], r[key])

        ask_r("mixed", place, {"groups": [of.values.tolist() for of in groups]}, of_r)


def incidence(group, people):
    for entry in version[group]["incidence"]:
        place = (group, "incidence", entry["condition"])
        of = people.all_reconstruction
        of = of[of.stage_id == entry["condition"]]
        cause = of.outcome.map({"solved": 1, "skipped": 2, "missed": 2}).fillna(0).astype(int)
        exactly(place, entry["questions"], len(of))
        exactly(place, entry["people"], of.session.nunique())

        def of_r(r, place=place, entry=entry):
            exactly(place, [point["at_risk"] for point in entry["points"]], r["at_risk"])
            for point, *expected in zip(entry["points"], r["time"], r["open"], r["solved"], r["skipped"],
                                        r["error_solved"], r["error_skipped"], strict=True):
                theirs = [point["time"], point["open"], *point["incidence"], *point["standard_error"]]
                for one, other in zip(theirs, expected, strict=True):
                    same(place, one, other)
            last = [point for point in entry["points"] if point["time"] <= entry["until_s"]][-1]
            exactly(place, entry["at_limit"], last)
            means = entry["restricted"]
            theirs = [means["open"], *means["since_end"], means["open_standard_error"], *means["since_end_standard_error"]]
            for one, other in zip(theirs, r["restricted"] + r["restricted_error"], strict=True):
                same(place, one, other)

        ask_r("incidence", place, {"time": of.active_time_s.tolist(), "cause": cause.tolist(),
                                   "person": of.session.tolist(), "until": entry["until_s"]}, of_r)


def mean_of_people(place, found, of):
    exactly(place, found["n"], len(of))
    same(place, found["mean"], of.mean())
    same(place, found["sd_population"], of.std(ddof=0))
    same(place, found["standard_error"], of.sem())


def details(group, people):
    of = version[group]
    for row in of["halves"]:
        place = (group, "halves", row["condition"], row["metric"])
        # What a question does not tell leaves its place among the person's questions as it is.
        known = people.questions(row["metric"], [row["condition"]])
        every = people.questions("response_time_s", [row["condition"]])
        parts = [part.merge(known, on=["session", "stage_id", "question"], suffixes=("_other", ""))
                     .groupby("session").value.mean() for part in ends(every)]
        both = parts[0].index.intersection(parts[1].index)
        mean_of_people(place, row["first"], parts[0][both])
        mean_of_people(place, row["last"], parts[1][both])
    for row in of["dimensions"]:
        place = (group, "dimensions", row["condition"], row["dimension"])
        single = people.single
        single = single[(single.stage_id == row["condition"]) & (single.dimension == row["dimension"])]
        same(place, row["chance"], 1 / single.options.iloc[0])
        mean_of_people(place, row["right"], single.groupby("session").right.apply(lambda right: right.astype(float).mean()))
    for row in of["dial_use"]:
        place = (group, "dial_use", row["condition"], row["dial"])
        table = people.reconstruction[["session", "stage", "question"]].merge(people.dimensions)
        table = table[table.stage_id == row["condition"]]
        moved = table[table.touched_order.notna()]
        count = len(moved[["session", "question"]].drop_duplicates())
        mine = moved[moved.dimension == row["dial"]].touched_order.astype(float)
        first = moved.groupby(["session", "question"]).touched_order.transform("min") == moved.touched_order
        exactly(place, row["questions"], count)
        same(place, row["moved"], len(mine) / count)
        same(place, row["first"], (first & (moved.dimension == row["dial"])).sum() / count)
        same(place, row["place"], mine.mean() - moved.touched_order.min() + 1)
    for row in of["over_time"]:
        over_time((group, "over_time", row["condition"]), row, people)


def over_time(place, row, people):
    # Paths are kept of the first 200 who started, as the figure's caption says.
    questions = people.reconstruction
    first = everyone.sessions.sort_values("ordinal").session.head(200)
    questions = questions[(questions.stage_id == row["condition"]) & questions.session.isin(first)].set_index(["session", "question"])
    snapshots = people.snapshots
    snapshots = snapshots[snapshots.stage_id == row["condition"]].sort_values(["session", "question", "elapsed_ms", "seq"])
    paths = [(times.elapsed_ms.to_numpy() / 1000, times.distance.to_numpy(), questions.response_time_s[key])
             for key, times in snapshots.groupby(["session", "question"]) if key in questions.index]
    exactly(place, row["questions"], len(paths))
    until = np.quantile([time for *_, time in paths], 0.9)
    exactly(place, len(row["at"]), min(600, int(until / 0.5) + 1))
    for at in row["at"]:
        then = [distance[max(np.searchsorted(seconds, at["second"], "right") - 1, 0)] for seconds, distance, _ in paths]
        exactly(place, at["open"], sum(time > at["second"] for *_, time in paths))
        for name, share in (("quartile_1", 0.25), ("median", 0.5), ("quartile_3", 0.75)):
            same(place, at[name], np.quantile(then, share))


def attrition(included):
    sessions = everyone.sessions.merge(
        pd.concat([everyone.all_reconstruction, everyone.single])[["session", "stage_id"]].drop_duplicates(), on="session")
    counts = []
    for comparison, (name, kept, lost) in zip(plan["comparisons"], version["attrition"]["cells"], strict=True):
        mine = set(sessions[sessions.stage_id.isin(comparison["conditions"])].session)
        stays = mine & set(included.sessions.session)
        exactly(("both", "attrition", name), [comparison["name"], len(stays), len(mine - stays)], [name, kept, lost])
        counts.append([kept, lost])
    tests, place = version["attrition"]["tests"], ("both", "attrition", "tests")
    found = stats.chi2_contingency(counts, correction=False)
    same(place, tests["chi_squared"]["chi_squared"], found.statistic)
    same(place, tests["chi_squared"]["p"], found.pvalue)
    same(place, tests["chi_squared"]["smallest_expected"], found.expected_freq.min())
    same(place, tests["chi_squared"]["cramers_v"], stats.contingency.association(counts, "cramer"))
    ask_r("tables", place, counts, lambda r: same(place, tests["fisher_p"], r))
    steps = [step["people"] for step in version["funnel"]]
    complete = int(everyone.sessions.completed_at_utc.notna().sum())
    exactly(("both", "funnel"), [steps[0], *steps[-2:]], [len(everyone.sessions), complete, len(included.sessions)])


people = {group: People(group) for group in ("included", "everyone")}
everyone = people["everyone"]
for group, of in people.items():
    exactly((group, "people"), version[group]["people"], len(of.sessions))
    comparisons(group, of)
    across(group, of)
    incidence(group, of)
    details(group, of)
attrition(people["included"])

folder = numbers.parent
(folder / "asked.json").write_text(json.dumps(asked))
subprocess.run([rscript, pathlib.Path(__file__).with_name("tables.R"), folder / "asked.json", folder / "answered.json"],
               check=True)
answered = json.loads((folder / "answered.json").read_text())
for kind, key, place, check in later:
    check(answered[kind][key])
expected = {"comparisons", "models", "across", "incidence", "halves", "dimensions", "dial_use", "over_time", "attrition", "funnel"}
assert expected <= set(compared), compared
for kind, count in sorted(compared.items()):
    print(f"{kind}: {count} numbers agree")
print(f"{sum(compared.values())} numbers of the tables agree.")
