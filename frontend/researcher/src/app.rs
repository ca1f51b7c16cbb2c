//! The app: who is signed in, and the page of the address.

use api::research::{Right, Role};
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::page;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press, Remount};
use frontend::ui::presses;
use leptos::prelude::*;

use crate::account::AccountPage;
use crate::analysis::AnalysisPage;
use crate::area::{Area, Entrance};
use crate::audit::AuditPage;
use crate::entrance::{EntrancePage, SignInForm};
use crate::exports::ExportsPage;
use crate::links::Link;
use crate::matching::MatchPage;
use crate::outbox::OutboxPage;
use crate::people::PeoplePage;
use crate::plan::PlanPage;
use crate::questions::QuestionsPage;
use crate::replay_page::ReplayPage;
use crate::route::{Beside, OnQuestion, Route};
use crate::side_by_side::BesidePage;
use crate::studies::StudiesPage;
use crate::study::StudyPage;
use crate::trust::TrustPage;

/// The app.
#[component]
pub fn App(
    /// Loads decoders.
    decoder_loader: DecoderLoader,
    /// Follows the live stream.
    follow_live: js_sys::Function,
) -> impl IntoView {
    let area = Area::new(decoder_loader, follow_live);
    presses::listen();
    area.follow_history();
    area.ask_who();
    // Nobody looks at it on other pages.
    area.live.follow(Signal::derive(move || {
        let study = area.route.with(|route| match route {
            Route::Study(study) => Some(study.clone()),
            _ => None,
        });
        let looks = study.is_some_and(|study| area.may(Right::Look, &study));
        area.me().filter(|_| looks).map(|me| me.name)
    }));
    Effect::new(move |_| {
        let title = match area.entrance.get() {
            Entrance::Out => "Researcher's area".to_owned(),
            Entrance::Unknown | Entrance::In(_) => area.route.with(Route::title),
        };
        document().set_title(&format!("{title} · Redial"));
    });
    let shown = Signal::derive(move || {
        // What one person has opened is not another's to see.
        let door = match area.entrance.get() {
            Entrance::Unknown => Door::Unknown,
            Entrance::Out => Door::Closed,
            Entrance::In(me) => Door::Open(me.name),
        };
        (door, area.route.with(page_of))
    });
    let page = move |(door, _): (Door, Route)| match door {
        Door::Unknown => view! { <p class="muted" data-screen="loading">"Loading…"</p> }.into_any(),
        Door::Closed => view! { <EntrancePage area/> }.into_any(),
        Door::Open(_) => page(area),
    };
    view! {
        <Header area/>
        <main class="area">
            <Notices area/>
            <Remount of=Memo::new(move |_| shown.get()).into() children=page/>
        </main>
    }
}

/// For whom the pages are open.
#[derive(Clone, PartialEq)]
enum Door {
    /// Nobody knows yet.
    Unknown,
    /// Nobody is signed in.
    Closed,
    /// Somebody is, by name.
    Open(String),
}

/// The page without what changes on it by its own doing: then it is not made anew.
fn page_of(route: &Route) -> Route {
    match route.clone() {
        Route::People { study, .. } => Route::People {
            study,
            query: api::research::SessionsQuery::default(),
        },
        Route::Replay { study, session, .. } => Route::Replay {
            study,
            session,
            at: None,
            list: None,
        },
        Route::Questions { study, on } => Route::Questions {
            study,
            on: OnQuestion {
                of: on.of,
                ..OnQuestion::default()
            },
        },
        Route::Beside { study, beside } => Route::Beside {
            study,
            beside: Beside {
                sessions: beside.sessions,
                ..Beside::default()
            },
        },
        other => other,
    }
}

