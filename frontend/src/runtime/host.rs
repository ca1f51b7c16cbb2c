//! The host of a session in the browser: every event passes through
//! [`Host::log`], and what the session machine asks for in return is done here.

mod connection;
mod departure_request;
mod ending;
mod experimenter;
mod heartbeat;
mod leaving;
mod logging;
mod questions;
mod recording;
mod saving;
mod showing;
mod taken;
mod verdicts;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use domain::model::instance::Instance;
use domain::session::Session;
use domain::session::event::{Event, QuestionRef, SessionId};
use domain::session::plan::{SessionPlan, StagePlan};
use gloo_timers::callback::Interval;

use super::clock::{self, SessionClock, SleepWatch};
use super::decode_timer::Timer;
use super::decoders::{self, Decoders};
use super::instances::Instances;
use super::page;
use super::page_decoder::PageDecoder;
use super::sizes::SizeLog;
use super::sound_recorder::SoundRecorder;
use super::store::{LocalEvent, Store};
use super::task::TaskDriver;
use super::uplink::Uplink;
use super::upload::Uploader;
use crate::state::{AppState, Screen};

use departure_request::DepartureRequest;
use heartbeat::HEARTBEAT_MS;

/// A session on this page.
pub struct Host {
    slot: String,
    title: String,
    token: String,
    id: SessionId,
    stages: Vec<Arc<StagePlan>>,
    store: Rc<Store>,
    app: AppState,
    uplink: Rc<Uplink>,
    decoders: Rc<Decoders>,
    instances: Rc<Instances>,
    state: RefCell<State>,
    /// Runs until the session is over.
    heartbeat: RefCell<Option<Interval>>,
    /// When it last beat, by the monotonic clock.
    beat_ms: Cell<f64>,
    /// When the question on screen last had something to draw.
    drawn_ms: Cell<f64>,
    /// The heart beats as soon as the browser has time.
    waits_for_idle: Cell<bool>,
    /// When the clocks were last noted, by the monotonic clock.
    noted_ms: Cell<f64>,
    /// The server has a newer build of the app.
    renewal_due: Cell<bool>,
    /// Whether it is logged that the page is translated.
    translation_logged: Cell<bool>,
    recorder: RefCell<Option<Rc<SoundRecorder>>>,
    /// Since when the session's end waits for the last sound.
    sound_ends_ms: Cell<Option<f64>>,
    this: Weak<Host>,
}

/// The question on screen.
struct ShownQuestion {
    at: QuestionRef,
    started_at_ms: u64,
    driver: Box<dyn TaskDriver>,
    /// None for a task without a model.
    decoder: Option<PageDecoder>,
    timer: Timer,
    sizes: SizeLog,
}

struct State {
    session: Session,
    clock: SessionClock,
    sleep: SleepWatch,
    /// Logged, not in the store yet.
    unstored: Vec<LocalEvent>,
    storing: bool,
    heartbeats: u32,
    shown: Option<ShownQuestion>,
    frame_asked: bool,
    hidden: bool,
    /// Nothing is logged any more: the session is over, or something is broken.
    closed: bool,
    /// The participant is asked something that is no part of the study: for consent again, or
    /// whether they stop. Nothing else is shown until they answer.
    asking: bool,
    departure_request: DepartureRequest,
    asking_verdict: bool,
}

/// A session as it is opened on a page: what a host is made from.
pub struct OpenSession {
    /// Where the store keeps the session: see [`page::slot`].
    pub slot: String,
    /// Its title.
    pub title: String,
    /// The session's secret.
    pub token: String,
    /// The session, its log replayed.
    pub session: Session,
    /// Every event so far, as JSON.
    pub log: Vec<Rc<str>>,
    /// How many of them the server is known to hold.
    pub acked_len: u64,
    /// Its clock, running.
    pub clock: SessionClock,
    /// The instances that came with the plan: those of plans of format 1.
    pub instances: Vec<Instance>,
}

