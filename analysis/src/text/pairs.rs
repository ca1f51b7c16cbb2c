//! Every two conditions of a comparison as text: the numbers of the test that counts, then what
//! other tests say.

use measures::statistics::t_test::TTest;

use super::{aligned, number, p};
use crate::numbers::{self, degrees, statistic};
use crate::report::{MetricComparison, Pair, PairTests, TestOfPair};

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
            "Effect",
            "Other tests",
        ];
        let mut lines = vec![heads.map(str::to_owned).to_vec()];
        lines.extend(self.pairs.iter().map(row));
        aligned(&lines)
    }
}

fn row(pair: &Pair) -> Vec<String> {
    let or_none = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let declared = &pair.declared;
    let result = declared.result.defined();
    let interval = result.and_then(|found| found.interval);
    let shown = declared.result.said(|found| {
        let df = found.df.map(|df| format!("({})", degrees(df)));
        format!(
            "{}{} = {}",
            declared.test.symbol(),
            df.unwrap_or_default(),
            statistic(found.statistic)
        )
    });
    vec![
        pair.first.clone(),
        pair.second.clone(),
        or_none(declared.estimate.defined().copied().map(number)),
        or_none(result.and_then(|found| found.standard_error).map(number)),
        or_none(interval.map(|i| numbers::interval(i.low, i.high))),
        shown,
        or_none(pair.p().map(p)),
        or_none(pair.p_corrected.map(p)),
        or_none(effect(pair)),
        others(pair),
    ]
}

/// Effect sizes that go with the test that counts.
fn effect(pair: &Pair) -> Option<String> {
    match (&pair.tests, pair.declared.test) {
        (PairTests::Within { t, .. }, TestOfPair::PairedT) => {
            let t = t.defined()?;
            Some(format!(
                "d_z {}, d_av {}",
                statistic(t.d_z.value),
                statistic(t.d_av.value)
            ))
        }
        (PairTests::Between { t, .. }, TestOfPair::StudentT | TestOfPair::WelchT) => {
            Some(format!("d {}", statistic(t.defined()?.d.value)))
        }
        (_, TestOfPair::LogisticMixedModel | TestOfPair::OrdinalMixedModel) => {
            let odds = pair.declared.estimate.defined()?.exp();
            Some(format!("odds ratio {}", number(odds)))
        }
        _ => None,
    }
}

/// What the tests that do not count say.
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
