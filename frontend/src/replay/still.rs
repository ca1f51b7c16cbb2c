//! A moment of a question for a file: its picture, decoded again, and its numbers. The moment on screen stays as it is.

use std::sync::Arc;

use domain::lanes::{LaneQuestion, Span};
use domain::model::ModelFacts;
use domain::movement::Movement;
use domain::session::event::{Author, Envelope, Event};
use domain::task::Outcome;

use super::Replay;

/// A moment of a question.
#[derive(Debug, Clone)]
pub struct Still {
    /// The model.
    pub model: ModelFacts,
    /// The question's number and its stage.
    pub question: String,
    /// The participant's picture.
    pub picture: Vec<f32>,
    /// The one to match.
    pub target: Option<Arc<Vec<f32>>>,
    /// The moment, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The same since the question began.
    pub elapsed_ms: u64,
    /// The number of the last movement in the participant's log; none before the first.
    pub seq: Option<u64>,
    /// The alignment that the page reported with it, in [0, 1].
    pub alignment: Option<f64>,
    /// The squared error likewise.
    pub squared_error: Option<f64>,
    /// The alignment that solves the question, in [0, 1].
    pub wanted: f64,
    /// How the question has ended by then.
    pub outcome: Option<Outcome>,
    /// Where each dial stands, from 0 at its lowest to 1, in their order on screen.
    pub dials: Vec<f64>,
    /// Where all dimensions stand.
    pub z: Vec<f64>,
}

/// Why a moment has no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoStill {
    /// No question was on screen.
    NoQuestion,
    /// Nothing is turned at in the question.
    NoDials,
    /// Model or target are not here yet, or cannot be decoded here.
    NotDecoded,
}

impl NoStill {
    /// The same in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NoQuestion => "No question is on screen at this moment",
            Self::NoDials => "This question has no dials, so there is no picture of theirs",
            Self::NotDecoded => "The picture is not decoded yet, or cannot be decoded here",
        }
    }
}

impl Replay {
    /// A moment, in milliseconds since the session's start.
    ///
    /// # Errors
    /// [`NoStill`] says why there is no picture.
    pub fn still(&self, at_ms: u64) -> Result<Still, NoStill> {
        let state = self.state.borrow();
        let question = state.lanes.question_at(at_ms).ok_or(NoStill::NoQuestion)?;
        let stage = self.plan.stages.get(question.at.stage);
        let stage = stage.ok_or(NoStill::NoQuestion)?;
        if question.dials.is_empty() {
            return Err(NoStill::NoDials);
        }
        let count = state.log.count_at(at_ms);
        let last = last_movement(state.log.events().get(..count).unwrap_or_default());
        let start = || Some(stage.task.posed(question.at.question)?.start.to_vec());
        let z = last.map(|(movement, _)| movement.z.clone()).or_else(start);
        let z = z.ok_or(NoStill::NotDecoded)?;
        let model = stage.task.model().ok_or(NoStill::NoDials)?;
        let mut picture = Vec::new();
        let decode = self.decoders.get(model).ok_or(NoStill::NotDecoded)?;
        if !decode.at(&z, &mut picture) {
            return Err(NoStill::NotDecoded);
        }
        let target = match stage.task.instances(question.at.question).first() {
            Some(id) => Some(self.instances.get(id).ok_or(NoStill::NotDecoded)?),
            None => None,
        };
        let dial =
            |dial: &domain::lanes::DialLane| dial.share(z.get(dial.index).copied().unwrap_or(0.0));
        Ok(Still {
            question: called(question, &stage.id),
            model: model.clone(),
            picture,
            target,
            at_ms,
            elapsed_ms: at_ms.saturating_sub(question.from_ms),
            seq: last.map(|(_, seq)| seq),
            alignment: question.error.alignment_at(at_ms),
            squared_error: question.error.squared_error_at(at_ms),
            wanted: question.wanted,
            outcome: question
                .ended
                .filter(|(ended_ms, _)| *ended_ms <= at_ms)
                .map(|(_, outcome)| outcome),
            dials: question.dials.iter().map(dial).collect(),
            z,
        })
    }

    /// From when to when the question of a moment was on screen, in milliseconds since the session's start.
    #[must_use]
    pub fn question_span(&self, at_ms: u64) -> Option<Span> {
        let state = self.state.borrow();
        let question = state.lanes.question_at(at_ms)?;
        let end_ms = state.lanes.end_ms();
        let last_ms = question.left_ms.map_or(end_ms, |it| it.saturating_sub(1));
        Some(Span {
            from_ms: question.from_ms,
            to_ms: last_ms.max(question.from_ms),
        })
    }

    /// When something moved within a stretch of time, in order, each moment once; its beginning is the first.
    #[must_use]
    pub fn movements(&self, span: Span) -> Vec<u64> {
        let state = self.state.borrow();
        let events = state.log.events().iter();
        let within = events.filter(|it| (span.from_ms..=span.to_ms).contains(&it.at_ms));
        let moved = within.filter(|it| movement_of(it).is_some());
        let mut moments = vec![span.from_ms];
        moments.extend(moved.map(|it| it.at_ms));
        moments.dedup();
        moments
    }
}

fn called(question: &LaneQuestion, stage: &str) -> String {
    let kind = if question.practice {
        "Practice question"
    } else {
        "Question"
    };
    format!("{kind} {} of {stage}", question.number)
}

fn movement_of(logged: &Envelope) -> Option<&Movement> {
    match &logged.event {
        Event::Task(event) if logged.author == Author::Participant => event.movement(),
        _ => None,
    }
}

/// The last movement of the question that events end in, with its number in the log.
fn last_movement(events: &[Envelope]) -> Option<(&Movement, u64)> {
    let in_question = events
        .iter()
        .rev()
        .take_while(|it| !matches!(it.event, Event::QuestionStarted { .. }));
    let mut moved = in_question.filter_map(|it| Some((movement_of(it)?, it.seq)));
    moved.next()
}
