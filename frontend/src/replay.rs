//! A session that is replayed: its log is taken in as it comes, and what is on the participant's
//! screen is brought onto this one, now or at any moment before.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use api::StudyInfo;
use api::replay::LogEnds;
use domain::lanes::Lanes;
use domain::session::event::QuestionRef;
use domain::session::plan::{PartPlan, SessionPlan};
use domain::session::{SeekableLog, Session};
use domain::verify::StepByStep;
use leptos::prelude::{GetUntracked, RwSignal, Set};
use leptos::task::spawn_local;

pub mod chart;
pub mod clock;
mod compared;
pub mod drawn_time;
pub mod facts;
mod frame_classes;
mod moment;
mod paper;
pub mod player;
mod screen;
mod shown;
pub mod slide;
pub mod sound;
pub mod still;
mod taken;
pub mod timeline;
pub mod view;
pub mod window;

use crate::runtime::client::{self, ClientError};
use crate::runtime::decoders::{self, Decoders};
use crate::runtime::instances::Instances;
use crate::runtime::retry::Retry;
use crate::runtime::store::DraftOf;
use crate::runtime::task::{Displayed, TaskDriver};
use crate::state::AppState;
use moment::{Moment, shown_session};
use screen::scene;
pub use shown::{OnScreen, ReplaySignals};
use timeline::{TimelineEntry, Watcher};

struct OpenQuestion {
    at: QuestionRef,
    driver: Box<dyn TaskDriver>,
}

struct State {
    log: SeekableLog,
    lanes: Lanes,
    /// The one that is shown; absent: now.
    moment: Option<Moment>,
    ends: LogEnds,
    open: Option<OpenQuestion>,
    watcher: Watcher,
    compared: StepByStep,
    /// Entries of the timeline that are taken in and not told yet.
    untold: Vec<TimelineEntry>,
    /// The study's first page, with the text of consent, once it is here.
    first_page: Option<StudyInfo>,
}

impl State {
    fn session(&self) -> &Session {
        shown_session(&self.log, self.moment.as_ref())
    }
}

/// A session that is replayed.
pub struct Replay {
    plan: Arc<SessionPlan>,
    state: RefCell<State>,
    decoders: Rc<Decoders>,
    instances: Rc<Instances>,
    app: AppState,
    /// The signals that show it on the page.
    pub shown: ReplaySignals,
}

impl Replay {
    /// Begins with a session's plan: its models, its pictures and the text of its consent form are fetched.
    #[must_use]
    pub fn open(plan: SessionPlan, decoders: Rc<Decoders>) -> Rc<Self> {
        let plan = Arc::new(plan);
        let replay = Rc::new(Self {
            state: RefCell::new(State {
                log: SeekableLog::new(Session::new(Arc::clone(&plan))),
                lanes: Lanes::default(),
                moment: None,
                ends: LogEnds::default(),
                open: None,
                watcher: Watcher::default(),
                compared: StepByStep::default(),
                untold: Vec::new(),
                first_page: None,
            }),
            plan,
            decoders,
            instances: Instances::new(Vec::new()),
            app: AppState::default(),
            shown: ReplaySignals::new(),
        });
        let me = Rc::downgrade(&replay);
        replay
            .decoders
            .on_loaded(me.clone(), |replay| replay.show());
        replay
            .decoders
            .fetch(decoders::models_of_plan(&replay.plan));
        let needed = replay.plan.instances().into_iter().cloned().collect();
        replay.instances.fetch(needed, me, |replay| replay.show());
        replay.fetch_first_page();
        replay.show();
        replay
    }

