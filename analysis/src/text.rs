//! An analysis as text: tables with aligned columns, and sentences.

use std::fmt::Write as _;

use domain::study::{ConditionsVary, Correction, Exclusion, Family, PairTest};
use measures::statistics::Undefined;
use measures::statistics::mixed_model::Convergence;

use crate::person::LeftOut;
use crate::report::{
    Analysis, Comparison, Found, ModelKind, ModelOfQuestions, Omnibus, Pair, PairTests, Sample,
    TestOfMeans,
};

impl Analysis {
    /// Everything, to be read at a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let (started, included) = (self.started, self.included.people);
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "Study version {}", short(&self.study_sha256));
        let _ = writeln!(out, "{started} people started, {included} are included.");
        for excluded in self.excluded.iter().filter(|excluded| excluded.people > 0) {
            let _ = writeln!(
                out,
                "Left out: {} ({}).",
                excluded.people,
                left_out(excluded.reason)
            );
        }
        out += &match &self.plan {
            Some(plan) => format!(
                "The study declares this analysis: {}; {}, {}. What it does not declare is marked as exploratory.\n",
                test(plan.test, plan.conditions_vary),
                correction(plan.correction),
                match plan.family {
                    Family::Metric => "each metric of a comparison a family",
                    Family::Study => "all declared metrics one family",
                },
            ),
            None => "The study declares no analysis: everything here is exploratory.\n".to_owned(),
        };
        if let Some(people) = self.plan.as_ref().and_then(|plan| plan.people)
            && self.interim
        {
            let _ = writeln!(
                out,
                "INTERIM: {people} people are declared, {included} are in."
            );
        }
        out += &self.attrition_text();
        let differ = included != started;
        if differ {
            out += "\n# People who are included\n";
        }
        out += &self.included.to_text();
        if differ {
            out += "\n# All who started\n";
            out += &self.everyone.to_text();
        }
        out
    }

    fn attrition_text(&self) -> String {
        if self.attrition.cells.is_empty() || self.included.people == self.started {
            return String::new();
        }
        let mut lines = vec![["Cell", "Included", "Left out"].map(str::to_owned).to_vec()];
        for (cell, kept, lost) in &self.attrition.cells {
            lines.push(vec![cell.clone(), kept.to_string(), lost.to_string()]);
        }
        let mut out = format!("\n{}", aligned(&lines));
        if let Some(tests) = &self.attrition.tests {
            let chi = said(&tests.chi_squared, |t| {
                format!("χ²({}) = {:.2}, p {}", t.df, t.chi_squared, p(t.p))
            });
            let fisher = said(&tests.fisher_p, |found| format!("p {}", p(*found)));
            let _ = writeln!(
                out,
                "Does it differ between cells? {chi}; Fisher's exact test {fisher}."
            );
        }
        out
    }
}

impl Sample {
    fn to_text(&self) -> String {
        if self.comparisons.is_empty() {
            return "\nNo question of these people has ended yet.\n".to_owned();
        }
        let mut out = self.descriptions();
        for comparison in self.comparisons.iter().filter(|c| c.conditions.len() > 1) {
            out += &comparison.to_text();
        }
        for across in &self.across {
            let _ = writeln!(
                out,
                "\n## {}, across {}{}\n",
                across.metric.label(),
                across.comparisons.join(", "),
                exploratory(across.planned)
            );
            out += &match &across.anova {
                Found::Undefined(why) => format!("Mixed analysis of variance: undefined, {why}.\n"),
                Found::Defined(found) => {
                    let corrected = |p_corrected: Option<f64>| {
                        p_corrected.map_or(String::new(), |found| {
                            format!(", Greenhouse–Geisser p {}", p(found))
                        })
                    };
                    format!(
                        "Comparison (between people): {}\nCondition (within): {}{}\nBoth together: {}{}\n",
                        f_test(&found.between),
                        f_test(&found.within),
                        corrected(found.p_within_greenhouse_geisser),
                        f_test(&found.interaction),
                        corrected(found.p_interaction_greenhouse_geisser),
                    )
                }
            };
        }
        out += &self.incidence_text();
        out
    }

