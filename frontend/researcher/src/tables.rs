//! The app of all pages but the replays.

use api::research::Right;
use js_sys::Function;
use leptos::prelude::*;

use crate::account::AccountPage;
use crate::analysis::AnalysisPage;
use crate::app::begin;
use crate::area::Area;
use crate::audit::AuditPage;
use crate::exports::ExportsPage;
use crate::live::Live;
use crate::matching::MatchPage;
use crate::outbox::OutboxPage;
use crate::people::PeoplePage;
use crate::plan::PlanPage;
use crate::questions::QuestionsPage;
use crate::route::{Part, Route};
use crate::studies::StudiesPage;
use crate::study::StudyPage;
use crate::trust::TrustPage;

/// Shows the app; `follow_live` is `follow` of `static/research/live.js`.
pub fn tables(follow_live: Function) {
    begin(Part::Tables, move |area| {
        let live = Live::new(follow_live.clone());
        // Nobody looks at it on other pages.
        live.follow(Signal::derive(move || {
            let me = area.me()?;
            let looks = area.route.with(|route| match route {
                Route::Studies => me.studies.iter().any(|it| it.may(Right::Look, false)),
                Route::Study(study) => area.may(Right::Look, study),
                _ => false,
            });
            looks.then_some(me.name)
        }));
        Box::new(move |route| page(area, live, route))
    });
}

fn page(area: Area, live: Live, route: Route) -> Option<AnyView> {
    let page = match route {
        Route::Studies => view! { <StudiesPage area live/> }.into_any(),
        Route::Study(study) => view! { <StudyPage area live study/> }.into_any(),
        Route::People { study, .. } => view! { <PeoplePage area study/> }.into_any(),
        Route::Questions { study, on } => view! { <QuestionsPage area study of=on.of/> }.into_any(),
        Route::Decisions(study) => view! { <OutboxPage area study/> }.into_any(),
        Route::Match(study) => view! { <MatchPage area study/> }.into_any(),
        Route::Exports(study) => view! { <ExportsPage area study/> }.into_any(),
        Route::Analysis { study, of } => view! { <AnalysisPage area study of/> }.into_any(),
        Route::Trust { study, of } => view! { <TrustPage area study of/> }.into_any(),
        Route::Plan(study) => view! { <PlanPage area study/> }.into_any(),
        Route::Account => view! { <AccountPage area/> }.into_any(),
        Route::Audit => view! { <AuditPage area/> }.into_any(),
        Route::Replay { .. } | Route::Beside { .. } | Route::Unknown => return None,
    };
    Some(page)
}
