//! The flow of a session: event → new state + effects.
//!
//! Browser, server and offline analysis run this one machine. It refuses an
//! event that its state does not allow, and is then left exactly as it was. What
//! happens within a question is the task's business; here it is only passed on.

use std::collections::BTreeMap;
use std::sync::Arc;

mod advance;
mod begun_question;
mod checks;
pub mod device;
pub mod ended;
pub mod event;
pub mod flow;
pub mod identifying;
mod in_question;
mod keys;
pub mod lab;
mod limit;
mod other_authors;
mod pages;
mod phase;
pub mod plan;
mod progress;
mod queries;
mod question_logs;
mod recordings;
mod records;
mod refusal;
mod seekable;
pub mod time_limit;
mod trace;
pub mod typed_text;
mod verdicts;
mod visits;

use crate::clock::QuestionClock;
use crate::session::device::DeviceReport;
use crate::session::event::{Author, Consented, Envelope, Event, QuestionRef};
use crate::session::plan::{Mode, SessionPlan};
use crate::task::Verdict;

pub use crate::questionnaire::AnsweredQuestionnaire;
pub use begun_question::BegunQuestion;
pub use checks::AttentionChecks;
pub use ended::ATTENTION_CHECKS_FAILED;
pub use keys::{AnswerKeys, ItemKey};
pub use phase::Phase;
pub use progress::StagePlace;
pub use question_logs::{QuestionLog, question_logs};
pub use recordings::{RecordedPiece, RecordedSound};
pub use refusal::Refusal;
pub use seekable::{LogPlace, SeekableLog};
pub use trace::AlignmentTrace;
pub use visits::PartVisit;

/// A request to the host of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Send what is unsent now rather than in a moment.
    FlushLog,
    /// The session has ended, in whichever way: nothing more is asked.
    Ended,
    /// Everything was answered: a completion code may be made.
    Completed,
}

/// The known end of one author's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogEnd {
    /// Number of its events.
    pub next_seq: u64,
    /// When the last one happened, in milliseconds since the session's start; 0 without one.
    pub last_ms: u64,
}

/// The machine.
#[derive(Debug, Clone)]
pub struct Session {
    plan: Arc<SessionPlan>,
    keys: Option<Arc<AnswerKeys>>,
    phase: Phase,
    /// When the page on screen appeared, or more time was asked for.
    page_since_ms: u64,
    logs: BTreeMap<Author, LogEnd>,
    /// Those begun, in order; the one on screen, if any, is the last.
    questions: Vec<Arc<BegunQuestion>>,
    /// The participant's last consent.
    consented: Option<Consented>,
    /// Whether the participant withdrew, and if so, whether everything is to be erased.
    withdrew: Option<bool>,
    /// Why the researcher excluded the session by hand.
    excluded: Option<String>,
    /// The experimenter who runs it beside the participant.
    experimenter: Option<String>,
    answers: Vec<AnsweredQuestionnaire>,
    verdicts: BTreeMap<QuestionRef, Verdict>,
    /// Of the stage under way, where it has a limit.
    stage_clock: Option<limit::StageClock>,
    /// The stage that the participant left before all of its questions had been asked.
    left_stage: Option<usize>,
    /// Since when the page has paused, as the experimenter wished.
    paused_since_ms: Option<u64>,
    /// Whether the experimenter wants it paused.
    pause_asked: bool,
    /// The page's last report of the device.
    device: Option<DeviceReport>,
    recordings: Arc<recordings::Recordings>,
    visits: Vec<PartVisit>,
    /// Since when the page has been hidden.
    away_since_ms: Option<u64>,
}

impl Session {
    /// A session at its beginning, as its browser knows it: without answer keys.
    #[must_use]
    pub fn new(plan: impl Into<Arc<SessionPlan>>) -> Self {
        let mut session = Self {
            plan: plan.into(),
            keys: None,
            phase: Phase::Complete,
            page_since_ms: 0,
            logs: BTreeMap::new(),
            questions: Vec::new(),
            consented: None,
            withdrew: None,
            excluded: None,
            experimenter: None,
            answers: Vec::new(),
            verdicts: BTreeMap::new(),
            stage_clock: None,
            left_stage: None,
            paused_since_ms: None,
            pause_asked: false,
            device: None,
            recordings: Arc::default(),
            visits: Vec::new(),
            away_since_ms: None,
        };
        session.phase = session.enter(0);
        session.begin_visits();
        session
    }

