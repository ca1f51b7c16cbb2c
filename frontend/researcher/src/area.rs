//! Things that the pages share: who is signed in, which page is on display, what went wrong.

use api::ErrorCode;
use api::research::{Done, Me, OpenIdOutcome, Right, WaysToSignIn};
use api::routes;
use frontend::runtime::client::ClientError;
use frontend::runtime::{page, research_client};
use gloo_events::EventListener;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;

use crate::behind_hash::{key_of_link, take_outcome};
use crate::route::{Part, Route};
use crate::text::text;
use crate::words::sentence;

mod unreachable;

/// Whether somebody is signed in.
#[derive(Debug, Clone, PartialEq)]
pub enum Entrance {
    /// Nobody knows yet.
    Unknown,
    /// Nobody is.
    Out,
    /// Somebody is.
    In(Me),
}

/// The state that the pages share. One for the app's whole life, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct Area {
    /// The user who is signed in.
    pub entrance: RwSignal<Entrance>,
    /// A sign-in has ended while a page was open: the page stays, with what was typed, until somebody signs in again.
    pub ended: RwSignal<bool>,
    /// The page on display.
    pub route: RwSignal<Route>,
    /// The problem, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// The act that was done, in a sentence.
    pub done: RwSignal<Option<String>>,
    /// Whether a page asks for what it shows just now.
    loading: StoredValue<bool>,
    /// When it was said that the server cannot be reached, on this page's clock; nothing if that is not said.
    unreachable_ms: StoredValue<Option<f64>>,
    /// How often somebody has signed in on this page.
    entered: RwSignal<u32>,
    /// The app that this is.
    part: Part,
}

impl Area {
    /// Nobody is known yet; the page is that of the address.
    pub fn new(part: Part) -> Self {
        Self {
            entrance: RwSignal::new(Entrance::Unknown),
            ended: RwSignal::new(false),
            route: RwSignal::new(address()),
            problem: RwSignal::new(None),
            done: RwSignal::new(take_said()),
            loading: StoredValue::new(false),
            unreachable_ms: StoredValue::new(None),
            entered: RwSignal::new(0),
            part,
        }
    }

    /// Follows the browser's buttons for back and forward, for as long as the page lives.
    pub fn follow_history(self) {
        if let Some(window) = page::window() {
            EventListener::new(&window, "popstate", move |_| self.show(address())).forget();
        }
    }

    /// Goes to a page.
    pub fn go(self, route: Route) {
        if route.part() == self.part {
            note_address(&route, false);
            self.show(route);
        } else {
            load(&route);
        }
    }

    /// Goes to a page, and says there what was done.
    pub fn go_and_say(self, route: Route, done: String) {
        if route.part() != self.part {
            keep_said(&done);
        }
        self.go(route);
        self.done.set(Some(done));
    }

    /// The same page, of which the address says something else now: no new entry of the history.
    pub fn replace(self, route: Route) {
        note_address(&route, true);
        self.route.set(route);
    }

    fn show(self, route: Route) {
        self.problem.set(None);
        self.done.set(None);
        self.route.set(route);
    }

    /// Finds out who is signed in.
    pub fn ask_who(self) {
        // A link to set a password is for whoever has it, even where somebody else is signed in.
        if key_of_link().is_some() {
            self.entrance.set(Entrance::Out);
            return;
        }
        let outcome = take_outcome();
        spawn_local(async move {
            match research_client::get::<Me>(routes::ME).await {
                Ok(me) => self.enter(me),
                Err(error) => {
                    self.entrance.set(Entrance::Out);
                    if !is_signed_out(&error) {
                        self.tell(&error);
                    }
                }
            }
            if let Some(outcome) = outcome {
                self.tell_outcome(outcome).await;
            }
        });
    }

    /// Somebody has signed in. The page stays where they are who was signed in before.
    pub fn enter(self, me: Me) {
        self.problem.set(None);
        self.ended.set(false);
        self.entrance.set(Entrance::In(me));
        self.entered.update(|it| *it += 1);
    }

    /// Signs out. Where the sign-in has ended by itself, there is nothing left to end.
    pub fn leave(self) {
        self.attempt(async move {
            let key = self.change_key();
            let ended: Result<Done, ClientError> =
                research_client::delete(routes::SIGN_INS, key.as_deref()).await;
            if let Err(error) = ended
                && !is_signed_out(&error)
            {
                return Err(error);
            }
            self.ended.set(false);
            self.entrance.set(Entrance::Out);
            Ok(())
        });
    }