    fn descriptions(&self) -> String {
        let heads = [
            "",
            "Condition",
            "n",
            "Mean",
            "SD",
            "SD (n − 1)",
            "Median",
            "Quartiles",
            "95 % interval of the mean",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        for comparison in &self.comparisons {
            for (index, row) in comparison.conditions.iter().enumerate() {
                let mut line = vec![String::new(), row.condition.clone()];
                if index == 0 {
                    line[0] = format!(
                        "{}{}",
                        comparison.metric.label(),
                        if comparison.planned { "" } else { " °" }
                    );
                }
                if let Found::Defined(d) = &row.description {
                    line.extend([
                        d.n.to_string(),
                        number(d.mean),
                        number(d.sd_population),
                        d.sd_sample.map_or("–".to_owned(), number),
                        number(d.median),
                        format!("{} to {}", number(d.quartile_1), number(d.quartile_3)),
                        match &row.interval {
                            Found::Defined(i) => format!("{} to {}", number(i.low), number(i.high)),
                            Found::Undefined(_) => "–".to_owned(),
                        },
                    ]);
                } else {
                    line.push("0".to_owned());
                }
                lines.push(line);
            }
        }
        format!(
            "\n{}\nOver people, of each one's mean over questions. SD has the divisor n, as the paper's \
             tables. The interval is a BCa bootstrap's. ° exploratory.\n",
            aligned(&lines)
        )
    }

    fn incidence_text(&self) -> String {
        if self.incidence.is_empty() {
            return String::new();
        }
        let heads = [
            "Condition",
            "People",
            "Questions",
            "Until (s)",
            "Solved by then",
            "Skipped by then",
            "Mean seconds open",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        let with_error =
            |value: f64, error: f64| format!("{} (SE {})", number(value), number(error));
        for row in &self.incidence {
            let share = |end: usize| {
                row.at_limit.as_ref().map_or("0".to_owned(), |point| {
                    with_error(point.incidence[end], point.standard_error[end])
                })
            };
            lines.push(vec![
                row.condition.clone(),
                row.people.to_string(),
                row.questions.to_string(),
                number(row.until_s),
                share(0),
                share(1),
                row.restricted
                    .as_ref()
                    .map_or("unknown: last seen before".to_owned(), |means| {
                        with_error(means.open, means.open_standard_error)
                    }),
            ]);
        }
        format!(
            "\n## How questions end, over active time\n\n{}\nCumulative incidence (Aalen–Johansen): solving \
             and skipping compete; what was cut or abandoned was last seen then. Standard errors \
             count people, not questions.\n",
            aligned(&lines)
        )
    }
}

impl Comparison {
    fn to_text(&self) -> String {
        let mut out = format!(
            "\n## {}, {}{}\n\n",
            self.metric.label(),
            self.name,
            exploratory(self.planned)
        );
        let _ = write!(out, "n = {}", self.n);
        if self.left_out > 0 {
            let _ = write!(
                out,
                "; {} more lack a value and are left out",
                self.left_out
            );
        }
        out += ".\n";
        if let Some(omnibus) = &self.omnibus {
            out += &omnibus_text(omnibus);
        }
        let mut lines = vec![
            [
                "First",
                "Second",
                "Difference",
                "95 % interval",
                "Test",
                "p",
                "corrected",
                "Effect",
                "On ranks",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        lines.extend(self.pairs.iter().map(pair_text));
        out += &aligned(&lines);
        for pair in &self.pairs {
            if let Some(found) = &pair.equivalence {
                let text = said(found, |e| {
                    format!(
                        "p {} for a difference between {} and {}; 90 % interval {} to {}",
                        p(e.p),
                        number(e.bounds.low),
                        number(e.bounds.high),
                        number(e.interval.low),
                        number(e.interval.high)
                    )
                });
                let _ = writeln!(
                    out,
                    "Equivalence of {} and {}: {text}.",
                    pair.first, pair.second
                );
            }
        }
        if let Some(model) = &self.model {
            out += &match model {
                Found::Undefined(why) => format!("Mixed model: none, {why}.\n"),
                Found::Defined(found) => self.model_text(found),
            };
        }
        out
    }

    fn model_text(&self, model: &ModelOfQuestions) -> String {
        let kind = match model.kind {
            ModelKind::Linear => "Linear mixed model (REML, Satterthwaite)",
            ModelKind::Logistic => "Logistic mixed model (Laplace), log odds ratios",
            ModelKind::Ordinal => "Cumulative-link mixed model (Laplace), log odds ratios",
        };
        let mut out = format!("{kind} of {} rows: ", model.rows);
        if let Some(found) = &model.f {
            out += &said(found, f_test);
        }
        if let Some(found) = &model.wald {
            out += &said(found, |w| {
                format!("Wald χ²({}) = {:.2}, p {}", w.df, w.chi_squared, p(w.p))
            });
        }
        let terms: Vec<String> = model
            .random
            .iter()
            .map(|term| format!("{} {}", term.name, number(term.sd)))
            .collect();
        if !terms.is_empty() {
            let _ = write!(out, "; SD of {}", terms.join(", "));
        }
        out += ".\n";
        for (pair, contrast) in self.pairs.iter().zip(&model.pairs) {
            let text = said(contrast, |c| {
                let df = c.df.map_or(String::new(), |df| format!("({df:.1})"));
                format!(
                    "{} (SE {}), {}{df} = {:.2}, p {}",
                    number(c.estimate),
                    number(c.standard_error),
                    if c.df.is_some() { "t" } else { "z" },
                    c.statistic,
                    p(c.p)
                )
            });
            let _ = writeln!(out, "  {} − {}: {text}", pair.first, pair.second);
        }
        out + &convergence(&model.convergence)
    }
}

fn convergence(found: &Convergence) -> String {
    let mut out = String::new();
    if !found.converged {
        out += "  The fit did NOT converge: do not report it.\n";
    }
    if found.separated {
        out += "  A condition has only one outcome: its odds, and their errors, mean nothing.\n";
    }
    if !found.singular.is_empty() {
        let _ = writeln!(
            out,
            "  Singular fit: no variance between levels of {}.",
            found.singular.join(", ")
        );
    }
    out
}

fn omnibus_text(omnibus: &Omnibus) -> String {
    let ranks = |name: &str, symbol: &str| {
        let text = said(&omnibus.ranks, |r| {
            format!(
                "χ²({}) = {:.2}, p {}, {symbol} = {:.2}",
                r.df,
                r.chi_squared,
                p(r.p),
                r.effect
            )
        });
        format!("{name}: {text}.\n")
    };
    match &omnibus.means {
        TestOfMeans::Repeated { anova } => {
            let text = said(anova, |a| {
                let mut text = f_test(&a.test);
                if let (Some(epsilon), Some(corrected)) = (a.epsilon, a.p_greenhouse_geisser) {
                    let _ = write!(
                        text,
                        "; Greenhouse–Geisser ε = {epsilon:.3}, p {}",
                        p(corrected)
                    );
                }
                text
            });
            format!("Repeated-measures analysis of variance: {text}.\n")
                + &ranks("Friedman", "Kendall's W")
        }
        TestOfMeans::OneWay { anova, welch } => {
            let one = said(anova, |a| f_test(&a.test));
            let other = said(welch, |w| {
                format!("F({}, {:.1}) = {:.2}, p {}", w.df1, w.df2, w.f, p(w.p))
            });
            format!("One-way analysis of variance: {one}.\nWelch's: {other}.\n")
                + &ranks("Kruskal–Wallis", "ε²")
        }
    }
}

fn f_test(test: &measures::statistics::anova::FTest) -> String {
    let eta = &test.partial_eta_squared;
    let df2 = if test.df2.fract().abs() < 1e-9 {
        format!("{:.0}", test.df2)
    } else {
        format!("{:.1}", test.df2)
    };
    format!(
        "F({}, {df2}) = {:.2}, p {}, partial η² = {:.2} (90 % {:.2} to {:.2}), partial ω² = {:.2}",
        test.df1,
        test.f,
        p(test.p),
        eta.value,
        eta.interval.low,
        eta.interval.high,
        test.partial_omega_squared.value
    )
}

fn pair_text(pair: &Pair) -> Vec<String> {
    let none = || "–".to_owned();
    let interval = |low: f64, high: f64| format!("{} to {}", number(low), number(high));
    let mut line = vec![pair.first.clone(), pair.second.clone()];
    let ranks = match &pair.tests {
        PairTests::Within { t, rank } => {
            match t {
                Found::Defined(t) => line.extend([
                    number(t.test.difference),
                    interval(t.test.interval.low, t.test.interval.high),
                    format!("t({}) = {:.2}", t.test.df, t.test.t),
                    pair.p.map_or_else(none, p),
                    pair.p_corrected.map_or_else(none, p),
                    format!("d_z {:.2}, d_av {:.2}", t.d_z.value, t.d_av.value),
                ]),
                Found::Undefined(why) => line.extend(undefined(pair, *why)),
            }
            said(rank, |r| format!("Wilcoxon p {}", p(r.p)))
        }
        PairTests::Between { t, welch, rank } => {
            match t {
                Found::Defined(t) => line.extend([
                    number(t.test.difference),
                    interval(t.test.interval.low, t.test.interval.high),
                    format!(
                        "t({}) = {:.2}{}",
                        t.test.df,
                        t.test.t,
                        welch.defined().map_or(String::new(), |w| format!(
                            "; Welch t({:.1}) = {:.2}, p {}",
                            w.test.df,
                            w.test.t,
                            p(w.test.p.two_sided)
                        ))
                    ),
                    pair.p.map_or_else(none, p),
                    pair.p_corrected.map_or_else(none, p),
                    format!("d {:.2}", t.d.value),
                ]),
                Found::Undefined(why) => line.extend(undefined(pair, *why)),
            }
            said(rank, |r| format!("Mann–Whitney p {}", p(r.p)))
        }
    };
    line.push(ranks);
    line
}

/// The cells of a pair without t.
fn undefined(pair: &Pair, why: Undefined) -> [String; 6] {
    let or_none = |value: Option<f64>| value.map_or("–".to_owned(), p);
    [
        "–".to_owned(),
        "–".to_owned(),
        format!("undefined: {why}"),
        or_none(pair.p),
        or_none(pair.p_corrected),
        "–".to_owned(),
    ]
}

fn said<T>(found: &Found<T>, say: impl Fn(&T) -> String) -> String {
    match found {
        Found::Defined(value) => say(value),
        Found::Undefined(why) => format!("undefined: {why}"),
    }
}

fn exploratory(planned: bool) -> &'static str {
    if planned { "" } else { " (exploratory)" }
}

fn left_out(reason: LeftOut) -> String {
    let rule = match reason {
        LeftOut::InclusionRules => return "the study's inclusion rules".to_owned(),
        LeftOut::OverQuota => return "over quota".to_owned(),
        LeftOut::Plan { rule } => rule,
    };
    match rule {
        Exclusion::Incomplete => "the session is not complete".to_owned(),
        Exclusion::Marked => "a wrong answer marked the session".to_owned(),
        Exclusion::Away { more_than_s } => format!("away for more than {more_than_s} s"),
        Exclusion::Solved { fewer_than } => format!("fewer than {fewer_than} questions solved"),
    }
}

fn test(test: PairTest, design: ConditionsVary) -> &'static str {
    match (test, design) {
        (PairTest::T, ConditionsVary::Within) => "paired t-tests",
        (PairTest::T, ConditionsVary::Between) => "independent t-tests (Student's)",
        (PairTest::Welch, _) => "independent t-tests (Welch's)",
        (PairTest::Rank, ConditionsVary::Within) => "Wilcoxon's signed-rank tests",
        (PairTest::Rank, ConditionsVary::Between) => "Mann and Whitney's tests",
        (PairTest::MixedModel, _) => "contrasts of mixed models",
    }
}

fn correction(correction: Correction) -> &'static str {
    match correction {
        Correction::None => "p-values are not corrected",
        Correction::Bonferroni => "corrected after Bonferroni",
        Correction::Holm => "corrected after Holm",
        Correction::Fdr => "corrected after Benjamini and Hochberg",
    }
}

fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}

/// A p-value after its sign.
fn p(value: f64) -> String {
    if value < 0.0001 {
        format!("= {value:.0e}")
    } else {
        format!("= {value:.4}")
    }
}

/// Three digits that mean something, and no fewer than there are before the point.
fn number(value: f64) -> String {
    let size = value.abs();
    let digits = if size >= 1000.0 || size == 0.0 {
        0
    } else if size >= 100.0 {
        1
    } else if size >= 0.1 {
        2
    } else {
        4
    };
    format!("{value:.digits$}")
}

/// Columns of equal width, a rule below the first line.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate() {
        let mut text = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            let _ = write!(text, "{cell:<width$}  ");
        }
        out += text.trim_end();
        out.push('\n');
        if index == 0 {
            out += &"─".repeat(widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1));
            out.push('\n');
        }
    }
    out
}
