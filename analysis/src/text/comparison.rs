//! One comparison as text: the omnibus test, the pairs, and the model beside them.

use std::fmt::Write as _;

use domain::study::{ConditionsVary, Correction, PairTest};
use measures::statistics::Undefined;
use measures::statistics::mixed_model::Convergence;

use super::{aligned, exploratory, number, p, said};
use crate::found::Found;
use crate::model::{ModelKind, ModelOfQuestions};
use crate::report::{Comparison, Omnibus, Pair, PairTests, TestOfMeans};

impl Comparison {
    pub(super) fn to_text(&self) -> String {
        let mut out = format!(
            "\n## {}, {}{}\n\n",
            self.metric.label(),
            self.name,
            exploratory(self.planned)
        );
        out += &match (self.n, self.left_out) {
            (n, 0) => format!("n = {n}.\n"),
            (0, _) => "n = 0: nobody has every value.\n".to_owned(),
            (n, 1) => format!("n = {n}; 1 more lacks a value and is left out.\n"),
            (n, more) => format!("n = {n}; {more} more lack a value and are left out.\n"),
        };
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

pub(super) fn f_test(test: &measures::statistics::anova::FTest) -> String {
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

pub(crate) fn test(test: PairTest, design: ConditionsVary) -> &'static str {
    match (test, design) {
        (PairTest::T, ConditionsVary::Within) => "paired t-tests",
        (PairTest::T, ConditionsVary::Between) => "independent t-tests (Student's)",
        (PairTest::Welch, _) => "independent t-tests (Welch's)",
        (PairTest::Rank, ConditionsVary::Within) => "Wilcoxon's signed-rank tests",
        (PairTest::Rank, ConditionsVary::Between) => "Mann and Whitney's tests",
        (PairTest::MixedModel, _) => "contrasts of mixed models",
    }
}

pub(crate) fn correction(correction: Correction) -> &'static str {
    match correction {
        Correction::None => "p-values are not corrected",
        Correction::Bonferroni => "corrected after Bonferroni",
        Correction::Holm => "corrected after Holm",
        Correction::Fdr => "corrected after Benjamini and Hochberg",
    }
}