fn page(area: Area) -> AnyView {
    match area.route.get_untracked() {
        Route::Studies => view! { <StudiesPage area/> }.into_any(),
        Route::Study(study) => view! { <StudyPage area study/> }.into_any(),
        Route::People { study, .. } => view! { <PeoplePage area study/> }.into_any(),
        Route::Replay {
            study,
            session,
            at,
            list,
        } => view! { <ReplayPage area study session at list/> }.into_any(),
        Route::Questions { study, on } => {
            view! { <QuestionsPage area study of=on.of/> }.into_any()
        }
        Route::Beside { study, beside } => view! { <BesidePage area study beside/> }.into_any(),
        Route::Decisions(study) => view! { <OutboxPage area study/> }.into_any(),
        Route::Match(study) => view! { <MatchPage area study/> }.into_any(),
        Route::Exports(study) => view! { <ExportsPage area study/> }.into_any(),
        Route::Analysis { study, of } => view! { <AnalysisPage area study of/> }.into_any(),
        Route::Trust { study, of } => view! { <TrustPage area study of/> }.into_any(),
        Route::Plan(study) => view! { <PlanPage area study/> }.into_any(),
        Route::Account => view! { <AccountPage area/> }.into_any(),
        Route::Audit => view! { <AuditPage area/> }.into_any(),
        Route::Unknown => view! {
            <Heading words="There is no such page"/>
            <p>"The address may have been typed wrongly. "<Link area to=Route::Studies>"To the studies"</Link></p>
        }
        .into_any(),
    }
}

#[component]
fn Header(area: Area) -> impl IntoView {
    let sign_out = Callback::new(move |()| area.leave());
    let at = move |wanted: fn(&Route) -> bool| Signal::derive(move || area.route.with(wanted));
    let runs_something = move || {
        let me = area.me();
        me.is_some_and(|me| me.admin || me.studies.iter().any(|it| it.role == Role::Owner))
    };
    let signed_in = move || {
        let me = area.me()?;
        let audit = runs_something().then(|| {
            view! {
                <Link area to=Route::Audit here=at(|it| matches!(it, Route::Audit)) testid="to-audit">"Audit log"</Link>
            }
        });
        Some(view! {
            <nav class="area-nav" aria-label="Pages">
                <Link area to=Route::Studies here=at(|it| matches!(it, Route::Studies)) testid="to-studies">"Studies"</Link>
                {audit}
                <a href=page::address("/docs/tour.html") data-testid="to-docs" target="_blank">"Help"</a>
                <Link area to=Route::Account here=at(|it| matches!(it, Route::Account)) testid="to-account">{me.name}</Link>
                <Press testid="sign-out" class="button quiet" on_press=sign_out>"Sign out"</Press>
            </nav>
        })
    };
    view! {
        <header class="area-header">
            <span class="area-brand">"Redial"</span>
            {signed_in}
        </header>
    }
}

/// What went wrong, what was done, and the way back in.
#[component]
fn Notices(area: Area) -> impl IntoView {
    let form = NodeRef::<leptos::html::Section>::new();
    form.on_load(|form| form.scroll_into_view());
    let again = move || {
        area.ended.get().then(|| {
            view! {
                <section class="card narrow" data-testid="signed-out" node_ref=form>
                    <p class="problem" role="alert">"Your sign-in has ended. What you typed on this page is still here; sign in again to go on."</p>
                    <SignInForm area again=true/>
                </section>
            }
        })
    };
    let storage = research_client::storage();
    let trouble = move || {
        let words = match storage.get()?.as_str() {
            research_client::FULL => {
                "The server's disk is full. Pages show what is there; nothing can be changed, and no answers of participants are stored until there is room. Tell the people who run the server."
            }
            _ => {
                "The server cannot store anything just now. Pages show what is there; nothing can be changed. Tell the people who run the server if this stays."
            }
        };
        Some(view! { <p class="problem">{words}</p> })
    };
    view! {
        <div class="area-trouble" role="status" data-testid="storage">{trouble}</div>
        // In view wherever on the page something was pressed.
        <div class="area-notices">
            <div role="alert" data-testid="problem">
                {move || area.problem.get().map(|words| view! { <p class="problem">{words}</p> })}
            </div>
            <div role="status" data-testid="done">
                {move || area.done.get().map(|words| view! { <p class="note">{words}</p> })}
            </div>
        </div>
        {again}
    }
}