    /// The text of consent is no part of the plan.
    fn fetch_first_page(self: &Rc<Self>) {
        if !self.plan.parts.contains(&PartPlan::Consent) {
            return;
        }
        let (me, plan) = (Rc::downgrade(self), Arc::clone(&self.plan));
        spawn_local(async move {
            let retry = Retry::default();
            loop {
                let page = client::study(&plan.study, Some(&plan.language)).await;
                let Some(replay) = me.upgrade() else {
                    return;
                };
                match page {
                    Ok(mut page) => {
                        // The participant was let in.
                        page.arrival = api::ArrivalInfo::default();
                        replay.state.borrow_mut().first_page = Some(page);
                        replay.show();
                        return;
                    }
                    // The study may be gone; the session is replayed all the same.
                    Err(ClientError::Refused(_) | ClientError::Unintelligible(_)) => return,
                    Err(ClientError::Unreachable) => {}
                }
                drop(replay);
                retry.pause().await;
            }
        });
    }

    /// Whether the study records what participants say.
    #[must_use]
    pub fn records_sound(&self) -> bool {
        self.plan.recording.is_some()
    }

    /// How far its log was read.
    #[must_use]
    pub fn ends(&self) -> LogEnds {
        self.state.borrow().ends
    }

    /// The time of the moment that is shown, in milliseconds since the session's start.
    fn now_ms(&self) -> u64 {
        let moment = self.state.borrow().moment.as_ref().map(|it| it.at_ms);
        moment.unwrap_or_else(|| self.shown.now_ms())
    }

    /// Some time has passed: what is decoded in the background goes on, and clocks are set.
    pub fn tick(&self) {
        let now_ms = self.now_ms();
        let mut state = self.state.borrow_mut();
        let State {
            log, moment, open, ..
        } = &mut *state;
        let session = shown_session(log, moment.as_ref());
        let left = session.stage_left_ms(now_ms).map(|ms| ms.div_ceil(60_000));
        let limit = session.current_stage().and_then(|stage| stage.limit);
        let told = left.filter(|_| limit.is_some_and(|limit| limit.show_clock));
        let study_left = session.minutes_left();
        if let (Some(open), Some(question)) = (open, session.running()) {
            let elapsed_ms = now_ms.saturating_sub(question.clock.started_at_ms());
            if open.driver.wants_frame(elapsed_ms) && open.driver.frame(elapsed_ms).is_ok() {
                open.driver.show(&scene(session, question, now_ms));
            }
        }
        let latest = log.latest();
        let ended_ms = latest.phase().is_end().then(|| latest.last_ms());
        drop(state);
        // The participant's screen says it only where theirs does.
        set(self.app.minutes_left, told);
        set(self.shown.stage_left, left);
        set(self.shown.study_left, study_left);
        let seconds = ended_ms.unwrap_or_else(|| self.shown.now_ms()) / 1_000;
        set(self.shown.seconds, seconds);
    }

    fn show(&self) {
        let screen = self.screen();
        let ReplaySignals {
            paused,
            pause_asked,
            stage,
            away,
            ended,
            progress,
            ..
        } = self.shown;
        {
            let state = self.state.borrow();
            let latest = state.log.latest();
            set(paused, latest.is_paused());
            set(pause_asked, latest.pause_is_asked());
            set(stage, latest.stage_under_way());
            set(away, state.watcher.is_away());
            set(ended, latest.phase().is_end());
            set(progress, state.session().progress());
            let count = state.moment.as_ref().map(|it| it.place.count());
            set(self.shown.count, count.unwrap_or(state.log.events().len()));
        }
        set(self.shown.screen, screen);
    }
}

/// Sets a signal whose value has changed.
fn set<T: PartialEq + Clone + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.get_untracked() != value {
        signal.set(value);
    }
}

impl Displayed for Replay {
    fn session(&self) -> Ref<'_, Session> {
        Ref::map(self.state.borrow(), State::session)
    }

    fn decoders(&self) -> &Rc<Decoders> {
        &self.decoders
    }

    fn app(&self) -> AppState {
        self.app
    }

    fn with_shown(&self, at: QuestionRef, read: &mut dyn FnMut(&mut dyn TaskDriver)) {
        let mut state = self.state.borrow_mut();
        if let Some(open) = state.open.as_mut().filter(|open| open.at == at) {
            read(open.driver.as_mut());
        }
    }

    fn draft(&self, _: DraftOf) -> Option<String> {
        // Drafts are in the participant's browser alone.
        None
    }
}
