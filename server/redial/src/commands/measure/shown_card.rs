//! How far a measure can be relied on: its card as a table, as CSV and as JSON.

use measures::reliability::{Card, ScoreCard};

use super::shown::{Format, bound, number};
use crate::output::{Align, aligned};

const COLUMNS: [&str; 9] = [
    "measure",
    "score",
    "value",
    "reseed_sd",
    "resample_sd",
    "floor_permuted",
    "floor_random",
    "mixing_correlation",
    "smallest_difference",
];

fn numbers(score: &ScoreCard) -> [Option<f64>; 7] {
    [
        score.value,
        score.reseed_sd,
        score.resample_sd,
        score.floor_permuted,
        score.floor_random,
        score.mixing_correlation,
        score.smallest_difference,
    ]
}

/// The card, as it was asked for.
///
/// # Errors
/// When memory is out; for a figure, which there is none of.
pub fn text(card: &Card, format: Format) -> anyhow::Result<String> {
    match format {
        Format::Table => Ok(table(card)),
        Format::Csv => csv(card),
        Format::Json => Ok(serde_json::to_string_pretty(card)? + "\n"),
        Format::Svg => anyhow::bail!("a card has no figure; take table, csv or json"),
    }
}

fn table(card: &Card) -> String {
    let mut lines = vec![
        [
            "",
            "value",
            "SD of seeds",
            "SD of halves",
            "permuted",
            "random",
            "mixing",
            "smallest",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for score in &card.scores {
        let cells = numbers(score).map(|it| it.map_or("–".to_owned(), |it| number(Some(it))));
        lines.push(
            std::iter::once(score.score.to_owned())
                .chain(cells)
                .collect(),
        );
    }
    let columns: Vec<Align> = std::iter::once(Align::Left)
        .chain([Align::Right; 7])
        .collect();
    format!(
        "Reliability of {} ({} rows, {} repeats)\n{}\nSD of seeds: on the same arrays. SD of halves: over random halves of the samples. Permuted: what is true is permuted over samples. Random: codes of the same spectrum. Mixing: rank correlation with how little of the true factors is mixed, 1 is right. Smallest: the smallest difference between two models that means anything. –: not defined, or of nothing that the measure reads.\n",
        card.measure,
        card.rows,
        card.repeats,
        aligned(&columns, &lines)
    )
}

fn csv(card: &Card) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for score in &card.scores {
        let cells = numbers(score).map(bound);
        let names = [card.measure.to_owned(), score.score.to_owned()];
        writer.write_record(names.into_iter().chain(cells))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
