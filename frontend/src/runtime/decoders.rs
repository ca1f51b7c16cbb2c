//! The decoders of a page: fetched in the background as soon as it is known which will be
//! needed, so that a network lost later stops nobody.
//!
//! A model is named by the hash of its bundle: a session decodes with the weights that its plan
//! names, however often a model of that name was replaced since.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

use api::{ErrorCode, StudyInfo};
use domain::model::ModelFacts;
use domain::movement::Decode;
use domain::session::plan::SessionPlan;
use js_sys::Uint8Array;
use leptos::prelude::{ArcRwSignal, Get, GetUntracked, Set};
use leptos::task::spawn_local;
use web_sys::AbortController;

use super::client::ClientError;
use super::clock;
use super::content::{self, CacheUse, FetchedCard, FetchedWeights};
use super::decoder_loader::DecoderLoader;
use super::page_decoder::PageDecoder;
use super::retry::Retry;
use crate::state::FetchProgress;
use crate::text::text;

/// The decoders of one page, and those still to come.
pub struct Decoders {
    decoder_loader: DecoderLoader,
    /// By the hash of the bundle.
    models: RefCell<BTreeMap<String, PageDecoder>>,
    /// Models that were given up, by the hash of the bundle. None where each is needed.
    given_up: Option<RefCell<BTreeMap<String, Unloaded>>>,
    /// Still to be fetched, in this order.
    queue: RefCell<VecDeque<ModelRequest>>,
    fetching: Cell<bool>,
    /// Called whenever a model is loaded; whoever says no is called no more.
    listeners: RefCell<Vec<Box<dyn Fn() -> bool>>>,
    /// How far the bundle is that is being fetched.
    arrival: ArcRwSignal<Option<(String, FetchProgress)>>,
    /// The bundle whose weights are being fetched, and what stops the fetch.
    under_way: RefCell<Option<(String, AbortController)>>,
    /// Whether that was stopped for a model that is needed sooner.
    gave_way: Cell<bool>,
    error: ArcRwSignal<Option<String>>,
    retry: Retry,
}

/// A model that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// Its name.
    pub name: String,
    /// SHA-256 over all files of its bundle.
    pub bundle_sha256: String,
}

impl From<&ModelFacts> for ModelRequest {
    fn from(facts: &ModelFacts) -> Self {
        Self {
            name: facts.name.clone(),
            bundle_sha256: facts.bundle_sha256.clone(),
        }
    }
}

/// Why a model was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unloaded {
    /// It is not there any more.
    Gone,
    /// It has been fetched twice and refused both times.
    Damaged,
}

/// Why a model could not be loaded.
enum Failure {
    /// Trying again soon may help.
    Passing(String),
    /// Trying again does not help by itself.
    Lasting(Unloaded, String),
}

impl Failure {
    fn gone() -> Self {
        Self::Lasting(Unloaded::Gone, text().runtime.model_gone().to_owned())
    }
}

impl Decoders {
    /// A page that needs no models yet.
    #[must_use]
    pub fn new(decoder_loader: DecoderLoader) -> Rc<Self> {
        Rc::new(Self::made(decoder_loader, None))
    }

    /// The same of a page that goes on without those that cannot be loaded.
    #[must_use]
    pub fn of_replays(decoder_loader: DecoderLoader) -> Rc<Self> {
        Rc::new(Self::made(decoder_loader, Some(RefCell::default())))
    }

    fn made(
        decoder_loader: DecoderLoader,
        given_up: Option<RefCell<BTreeMap<String, Unloaded>>>,
    ) -> Self {
        Self {
            decoder_loader,
            models: RefCell::default(),
            given_up,
            queue: RefCell::default(),
            fetching: Cell::new(false),
            listeners: RefCell::default(),
            arrival: ArcRwSignal::new(None),
            under_way: RefCell::default(),
            gave_way: Cell::new(false),
            error: ArcRwSignal::new(None),
            retry: Retry::default(),
        }
    }

