//! The session's questions in a table: how each went, with the worst first if one likes. Each leads to its beginning.

use std::cmp::Ordering;

use domain::lanes::LaneQuestion;
use domain::session::plan::SessionPlan;
use frontend::replay::clock::length;
use frontend::replay::view::SharedReplay;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::viewer::Viewer;
use crate::table_box::TableBox;
use crate::text::text;
use crate::words::percent;

/// A question that has begun.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    name: String,
    model: String,
    outcome: &'static str,
    /// How long it was on screen so far, in milliseconds.
    lasted_ms: u64,
    /// The alignment at its end, or now, in [0, 1]; none for a task without a target.
    alignment: Option<f64>,
    from_ms: u64,
}

impl Row {
    fn of(question: &LaneQuestion, plan: &SessionPlan, end_ms: u64) -> Self {
        let stage = plan.stages.get(question.at.stage);
        let of = stage.map_or("", |stage| &stage.id);
        let words = &text().replay;
        let until_ms = question
            .ended
            .map_or_else(|| question.until_ms(end_ms), |(at_ms, _)| at_ms);
        Self {
            name: if question.practice {
                words.practice_question_in(of, question.number)
            } else {
                words.question_in(of, question.number)
            },
            model: stage.map_or_else(String::new, |stage| stage.task.subject(None).to_owned()),
            outcome: question
                .ended
                .map_or(words.not_ended(), |(_, outcome)| outcome.name()),
            lasted_ms: until_ms.saturating_sub(question.from_ms),
            alignment: question.error.alignment_at(until_ms),
            from_ms: question.from_ms,
        }
    }

    /// The least aligned first; those without a target last.
    fn worse(&self, other: &Self) -> Ordering {
        let share = |row: &Self| row.alignment.unwrap_or(f64::INFINITY);
        share(self).total_cmp(&share(other))
    }
}

/// The questions that have begun by the end of the log that is here.
#[component]
pub fn Questions(
    /// The page.
    viewer: Viewer,
    /// The session.
    replay: SharedReplay,
    /// The session's plan.
    plan: StoredValue<SessionPlan, LocalStorage>,
) -> impl IntoView {
    let shown = replay.with_value(|replay| replay.shown);
    let worst_first = RwSignal::new(false);
    let found = Memo::new(move |_| {
        shown.taken.track();
        let end_ms = viewer.end_ms.get();
        let mut rows: Vec<Row> = plan.with_value(|plan| {
            replay.with_value(|replay| {
                replay.with_lanes(|lanes| {
                    let questions = lanes.questions().iter();
                    questions.map(|it| Row::of(it, plan, end_ms)).collect()
                })
            })
        });
        if worst_first.get() {
            rows.sort_by(Row::worse);
        }
        rows
    });
    let order = Callback::new(move |()| worst_first.update(|it| *it = !*it));
    let order_words = move || {
        if worst_first.get() {
            text().replay.session_order()
        } else {
            text().replay.worst_first()
        }
    };
    let row = move |row: Row| {
        let at_ms = row.from_ms;
        let alignment = row.alignment;
        let alignment = alignment.map_or_else(|| "–".to_owned(), percent);
        view! {
            <tr>
                <td><button type="button" class="area-jump" on:click=move |_| viewer.seek(at_ms)>{row.name}</button></td>
                <td>{row.model}</td>
                <td>{row.outcome}</td>
                <td class="area-number">{length(row.lasted_ms)}</td>
                <td class="area-number">{alignment}</td>
            </tr>
        }
    };
    let words = &text().replay;
    let heads = [
        (words.head_question(), false),
        (words.head_model(), false),
        (words.head_outcome(), false),
        (words.head_time(), true),
        (words.head_alignment(), true),
    ];
    view! {
        <section class="area-questions">
            <h2>{text().replay.questions()}</h2>
            <Press testid="questions-order" class="button quiet" on_press=order>{order_words}</Press>
            <TableBox label=text().replay.questions_label() testid="questions" heads>
                {move || found.get().into_iter().map(row).collect_view()}
            </TableBox>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_aligned_comes_first_and_what_has_no_target_last() {
        let row = |alignment| Row {
            name: String::new(),
            model: String::new(),
            outcome: "solved",
            lasted_ms: 0,
            alignment,
            from_ms: 0,
        };
        let mut rows = [
            row(None),
            row(Some(0.9)),
            row(Some(0.2)),
            row(Some(f64::NAN)),
        ];
        rows.sort_by(Row::worse);
        let order: Vec<Option<f64>> = rows.iter().map(|row| row.alignment).collect();
        assert_eq!(order[..2], [Some(0.2), Some(0.9)]);
        assert_eq!(order[2], None);
    }
}
