//! Everybody on one question: all alignments over time in one plot, each a way to its moment in the replay.

use api::research::{ABANDONED, QuestionSeen, QuestionsSeen, ResultOf};
use api::routes;
use domain::task::Posed;
use frontend::ui::parts::Heading;
use leptos::prelude::*;

use crate::area::Area;
use crate::links::Link;
use crate::results::{Awaited, HowFar, Whose, path_of};
use crate::route::{OnQuestion, Route};
use crate::table_box::{Head, TableBox};
use crate::text::text;

mod everybody;
mod legend;
mod line;
mod rows;

use everybody::Everybody;

/// The column heads of the table of questions.
fn heads() -> [Head; 6] {
    let words = &text().questions;
    [
        (words.head_question(), false),
        (words.head_model(), false),
        (words.head_sessions(), true),
        (words.head_solved(), true),
        (words.head_not_solved(), true),
        (words.head_not_ended(), true),
    ]
}

/// The page.
#[component]
pub fn QuestionsPage(area: Area, study: String, of: ResultOf) -> impl IntoView {
    let path = path_of(&routes::research_questions(&study), of);
    let seen = Awaited::<QuestionsSeen>::new(area, Signal::stored(Some(path)));
    let on = Memo::new(move |before: Option<&OnQuestion>| match area.route.get() {
        Route::Questions { on, .. } => on,
        // The page is being left: nothing is asked for any more.
        _ => before.cloned().unwrap_or_default(),
    });
    let question = Memo::new(move |_| on.with(|on| on.question.clone()));
    let name = StoredValue::new(study.clone());
    let everybody = move || {
        let question = question.get()?;
        if !Posed::is_name(&question) {
            let words = text().questions.no_name(question);
            return Some(
                view! { <p class="note" data-testid="no-question">{words}</p> }.into_any(),
            );
        }
        let everybody =
            view! { <Everybody area study=name.get_value() question on seen=seen.found/> };
        Some(everybody.into_any())
    };
    let list = move || {
        let found = seen.found.get()?;
        Some(view! { <Listed area study=name.get_value() on found/> })
    };
    let to = |study, of| Route::Questions {
        study,
        on: OnQuestion {
            of,
            ..OnQuestion::default()
        },
    };
    view! {
        <div data-screen="questions" class="area-page">
            <p class="small"><Link area to=Route::Study(study.clone())>{name.get_value()}</Link></p>
            <Heading words=text().questions.heading()/>
            <Whose area shown=of to study/>
            {everybody}
            <section class="card">
                <h2>{text().questions.of_several()}</h2>
                <HowFar of=seen.status again=seen.again/>
                {list}
            </section>
        </div>
    }
}

/// The questions that several people were asked.
#[component]
fn Listed(area: Area, study: String, on: Memo<OnQuestion>, found: QuestionsSeen) -> impl IntoView {
    let problems = (!found.problems.is_empty()).then(|| {
        let items = found.problems.iter();
        let items = items.map(|it| view! { <li>{it.clone()}</li> });
        view! { <ul class="problem" data-testid="problems">{items.collect_view()}</ul> }
    });
    let summary = summary(&found);
    let rows = found.questions.into_iter();
    let rows = rows.map(|seen| view! { <Row area study=study.clone() on seen/> });
    let rows: Vec<_> = rows.collect();
    let table = (!rows.is_empty()).then(|| {
        view! { <TableBox label=text().questions.label() testid="questions" heads=heads()>{rows}</TableBox> }
    });
    view! {
        {problems}
        <p data-testid="questions-summary">{summary}</p>
        {table}
    }
}

#[component]
fn Row(area: Area, study: String, on: Memo<OnQuestion>, seen: QuestionSeen) -> impl IntoView {
    let words = name_of(&seen);
    let solved = seen.outcomes.get("solved").copied().unwrap_or(0);
    let open = seen.outcomes.get(ABANDONED).copied().unwrap_or(0);
    let times: u64 = seen.outcomes.values().sum();
    let others = times.saturating_sub(solved + open);
    let name = seen.question.clone();
    let here = {
        let name = name.clone();
        Signal::derive(move || on.with(|on| on.question.as_ref() == Some(&name)))
    };
    let to = Signal::derive(move || Route::Questions {
        study: study.clone(),
        on: OnQuestion {
            question: Some(name.clone()),
            ..on.get()
        },
    });
    view! {
        <tr data-question=seen.question>
            <th scope="row"><Link area to here testid="to-question">{words}</Link></th>
            <td>{seen.model}</td>
            <td class="area-number">{seen.sessions}</td>
            <td class="area-number">{solved}</td>
            <td class="area-number">{others}</td>
            <td class="area-number">{open}</td>
        </tr>
    }
}

/// The name of a question: its number, and its stages.
fn name_of(seen: &QuestionSeen) -> String {
    let (words, stages) = (&text().questions, seen.stages.join(", "));
    if seen.practice {
        words.practice_name(seen.number, stages)
    } else {
        words.name(seen.number, stages)
    }
}

fn summary(found: &QuestionsSeen) -> String {
    let words = &text().questions;
    let alone = match found.alone {
        0 => String::new(),
        1 => words.one_alone().to_owned(),
        some => words.alone(some),
    };
    let left_out = match found.no_data {
        0 => String::new(),
        some => words.left_out(some),
    };
    let shared = match found.questions.len() as u64 {
        0 => words.none_shared().to_owned(),
        some => words.shared(some, text().counted.sessions(found.sessions)),
    };
    format!("{shared}{alone}{left_out}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_why_there_is_nothing_to_compare() {
        let found = QuestionsSeen {
            questions: Vec::new(),
            alone: 12,
            sessions: 3,
            no_data: 2,
            problems: Vec::new(),
        };
        let words = summary(&found);
        assert!(words.contains("same_for_all"), "{words}");
        assert!(words.contains("12 further questions"), "{words}");
        assert!(words.ends_with("left out: 2."), "{words}");
    }
}