    /// Loads what a page shows: at once, when a signal changes that `work` reads, and when somebody has signed in while the
    /// page was open, since what it asked for before was refused.
    pub fn load(self, work: impl Fn() + 'static) {
        Effect::new(move |_| {
            self.entered.track();
            self.loading.set_value(true);
            work();
            self.loading.set_value(false);
        });
    }

    /// The user who is signed in.
    pub fn me(&self) -> Option<Me> {
        match self.entrance.get() {
            Entrance::In(me) => Some(me),
            _ => None,
        }
    }

    /// The same, where nothing is to follow it.
    pub fn me_untracked(&self) -> Option<Me> {
        untrack(|| self.me())
    }

    /// The key that each change needs.
    pub fn change_key(&self) -> Option<String> {
        match self.entrance.get_untracked() {
            Entrance::In(me) => me.change_key,
            _ => None,
        }
    }

    /// Whether whoever is signed in has a right in a study as a whole.
    pub fn may(&self, right: Right, study: &str) -> bool {
        self.may_for(right, study, false)
    }

    /// Whether they have a right for those sessions of a study that they may look at.
    pub fn may_for_seen(&self, right: Right, study: &str) -> bool {
        self.may_for(right, study, !self.may(Right::Look, study))
    }

    fn may_for(&self, right: Right, study: &str, own: bool) -> bool {
        let me = self.me();
        let mut memberships = me.iter().flat_map(|me| &me.studies);
        memberships.any(|it| it.study == study && it.may(right, own))
    }

    /// Does something; what goes wrong is told.
    pub fn attempt(self, work: impl Future<Output = Result<(), ClientError>> + 'static) {
        // A page that loads, or a part of one, takes nothing back that was said of what led to it.
        if !self.loading.get_value() {
            self.problem.set(None);
            self.done.set(None);
        }
        spawn_local(async move {
            if let Err(error) = work.await {
                self.tell(&error);
            }
        });
    }

    /// Says why a sign-in through the provider has led to none.
    async fn tell_outcome(self, outcome: OpenIdOutcome) {
        let ways = research_client::get::<WaysToSignIn>(routes::SIGN_IN).await;
        let name = ways.ok().and_then(|ways| ways.openid);
        let words = outcome.words(name.as_deref().unwrap_or(text().shell.some_provider()));
        if outcome == OpenIdOutcome::Waits {
            self.done.set(Some(words));
        } else {
            self.problem.set(Some(words));
        }
    }

    /// Says what went wrong.
    pub fn tell(self, error: &ClientError) {
        if is_signed_out(error) && self.entrance.get_untracked() != Entrance::Out {
            self.ended.set(true);
            return;
        }
        let words = match error {
            ClientError::Unreachable => self.unreachable(),
            other => sentence(&other.to_string()),
        };
        self.problem.set(Some(words));
    }
}

fn is_signed_out(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(info) if info.code == ErrorCode::Unauthorised)
}

/// The page of the browser's address.
fn address() -> Route {
    let Some(window) = page::window() else {
        return Route::Unknown;
    };
    let location = window.location();
    let path = location.pathname().unwrap_or_default();
    let query = location.search().unwrap_or_default();
    let path = path.strip_prefix(&page::base()).unwrap_or(&path);
    Route::parse(path, query.trim_start_matches('?'))
}

/// Writes a page's address into the browser's history. Where that fails, the page is shown all the same.
fn note_address(route: &Route, in_place: bool) {
    let history = page::window().and_then(|window| window.history().ok());
    let address = page::address(&route.to_string());
    if let Some(history) = history {
        let _ = if in_place {
            history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
        } else {
            history.push_state_with_url(&JsValue::NULL, "", Some(&address))
        };
    }
}

/// Loads a page of the other app. Where that fails, the page on display stays.
fn load(route: &Route) {
    if let Some(window) = page::window() {
        let _ = window.location().assign(&page::address(&route.to_string()));
    }
}

/// The name under which a tab keeps what the next page is to say.
const SAID: &str = "redial-area-said";

fn keep_said(done: &str) {
    let storage = page::window().and_then(|window| window.session_storage().ok()?);
    // Without it nothing is said, and done all the same.
    let _ = storage.map(|storage| storage.set_item(SAID, done));
}

fn take_said() -> Option<String> {
    let storage = page::window()?.session_storage().ok()??;
    let said = storage.get_item(SAID).ok()?;
    let _ = storage.remove_item(SAID);
    said
}
