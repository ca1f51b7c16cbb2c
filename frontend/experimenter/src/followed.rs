//! A session that is followed: its log is replayed as it comes, and what is on the participant's
//! screen is brought onto this one.
//!
//! Longer than most files: one match from each event to what the experimenter sees of it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use api::lab::{LabSessionState, LogEnds, NewEvents};
use domain::event::{Envelope, QuestionRef};
use domain::plan::SessionPlan;
use domain::session::{Phase, Session};
use frontend::runtime::clock::monotonic_ms;
use frontend::runtime::decoders::{self, Decoders};
use frontend::runtime::instances::Instances;
use frontend::runtime::store::DraftOf;
use frontend::runtime::task::{Displayed, QuestionParts, Scene, TaskDriver, driver};
use leptos::prelude::{GetUntracked, RwSignal, Set, Signal, Update};

use crate::timeline::{Entry, Watcher};

/// What is on the participant's screen.
#[derive(Debug, Clone, PartialEq)]
pub enum OnScreen {
    /// Something that is not shown here; what, in words.
    Words(String),
    /// The words before a stage.
    Intro(usize),
    /// A question.
    Question(QuestionRef),
    /// A questionnaire: its part, and which attempt at it.
    Questionnaire(usize),
}

/// What the page shows of the session, as signals.
#[derive(Clone, Copy)]
pub struct Shown {
    /// The participant's screen.
    pub screen: RwSignal<OnScreen>,
    /// What has happened, oldest first.
    pub timeline: RwSignal<Vec<Entry>>,
    /// Whether the page has paused.
    pub paused: RwSignal<bool>,
    /// Whether it was asked to.
    pub pause_asked: RwSignal<bool>,
    /// The stage that can be ended.
    pub stage: RwSignal<Option<usize>>,
    /// Whether the participant's page is in the background, or closed.
    pub away: RwSignal<bool>,
    /// Whether nothing more will happen.
    pub ended: RwSignal<bool>,
    /// Share of the session that is done, in [0, 1].
    pub progress: RwSignal<f64>,
    /// The session's time at the server, and when it was that here, both in milliseconds.
    pub time: RwSignal<(u64, f64)>,
    /// The session's time now, in whole seconds; it stands still once the session has ended.
    pub seconds: RwSignal<u64>,
    /// Minutes that are left to the stage; absent where it has no limit.
    pub minutes_left: RwSignal<Option<u64>>,
    /// Why it cannot be followed any further.
    pub broken: RwSignal<Option<String>>,
}

impl Shown {
    fn new() -> Self {
        Self {
            screen: RwSignal::new(OnScreen::Words(String::new())),
            timeline: RwSignal::new(Vec::new()),
            paused: RwSignal::new(false),
            pause_asked: RwSignal::new(false),
            stage: RwSignal::new(None),
            away: RwSignal::new(false),
            ended: RwSignal::new(false),
            progress: RwSignal::new(0.0),
            time: RwSignal::new((0, monotonic_ms())),
            seconds: RwSignal::new(0),
            minutes_left: RwSignal::new(None),
            broken: RwSignal::new(None),
        }
    }

    /// The session's time now, in milliseconds.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a time that has passed
    pub fn now_ms(&self) -> u64 {
        let (at_ms, here_ms) = self.time.get_untracked();
        at_ms + (monotonic_ms() - here_ms).max(0.0) as u64
    }
}

struct OpenQuestion {
    at: QuestionRef,
    driver: Box<dyn TaskDriver>,
}

struct State {
    session: Session,
    ends: LogEnds,
    open: Option<OpenQuestion>,
    watcher: Watcher,
}

/// A session that is followed.
pub struct Followed {
    plan: Arc<SessionPlan>,
    state: RefCell<State>,
    decoders: Rc<Decoders>,
    instances: Rc<Instances>,
    /// What is shown of it.
    pub shown: Shown,
}

impl Followed {
    /// Begins to follow a session: its models and pictures are fetched.
    #[must_use]
    pub fn open(state: LabSessionState, decoders: Rc<Decoders>) -> Rc<Self> {
        let plan = Arc::new(state.plan);
        let instances = Instances::new(Vec::new());
        let followed = Rc::new(Self {
            state: RefCell::new(State {
                session: Session::new(Arc::clone(&plan)),
                ends: LogEnds::default(),
                open: None,
                watcher: Watcher::default(),
            }),
            plan,
            decoders,
            instances,
            shown: Shown::new(),
        });
        let again = |me: &Rc<Self>| {
            let me = Rc::downgrade(me);
            move || {
                if let Some(followed) = me.upgrade() {
                    followed.show();
                }
            }
        };
        followed.decoders.on_loaded(again(&followed));
        followed
            .decoders
            .fetch(decoders::models_of_plan(&followed.plan));
        let needed = followed.plan.instances().into_iter().cloned().collect();
        followed.instances.fetch(needed, again(&followed));
        followed.show();
        followed
    }

    /// What is asked in the session.
    #[must_use]
    pub fn plan(&self) -> &SessionPlan {
        &self.plan
    }

    /// How far its log was read.
    #[must_use]
    pub fn ends(&self) -> LogEnds {
        self.state.borrow().ends
    }

    /// Reads the session as far as it is known here.
    pub fn read<T>(&self, read: impl FnOnce(&Session) -> T) -> T {
        read(&self.state.borrow().session)
    }

    /// Takes in what is new in the log, and shows it.
    pub fn take(&self, new: &NewEvents) {
        self.shown.time.set((new.now_ms, monotonic_ms()));
        let mut entries = Vec::new();
        for event in &new.events {
            if let Err(why) = self.apply(event, &mut entries) {
                self.shown.broken.set(Some(why));
                return;
            }
        }
        if !entries.is_empty() {
            self.shown.timeline.update(|all| all.extend(entries));
        }
        self.show();
    }

