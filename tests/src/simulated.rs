//! A participant without a browser: makes the events a real one would make.
//!
//! The domain's own session machine decides what is legal, and each task says what a
//! participant does in it; only the pictures are made up, since nobody looks at them.

use std::collections::{BTreeMap, VecDeque};

use anyhow::{Context, Result, bail};
use domain::event::{Author, EVENT_FORMAT, Envelope, Event, PageInfo, QuestionRef};
use domain::plan::SessionPlan;
use domain::questionnaire::{Answer, ItemKind, Questionnaire};
use domain::session::{Phase, Session};
use domain::task::{Simulation, TaskEvent};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub mod run;
pub mod stream;

/// Someone who moves a dial every tenth of a second and solves a question after a fixed
/// number of moves.
pub struct Participant {
    session: Session,
    log: Vec<Envelope>,
    /// What is still to be done in the question on screen, each with the time it is due.
    script: VecDeque<(u64, TaskEvent)>,
    moves_per_question: usize,
    rng: ChaCha8Rng,
}

impl Participant {
    /// A participant at the beginning of a session.
    #[must_use]
    pub fn new(plan: SessionPlan, moves_per_question: u32) -> Self {
        Self {
            session: Session::new(plan),
            log: Vec::new(),
            script: VecDeque::new(),
            moves_per_question: moves_per_question as usize,
            rng: ChaCha8Rng::seed_from_u64(1),
        }
    }

    /// All events so far.
    #[must_use]
    pub fn log(&self) -> &[Envelope] {
        &self.log
    }

    /// The session as these events leave it.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Whether everything asked has been answered.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.session.phase() == Phase::Complete
    }

    /// Does the next thing; in a question, everything that is due by now. After the end
    /// nothing happens.
    ///
    /// # Errors
    /// When the session machine refuses an event: a mistake of this simulation.
    pub fn step(&mut self, now_ms: u64) -> Result<()> {
        if self.log.is_empty() {
            self.record(
                now_ms,
                Event::PageOpened {
                    page: PageInfo::default(),
                },
            )?;
        }
        match self.session.phase() {
            Phase::Consent => self.record(now_ms, Event::ConsentGiven),
            Phase::Instructions { part } => self.record(now_ms, Event::InstructionsRead { part }),
            Phase::Tutorial { .. } => self.record(now_ms, Event::TutorialFinished),
            Phase::Break { part } => self.record(now_ms, Event::BreakEnded { part }),
            Phase::StageIntro { stage } => self.record(now_ms, Event::StageStarted { stage }),
            Phase::Ready(at) => {
                self.record(now_ms, Event::QuestionStarted { at })?;
                self.script = self.write_script(at, now_ms)?;
                self.do_what_is_due(now_ms)
            }
            Phase::Question(_) => self.do_what_is_due(now_ms),
            Phase::Questionnaire { .. } => {
                let asked = self.session.questionnaire().context("no questionnaire")?;
                let event = Event::QuestionnaireAnswered {
                    questionnaire: asked.id.clone(),
                    answers: answers(asked),
                };
                self.record(now_ms, event)
            }
            Phase::Complete => Ok(()),
            phase @ (Phase::Declined | Phase::ScreenedOut | Phase::AwaitingVerdicts { .. }) => {
                bail!("nobody declined, and nothing was asked of the server: {phase:?}")
            }
        }
    }

    fn write_script(&mut self, at: QuestionRef, now_ms: u64) -> Result<VecDeque<(u64, TaskEvent)>> {
        let plan = self.session.plan();
        let stage = plan.stages.get(at.stage).context("no stage")?;
        let simulation = Simulation {
            practice: stage.practice,
            decode: None,
            instance: None,
            movements: self.moves_per_question,
        };
        let done = stage.task.simulate(at.question, &simulation, &mut self.rng);
        let mut due_ms = now_ms;
        let script = done.into_iter().map(|(wait_ms, event)| {
            due_ms += wait_ms;
            (due_ms, event)
        });
        Ok(script.collect())
    }

    fn do_what_is_due(&mut self, now_ms: u64) -> Result<()> {
        while let Some((due_ms, event)) = self.script.pop_front() {
            if due_ms > now_ms {
                self.script.push_front((due_ms, event));
                break;
            }
            self.record(now_ms, Event::Task(event))?;
        }
        Ok(())
    }

    fn record(&mut self, at_ms: u64, event: Event) -> Result<()> {
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.session.plan().session.clone(),
            author: Author::Participant,
            seq: self.session.next_seq(),
            at_ms,
            event,
        };
        self.session.apply(&envelope)?;
        self.log.push(envelope);
        Ok(())
    }
}

/// An answer to every item that needs one.
#[must_use]
pub fn answers(questionnaire: &Questionnaire) -> BTreeMap<String, Answer> {
    let answer = |kind: &ItemKind| match kind {
        ItemKind::Scale { min, max, .. } => Answer::Number(i64::midpoint(*min, *max)),
        ItemKind::Text => Answer::Text("simulated".into()),
        ItemKind::Choice {
            options,
            several: false,
        } => Answer::Text(options[0].clone()),
        ItemKind::Choice {
            options,
            several: true,
        } => Answer::Several(options[..1].to_vec()),
    };
    let items = questionnaire.items.iter();
    items
        .map(|item| (item.id.clone(), answer(&item.answer)))
        .collect()
}
