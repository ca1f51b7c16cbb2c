//! The host of a session in the browser: every event passes through
//! [`Host::log`], and what the session machine asks for in return is done here.

mod ending;
mod leaving;
mod solving;

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use domain::event::{EVENT_FORMAT, Envelope, Event, SessionId};
use domain::metrics::QuestionRecord;
use domain::plan::{SessionPlan, StagePlan};
use domain::session::{Effect, Phase, Session};
use gloo_timers::callback::Interval;
use leptos::prelude::{GetUntracked, Set};
use leptos::task::spawn_local;

use super::clock::{Moment, SessionClock};
use super::decoders::{self, Decoders, TUTORIAL_MODEL};
use super::page;
use super::store::{Store, StoredEvent, as_stored};
use super::ui::{Screen, Ui};
use super::uplink::{Notice, Uplink};
use super::upload::{Input, Uploader};
use crate::text::text;
use crate::view::SaveState;

use ending::Completion;
use solving::Active;
pub use solving::Restored;

/// How often the host looks after a value at rest, the upload and the signs on screen.
const BEAT_MS: u32 = 100;
/// Events are stored together, every so many beats.
const BEATS_PER_STORE: u32 = 2;
/// A session on this page.
pub struct Host {
    slot: String,
    title: String,
    token: String,
    id: SessionId,
    stages: Vec<Arc<StagePlan>>,
    store: Rc<Store>,
    ui: Ui,
    uplink: Rc<Uplink>,
    decoders: Rc<Decoders>,
    state: RefCell<State>,
    /// Beats until the session is over.
    heart: RefCell<Option<Interval>>,
    me: Weak<Host>,
}

struct State {
    session: Session,
    clock: SessionClock,
    /// Logged, not in the store yet.
    unstored: Vec<StoredEvent>,
    storing: bool,
    beats: u32,
    active: Option<Active>,
    restored: Option<Restored>,
    frame_asked: bool,
    /// When the log last heard that the participant is active.
    active_at_ms: u64,
    hidden: bool,
    /// Nothing is logged any more: the session is over, or something is broken.
    closed: bool,
    completion: Completion,
}

/// What a host is made from.
pub struct Opening {
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
    pub held: u64,
    /// Its clock, running.
    pub clock: SessionClock,
    /// What the log says about the question on screen beyond the machine's state.
    pub restored: Option<Restored>,
}

impl Host {
    /// Opens a session on this page: fetches its models, and begins to upload.
    #[must_use]
    pub fn open(opening: Opening, store: Rc<Store>, ui: Ui) -> Rc<Self> {
        let Opening {
            slot,
            title,
            token,
            session,
            log,
            held,
            clock,
            restored,
        } = opening;
        let plan: &SessionPlan = session.plan();
        let id = plan.session.clone();
        let wanted = decoders::wanted(plan);
        let stages = plan.stages.iter().cloned().map(Arc::new).collect();
        let machine = Uploader::new(log, held, page::random_seed(), super::uplink::now_ms());
        let host = Rc::new_cyclic(|me: &Weak<Self>| {
            let (on_notice, on_ready) = (me.clone(), me.clone());
            let notify = move |notice| {
                if let Some(host) = on_notice.upgrade() {
                    host.on_notice(notice);
                }
            };
            let decoders = ui.decoders();
            decoders.on_ready(move || {
                if let Some(host) = on_ready.upgrade() {
                    host.settle();
                }
            });
            decoders.want(wanted);
            Self {
                uplink: Uplink::new(id.clone(), token.clone(), machine, notify),
                decoders,
                stages,
                slot,
                title,
                token,
                id,
                store,
                ui,
                heart: RefCell::default(),
                me: me.clone(),
                state: RefCell::new(State {
                    session,
                    clock,
                    unstored: Vec::new(),
                    storing: false,
                    beats: 0,
                    active: None,
                    restored,
                    frame_asked: false,
                    active_at_ms: 0,
                    hidden: false,
                    closed: false,
                    completion: Completion::default(),
                }),
            }
        });
        let me = Rc::downgrade(&host);
        let heart = Interval::new(BEAT_MS, move || {
            if let Some(host) = me.upgrade() {
                host.beat();
            }
        });
        host.heart.replace(Some(heart));
        host
    }

    /// Logs something the participant did, and shows what follows from it.
    pub fn act(&self, event: Event) {
        self.log(event);
        self.settle();
    }