impl Host {
    /// Opens a session on this page: fetches its models, and begins to upload.
    #[must_use]
    pub fn open(
        open: OpenSession,
        store: Rc<Store>,
        decoders: Rc<Decoders>,
        app: AppState,
    ) -> Rc<Self> {
        let OpenSession {
            slot,
            title,
            token,
            session,
            log,
            acked_len,
            clock,
            instances,
        } = open;
        let plan: &SessionPlan = session.plan();
        let id = plan.session.clone();
        let models = decoders::models_of_plan(plan);
        let stages = plan.stages.iter().cloned().map(Arc::new).collect();
        let machine = Uploader::new(log, acked_len, page::random_seed(), super::uplink::now_ms());
        let needed = plan.instances().into_iter().cloned().collect();
        let instances = Instances::new(instances);
        let host = Rc::new_cyclic(|me: &Weak<Self>| {
            let connection = me.clone();
            let notify = move |event| {
                if let Some(host) = connection.upgrade() {
                    host.on_connection(event);
                }
            };
            decoders.on_loaded(me.clone(), |host| host.show_phase());
            decoders.fetch(models);
            instances.fetch(needed, me.clone(), |host| host.show_phase());
            Self {
                uplink: Uplink::new(id.clone(), token.clone(), machine, notify),
                decoders,
                instances,
                stages,
                slot,
                title,
                token,
                id,
                store,
                app,
                heartbeat: RefCell::default(),
                beat_ms: Cell::new(0.0),
                drawn_ms: Cell::new(f64::NEG_INFINITY),
                waits_for_idle: Cell::new(false),
                noted_ms: Cell::new(f64::NEG_INFINITY),
                renewal_due: Cell::new(false),
                translation_logged: Cell::new(false),
                recorder: RefCell::default(),
                sound_ends_ms: Cell::new(None),
                this: me.clone(),
                state: RefCell::new(State {
                    session,
                    clock,
                    sleep: SleepWatch::default(),
                    unstored: Vec::new(),
                    storing: false,
                    heartbeats: 0,
                    shown: None,
                    frame_asked: false,
                    hidden: false,
                    closed: false,
                    asking: false,
                    departure_request: DepartureRequest::default(),
                    asking_verdict: false,
                }),
            }
        });
        let me = Rc::downgrade(&host);
        let interval = Interval::new(HEARTBEAT_MS, move || {
            if let Some(host) = me.upgrade().filter(|host| !host.frames_beat()) {
                host.heartbeat();
            }
        });
        host.heartbeat.replace(Some(interval));
        host.listen_to_experimenter();
        host.record_again();
        host
    }

    /// Whether the page asks something that is no part of the study, and shows nothing else
    /// meanwhile: a model that has just been loaded would bring its question to the screen.
    pub fn set_asking(&self, asking: bool) {
        self.state.borrow_mut().asking = asking;
    }

    /// Goes no further, and says why. Logged events stay in the store, and are
    /// still sent where that is possible.
    fn close(&self, message: &str) {
        self.state.borrow_mut().closed = true;
        self.let_go_of_microphone();
        self.app.show(Screen::Problem(message.to_owned()));
    }

    /// Whether the code is there, so that nothing is left to do.
    fn is_over(&self) -> bool {
        self.heartbeat.borrow().is_none()
    }

    /// Whether nothing is logged here any more.
    fn is_closed(&self) -> bool {
        self.state.borrow().closed
    }

    /// A visible page that stood still logs it: the machine slept.
    pub(super) fn notice_sleep(&self) {
        let mut state = self.state.borrow_mut();
        if state.hidden {
            return;
        }
        let slept = state.sleep.awake(clock::monotonic_ms());
        drop(state);
        if let Some(slept_ms) = slept {
            self.log(Event::PageSlept { slept_ms });
        }
    }

    /// Reads the session.
    pub fn read<T>(&self, f: impl FnOnce(&Session) -> T) -> T {
        f(&self.state.borrow().session)
    }

    /// The models of the session.
    #[must_use]
    pub fn decoders(&self) -> &Rc<Decoders> {
        &self.decoders
    }
}
