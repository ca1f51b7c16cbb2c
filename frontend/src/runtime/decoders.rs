//! The decoders of a page: fetched in the background as soon as it is known which will be
//! needed, so that a network lost later stops nobody.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use api::StudyInfo;
use domain::model::ModelFacts;
use domain::plan::SessionPlan;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::{ArcRwSignal, Get, Set};
use leptos::task::spawn_local;

use crate::state::Decode;
use crate::text::text;

use super::client::{self, CacheUse, Card, ClientError};
use super::engine::Engine;

/// The model that the tutorial is about.
pub const TUTORIAL_MODEL: &str = "circles";

const FIRST_PAUSE_MS: u32 = 500;
const LONGEST_PAUSE_MS: u32 = 15_000;
/// How soon a request for another attempt is noticed.
const RETRY_CHECK_MS: u32 = 100;

/// A model that can be decoded.
#[derive(Clone)]
pub struct LoadedModel {
    /// What is written on its card.
    pub facts: ModelFacts,
    /// The decoder.
    pub decode: Decode,
}

/// The decoders of one page, and those still to come.
pub struct Decoders {
    engine: Engine,
    models: RefCell<BTreeMap<String, LoadedModel>>,
    /// Still to be fetched, in this order.
    queue: RefCell<VecDeque<ModelRequest>>,
    fetching: Cell<bool>,
    /// Called whenever a model is loaded.
    on_loaded: RefCell<Rc<dyn Fn()>>,
    /// Share that has arrived of the model that is being fetched.
    progress: ArcRwSignal<Option<(String, f64)>>,
    error: ArcRwSignal<Option<String>>,
    retry_now: Cell<bool>,
}

/// Why a model could not be loaded.
enum Failure {
    /// Trying again soon may help.
    Passing(String),
    /// It has been fetched twice and refused both times.
    Refused(String),
}

impl Decoders {
    /// A page that needs no models yet.
    #[must_use]
    pub fn new(engine: Engine) -> Rc<Self> {
        Rc::new(Self {
            engine,
            models: RefCell::default(),
            queue: RefCell::default(),
            fetching: Cell::new(false),
            on_loaded: RefCell::new(Rc::new(|| ())),
            progress: ArcRwSignal::new(None),
            error: ArcRwSignal::new(None),
            retry_now: Cell::new(false),
        })
    }

    /// Fetches these models one after the other, in place of those still waiting.
    pub fn fetch(self: &Rc<Self>, requests: Vec<ModelRequest>) {
        self.models.borrow_mut().retain(|name, model| {
            let other_weights =
                |request: &ModelRequest| request.name == *name && !request.is_met_by(&model.facts);
            !requests.iter().any(other_weights)
        });
        *self.queue.borrow_mut() = requests.into();
        if self.fetching.replace(true) {
            return;
        }
        self.engine.begin();
        let me = Rc::clone(self);
        spawn_local(async move {
            while let Some(request) = me.next() {
                me.fetch_until_loaded(&request).await;
                let on_loaded = Rc::clone(&me.on_loaded.borrow());
                on_loaded();
            }
            me.fetching.set(false);
        });
    }

    /// The first in the queue that is not loaded; it leaves the queue.
    fn next(&self) -> Option<ModelRequest> {
        let mut queue = self.queue.borrow_mut();
        loop {
            let request = queue.pop_front()?;
            if !self.models.borrow().contains_key(&request.name) {
                return Some(request);
            }
        }
    }

    /// `listener` is called whenever a model is loaded, in place of the one before.
    pub fn on_loaded(&self, listener: impl Fn() + 'static) {
        *self.on_loaded.borrow_mut() = Rc::new(listener);
    }

    /// A model, if it is loaded.
    #[must_use]
    pub fn get(&self, model: &str) -> Option<LoadedModel> {
        self.models.borrow().get(model).cloned()
    }

    /// Share of a model's weights that has arrived, as far as is known. Reactive.
    #[must_use]
    pub fn progress(&self, model: &str) -> Option<f64> {
        let (fetched, share) = self.progress.get()?;
        (fetched == model).then_some(share)
    }

