//! What was recorded of each question: shown to whoever wants to see it.

use domain::task::{Outcome, QuestionRecord, TaskMeasures};
use leptos::prelude::*;

use crate::text::text;

/// A table of the records, folded away.
#[component]
pub fn Records(
    /// The records, in order.
    records: Vec<QuestionRecord>,
) -> impl IntoView {
    let words = &text().complete;
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
                    <tbody>{records.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
}

/// One row; its attributes hold the numbers in full, for whoever checks them.
fn row(record: QuestionRecord) -> impl IntoView {
    let words = &text().complete;
    let right = record.is_right();
    let result = match record.outcome {
        Some(Outcome::Solved) => words.solved(),
        Some(Outcome::Skipped) => words.skipped(),
        Some(Outcome::Cut) => words.cut(),
        Some(Outcome::Answered) => match right {
            Some(true) => words.right(),
            Some(false) => words.wrong(),
            None => words.answered(),
        },
        Some(Outcome::Finished) => words.finished(),
        None => words.unfinished(),
    };
    let outcome = record.outcome.map_or("", Outcome::name);
    let slide_distance = record.measures.slide_distance();
    let error_auc = match &record.measures {
        TaskMeasures::Reconstruction(measures) => Some(measures.error_auc),
        _ => None,
    };
    let rounded = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
    };
    let stage = if record.practice {
        words.practice().to_owned()
    } else {
        record.stage_id.clone()
    };
    view! {
        <tr
            data-record=""
            data-stage=record.at.stage.to_string()
            data-question=record.at.question.to_string()
            data-outcome=outcome
            data-response-time-s=record.response_time_s.to_string()
            data-active-time-s=record.active_time_s.to_string()
            data-slide-distance=slide_distance.map(|value| value.to_string())
            data-error-auc=error_auc.map(|value| value.to_string())
        >
            <th scope="row">{stage}</th>
            <td>{(record.at.question + 1).to_string()}</td>
            <td>{result}</td>
            <td class="tabular">{format!("{:.1}", record.response_time_s)}</td>
            <td class="tabular">{format!("{:.1}", record.active_time_s)}</td>
            <td class="tabular">{rounded(slide_distance, 2)}</td>
            <td class="tabular">{rounded(error_auc, 1)}</td>
        </tr>
    }
}