    /// A session at its beginning, as server and analysis know it: with its keys, so
    /// that a false verdict is refused and what depends on answers is measured.
    #[must_use]
    pub fn with_keys(plan: impl Into<Arc<SessionPlan>>, keys: impl Into<Arc<AnswerKeys>>) -> Self {
        Self {
            keys: Some(keys.into()),
            ..Self::new(plan)
        }
    }

    /// Whether it knows the right answers.
    pub(crate) fn has_keys(&self) -> bool {
        self.keys.is_some()
    }

    /// Takes in a log that is stored, event by event.
    ///
    /// # Errors
    /// The index of the first event that is refused, and why.
    pub fn replayed<'a>(
        mut self,
        log: impl IntoIterator<Item = &'a Envelope>,
    ) -> Result<Self, (usize, Refusal)> {
        for (index, envelope) in log.into_iter().enumerate() {
            self.replay(envelope).map_err(|refusal| (index, refusal))?;
        }
        Ok(self)
    }

    /// Takes in what happens next.
    ///
    /// # Errors
    /// A [`Refusal`]; the session is then unchanged.
    pub fn apply(&mut self, envelope: &Envelope) -> Result<Vec<Effect>, Refusal> {
        let event = &envelope.event;
        for text in event.texts() {
            if let Some(found) = text.too_long() {
                return Err(Refusal::TooLong {
                    event: event.kind(),
                    field: text.field,
                    found,
                    most: text.most,
                });
            }
        }
        self.replay(envelope)
    }

    /// Takes in the next event of a log that is stored: its texts may be longer than is allowed today.
    ///
    /// # Errors
    /// A [`Refusal`]; the session is then unchanged.
    pub fn replay(&mut self, envelope: &Envelope) -> Result<Vec<Effect>, Refusal> {
        let Envelope {
            format,
            session,
            author,
            seq,
            at_ms,
            event,
        } = envelope;
        // Older records were turned into today's when they were read.
        if *format != crate::session::event::EVENT_FORMAT {
            return Err(Refusal::Format { found: *format });
        }
        if *session != self.plan.session {
            return Err(Refusal::WrongSession);
        }
        let end = self.log_end(*author);
        if *seq != end.next_seq {
            return Err(Refusal::OutOfOrder {
                expected: end.next_seq,
                found: *seq,
            });
        }
        if *at_ms < end.last_ms {
            return Err(Refusal::ClockWentBack {
                before_ms: end.last_ms,
                found_ms: *at_ms,
            });
        }
        let effects = match author {
            Author::Participant => {
                let before = self.phase;
                let effects = self.step(*at_ms, event)?;
                if self.phase != before {
                    self.page_since_ms = *at_ms;
                }
                self.note_whereabouts(*at_ms, event.page_change());
                effects
            }
            Author::Server | Author::Experimenter => self.note(*author, *at_ms, event)?,
        };
        let end = LogEnd {
            next_seq: seq + 1,
            last_ms: *at_ms,
        };
        self.logs.insert(*author, end);
        Ok(effects)
    }

    fn not_now(&self, event: &Event) -> Refusal {
        Refusal::NotNow {
            event: event.kind(),
            phase: self.phase,
        }
    }

    /// Takes in an event that the participant's page logs. Checks first, changes afterwards.
    fn step(&mut self, at_ms: u64, event: &Event) -> Result<Vec<Effect>, Refusal> {
        use Phase as P;
        if let Some(done) = self.on_recording(at_ms, event) {
            return done;
        }
        match (self.phase, event) {
            (
                _,
                Event::PageOpened { .. }
                | Event::PageHidden
                | Event::PageShown
                | Event::PageSlept { .. }
                | Event::Paused
                | Event::Resumed
                | Event::ConnectionLost
                | Event::ConnectionRestored,
            ) => {
                if let Some(question) = self.running_mut() {
                    question.clock.on_page_event(at_ms, event.page_change());
                }
                self.on_page_event_of_stage(at_ms, event.page_change());
                match event {
                    Event::PageOpened { .. } => {
                        if let Some(stage) = self.stage_left_too_long(at_ms) {
                            return Ok(self.cut(stage, at_ms));
                        }
                    }
                    Event::Paused => {
                        self.paused_since_ms.get_or_insert(at_ms);
                    }
                    Event::Resumed => {
                        // The pause does not count in the time of a page.
                        let since_ms = self.paused_since_ms.take().unwrap_or(at_ms);
                        self.page_since_ms +=
                            at_ms.saturating_sub(since_ms.max(self.page_since_ms));
                    }
                    _ => {}
                }
                Ok(vec![])
            }
            // How things were done changes nothing for the participant.
            (_, Event::GestureMade(gesture)) => match gesture.problem(at_ms) {
                Some(why) => Err(Refusal::Impossible {
                    event: event.kind(),
                    why,
                }),
                None => Ok(vec![]),
            },
            (
                _,
                Event::TextWritten(_) | Event::ScriptedInput { .. } | Event::PageTranslated { .. },
            ) => Ok(vec![]),
            (_, Event::DecodesTimed { at, times }) => self.take_decode_times(*at, *times, event),
            (_, Event::QuestionSized { at, sizes }) => self.take_sizes(*at, *sizes, event),
            (_, Event::VerdictReceived { at, verdict }) => self.take_verdict(*at, *verdict, at_ms),
            (P::AwaitingVerdicts { part }, Event::CheckReceived { part: found, wrong })
                if *found == part =>
            {
                self.take_check(part, wrong)
            }
            (phase, Event::ConsentGiven(consented))
                if phase == P::Consent || self.can_agree_again() =>
            {
                self.consented = Some(consented.clone());
                if phase == P::Consent {
                    return Ok(self.leave_part(self.consent_part()));
                }
                if let Some(question) = self.running_mut() {
                    question.clock.on_page_event(at_ms, event.page_change());
                }
                Ok(vec![Effect::FlushLog])
            }
            (_, Event::ConsentDeclined) if self.can_agree_again() => Ok(self.go(P::Declined)),
            (P::Consent, Event::ConsentDeclined) => Ok(self.go(P::Declined)),
            (phase, Event::Withdrew { erase }) if self.can_withdraw(*erase) => {
                self.withdrew = Some(*erase);
                // A participant who has come to the end keeps it, and with it the way to be paid.
                Ok(if phase.is_end() {
                    vec![Effect::FlushLog]
                } else {
                    self.go(P::Withdrawn)
                })
            }
            (
                P::DeviceCheck { part },
                Event::DeviceChecked {
                    part: found,
                    device,
                },
            ) if *found == part => {
                self.device = Some(*device);
                Ok(match self.device_needs(part) {
                    Some(needs) if !needs.faults(device).is_empty() => self.go(P::DeviceUnfit),
                    _ => self.leave_part(part),
                })
            }
            (P::Tutorial { part }, Event::TutorialFinished) => Ok(self.leave_part(part)),
            (P::Instructions { part }, Event::InstructionsRead { part: found })
            | (P::Break { part }, Event::BreakEnded { part: found })
                if *found == part =>
            {
                Ok(self.leave_part(part))
            }
            (P::StageIntro { stage }, Event::StageStarted { stage: found }) if *found == stage => {
                Ok(self.go(self.first_question(stage)))
            }
            (P::Ready(at), Event::QuestionStarted { at: found }) if *found == at => {
                let Some(stage) = self.plan.stage_of(at) else {
                    return Err(self.not_now(event));
                };
                let question = BegunQuestion {
                    at,
                    clock: QuestionClock::start(at_ms, stage.task.active_time()),
                    outcome: None,
                    left: false,
                    decode_times: None,
                    sizes: None,
                    state: stage.task.start(at.question, self.last_state(at.stage)),
                };
                self.questions.push(Arc::new(question));
                self.start_stage_clock(at.stage, at_ms);
                self.phase = P::Question(at);
                Ok(vec![])
            }
            (P::Question(_), Event::TimeUp { stage }) if self.to_be_cut(at_ms) == Some(*stage) => {
                Ok(self.cut(*stage, at_ms))
            }
            (P::Question(_) | P::Ready(_) | P::StageIntro { .. }, Event::StageEnded { stage })
                if self.plan.mode == Mode::Lab && self.stage_under_way() == Some(*stage) =>
            {
                Ok(self.cut(*stage, at_ms))
            }
            (P::TimeUp { stage }, Event::StageLeft { stage: found }) if *found == stage => {
                Ok(self.leave_stage(stage))
            }
            (P::Question(at), Event::Task(event)) => self.in_question(at, at_ms, event),
            (P::Questionnaire { part }, Event::QuestionnaireAnswered { .. }) => {
                self.take_answers(part, at_ms, event)
            }
            (P::Questionnaire { .. }, Event::WentBack { part })
                if self.way_back() == Some(*part) =>
            {
                Ok(self.go(P::Questionnaire { part: *part }))
            }
            (P::Questionnaire { part }, Event::MoreTimeTaken { part: found })
                if *found == part && self.time_limit().is_some_and(|limit| limit.more_time) =>
            {
                self.page_since_ms = at_ms;
                Ok(vec![])
            }
            _ => Err(self.not_now(event)),
        }
    }
}

#[cfg(test)]
mod tests;
