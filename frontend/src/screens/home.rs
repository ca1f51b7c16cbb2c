//! The list of studies: what a researcher sees first.

use api::StudyInfo;
use domain::session::flow::Span;
use leptos::prelude::*;

use crate::runtime::page;
use crate::text::text;
use crate::ui::parts::Heading;

/// What Redial is, and the studies of this server.
#[component]
pub fn HomeScreen(
    /// The studies.
    mut studies: Vec<StudyInfo>,
) -> impl IntoView {
    let words = &text().home;
    // The shortest first: whoever looks around begins with it.
    let minutes = |study: &StudyInfo| study.consent.as_ref().map(|it| it.duration_minutes);
    studies.sort_by_key(|study| minutes(study).unwrap_or(u32::MAX));
    let list = if studies.is_empty() {
        view! { <p class="card muted">{words.empty()}</p> }.into_any()
    } else {
        let cards = studies
            .into_iter()
            .map(|study| view! { <StudyCard study/> });
        view! { <ul class="cards" role="list">{cards.collect_view()}</ul> }.into_any()
    };
    view! {
        <div class="screen wide" data-screen="home">
            <div class="hero">
                <Heading words=words.heading()/>
                <p class="lead">{words.lead()}</p>
            </div>
            <h2>{words.studies()}</h2>
            {list}
        </div>
    }
}

#[component]
fn StudyCard(study: StudyInfo) -> impl IntoView {
    let words = &text().home;
    let minutes = study
        .consent
        .as_ref()
        .map(|consent| consent.duration_minutes);
    let facts = [
        Some(match study.stages {
            Span { least, most } if least == most => words.stages(most),
            Span { least, most } => words.stages_range(least, most),
        }),
        Some(match study.questions {
            Span { least, most } if least == most => words.questions(most),
            Span { least, most } => words.questions_range(least, most),
        }),
        minutes.map(|minutes| words.minutes(minutes)),
    ];
    let heading_id = format!("study-{}", study.id);
    view! {
        <li class="card study-card">
            <h3 id=heading_id.clone()>{study.title}</h3>
            {study.summary.map(|summary| view! { <p>{summary}</p> })}
            <ul class="facts" role="list">
                {facts.into_iter().flatten().map(|fact| view! { <li>{fact}</li> }).collect_view()}
            </ul>
            <a
                class="button card-link"
                href=page::address(&format!("/study/{}", study.id))
                data-testid=format!("study-link-{}", study.id)
                aria-describedby=heading_id
            >
                {words.open()}
            </a>
        </li>
    }
}
