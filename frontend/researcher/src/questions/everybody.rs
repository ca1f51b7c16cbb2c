//! Everybody's alignment over time on the question that is chosen.

use std::sync::Arc;

use api::research::{AlignmentLine, QuestionLines, QuestionsSeen};
use api::routes;
use frontend::replay::chart::curves::{Curve, Curves, drawn};
use frontend::replay::clock::fine_clock;
use frontend::ui::parts::Press;
use leptos::prelude::*;

use super::legend::{OutcomeSwitches, name};
use super::line::{curve_of, outcome_of, outcome_words, sort};
use super::name_of;
use super::rows::Lines;
use crate::area::Area;
use crate::results::{Awaited, HowFar, Saved, path_with};
use crate::route::{OnQuestion, Route};
use crate::saving::save_picture;
use crate::text::text;

/// How high the plot is, in pixels.
const HEIGHT: f64 = 340.0;

/// The plot, and the same in words.
#[component]
pub fn Everybody(
    area: Area,
    study: String,
    question: String,
    on: Memo<OnQuestion>,
    seen: RwSignal<Option<QuestionsSeen>>,
) -> impl IntoView {
    let of = on.with_untracked(|on| on.of);
    let parameters = [("question", question.as_str()), ("of", of.name())];
    let path = path_with(&routes::research_question_lines(&study), &parameters);
    let awaited = Awaited::<QuestionLines>::new(area, Signal::stored(Some(path.clone())));
    let title = Memo::new(move |_| {
        let known = seen.with(|seen| {
            let mut all = seen.iter().flat_map(|it| &it.questions);
            all.find(|it| it.question == question)
                .map(|it| format!("{}, {}", name_of(it), it.model))
        });
        known.unwrap_or_else(|| text().questions.unknown(&question))
    });
    // Those that are shown, in the order of the list.
    let lines = Memo::new(move |_| {
        let without = on.with(|on| on.without.clone());
        let mut lines = awaited.found.with(|found| {
            let all = found.iter().flat_map(|it| &it.lines);
            let shown = all.filter(|it| !without.iter().any(|name_| name_ == name(outcome_of(it))));
            shown.cloned().collect::<Vec<AlignmentLine>>()
        });
        sort(&mut lines);
        Arc::new(lines)
    });
    let curves = Memo::new(move |_| {
        let curves: Vec<Curve> = lines.with(|lines| lines.iter().map(curve_of).collect());
        Arc::new(curves)
    });
    let length_ms = Signal::derive(move || {
        let ends = curves.with(|all| all.iter().filter_map(|it| Some(it.end()?.at_ms)).max());
        ends.unwrap_or(0)
    });
    let meant = RwSignal::new(None::<usize>);
    Effect::new(move |_| {
        lines.track();
        meant.set(None);
    });
    let study = StoredValue::new(study);
    let pick = Callback::new(move |(index, at_ms): (usize, u64)| {
        let line = lines.with_untracked(|lines| lines.get(index).cloned());
        if let Some(line) = line {
            let at_ms = line.started_at_ms + at_ms.min(line.lasted_ms);
            area.go(Route::replay(
                &study.get_value(),
                &line.session.0,
                Some(at_ms),
            ));
        }
    });
    let label = Signal::derive(move || {
        let count = lines.with(|lines| lines.len() as u64);
        text()
            .questions
            .plot_label(count, fine_clock(length_ms.get()))
    });
    let meant_words = move || {
        let index = meant.get()?;
        lines.with(|lines| Some(words_of(lines.get(index)?)))
    };
    let save_plot = Callback::new(move |()| {
        area.problem.set(None);
        let study = study.get_value();
        let caption =
            lines.with_untracked(|lines| text().questions.plot_caption(lines.len(), &study));
        let plot = curves.with_untracked(|curves| {
            drawn(
                curves,
                length_ms.get_untracked(),
                &title.get_untracked(),
                &caption,
            )
        });
        save_picture(area, format!("{study}-question.png"), plot);
    });
    let body = move || {
        awaited.found.with(Option::is_some).then(|| {
            let empty = awaited.found.with(|it| it.as_ref().is_some_and(|it| it.lines.is_empty()));
            if empty {
                let words = text().questions.nobody();
                return view! { <p class="muted" data-testid="nobody">{words}</p> }.into_any();
            }
            view! {
                <OutcomeSwitches area study=study.get_value() on found=awaited.found/>
                <Curves
                    curves=curves.into()
                    length_ms
                    height=HEIGHT
                    meant
                    on_pick=pick
                    label
                />
                <p class="small area-meant" aria-hidden="true" data-testid="meant">
                    {move || meant_words().unwrap_or_else(|| text().questions.plot_help().to_owned())}
                </p>
                <Lines area study=study.get_value() on lines meant/>
                <p class="actions">
                    <Press testid="save-plot" class="button quiet" on_press=save_plot>{text().questions.save_plot()}</Press>
                    <Saved file=format!("{}-question.json", study.get_value()) path=path.clone() read_at=awaited.read_at()/>
                </p>
            }
            .into_any()
        })
    };
    view! {
        <section class="card" data-testid="everybody">
            <h2>{move || title.get()}</h2>
            <HowFar of=awaited.status again=awaited.again/>
            {body}
        </section>
    }
}

/// Whose line it is, and how it ended.
fn words_of(line: &AlignmentLine) -> String {
    let outcome = outcome_words(outcome_of(line)).to_lowercase();
    let lasted = fine_clock(line.lasted_ms);
    text().questions.line(line.ordinal, outcome, lasted)
}
