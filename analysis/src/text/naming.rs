//! The names that people gave to concepts, as text.

use std::fmt::Write as _;

use super::{aligned, exploratory};
use crate::computed::Computed;
use crate::details::{NamingDifference, NamingResults, NamingRow, NamingScore};
use crate::numbers::{interval, number, p_after_sign as p, statistic};
use crate::report::Sample;

impl Sample {
    /// A section for each vocabulary; nothing where no concept was named.
    pub(super) fn naming_text(&self) -> String {
        self.naming.iter().map(section).collect()
    }
}

fn section(found: &NamingResults) -> String {
    let declares = found.differences.iter().any(|it| it.planned);
    let mut out = format!(
        "\n## Names of concepts, vocabulary “{}”{}\n\n",
        found.vocabulary,
        exploratory(declares)
    );
    let heads = ["Bundle", "Kind", "People", "CDR", "CC", "MIC"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    lines.extend(found.bundles.iter().map(line));
    out += &aligned(&lines);
    for row in &found.bundles {
        for agreement in &row.agreement {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(
                out,
                "Agreement on {} of {}: Krippendorff's α {}{}.",
                agreement.group,
                row.bundle,
                agreement.alpha.said(|alpha| number(*alpha)),
                ends(agreement.interval.as_ref())
            );
        }
    }
    for test in &found.omnibus {
        let said = test.ranks.said(|it| {
            format!(
                "H({}) = {}, p {}",
                it.df,
                statistic(it.chi_squared),
                p(it.p)
            )
        });
        let _ = writeln!(
            out,
            "{} of all bundles, Kruskal and Wallis's test over concepts{}: {said}.",
            test.measure.label(),
            exploratory(!declares)
        );
    }
    for difference in &found.differences {
        // Where nothing is declared, the heading says so.
        out += &difference_text(difference, exploratory(difference.planned || !declares));
    }
    out
}

fn line(row: &NamingRow) -> Vec<String> {
    let mut cells = vec![
        row.bundle.clone(),
        row.kind.name().to_owned(),
        row.people.to_string(),
    ];
    cells.extend(row.scores.iter().map(score));
    cells
}

fn score(score: &NamingScore) -> String {
    let Some(mean) = score.mean else {
        return "undefined".to_owned();
    };
    let sd = score.sd.map(|sd| format!(" (SD {})", number(sd)));
    let sd = sd.unwrap_or_default();
    format!("{}{sd}{}", number(mean), ends(score.interval.as_ref()))
}

fn ends(found: Option<&Computed<measures::statistics::Interval>>) -> String {
    let found = found.and_then(Computed::defined);
    found.map_or_else(String::new, |it| format!(" {}", interval(it.low, it.high)))
}

fn difference_text(found: &NamingDifference, exploratory: &str) -> String {
    let [first, second] = &found.bundles;
    let Some(difference) = found.difference else {
        return String::new();
    };
    let ranks = found
        .ranks
        .as_ref()
        .map(|ranks| ranks.said(|it| format!("U = {}, p {}", statistic(it.u), p(it.p))));
    let corrected = found
        .p_corrected
        .map(|it| format!(", corrected p {}", p(it)));
    let ranks = ranks.map(|said| format!("; Mann and Whitney's test over concepts {said}"));
    format!(
        "{}, {first} minus {second}{exploratory}: {}{}{}{}.\n",
        found.measure.label(),
        number(difference),
        ends(found.interval.as_ref()),
        ranks.unwrap_or_default(),
        corrected.unwrap_or_default()
    )
}