    /// Fetches these models one after the other, in place of those still waiting. A fetch under
    /// way gives way to the first of them, unless it has come more than half of its way.
    pub fn fetch(self: &Rc<Self>, requests: Vec<ModelRequest>) {
        *self.queue.borrow_mut() = requests.into();
        self.give_way();
        if self.fetching.replace(true) {
            return;
        }
        self.decoder_loader.begin();
        let this = Rc::clone(self);
        spawn_local(async move {
            while let Some(request) = this.next() {
                this.fetch_until_loaded(&request).await;
                this.tell();
            }
            this.fetching.set(false);
        });
    }

    /// Stops the fetch under way if another model is needed sooner. It comes again in its turn.
    fn give_way(&self) {
        let queue = self.queue.borrow();
        let needed =
            |request: &&ModelRequest| !self.models.borrow().contains_key(&request.bundle_sha256);
        let Some(first) = queue.iter().find(needed) else {
            return;
        };
        let share = self.arrival.get_untracked().and_then(|(_, it)| it.share);
        let mut under_way = self.under_way.borrow_mut();
        if under_way
            .as_ref()
            .is_some_and(|(sha256, _)| *sha256 != first.bundle_sha256)
            && share.unwrap_or_default() < 0.5
            && let Some((_, controller)) = under_way.take()
        {
            self.gave_way.set(true);
            controller.abort();
        }
    }

    /// The first in the queue that is not loaded; it leaves the queue.
    fn next(&self) -> Option<ModelRequest> {
        let mut queue = self.queue.borrow_mut();
        loop {
            let request = queue.pop_front()?;
            if !self.models.borrow().contains_key(&request.bundle_sha256) {
                return Some(request);
            }
        }
    }

