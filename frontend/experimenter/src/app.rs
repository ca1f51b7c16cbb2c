//! The app: the key, the sessions, and the one that is followed.

use std::rc::Rc;
use std::time::Duration;

use api::ErrorCode;
use api::lab::{ExperimenterAct, LabSession, LabStudies};
use domain::event::SessionId;
use frontend::runtime::client::ClientError;
use frontend::runtime::decoders::Decoders;
use frontend::runtime::engine::Engine;
use frontend::runtime::lab_client::LabClient;
use frontend::runtime::language;
use frontend::runtime::retry::Retry;
use frontend::state::AppState;
use frontend::ui::parts::Remount;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::controls::Controls;
use crate::followed::Followed;
use crate::key;
use crate::list::SessionList;
use crate::mirror::Mirror;

/// How often the list of sessions is looked at.
const LIST_EVERY_MS: u32 = 2_000;

/// How often what is decoded in the background goes on.
const TICK: Duration = Duration::from_millis(100);

/// The session that is followed, with what the list says of it.
#[derive(Clone)]
pub struct Current {
    /// As the list has it.
    pub session: LabSession,
    /// Title of its study.
    pub title: String,
    /// What a moment can be marked as.
    pub marks: Vec<String>,
    /// Its log as it comes.
    pub followed: Rc<Followed>,
}

/// What the parts of the page share. One for its whole life, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct Context {
    /// The way to the server; none before there is a key.
    client: RwSignal<Option<LabClient>>,
    /// The studies and their sessions, once they are known.
    pub studies: RwSignal<Option<LabStudies>>,
    /// What is wrong, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// Which session is followed; counts up whenever it is another one.
    pub serial: RwSignal<u64>,
    /// The code of the participant who is waited for.
    pub awaited: RwSignal<Option<String>>,
    current: StoredValue<Option<Current>, LocalStorage>,
    decoders: StoredValue<Rc<Decoders>, LocalStorage>,
    language: AppState,
}

impl Context {
    fn new(engine: Engine) -> Self {
        Self {
            client: RwSignal::new(key::found().as_deref().map(LabClient::new)),
            studies: RwSignal::new(None),
            problem: RwSignal::new(None),
            serial: RwSignal::new(0),
            awaited: RwSignal::new(None),
            current: StoredValue::new_local(None),
            decoders: StoredValue::new_local(Decoders::new(engine)),
            language: AppState::default(),
        }
    }

    /// The session that is followed.
    #[must_use]
    pub fn current(&self) -> Option<Current> {
        self.current.with_value(Clone::clone)
    }

    fn set_current(&self, current: Option<Current>) {
        self.current.set_value(current);
        self.serial.update(|serial| *serial += 1);
    }

    /// Back to the list.
    pub fn leave(&self) {
        self.set_current(None);
    }

    /// Follows a session from its beginning.
    pub fn follow(self, id: SessionId) {
        spawn_local(async move {
            let Some(client) = self.client.get_untracked() else {
                return;
            };
            match client.session(&id).await {
                Ok(state) => {
                    self.problem.set(None);
                    language::speak(self.language, &state.plan.language).await;
                    let current = Current {
                        session: state.session.clone(),
                        title: state.title.clone(),
                        marks: state.marks.clone(),
                        followed: Followed::open(state, self.decoders.with_value(Rc::clone)),
                    };
                    let followed = Rc::clone(&current.followed);
                    self.set_current(Some(current));
                    self.keep_following(client, id, followed).await;
                }
                Err(error) => self.tell(&error),
            }
        });
    }

    async fn keep_following(self, client: LabClient, id: SessionId, followed: Rc<Followed>) {
        let retry = Retry::default();
        let mine = self.serial.get_untracked();
        while self.serial.get_untracked() == mine {
            match client.events(&id, followed.ends()).await {
                Ok(new) => {
                    retry.succeeded();
                    self.problem.set(None);
                    followed.take(&new);
                    if followed.shown.broken.get_untracked().is_some() {
                        return;
                    }
                }
                Err(error) => {
                    self.tell(&error);
                    if is_final(&error) {
                        return;
                    }
                    retry.pause().await;
                }
            }
        }
    }

    /// Does something as the experimenter; `done` is called once it is in the log.
    pub fn act(self, act: ExperimenterAct, done: impl FnOnce() + 'static) {
        spawn_local(async move {
            let (Some(client), Some(current)) = (self.client.get_untracked(), self.current())
            else {
                return;
            };
            match client.act(&current.session.session, &act).await {
                Ok(_) => {
                    self.problem.set(None);
                    done();
                }
                Err(error) => self.tell(&error),
            }
        });
    }

