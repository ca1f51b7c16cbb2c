//! A participant without a browser: makes the events a real one would make.
//!
//! The domain's own session machine and recorder decide what is legal and what
//! is stored; only the pictures are made up, since nobody looks at them.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use domain::event::{EVENT_FORMAT, Envelope, Event, PageInfo};
use domain::latent::Dimension;
use domain::plan::SessionPlan;
use domain::questionnaire::{Answer, ItemKind, Questionnaire};
use domain::recorder::{Input, Reading, Recorder};
use domain::session::{Phase, Session};

pub mod run;
pub mod stream;

/// Someone who moves a dial at every step and solves a question after a fixed number of them.
pub struct Participant {
    session: Session,
    log: Vec<Envelope>,
    recorder: Option<Recorder>,
    moves: u32,
    moves_per_question: u32,
}

impl Participant {
    /// A participant at the beginning of a session.
    #[must_use]
    pub fn new(plan: SessionPlan, moves_per_question: u32) -> Self {
        Self {
            session: Session::new(plan),
            log: Vec::new(),
            recorder: None,
            moves: 0,
            moves_per_question,
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

    /// Does the next thing; in a question that is a move of a dial, which makes at
    /// least one snapshot. After the end nothing happens.
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
            Phase::Tutorial => self.record(now_ms, Event::TutorialFinished),
            Phase::StageIntro { stage } => self.record(now_ms, Event::StageStarted { stage }),
            Phase::Ready(at) => {
                self.record(now_ms, Event::QuestionStarted { at })?;
                let (stage, question) = self.session.plan().question(at).context("no question")?;
                let (recorder, first) =
                    Recorder::start(&stage.model.latent, question.start.clone(), reading(1.0));
                self.recorder = Some(recorder);
                self.moves = 0;
                self.record(now_ms, Event::Snapshot(first))
            }
            Phase::Solving(_) if self.moves < self.moves_per_question => self.turn(now_ms),
            Phase::Solving(_) => self.finish(now_ms),
            Phase::Solved(_) => self.record(now_ms, Event::MovedOn),
            Phase::Questionnaire { .. } => {
                let asked = self.session.questionnaire().context("no questionnaire")?;
                let event = Event::QuestionnaireAnswered {
                    questionnaire: asked.id.clone(),
                    answers: answers(asked),
                };
                self.record(now_ms, event)
            }
            Phase::Complete => Ok(()),
            Phase::Declined => bail!("nobody declined"),
        }
    }

    /// Moves one dial, another one at every fifth move.
    fn turn(&mut self, now_ms: u64) -> Result<()> {
        let stage = self.session.current_stage().context("no stage")?;
        let space = &stage.model.latent;
        let recorder = self.recorder.as_ref().context("no recorder")?;
        let dimension = (self.moves / 5) as usize % space.len();
        let mut z = recorder.latest().z.clone();
        let value = z.get_mut(dimension).context("no such dimension")?;
        *value = another(&space.dimensions()[dimension], *value, self.moves);
        let done = f64::from(self.moves) / f64::from(self.moves_per_question);
        let elapsed_ms = self.elapsed_ms(now_ms);
        let input = Input {
            elapsed_ms,
            z,
            dimension,
        };
        let recorder = self.recorder.as_mut().context("no recorder")?;
        let stored = recorder.observe(input, reading(1.0 - 0.5 * done));
        self.moves += 1;
        stored
            .into_iter()
            .try_for_each(|snapshot| self.record(now_ms, Event::Snapshot(snapshot)))
    }

    /// The move that solves the question.
    fn finish(&mut self, now_ms: u64) -> Result<()> {
        let stage = self.session.current_stage().context("no stage")?;
        let dimension = &stage.model.latent.dimensions()[0];
        let mut recorder = self.recorder.take().context("no recorder")?;
        let mut z = recorder.latest().z.clone();
        z[0] = another(dimension, z[0], 0);
        let elapsed_ms = self.elapsed_ms(now_ms);
        let mut stored = recorder.observe(
            Input {
                elapsed_ms,
                z,
                dimension: 0,
            },
            reading(0.0),
        );
        stored.extend(recorder.finish(elapsed_ms));
        for snapshot in stored {
            self.record(now_ms, Event::Snapshot(snapshot))?;
        }
        self.record(now_ms, Event::QuestionSolved)
    }

    fn elapsed_ms(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.session.question_started_at_ms().unwrap_or(now_ms))
    }

    fn record(&mut self, at_ms: u64, event: Event) -> Result<()> {
        let envelope = Envelope {
            format: EVENT_FORMAT,
            session: self.session.plan().session.clone(),
            seq: self.session.next_seq(),
            at_ms,
            event,
        };
        self.session.apply(&envelope)?;
        self.log.push(envelope);
        Ok(())
    }
}

/// A made-up distance d, and an error that goes with it.
fn reading(distance: f64) -> Reading {
    Reading {
        distance,
        squared_error: 64.0 * distance,
    }
}

/// Another value of the dimension: back and forth, in steps of different size.
fn another(dimension: &Dimension, value: f64, n: u32) -> f64 {
    match *dimension {
        Dimension::Discrete { values } => (value + 1.0) % f64::from(values),
        Dimension::Continuous { min, max, .. } => {
            let middle = f64::midpoint(min, max);
            let reach = (max - min) * (0.1 + 0.07 * f64::from(n % 5));
            dimension.snap(if value > middle {
                middle - reach
            } else {
                middle + reach
            })
        }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use domain::draw::draw;
    use domain::event::SessionId;
    use domain::study::Study;
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn a_session_runs_to_its_end_with_a_snapshot_per_move() {
        let study: Study = serde_json::from_value(serde_json::json!({
            "format": 1, "id": "x", "title": "X", "practice": {},
            "stages": [{ "model": "sinelines-gt5", "questions": 2 }],
        }))
        .unwrap();
        let models = Shipped(models::Zoo::shipped().unwrap());
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let plan = draw(&study, "", SessionId("s".into()), &models, &mut rng)
            .unwrap()
            .plan;
        let mut participant = Participant::new(plan, 20);
        let mut now_ms = 0;
        while !participant.is_complete() {
            now_ms += 100;
            assert!(now_ms < 60_000, "{:?}", participant.session().phase());
            participant.step(now_ms).unwrap();
        }
        assert_eq!(participant.session().ended().len(), 5);
        assert!(
            participant
                .session()
                .ended()
                .iter()
                .all(|record| record.snapshots >= 21)
        );
    }

    struct Shipped(models::Zoo);

    impl domain::draw::ModelSource for Shipped {
        fn facts(&self, model: &str) -> Option<&domain::model::ModelFacts> {
            Some(&self.0.get(model)?.card().facts)
        }
        fn sample(&self, model: &str, mut rng: &mut dyn rand::Rng) -> Option<Vec<f64>> {
            Some(self.0.get(model)?.sample(&mut rng))
        }
        fn decode(&self, model: &str, z: &[f64]) -> Option<Vec<f32>> {
            self.0.get(model)?.decoder().decode(z).ok()
        }
    }
}
