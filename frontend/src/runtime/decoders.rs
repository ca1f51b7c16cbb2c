//! The decoders of a session, fetched in the background as soon as it starts, so
//! that a network lost later stops nobody.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use domain::model::ModelFacts;
use domain::plan::SessionPlan;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::{ArcRwSignal, Get, Set};
use leptos::task::spawn_local;
use models::{Card, Decoder};

use crate::text::text;
use crate::view::Decode;

use super::client::{self, ClientError};

/// The model that the tutorial is about.
pub const TUTORIAL_MODEL: &str = "circles";

const FIRST_PAUSE_MS: u32 = 500;
const LONGEST_PAUSE_MS: u32 = 15_000;
/// How soon a request for another attempt is noticed.
const GLANCE_MS: u32 = 100;

/// A model that is ready.
#[derive(Clone)]
pub struct Ready {
    /// What is written on its card.
    pub facts: ModelFacts,
    /// The decoder.
    pub decode: Decode,
}

/// The decoders of one session.
pub struct Decoders {
    ready: RefCell<BTreeMap<String, Ready>>,
    /// Models still to come, the one being fetched first.
    progress: ArcRwSignal<BTreeMap<String, f64>>,
    error: ArcRwSignal<Option<String>>,
    hurry: Cell<bool>,
}

impl Decoders {
    /// Starts to fetch these models (see [`wanted`]) one after the other.
    /// `on_ready` is called whenever a model is ready.
    #[must_use]
    pub fn fetch(wanted: Vec<Wanted>, on_ready: impl Fn() + 'static) -> Rc<Self> {
        let decoders = Rc::new(Self {
            ready: RefCell::default(),
            progress: ArcRwSignal::new(BTreeMap::new()),
            error: ArcRwSignal::new(None),
            hurry: Cell::new(false),
        });
        spawn_local({
            let decoders = Rc::clone(&decoders);
            async move {
                for (model, sha256) in wanted {
                    decoders.fetch_until_ready(&model, sha256.as_deref()).await;
                    on_ready();
                }
            }
        });
        decoders
    }

    /// A model, if it is ready.
    #[must_use]
    pub fn get(&self, model: &str) -> Option<Ready> {
        self.ready.borrow().get(model).cloned()
    }

    /// Share of a model's weights that has arrived, as far as is known. Reactive.
    #[must_use]
    pub fn progress(&self, model: &str) -> Option<f64> {
        self.progress.get().get(model).copied()
    }

    /// What the last attempt came to, while there has been none since. Reactive.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.error.get()
    }

    /// Tries again now rather than after the pause.
    pub fn hurry(&self) {
        self.hurry.set(true);
        self.error.set(None);
    }

    async fn fetch_until_ready(&self, model: &str, sha256: Option<&str>) {
        let mut pause_ms = FIRST_PAUSE_MS;
        loop {
            match self.try_fetch(model, sha256).await {
                Ok(ready) => {
                    self.error.set(None);
                    self.ready.borrow_mut().insert(model.to_owned(), ready);
                    return;
                }
                Err(error) => {
                    leptos::logging::warn!("{model}: {error}");
                    self.error.set(Some(match error {
                        ClientError::Unreachable => text().runtime.no_server().to_owned(),
                        error => text().runtime.no_model(model, error),
                    }));
                }
            }
            let mut waited_ms = 0;
            while waited_ms < pause_ms && !self.hurry.take() {
                TimeoutFuture::new(GLANCE_MS).await;
                waited_ms += GLANCE_MS;
            }
            pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
        }
    }

    /// `sha256` pins the weights; without it, the card's own are taken.
    async fn try_fetch(&self, model: &str, sha256: Option<&str>) -> Result<Ready, ClientError> {
        let card: Card = client::card(model).await?;
        let unfit = |what: String| ClientError::Unintelligible(what);
        let pinned = sha256.unwrap_or(&card.facts.weights_sha256).to_owned();
        if card.facts.weights_sha256 != pinned {
            return Err(unfit(
                "its weights are not those that the session began with".to_owned(),
            ));
        }
        let weights = if pinned.is_empty() {
            None
        } else {
            let on_progress = |share: f64| {
                self.progress
                    .set(BTreeMap::from([(model.to_owned(), share)]))
            };
            Some(client::weights(model, &pinned, on_progress).await?)
        };
        let decoder =
            Decoder::load(&card, weights.as_deref()).map_err(|error| unfit(error.to_string()))?;
        Ok(Ready {
            facts: card.facts,
            decode: Rc::new(move |z| decoder.decode(z).ok()),
        })
    }
}

/// Name of a model, and the hash of its weights where it is pinned.
pub type Wanted = (String, Option<String>);

/// What a session needs, each model once, in the order in which it is needed.
#[must_use]
pub fn wanted(plan: &SessionPlan) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = plan
        .stages
        .iter()
        .map(|stage| {
            (
                stage.model.name.clone(),
                Some(stage.model.weights_sha256.clone()),
            )
        })
        .collect();
    if plan.tutorial && !wanted.iter().any(|(model, _)| model == TUTORIAL_MODEL) {
        wanted.insert(0, (TUTORIAL_MODEL.to_owned(), None));
    }
    let mut seen = std::collections::BTreeSet::new();
    wanted.retain(|(model, _)| seen.insert(model.clone()));
    // The tutorial comes first, wherever its model is used again.
    if plan.tutorial {
        wanted.sort_by_key(|(model, _)| model != TUTORIAL_MODEL);
    }
    wanted
}
