//! One comparison as text: the omnibus test, the pairs, and the model beside them.

use std::fmt::Write as _;

use domain::study::{ConditionsVary, Correction, PairTest};
use measures::statistics::mixed_model::{FixedEffect, WaldTest};

use super::{exploratory, number, p};
use crate::computed::{Computed, undefined};
use crate::model::{ModelKind, ModelOfQuestions};
use crate::numbers::{degrees, given, interval, statistic};
use crate::report::{MetricComparison, Omnibus, Pair, PairTests, TestOfMeans};

impl MetricComparison {
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
        out += &self.pairs_text();
        out += &self.contrasts_text();
        for pair in &self.pairs {
            if let Some(found) = &pair.equivalence {
                let text = found.said(|e| {
                    format!(
                        "p {} for a difference between {} and {}; difference {} (SE {}, df {}), 90 % interval {}",
                        p(e.p),
                        given(e.bounds.low),
                        given(e.bounds.high),
                        number(e.difference),
                        number(e.standard_error),
                        degrees(e.df),
                        interval(e.interval.low, e.interval.high)
                    )
                });
                let design = match pair.tests {
                    PairTests::Within { .. } => ConditionsVary::Within,
                    PairTests::Between { .. } => ConditionsVary::Between,
                };
                let _ = writeln!(
                    out,
                    "Equivalence of {} and {}, {}: {text}.",
                    pair.first,
                    pair.second,
                    equivalence(design)
                );
            }
        }
        if let Some(model) = &self.model {
            out += &match model {
                Computed::Undefined(why) => format!("Mixed model: {}.\n", undefined(*why)),
                Computed::Defined(found) => self.model_text(found),
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
        if let Some(found) = &model.tests.conditions.f {
            out += &found.said(f_test);
        }
        if let Some(found) = &model.tests.conditions.wald {
            out += &found.said(wald);
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
        // Where they count, the rows show them.
        let tested_apart = |pair: &Pair| !pair.declared.test.is_model();
        for (pair, contrast) in self.pairs.iter().zip(&model.tests.pairs) {
            if tested_apart(pair) {
                let text = contrast.said(contrast_text);
                let _ = writeln!(out, "  {} − {}: {text}", pair.first, pair.second);
            }
        }
        for adjusted in &model.tests.adjusted {
            let f = adjusted.test.f.iter().map(|found| found.said(f_test));
            let tests = f.chain(adjusted.test.wald.iter().map(|found| found.said(wald)));
            let effects = adjusted.effects.iter().map(|it| it.said(contrast_text));
            let all: Vec<String> = tests.chain(effects).collect();
            let _ = writeln!(out, "  Adjusted for {}: {}.", adjusted.name, all.join("; "));
        }
        if let Some(words) = model.singular_words() {
            let _ = writeln!(out, "  A {words}.");
        }
        out
    }
}

fn wald(test: &WaldTest) -> String {
    format!(
        "Wald χ²({}) = {}, p {}",
        test.df,
        statistic(test.chi_squared),
        p(test.p)
    )
}

fn contrast_text(effect: &FixedEffect) -> String {
    let df = effect
        .df
        .map_or(String::new(), |df| format!("({})", degrees(df)));
    format!(
        "{} (SE {}), {}{df} = {}, p {}",
        number(effect.estimate),
        number(effect.standard_error),
        if effect.df.is_some() { "t" } else { "z" },
        statistic(effect.statistic),
        p(effect.p)
    )
}

fn omnibus_text(omnibus: &Omnibus) -> String {
    let ranks = |name: &str, symbol: &str| {
        let text = omnibus.ranks.said(|r| {
            format!(
                "χ²({}) = {}, p {}, {symbol} = {}",
                r.df,
                statistic(r.chi_squared),
                p(r.p),
                statistic(r.effect)
            )
        });
        format!("{name}: {text}.\n")
    };
    match &omnibus.means {
        TestOfMeans::Repeated { anova } => {
            let text = anova.said(|a| {
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
            let one = anova.said(|a| f_test(&a.test));
            let other = welch.said(|w| {
                format!(
                    "F({}, {}) = {}, p {}",
                    w.df1,
                    degrees(w.df2),
                    statistic(w.f),
                    p(w.p)
                )
            });
            format!("One-way analysis of variance: {one}.\nWelch's: {other}.\n")
                + &ranks("Kruskal–Wallis", "ε²")
        }
    }
}

pub(super) fn f_test(test: &measures::statistics::anova::FTest) -> String {
    let eta = &test.partial_eta_squared;
    format!(
        "F({}, {}) = {}, p {}, partial η² = {} (90 % {}), partial ω² = {}",
        test.df1,
        degrees(test.df2),
        statistic(test.f),
        p(test.p),
        statistic(eta.value),
        shares(eta.interval.low, eta.interval.high),
        statistic(test.partial_omega_squared.value)
    )
}

/// An interval of a share, with the digits of the share before it.
fn shares(low: f64, high: f64) -> String {
    format!("{} to {}", statistic(low), statistic(high))
}

/// The test of equivalence, which is one of means whatever test counts.
pub(crate) fn equivalence(design: ConditionsVary) -> &'static str {
    match design {
        ConditionsVary::Within => "two one-sided paired t-tests",
        ConditionsVary::Between => "two one-sided Welch's t-tests",
    }
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

/// How declared tests of names are corrected, after "are".
pub(crate) fn correction_of_names(method: Correction) -> String {
    match method {
        Correction::None => "not corrected".to_owned(),
        _ => format!("{}, apart from those of metrics", correction(method)),
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