    fn apply(&self, event: &Envelope, entries: &mut Vec<Entry>) -> Result<(), String> {
        let mut state = self.state.borrow_mut();
        let State {
            session,
            ends,
            watcher,
            ..
        } = &mut *state;
        session.replay(event).map_err(|refusal| {
            let (author, seq) = (event.author.name(), event.seq);
            format!("event {seq} of the {author}: {refusal}")
        })?;
        ends.pass(event);
        entries.extend(watcher.entries(event, session));
        Ok(())
    }

    /// Some time has passed: what is decoded in the background goes on, and clocks are set.
    pub fn tick(&self) {
        let now_ms = self.shown.now_ms();
        let mut state = self.state.borrow_mut();
        let State { session, open, .. } = &mut *state;
        let left = session.stage_left_ms(now_ms).map(|ms| ms.div_ceil(60_000));
        if let (Some(open), Some(question)) = (open, session.running()) {
            let elapsed_ms = now_ms.saturating_sub(question.clock.started_at_ms());
            if open.driver.wants_frame(elapsed_ms) && open.driver.frame(elapsed_ms).is_ok() {
                open.driver.show(&scene(session, question, now_ms));
            }
        }
        drop(state);
        set(self.shown.minutes_left, left);
        let ended_ms = self.read(|session| session.phase().is_end().then(|| session.last_ms()));
        set(self.shown.seconds, ended_ms.unwrap_or(now_ms) / 1_000);
    }

    fn show(&self) {
        let phase = self.read(Session::phase);
        let screen = match phase {
            _ if self.read(Session::is_paused) => OnScreen::Words("Paused".to_owned()),
            Phase::Question(at) => match self.bring_up(at) {
                Ok(()) => OnScreen::Question(at),
                Err(waits_for) => OnScreen::Words(waits_for.to_owned()),
            },
            Phase::StageIntro { stage } => OnScreen::Intro(stage),
            Phase::Questionnaire { part } => OnScreen::Questionnaire(part),
            other => OnScreen::Words(in_words(other).to_owned()),
        };
        let Shown {
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
            let session = &state.session;
            set(paused, session.is_paused());
            set(pause_asked, session.pause_is_asked());
            set(stage, session.stage_under_way());
            set(away, state.watcher.is_away());
            set(ended, session.phase().is_end());
            set(progress, session.progress());
        }
        set(self.shown.screen, screen);
    }

    /// Brings the question on screen to where the log is; fails with what is not there yet.
    fn bring_up(&self, at: QuestionRef) -> Result<(), &'static str> {
        let stage = self.plan.stages.get(at.stage).ok_or("A question")?;
        let decode = self
            .decoders
            .get(stage.task.model())
            .ok_or("A question. Its model is being fetched.")?;
        let instance = match stage.task.instance(at.question) {
            Some(id) => Some(
                self.instances
                    .get(id)
                    .ok_or("A question. Its picture is being fetched.")?,
            ),
            None => None,
        };
        let now_ms = self.shown.now_ms();
        let mut state = self.state.borrow_mut();
        let State { session, open, .. } = &mut *state;
        let question = session.running().ok_or("A question")?;
        let parts = QuestionParts {
            question,
            instance,
            decode,
            elapsed_ms: now_ms.saturating_sub(question.clock.started_at_ms()),
        };
        let stage = Arc::new(stage.clone());
        let (later, _) =
            driver(&stage, parts).map_err(|_| "A question whose picture cannot be decoded here")?;
        match open {
            Some(open) if open.at == at => open.driver.catch_up(later),
            _ => *open = Some(OpenQuestion { at, driver: later }),
        }
        if let Some(open) = open {
            open.driver.show(&scene(session, question, now_ms));
        }
        Ok(())
    }
}

fn scene<'a>(session: &Session, question: &'a domain::session::Question, now_ms: u64) -> Scene<'a> {
    Scene {
        question,
        verdict: session.verdict(question.at),
        can_skip: session.can_skip(now_ms),
        now_ms,
    }
}

/// Sets a signal whose value has changed.
fn set<T: PartialEq + Clone + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.get_untracked() != value {
        signal.set(value);
    }
}

/// What a participant does whose screen is not shown here.
fn in_words(phase: Phase) -> &'static str {
    match phase {
        Phase::Consent => "Reads the consent form",
        Phase::Instructions { .. } => "Reads instructions",
        Phase::Tutorial { .. } => "Plays with the tutorial",
        Phase::Ready(_) => "Waits for a question to load",
        Phase::TimeUp { .. } => "Is told that the stage is over",
        Phase::DeviceCheck { .. } => "Waits while the device is checked",
        Phase::Break { .. } => "Takes a break",
        Phase::AwaitingVerdicts { .. } => "Waits for the server to check answers",
        Phase::Declined => "Did not agree to take part",
        Phase::Withdrawn => "Stopped taking part",
        Phase::DeviceUnfit => "Has a device that does not fit",
        Phase::ScreenedOut => "Was screened out",
        Phase::Complete => "Has finished",
        Phase::StageIntro { .. } | Phase::Question(_) | Phase::Questionnaire { .. } => "",
    }
}

impl Displayed for Followed {
    fn with_shown(&self, at: QuestionRef, read: &mut dyn FnMut(&mut dyn TaskDriver)) {
        let mut state = self.state.borrow_mut();
        if let Some(open) = state.open.as_mut().filter(|open| open.at == at) {
            read(open.driver.as_mut());
        }
    }

    fn draft(&self, _: DraftOf) -> Option<String> {
        // What is half done is in the participant's browser alone.
        None
    }

    fn minutes_left(&self) -> Signal<Option<u64>> {
        self.shown.minutes_left.into()
    }
}