    fn tell(self, error: &ClientError) {
        let message = match error {
            ClientError::Unreachable => {
                "The server cannot be reached. This page tries again by itself; the participant's page goes on without it.".to_owned()
            }
            ClientError::Refused(info) if info.code == ErrorCode::Unauthorised => {
                self.client.set(None);
                "This key does not open the lab. The server prints the right one when it starts.".to_owned()
            }
            ClientError::Refused(info) if info.code == ErrorCode::Erased => {
                "The participant took everything back: there is nothing left of this session.".to_owned()
            }
            other => other.to_string(),
        };
        self.problem.set(Some(message));
    }

    /// Looks at the list for as long as the page is open. A participant who is waited for is
    /// followed once they have started.
    async fn keep_listing(self) {
        loop {
            if let Some(client) = self.client.get_untracked() {
                match client.studies().await {
                    Ok(studies) => {
                        if self.current().is_none() {
                            self.problem.set(None);
                        }
                        self.notice(&studies);
                        if self.studies.get_untracked().as_ref() != Some(&studies) {
                            self.studies.set(Some(studies));
                        }
                    }
                    Err(error) => self.tell(&error),
                }
            }
            TimeoutFuture::new(LIST_EVERY_MS).await;
        }
    }

    fn notice(self, studies: &LabStudies) {
        let awaited = self.awaited.get_untracked();
        let mut sessions = studies.studies.iter().flat_map(|study| &study.sessions);
        let come = sessions
            .find(|session| awaited.is_some() && session.participant_code == awaited)
            .map(|session| session.session.clone());
        if let Some(id) = come {
            self.awaited.set(None);
            self.follow(id);
        }
    }
}

fn is_final(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(info) if matches!(info.code, ErrorCode::Erased | ErrorCode::Unauthorised | ErrorCode::NotFound))
}

/// The app.
#[component]
pub fn App(
    /// The way to the decoder module.
    engine: Engine,
) -> impl IntoView {
    let context = Context::new(engine);
    spawn_local(context.keep_listing());
    let ticks = move || {
        if let Some(current) = context.current() {
            current.followed.tick();
        }
    };
    // The page lives as long as its ticks.
    let _ = set_interval_with_handle(ticks, TICK);
    let problem = move || {
        let words = context.problem.get()?;
        Some(
            view! { <p class="problem lab-problem" role="alert" data-testid="problem">{words}</p> },
        )
    };
    let has_key = Signal::derive(move || context.client.get().is_some());
    let page = move |serial: (u64, bool)| {
        let (_, has_key) = serial;
        match (has_key, context.current()) {
            (false, _) => view! { <KeyForm context/> }.into_any(),
            (true, None) => view! { <SessionList context/> }.into_any(),
            (true, Some(current)) => view! { <Following context current/> }.into_any(),
        }
    };
    let shown = Signal::derive(move || (context.serial.get(), has_key.get()));
    view! {
        <header class="lab-header">
            <span class="lab-brand">"Redial"</span>
            <span class="lab-place">"Lab"</span>
        </header>
        <main class="lab">
            {problem}
            <Remount of=shown children=page/>
        </main>
    }
}

#[component]
fn KeyForm(context: Context) -> impl IntoView {
    let typed = RwSignal::new(String::new());
    let on_submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = typed.get_untracked();
        let given = typed.rsplit('#').next().unwrap_or_default().trim();
        if !given.is_empty() {
            key::keep(given);
            context.problem.set(None);
            context.client.set(Some(LabClient::new(given)));
        }
    };
    view! {
        <form class="card lab-key" data-screen="key" on:submit=on_submit>
            <h1>"Lab sessions"</h1>
            <p>
                "This page is for the experimenter. "
                <code>"redial serve"</code>
                " prints its address with the key when it starts."
            </p>
            <label for="key">"Key"</label>
            <input
                id="key"
                type="password"
                autocomplete="off"
                on:input=move |event| typed.set(event_target_value(&event))
            />
            <p class="actions">
                <button class="button primary" type="submit">"Open the lab"</button>
            </p>
        </form>
    }
}

#[component]
fn Following(context: Context, current: Current) -> impl IntoView {
    let name = current.session.participant_code.clone();
    let name = name.unwrap_or_else(|| format!("Session {}", current.session.ordinal));
    let mirror = StoredValue::new_local(current.clone());
    view! {
        <div class="lab-session" data-screen="session">
            <div class="lab-session-head">
                <button
                    type="button"
                    class="button quiet"
                    data-testid="back"
                    on:click=move |_| context.leave()
                >
                    "All sessions"
                </button>
                <h1>{name}</h1>
                <p class="muted">{current.title.clone()}</p>
            </div>
            <Mirror current=mirror/>
            <Controls context current=mirror/>
        </div>
    }
}
