//! The app: who is signed in, and the page of the address.

use api::research::Role;
use frontend::runtime::page;
use frontend::runtime::research_client;
use frontend::ui::parts::{Heading, Press, Remount};
use frontend::ui::presses;
use leptos::prelude::*;

use crate::area::{Area, Entrance};
use crate::entrance::{EntrancePage, SignInForm};
use crate::links::Link;
use crate::route::{Beside, OnQuestion, Part, Route};
use crate::text::text;

/// Makes the page of a route; nothing if the app has none there.
type Pages = Box<dyn Fn(Route) -> Option<AnyView>>;

/// Shows one of the two apps, with the pages that `open` makes.
pub fn begin(part: Part, open: impl FnOnce(Area) -> Pages + 'static) {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(move || {
        let area = Area::new(part);
        let pages = StoredValue::new_local(open(area));
        view! { <App area pages/> }
    });
}

/// The app.
#[component]
fn App(
    /// The state that the pages share.
    area: Area,
    /// Makes the pages.
    pages: StoredValue<Pages, LocalStorage>,
) -> impl IntoView {
    presses::listen();
    area.follow_history();
    area.ask_who();
    Effect::new(move |_| {
        let title = match area.entrance.get() {
            Entrance::Out => text().shell.title().to_owned(),
            Entrance::Unknown | Entrance::In(_) => area.route.with(Route::title),
        };
        document().set_title(&text().shell.document_title(title));
    });
    let shown = Signal::derive(move || {
        // A page that one person has opened is not another's to see.
        let door = match area.entrance.get() {
            Entrance::Unknown => Door::Unknown,
            Entrance::Out => Door::Closed,
            Entrance::In(me) => Door::Open(me.name),
        };
        (door, area.route.with(page_of))
    });
    let page = move |(door, _): (Door, Route)| match door {
        Door::Unknown => {
            view! { <p class="muted" data-screen="loading">{text().shell.loading()}</p> }.into_any()
        }
        Door::Closed => view! { <EntrancePage area/> }.into_any(),
        Door::Open(_) => {
            let route = area.route.get_untracked();
            let me = area.me_untracked();
            match me.and_then(|me| Some((route.refusal(&me)?, route.own_sessions(&me)))) {
                Some((words, own)) => {
                    view! { <NotAllowed area title=route.title() words own/> }.into_any()
                }
                None => pages.with_value(|pages| {
                    pages(route).unwrap_or_else(|| view! { <NoPage area/> }.into_any())
                }),
            }
        }
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

/// The message where no page is.
#[component]
fn NoPage(area: Area) -> impl IntoView {
    view! {
        <Heading words=text().shell.no_page()/>
        <p>{text().shell.no_page_why()}<Link area to=Route::Studies>{text().shell.to_studies()}</Link></p>
    }
}

/// The message where somebody may not open a page.
#[component]
fn NotAllowed(
    area: Area,
    title: String,
    words: String,
    /// The sessions of the study that they may see.
    own: Option<Route>,
) -> impl IntoView {
    let own = own.map(
        |to| view! { " "<Link area to testid="to-people">{text().shell.to_own_sessions()}</Link> },
    );
    view! {
        <div data-screen="not-allowed" class="area-page">
            <Heading words=title/>
            <p data-testid="not-allowed">{words}</p>
            <p><Link area to=Route::Studies>{text().shell.to_studies()}</Link>{own}</p>
        </div>
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
                <Link area to=Route::Audit here=at(|it| matches!(it, Route::Audit)) testid="to-audit">{text().shell.audit()}</Link>
            }
        });
        Some(view! {
            <nav class="area-nav" aria-label=text().shell.nav()>
                <Link area to=Route::Studies here=at(|it| matches!(it, Route::Studies)) testid="to-studies">{text().shell.studies()}</Link>
                {audit}
                <a href=page::address("/docs/tour.html") data-testid="to-docs" target="_blank">{text().shell.help()}</a>
                <Link area to=Route::Account here=at(|it| matches!(it, Route::Account)) testid="to-account">{me.name}</Link>
                <Press testid="sign-out" class="button quiet" on_press=sign_out>{text().shell.sign_out()}</Press>
            </nav>
        })
    };
    view! {
        <header class="area-header">
            <span class="area-brand">{text().shell.product()}</span>
            {signed_in}
        </header>
    }
}

/// The problem, the act that was done, and the way back in.
#[component]
fn Notices(area: Area) -> impl IntoView {
    let form = NodeRef::<leptos::html::Section>::new();
    form.on_load(|form| form.scroll_into_view());
    let again = move || {
        area.ended.get().then(|| {
            view! {
                <section class="card narrow" data-testid="signed-out" node_ref=form>
                    <p class="problem" role="alert">{text().shell.sign_in_ended()}</p>
                    <SignInForm area again=true/>
                </section>
            }
        })
    };
    let storage = research_client::storage();
    let trouble = move || {
        let words = match storage.get()?.as_str() {
            research_client::FULL => text().shell.disk_full(),
            _ => text().shell.disk_broken(),
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
