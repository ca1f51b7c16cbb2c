//! The records of the questions, in short and in a table.

use domain::task::Outcome;
use leptos::prelude::*;

use crate::state::ending::ShownRecord;
use crate::text::text;

/// A table of the records, folded away.
#[component]
pub fn Records(
    /// The records, in order.
    records: Vec<ShownRecord>,
) -> impl IntoView {
    let words = &text().complete;
    let rows: Vec<_> = records.into_iter().map(row).collect();
    let headings = [
        words.stage(),
        words.question(),
        words.result(),
        words.response_time(),
        words.active_time(),
        words.slide_distance(),
        words.error_auc(),
    ];
    view! {
        <details class="records">
            <summary>{words.records()}</summary>
            <p class="muted small">{words.records_note()}</p>
            // Wider than a phone: it scrolls by itself, also with the keyboard.
            <div class="table-scroll" tabindex="0" role="region" aria-label=words.records()>
                <table>
                    <thead>
                        <tr>{headings.map(|heading| view! { <th scope="col">{heading}</th> }).collect_view()}</tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </details>
    }
}

/// Time on the questions and how many were solved, in two sentences at most.
#[component]
pub fn Summary(
    /// The records, in order.
    records: Vec<ShownRecord>,
) -> impl IntoView {
    let words = &text().complete;
    let worked_s: f64 = records
        .iter()
        .map(|record| (record.response_time_s - record.away_s).max(0.0))
        .sum();
    let minutes = (worked_s / 60.0).round() as usize;
    let time = match minutes {
        0 => words.worked_seconds().to_owned(),
        minutes => words.worked_minutes(minutes),
    };
    let known: Vec<bool> = records
        .iter()
        .filter(|record| record.stage_number.is_some())
        .filter_map(|record| record.right)
        .collect();
    let right = known.iter().filter(|right| **right).count();
    let solved = (!known.is_empty()).then(|| words.solved_of(right, known.len()));
    (!records.is_empty()).then(|| {
        view! { <p class="summary" data-testid="summary">{time}" "{solved}</p> }
    })
}

/// One row; its attributes hold the numbers in full, for whoever checks them.
fn row(record: ShownRecord) -> impl IntoView {
    let words = &text().complete;
    let result = match record.outcome {
        Some(Outcome::Solved) => words.solved(),
        Some(Outcome::Skipped) => words.skipped(),
        Some(Outcome::Missed) => words.missed(),
        Some(Outcome::Cut) => words.cut(),
        Some(Outcome::Answered) => match record.right {
            Some(true) => words.right(),
            Some(false) => words.wrong(),
            None => words.answered(),
        },
        Some(Outcome::Finished) => words.finished(),
        None => words.unfinished(),
    };
    let outcome = record.outcome.map_or("", Outcome::name);
    let rounded = |value: Option<f64>, digits: usize| {
        value.map_or_else(
            || "–".to_owned(),
            |value| text().number(format_args!("{value:.digits$}")),
        )
    };
    let stage = match record.stage_number {
        Some(number) => number.to_string(),
        None => words.practice().to_owned(),
    };
    view! {
        <tr
            data-record=""
            data-stage=record.at.stage.to_string()
            data-question=record.at.question.to_string()
            data-outcome=outcome
            data-response-time-s=record.response_time_s.to_string()
            data-active-time-s=record.active_time_s.to_string()
            data-slide-distance=record.slide_distance.map(|value| value.to_string())
            data-error-auc=record.error_auc.map(|value| value.to_string())
        >
            <th scope="row">{stage}</th>
            <td>{record.question_number.to_string()}</td>
            <td>{result}</td>
            <td class="tabular">{rounded(Some(record.response_time_s), 1)}</td>
            <td class="tabular">{rounded(Some(record.active_time_s), 1)}</td>
            <td class="tabular">{rounded(record.slide_distance, 2)}</td>
            <td class="tabular">{rounded(record.error_auc, 1)}</td>
        </tr>
    }
}
