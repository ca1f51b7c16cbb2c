//! Every two conditions of a comparison as text: the numbers of the test that counts, then what
//! other tests say.

use measures::statistics::t_test::TTest;

use super::{aligned, number, p};
use crate::numbers::{self, degrees, statistic};
use crate::report::{
    Contrast, DeclaredTest, EffectMeasure, MetricComparison, Pair, PairTests, StandardisedEffect,
    TestOfPair,
};

impl MetricComparison {
    /// The rows of all pairs.
    pub(super) fn pairs_text(&self) -> String {
        let Some(first) = self.pairs.first() else {
            return String::new();
        };
        let heads = [
            "First",
            "Second",
            first.declared.test.estimates(),
            "SE",
            "95 % interval",
            first.declared.test.name(),
            "p",
            "corrected",
            "Effect size (95 %)",
            "Other tests",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        lines.extend(self.pairs.iter().map(row));
        aligned(&lines)
    }
}

fn or_none(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

fn row(pair: &Pair) -> Vec<String> {
    let mut row = vec![pair.first.clone(), pair.second.clone()];
    row.extend(numbers_of(&pair.declared, pair.p_corrected));
    row.extend([or_none(effect(pair)), others(pair)]);
    row
}

/// The numbers of the test that counts.
fn numbers_of(declared: &DeclaredTest, p_corrected: Option<f64>) -> [String; 6] {
    let result = declared.result.defined();
    let interval = result.map(|found| found.interval);
    let shown = declared.result.said(|found| {
        let df = found.df.map(|df| format!("({})", degrees(df)));
        format!(
            "{}{} = {}",
            declared.test.symbol(),
            df.unwrap_or_default(),
            statistic(found.statistic)
        )
    });
    [
        or_none(declared.estimate.defined().copied().map(number)),
        or_none(result.and_then(|found| found.standard_error).map(number)),
        or_none(interval.map(|i| numbers::interval(i.low, i.high))),
        shown,
        or_none(result.map(|found| p(found.p))),
        or_none(p_corrected.map(p)),
    ]
}

impl MetricComparison {
    /// The rows of the plan's contrasts.
    pub(super) fn contrasts_text(&self) -> String {
        let Some(first) = self.contrasts.first() else {
            return String::new();
        };
        let heads = [
            "Contrast",
            "Weights",
            first.declared.test.estimates(),
            "SE",
            "95 % interval",
            first.declared.test.name(),
            "p",
            "corrected",
            "Effect size (95 %)",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        lines.extend(self.contrasts.iter().map(|contrast| {
            let mut row = vec![contrast.name.clone(), self.weights_words(contrast)];
            row.extend(numbers_of(&contrast.declared, contrast.p_corrected));
            let result = contrast.declared.result.defined();
            row.push(or_none(
                result.and_then(|found| Some(effect_text(&found.effect?))),
            ));
            row
        }));
        aligned(&lines)
    }

    /// The weights of a contrast as a sum: `gt − 0.5 ae − 0.5 vae`.
    pub(crate) fn weights_words(&self, contrast: &Contrast) -> String {
        let terms = self.conditions.iter().zip(&contrast.weights);
        let mut out = String::new();
        for (row, weight) in terms.filter(|(_, weight)| **weight != 0.0) {
            out += match (out.is_empty(), *weight < 0.0) {
                (true, true) => "−",
                (true, false) => "",
                (false, true) => " − ",
                (false, false) => " + ",
            };
            if weight.abs() != 1.0 {
                out += &format!("{} ", numbers::given(weight.abs()));
            }
            out += &row.condition;
        }
        out
    }
}

/// The effect size of the test that counts; behind it, of a paired t-test, those that are not corrected.
fn effect(pair: &Pair) -> Option<String> {
    let found = pair.declared.result.defined()?;
    let of_t = match (&pair.tests, pair.declared.test) {
        (PairTests::Within { t, .. }, TestOfPair::PairedT) => t.defined().map(|t| {
            let (z, av) = (statistic(t.d_z.value), statistic(t.d_av.value));
            format!("d_z {z}, d_av {av}")
        }),
        (PairTests::Between { t, .. }, TestOfPair::StudentT) => {
            t.defined().map(|t| format!("d {}", statistic(t.d.value)))
        }
        _ => None,
    };
    let all: Vec<String> = found.effect.iter().map(effect_text).chain(of_t).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// An effect size with its interval: `g_z 0.52 (0.10 to 0.93)`.
fn effect_text(effect: &StandardisedEffect) -> String {
    // Odds ratios have no size that is usual.
    let ratio = effect.measure == EffectMeasure::OddsRatio;
    let said = |value| {
        if ratio {
            number(value)
        } else {
            statistic(value)
        }
    };
    let (value, low, high) = (
        said(effect.size.value),
        said(effect.size.interval.low),
        said(effect.size.interval.high),
    );
    format!("{} {value} ({low} to {high})", effect.measure.symbol())
}

/// The results of the tests that do not count, in words.
fn others(pair: &Pair) -> String {
    let all = match &pair.tests {
        PairTests::Within { t, rank } => vec![
            (
                TestOfPair::PairedT,
                format!("paired {}", t.said(|t| of_t(&t.test))),
            ),
            (
                TestOfPair::Wilcoxon,
                format!("Wilcoxon {}", rank.said(|r| format!("p {}", p(r.p)))),
            ),
        ],
        PairTests::Between { t, welch, rank } => vec![
            (
                TestOfPair::StudentT,
                format!("Student {}", t.said(|t| of_t(&t.test))),
            ),
            (
                TestOfPair::WelchT,
                format!("Welch {}", welch.said(|t| of_t(&t.test))),
            ),
            (
                TestOfPair::MannWhitney,
                format!("Mann–Whitney {}", rank.said(|r| format!("p {}", p(r.p)))),
            ),
        ],
    };
    let others = all
        .into_iter()
        .filter(|(test, _)| *test != pair.declared.test);
    others.map(|(_, text)| text).collect::<Vec<_>>().join("; ")
}

fn of_t(test: &TTest) -> String {
    format!(
        "t({}) = {}, p {}",
        degrees(test.df),
        statistic(test.t),
        p(test.p.two_sided)
    )
}
