//! A question along its time: how near the picture was to its target, and where each dial stood.

use crate::model::ModelFacts;
use crate::model::distance::Alignment;
use crate::model::latent::Dimension;
use crate::movement::{Direction, Movement, MovementMeasures};
use crate::session::Session;
use crate::session::event::{Envelope, Event, QuestionRef};
use crate::task::{Outcome, TaskEvent};

/// A value from a moment on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// When, in milliseconds since the session's start.
    pub at_ms: u64,
    /// The value.
    pub value: f64,
}

/// Where a dial turned round while it was slid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// The last place before it went the other way.
    pub at: Point,
    /// Where it went from there.
    pub to: Direction,
}

/// One dial: where it stood.
#[derive(Debug, Clone, PartialEq)]
pub struct DialLane {
    /// 0-based index of its dimension.
    pub index: usize,
    /// The values that it can be set to.
    pub dimension: Dimension,
    /// Where it stood from which moment on; each differs from the one before.
    pub points: Vec<Point>,
    /// Where it turned round, as [`MovementMeasures::direction_reversals`] counts.
    pub turns: Vec<Turn>,
}

impl DialLane {
    /// A value as a share of the way from the smallest to the largest; in the middle where there is but one.
    #[must_use]
    pub fn share(&self, value: f64) -> f64 {
        let (low, high) = (self.dimension.at_share(0.0), self.dimension.at_share(1.0));
        if high > low {
            ((value - low) / (high - low)).clamp(0.0, 1.0)
        } else {
            0.5
        }
    }

    /// Where it stood at a moment; `None` before its first place is known.
    #[must_use]
    pub fn value_at(&self, at_ms: u64) -> Option<f64> {
        value_at(&self.points, at_ms)
    }
}

/// How far the picture was from its target.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorLane {
    /// The alignment, from the recorded distance, in [0, 1].
    pub alignment: Vec<Point>,
    /// The squared error.
    pub squared_error: Vec<Point>,
}

impl ErrorLane {
    /// Takes in an event of a question that began at `from_ms`: what of it is no movement, or has no target, adds nothing.
    pub fn take(&mut self, from_ms: u64, model: Option<&ModelFacts>, event: &TaskEvent) {
        let (Some(movement), Some(model)) = (event.movement(), model) else {
            return;
        };
        let at_ms = from_ms + movement.elapsed_ms;
        if let Some(distance) = event.distance() {
            let value = Alignment::at(distance, model.threshold).share();
            self.alignment.push(Point { at_ms, value });
        }
        if let Some(value) = event.squared_error() {
            self.squared_error.push(Point { at_ms, value });
        }
    }

    /// The alignment that solves a question with this threshold, in [0, 1].
    #[must_use]
    pub fn wanted(threshold: f64) -> f64 {
        Alignment::at(threshold, threshold).share()
    }

    /// The alignment at a moment; `None` before it is known.
    #[must_use]
    pub fn alignment_at(&self, at_ms: u64) -> Option<f64> {
        value_at(&self.alignment, at_ms)
    }

    /// The squared error at a moment; `None` before it is known.
    #[must_use]
    pub fn squared_error_at(&self, at_ms: u64) -> Option<f64> {
        value_at(&self.squared_error, at_ms)
    }
}

fn value_at(points: &[Point], at_ms: u64) -> Option<f64> {
    let begun = points.partition_point(|point| point.at_ms <= at_ms);
    points[..begun].last().map(|point| point.value)
}

/// One question along its time. Times are in milliseconds since the session's start.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneQuestion {
    /// Which one.
    pub at: QuestionRef,
    /// Its number in its stage, from 1, as the participant counts.
    pub number: usize,
    /// Whether it was practice.
    pub practice: bool,
    /// When it came on screen.
    pub from_ms: u64,
    /// When it ended and how, if it has.
    pub ended: Option<(u64, Outcome)>,
    /// When it went off the screen, if it has.
    pub left_ms: Option<u64>,
    /// When the verdict was shown, and whether the answer was right.
    pub verdict: Option<(u64, bool)>,
    /// The alignment that solves it, in [0, 1]; 1 for a task without a model.
    pub wanted: f64,
    /// How near its picture was to the target; empty for a task without a target.
    pub error: ErrorLane,
    /// Its dials, in their order on screen; none for a task without dials.
    pub dials: Vec<DialLane>,
    /// The model that it is about; `None` for a task without one.
    pub model: Option<ModelFacts>,
    last: Option<Movement>,
    measured: Option<MovementMeasures>,
}

impl LaneQuestion {
    /// The one that has just begun; `None` if the session has no such question.
    pub(super) fn begun(at: QuestionRef, session: &Session) -> Option<Self> {
        let stage = session.plan().stages.get(at.stage)?;
        let model = stage.task.model();
        let dials = stage.task.dials().into_iter();
        let dials = dials.filter_map(|index| {
            Some(DialLane {
                index,
                dimension: model?.latent.dimensions().get(index)?.clone(),
                points: Vec::new(),
                turns: Vec::new(),
            })
        });
        Some(Self {
            at,
            number: session.number_of(at),
            practice: stage.practice,
            from_ms: session.question(at)?.clock.started_at_ms(),
            ended: None,
            left_ms: None,
            verdict: None,
            wanted: stage
                .task
                .threshold(at.question)
                .map_or(1.0, ErrorLane::wanted),
            error: ErrorLane::default(),
            dials: dials.collect(),
            last: None,
            measured: model.map(|model| MovementMeasures::new(&model.latent)),
            model: model.cloned(),
        })
    }

    /// When it was over, or its log ends.
    #[must_use]
    pub fn until_ms(&self, end_ms: u64) -> u64 {
        self.left_ms.unwrap_or(end_ms).max(self.from_ms)
    }

    /// Takes in what was logged while it was on screen.
    pub(super) fn take(&mut self, logged: &Envelope, session: &Session) {
        if let Event::Task(event) = &logged.event
            && let Some(movement) = event.movement()
        {
            self.moved(movement);
            self.error.take(self.from_ms, self.model.as_ref(), event);
            // A movement ends no question.
            return;
        }
        let Some(question) = session.question(self.at) else {
            return;
        };
        self.ended = question
            .outcome
            .map(|outcome| (question.clock.until_ms(), outcome));
        if question.left {
            self.left_ms = Some(logged.at_ms);
        }
    }

    fn moved(&mut self, movement: &Movement) {
        let at_ms = self.from_ms + movement.elapsed_ms;
        for dial in &mut self.dials {
            let Some(&value) = movement.z.get(dial.index) else {
                continue;
            };
            if dial.points.last().is_none_or(|last| last.value != value) {
                dial.points.push(Point { at_ms, value });
            }
        }
        if let (Some(last), Some(model), Some(measured)) = (
            self.last.replace(movement.clone()),
            &self.model,
            &mut self.measured,
        ) {
            let before = measured.direction_reversals;
            measured.push(&model.latent, &last, movement);
            if measured.direction_reversals > before {
                self.turned(&last, movement);
            }
        }
    }

    /// Notes on which dial the last movement turned.
    fn turned(&mut self, last: &Movement, movement: &Movement) {
        for dial in &mut self.dials {
            let (Some(&value), Some(&new)) = (last.z.get(dial.index), movement.z.get(dial.index))
            else {
                continue;
            };
            if let Some(to) = Direction::of(new - value) {
                let at_ms = self.from_ms + last.elapsed_ms;
                let at = Point { at_ms, value };
                dial.turns.push(Turn { at, to });
            }
        }
    }
}