    /// Whenever a model is loaded or given up, `whom` is told, as long as it is there. Several may be: sessions side by side.
    pub fn on_loaded<T: 'static>(&self, whom: Weak<T>, told: impl Fn(Rc<T>) + 'static) {
        let listener = move || whom.upgrade().map(&told).is_some();
        self.listeners.borrow_mut().push(Box::new(listener));
    }

    fn tell(&self) {
        // A listener that is told may add another.
        let mut listeners = self.listeners.take();
        listeners.retain(|listener| listener());
        let mut new = self.listeners.borrow_mut();
        listeners.append(&mut new);
        *new = listeners;
    }

    /// A model's decoder, if it is loaded.
    #[must_use]
    pub fn decoder(&self, model: &ModelFacts) -> Option<PageDecoder> {
        self.models.borrow().get(&model.bundle_sha256).cloned()
    }

    /// Why a model was given up, if it was.
    #[must_use]
    pub fn unloaded(&self, model: &ModelFacts) -> Option<Unloaded> {
        let given_up = self.given_up.as_ref()?;
        given_up.borrow().get(&model.bundle_sha256).copied()
    }

    /// The same, for what decodes in the page itself.
    #[must_use]
    pub fn get(&self, model: &ModelFacts) -> Option<Decode> {
        Some(self.decoder(model)?.on_page())
    }

    /// How far a bundle's weights are, as far as is known. Reactive.
    #[must_use]
    pub fn arrival(&self, bundle_sha256: &str) -> Option<FetchProgress> {
        let (fetched, arrival) = self.arrival.get()?;
        (fetched == bundle_sha256).then_some(arrival)
    }

    /// Why the last attempt failed, until there is another. Reactive.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.error.get()
    }

    /// Tries again now rather than after the pause.
    pub fn retry_now(&self) {
        self.retry.now();
        self.error.set(None);
    }

    async fn fetch_until_loaded(&self, request: &ModelRequest) {
        let mut cache = CacheUse::Allowed;
        loop {
            let failure = match self.try_fetch(request, cache).await {
                Ok(decoder) => {
                    self.error.set(None);
                    self.retry.succeeded();
                    let sha256 = request.bundle_sha256.clone();
                    self.models.borrow_mut().insert(sha256, decoder);
                    return;
                }
                Err(failure) => failure,
            };
            if self.gave_way.take() {
                return;
            }
            let (Failure::Passing(why) | Failure::Lasting(_, why)) = &failure;
            self.error.set(Some(why.clone()));
            match (failure, &self.given_up) {
                (Failure::Passing(_), _) => self.retry.pause().await,
                (Failure::Lasting(why, _), Some(given_up)) => {
                    let sha256 = request.bundle_sha256.clone();
                    given_up.borrow_mut().insert(sha256, why);
                    return;
                }
                // Megabytes are not fetched over and over unasked.
                (Failure::Lasting(..), None) => {
                    cache = CacheUse::Bypassed;
                    self.retry.until_asked().await;
                }
            }
        }
    }

    async fn try_fetch(
        &self,
        request: &ModelRequest,
        cache: CacheUse,
    ) -> Result<PageDecoder, Failure> {
        let ModelRequest {
            name,
            bundle_sha256,
        } = request;
        if bundle_sha256.is_empty() {
            // A session begun with an older version whose model was replaced since.
            return Err(Failure::gone());
        }
        let failure = |error: ClientError| match error {
            ClientError::Unreachable => Failure::Passing(text().runtime.no_server().to_owned()),
            ClientError::Refused(error)
                if matches!(error.code, ErrorCode::NotFound | ErrorCode::Gone) =>
            {
                Failure::gone()
            }
            error => {
                leptos::logging::warn!("{name} could not be loaded: {error}");
                Failure::Passing(text().runtime.no_model().to_owned())
            }
        };
        let card = content::card(bundle_sha256).await.map_err(failure)?;
        let first = self
            .try_load(bundle_sha256, &card, cache)
            .await
            .map_err(failure)?;
        let loaded = match first {
            // The cached copy may be damaged, so the server is asked once.
            Err(why) if cache == CacheUse::Allowed && !card.facts.weights_sha256.is_empty() => {
                leptos::logging::warn!("{name}: {why}; fetched again");
                self.try_load(bundle_sha256, &card, CacheUse::Bypassed)
                    .await
                    .map_err(failure)?
            }
            first => first,
        };
        loaded.map_err(|why| {
            leptos::logging::error!("{name} arrived damaged: {why}");
            Failure::Lasting(Unloaded::Damaged, text().runtime.bad_model().to_owned())
        })
    }

    async fn fetch_weights(
        &self,
        bundle_sha256: &str,
        cache: CacheUse,
    ) -> Result<FetchedWeights, ClientError> {
        let controller = AbortController::new().map_err(|_| ClientError::Unreachable)?;
        let name = bundle_sha256.to_owned();
        self.under_way
            .replace(Some((name.clone(), controller.clone())));
        let first = Cell::new(None);
        let on_progress = |share: f64| {
            let now_ms = clock::monotonic_ms();
            let (first_share, first_ms) = first.get().unwrap_or((share, now_ms));
            first.set(Some((first_share, first_ms)));
            let arrival =
                FetchProgress::estimated(first_share, share, (now_ms - first_ms) / 1000.0);
            self.arrival.set(Some((name.clone(), arrival)));
        };
        let weights = content::weights(bundle_sha256, cache, &controller, on_progress).await;
        self.arrival.set(None);
        self.under_way.take();
        weights
    }

    /// The inner error is the decoder's own.
    async fn try_load(
        &self,
        bundle_sha256: &str,
        card: &FetchedCard,
        cache: CacheUse,
    ) -> Result<Result<PageDecoder, String>, ClientError> {
        let FetchedCard { json, facts } = card;
        let FetchedWeights { bytes, new } = if facts.weights_sha256.is_empty() {
            FetchedWeights {
                bytes: Uint8Array::new_with_length(0),
                new: false,
            }
        } else {
            self.fetch_weights(bundle_sha256, cache).await?
        };
        let loaded = self.decoder_loader.load(json, &bytes).await;
        if new && matches!(loaded, Some(Ok(_))) {
            content::cache_weights(bundle_sha256, &bytes);
        }
        loaded.ok_or_else(|| ClientError::Unintelligible(text().runtime.no_decoder().to_owned()))
    }
}

/// The models that a session needs, each once, in the order in which they are needed.
#[must_use]
pub fn models_of_plan(plan: &SessionPlan) -> Vec<ModelRequest> {
    plan.models().into_iter().map(ModelRequest::from).collect()
}

/// The models that any session of a study may need, in the order of its parts.
#[must_use]
pub fn models_of_study(study: &StudyInfo) -> Vec<ModelRequest> {
    let models = study.models.iter().map(|model| ModelRequest {
        name: model.name.clone(),
        bundle_sha256: model.bundle_sha256.clone(),
    });
    models.collect()
}