    /// What the last attempt came to, while there has been none since. Reactive.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.error.get()
    }

    /// Tries again now rather than after the pause.
    pub fn retry_now(&self) {
        self.retry_now.set(true);
        self.error.set(None);
    }

    async fn fetch_until_loaded(&self, request: &ModelRequest) {
        let mut pause_ms = FIRST_PAUSE_MS;
        let mut cache = CacheUse::Allowed;
        loop {
            // However long it takes: megabytes are not fetched over and over unasked.
            let mut until_asked = false;
            match self.try_fetch(request, cache).await {
                Ok(model) => {
                    self.error.set(None);
                    self.models.borrow_mut().insert(request.name.clone(), model);
                    return;
                }
                Err(failure) => {
                    let why = match failure {
                        Failure::Passing(why) => why,
                        Failure::Refused(why) => {
                            (cache, until_asked) = (CacheUse::Bypassed, true);
                            why
                        }
                    };
                    leptos::logging::warn!("{why}");
                    self.error.set(Some(why));
                }
            }
            let mut waited_ms = 0;
            while (until_asked || waited_ms < pause_ms) && !self.retry_now.take() {
                TimeoutFuture::new(RETRY_CHECK_MS).await;
                waited_ms += RETRY_CHECK_MS;
            }
            pause_ms = (pause_ms * 2).min(LONGEST_PAUSE_MS);
        }
    }

    async fn try_fetch(
        &self,
        request: &ModelRequest,
        cache: CacheUse,
    ) -> Result<LoadedModel, Failure> {
        let model = &request.name;
        let passing = |error: ClientError| {
            Failure::Passing(match error {
                ClientError::Unreachable => text().runtime.no_server().to_owned(),
                error => text().runtime.no_model(model, error),
            })
        };
        let card = client::card(model).await.map_err(passing)?;
        if !request.is_met_by(&card.facts) {
            let why = "its weights are not those that the session began with".to_owned();
            return Err(passing(ClientError::Unintelligible(why)));
        }
        let first = self.try_load(&card, cache).await.map_err(passing)?;
        let loaded = match first {
            // The cached copy may be damaged, so the server is asked once.
            Err(why) if cache == CacheUse::Allowed && !card.facts.weights_sha256.is_empty() => {
                leptos::logging::warn!("{model}: {why}; fetched again");
                self.try_load(&card, CacheUse::Bypassed)
                    .await
                    .map_err(passing)?
            }
            first => first,
        };
        match loaded {
            Ok(decode) => Ok(LoadedModel {
                facts: card.facts,
                decode,
            }),
            Err(why) => Err(Failure::Refused(text().runtime.bad_model(model, why))),
        }
    }

    /// The inner error is the decoder's own.
    async fn try_load(
        &self,
        card: &Card,
        cache: CacheUse,
    ) -> Result<Result<Decode, String>, ClientError> {
        let Card { json, facts } = card;
        let weights = if facts.weights_sha256.is_empty() {
            js_sys::Uint8Array::new_with_length(0)
        } else {
            let on_progress = |share| self.progress.set(Some((facts.name.clone(), share)));
            client::weights(&facts.name, &facts.weights_sha256, cache, on_progress).await?
        };
        let loaded = self.engine.load(json, &weights).await;
        if let Some(Ok(_)) = loaded
            && weights.length() > 0
        {
            client::cache_weights(&facts.name, &facts.weights_sha256, &weights).await;
        }
        loaded.ok_or_else(|| ClientError::Unintelligible(text().runtime.no_decoder().to_owned()))
    }
}

/// A model that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// Its name.
    pub name: String,
    /// The hash of its weights where it is pinned; empty for a closed form.
    pub weights_sha256: Option<String>,
}

impl ModelRequest {
    /// Whether the model is the one on this card.
    fn is_met_by(&self, facts: &ModelFacts) -> bool {
        let pinned = self.weights_sha256.as_ref();
        self.name == facts.name && pinned.is_none_or(|sha256| *sha256 == facts.weights_sha256)
    }
}

/// What a session needs, each model once, in the order in which it is needed.
#[must_use]
pub fn models_of_plan(plan: &SessionPlan) -> Vec<ModelRequest> {
    let models = plan.stages.iter().map(|stage| ModelRequest {
        name: stage.model.name.clone(),
        weights_sha256: Some(stage.model.weights_sha256.clone()),
    });
    in_order(models, plan.tutorial)
}

/// What any session of a study needs, in the order of its stages.
#[must_use]
pub fn models_of_study(study: &StudyInfo) -> Vec<ModelRequest> {
    let models = study.models.iter().map(|name| ModelRequest {
        name: name.clone(),
        weights_sha256: None,
    });
    in_order(models, study.tutorial)
}

/// Each model once; the tutorial's first, wherever it is used again.
fn in_order(models: impl Iterator<Item = ModelRequest>, tutorial: bool) -> Vec<ModelRequest> {
    let mut requests: Vec<ModelRequest> = models.collect();
    if tutorial {
        let again = requests
            .iter()
            .position(|request| request.name == TUTORIAL_MODEL);
        let first = again.map_or_else(
            || ModelRequest {
                name: TUTORIAL_MODEL.to_owned(),
                weights_sha256: None,
            },
            |again| requests.remove(again),
        );
        requests.insert(0, first);
    }
    let mut seen = std::collections::BTreeSet::new();
    requests.retain(|request| seen.insert(request.name.clone()));
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tutorial_comes_first_and_every_model_once() {
        let check = |models: &[&str], tutorial: bool, expected: &[&str]| {
            let models = models.iter().map(|name| ModelRequest {
                name: (*name).to_owned(),
                weights_sha256: Some("a".to_owned()),
            });
            let requests = in_order(models, tutorial);
            let names: Vec<&str> = requests.iter().map(|r| r.name.as_str()).collect();
            assert_eq!(names, expected);
        };
        check(&["b", "a", "b"], false, &["b", "a"]);
        check(&["b", "a"], true, &["circles", "b", "a"]);
        check(&["b", "circles"], true, &["circles", "b"]);
        check(&["b", "circles"], false, &["b", "circles"]);
        check(&[], false, &[]);
    }
}