    /// The one way into the log: numbers and dates the event, lets the session
    /// machine judge it, stores it, and has it sent once it is stored.
    fn log(&self, event: Event) {
        let mut state = self.state.borrow_mut();
        if state.closed {
            return;
        }
        let at_ms = state.clock.now_ms(Moment::now());
        let seq = state.session.next_seq();
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.id.clone(),
            seq,
            at_ms,
            event,
        };
        let applied = state
            .session
            .apply(&envelope)
            .map_err(|refusal| refusal.to_string());
        let written = as_stored(&envelope).ok_or_else(|| "it cannot be written".to_owned());
        let (effects, stored) = match applied.and_then(|effects| Ok((effects, written?))) {
            Ok(done) => done,
            Err(why) => {
                // The views offer only what the machine allows, so this is a bug.
                drop(state);
                leptos::logging::error!("'{}' was refused: {why}", envelope.event.kind());
                self.close(&text().runtime.broken(why));
                return;
            }
        };
        state.unstored.push(stored);
        if matches!(envelope.event, Event::Snapshot(_) | Event::Activity) {
            state.active_at_ms = at_ms;
        }
        drop(state);
        for effect in effects {
            match effect {
                // The machine keeps the record; the end of the log is noticed by the heartbeat.
                Effect::QuestionEnded(_) | Effect::Completed => {}
                Effect::FlushLog => self.store_events(),
            }
        }
    }

    /// Stores what is logged, then has it sent.
    fn store_events(&self) {
        let mut state = self.state.borrow_mut();
        if state.storing || state.unstored.is_empty() {
            return;
        }
        state.storing = true;
        drop(state);
        let me = self.me.clone();
        spawn_local(async move {
            while let Some(host) = me.upgrade() {
                let batch = host.state.borrow().unstored.clone();
                if batch.is_empty() {
                    host.state.borrow_mut().storing = false;
                    return;
                }
                host.store.append(&host.id, &batch).await;
                // Only now: what is not stored is not sent, and what is not sent stays in the list.
                host.state.borrow_mut().unstored.drain(..batch.len());
                host.uplink.on(Input::Stored(
                    batch.into_iter().map(|(_, json)| json).collect(),
                ));
            }
        });
    }

    /// Shows the screen of the session's phase, as far as its model is there.
    pub fn settle(&self) {
        if self.state.borrow().closed {
            return;
        }
        let phase = self.state.borrow().session.phase();
        let screen = match phase {
            // The study's first page, which is on display.
            Phase::Consent => return,
            Phase::Declined => Screen::Declined,
            Phase::Tutorial => match self.decoders.get(TUTORIAL_MODEL) {
                Some(_) => Screen::Tutorial,
                None => Screen::Loading {
                    model: TUTORIAL_MODEL.to_owned(),
                },
            },
            Phase::StageIntro { stage } => Screen::StageIntro { stage },
            Phase::Ready(at) | Phase::Solving(at) | Phase::Solved(at) => match self.bring_on(at) {
                Ok(()) => Screen::Question(at),
                Err(Some(model)) => Screen::Loading { model },
                // It is broken, and says so already.
                Err(None) => return,
            },
            Phase::Questionnaire { stage, index } => Screen::Questionnaire { stage, index },
            Phase::Complete => {
                self.ui
                    .records
                    .set(self.state.borrow().session.ended().to_vec());
                Screen::Complete
            }
        };
        if !matches!(screen, Screen::Question(_)) {
            self.state.borrow_mut().active = None;
        }
        self.refresh();
        self.ui.show(screen);
    }

    fn beat(&self) {
        let mut state = self.state.borrow_mut();
        state.beats = state.beats.wrapping_add(1);
        let store_now = state.beats.is_multiple_of(BEATS_PER_STORE);
        drop(state);
        self.tick_question();
        if store_now {
            self.store_events();
        }
        self.uplink.on(Input::Tick);
        self.refresh();
        self.complete_if_due();
    }

    fn refresh(&self) {
        let logged = self.state.borrow().session.next_seq();
        let (held, offline) = self
            .uplink
            .read(|up| (up.held(), up.is_offline(super::uplink::now_ms())));
        let save = match (offline, held >= logged) {
            (true, _) => SaveState::Offline,
            (false, true) => SaveState::Saved,
            (false, false) => SaveState::Saving,
        };
        if self.ui.save.get_untracked() != Some(save) {
            self.ui.save.set(Some(save));
        }
    }

    fn on_notice(&self, notice: Notice) {
        match notice {
            Notice::Lost => self.log(Event::ConnectionLost),
            Notice::Restored => self.log(Event::ConnectionRestored),
            Notice::Moved => {
                self.refresh();
                self.complete_if_due();
            }
            Notice::Stopped(error) => self.cannot_upload(&error),
        }
    }

    /// The browser noticed a change of the network.
    pub fn network(&self, up: bool) {
        if !self.is_over() {
            self.uplink.on(if up {
                Input::NetworkUp
            } else {
                Input::NetworkDown
            });
        }
    }

    /// Goes no further, and says why. What is logged stays in the store, and is
    /// still sent where that is possible.
    fn close(&self, message: &str) {
        self.state.borrow_mut().closed = true;
        self.ui.show(Screen::Problem(message.to_owned()));
    }

    /// Whether the code is there, so that nothing is left to do.
    fn is_over(&self) -> bool {
        self.heart.borrow().is_none()
    }

    /// Reads the session.
    pub fn read<T>(&self, f: impl FnOnce(&Session) -> T) -> T {
        f(&self.state.borrow().session)
    }

    /// A stage of the plan.
    #[must_use]
    pub fn stage(&self, index: usize) -> Option<&Arc<StagePlan>> {
        self.stages.get(index)
    }

    /// The models of the session.
    #[must_use]
    pub fn decoders(&self) -> &Rc<Decoders> {
        &self.decoders
    }

    fn ended(&self) -> Vec<QuestionRecord> {
        self.state.borrow().session.ended().to_vec()
    }
}
