//! Metrics of one question: a fold over its events.

use serde::{Deserialize, Serialize};

use crate::clock::ActiveClock;
use crate::event::{Direction, Event, QuestionRef, Snapshot};
use crate::latent::LatentSpace;

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// d(x, x′) ≤ ε was reached.
    Solved,
    /// It was given up.
    Skipped,
}

/// What is known about one question. For a question that has not ended
/// (`outcome` absent) everything counts up to its last event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct QuestionRecord {
    /// Which question.
    #[serde(flatten)]
    pub at: QuestionRef,
    /// Name of the stage.
    pub stage_id: String,
    /// Name of the model.
    pub model: String,
    /// Whether it was practice.
    pub practice: bool,
    /// How it ended; absent while it has not.
    pub outcome: Option<Outcome>,
    /// When it started, in milliseconds since the session's start.
    pub started_at_ms: u64,
    /// Seconds from start to end: the paper's *response time*.
    pub response_time_s: f64,
    /// The part of it in which the participant was active, in seconds.
    pub active_time_s: f64,
    /// Σ |Δz_i| / (max_i − min_i) over continuous dimensions plus 1 for each discrete change.
    pub slide_distance: f64,
    /// ∫ Σ (x − x′)² dt, in seconds × squared error: the error of each snapshot
    /// counts until the next. Not divided by 1000.
    pub error_auc: f64,
    /// d(x, x′) at the start; absent before the first snapshot.
    pub start_distance: Option<f64>,
    /// d(x, x′) at the last snapshot.
    pub end_distance: Option<f64>,
    /// Smallest d(x, x′) of any snapshot.
    pub best_distance: Option<f64>,
    /// Number of snapshots.
    pub snapshots: u64,
    /// How often the dimension being moved changed.
    pub dimension_switches: u64,
    /// How often a continuous dimension turned round without another being moved in between.
    pub direction_reversals: u64,
    /// Per dimension: how many times it was taken up and slid (0 for discrete ones).
    pub slides: Vec<u64>,
    /// Per dimension: how many selections were made (0 for continuous ones).
    pub selections: Vec<u64>,
    /// Per dimension: its part of the slide distance.
    pub distance_per_dimension: Vec<f64>,
    /// Dimensions in the order they were first moved.
    pub first_touched: Vec<usize>,
    /// How often picture and target were put apart or together.
    pub display_switches: u64,
    /// How often a dial was renamed.
    pub renamings: u64,
    /// How often the page was opened anew during the question.
    pub reloads: u64,
}

/// The fold itself: start it with the question, push the question's events, read at any time.
#[derive(Debug, Clone)]
pub struct QuestionFold {
    space: LatentSpace,
    record: QuestionRecord,
    clock: ActiveClock,
    last_ms: u64,
    last: Option<Snapshot>,
    moved: Option<(usize, Direction)>,
}

/// What a question is about, for its record.
#[derive(Debug, Clone, Copy)]
pub struct QuestionContext<'a> {
    /// Which question.
    pub at: QuestionRef,
    /// Name of the stage.
    pub stage_id: &'a str,
    /// Name of the model.
    pub model: &'a str,
    /// Whether it is practice.
    pub practice: bool,
    /// The model's dimensions.
    pub space: &'a LatentSpace,
}

#[allow(clippy::cast_precision_loss)] // times stay far below 2^53 ms
fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

impl QuestionFold {
    /// A question that starts at `started_at_ms`.
    #[must_use]
    pub fn start(context: QuestionContext<'_>, started_at_ms: u64) -> Self {
        let QuestionContext {
            at,
            stage_id,
            model,
            practice,
            space,
        } = context;
        Self {
            space: space.clone(),
            record: QuestionRecord {
                at,
                stage_id: stage_id.to_owned(),
                model: model.to_owned(),
                practice,
                outcome: None,
                started_at_ms,
                response_time_s: 0.0,
                active_time_s: 0.0,
                slide_distance: 0.0,
                error_auc: 0.0,
                start_distance: None,
                end_distance: None,
                best_distance: None,
                snapshots: 0,
                dimension_switches: 0,
                direction_reversals: 0,
                slides: vec![0; space.len()],
                selections: vec![0; space.len()],
                distance_per_dimension: vec![0.0; space.len()],
                first_touched: Vec::new(),
                display_switches: 0,
                renamings: 0,
                reloads: 0,
            },
            clock: ActiveClock::start(started_at_ms),
            last_ms: started_at_ms,
            last: None,
            moved: None,
        }
    }

    /// Takes in an event of this question. Events that say nothing about a question are ignored,
    /// and so is everything after its end.
    pub fn push(&mut self, at_ms: u64, event: &Event) {
        if self.record.outcome.is_some() {
            return;
        }
        match event {
            Event::Snapshot(snapshot) => self.snapshot(snapshot),
            Event::DisplaySwitched { .. } => self.record.display_switches += 1,
            Event::DialRenamed { .. } => self.record.renamings += 1,
            Event::PageOpened { .. } => self.record.reloads += 1,
            Event::QuestionSolved => self.record.outcome = Some(Outcome::Solved),
            Event::QuestionSkipped => self.record.outcome = Some(Outcome::Skipped),
            _ => {}
        }
        match event {
            Event::Snapshot(s) => self
                .clock
                .activity(self.record.started_at_ms + s.elapsed_ms),
            Event::Activity | Event::DisplaySwitched { .. } | Event::DialRenamed { .. } => {
                self.clock.activity(at_ms);
            }
            _ => {}
        }
        self.last_ms = self.last_ms.max(at_ms);
    }

    fn snapshot(&mut self, new: &Snapshot) {
        let record = &mut self.record;
        record.snapshots += 1;
        record.start_distance.get_or_insert(new.distance);
        record.end_distance = Some(new.distance);
        record.best_distance = Some(
            record
                .best_distance
                .map_or(new.distance, |best| best.min(new.distance)),
        );
        if let Some(old) = &self.last {
            let held_s = seconds(new.elapsed_ms.saturating_sub(old.elapsed_ms));
            record.error_auc += old.squared_error * held_s;
            let pairs = old.z.iter().zip(&new.z).zip(self.space.dimensions());
            for (index, ((before, after), dimension)) in pairs.enumerate() {
                if let Some(direction) = Direction::of(after - before) {
                    let distance = match dimension.range() {
                        Some(range) => (after - before).abs() / range,
                        None => 1.0,
                    };
                    record.slide_distance += distance;
                    record.distance_per_dimension[index] += distance;
                    Self::movement(
                        record,
                        self.moved,
                        index,
                        direction,
                        dimension.is_discrete(),
                    );
                    self.moved = Some((index, direction));
                }
            }
        }
        self.last = Some(new.clone());
    }

    fn movement(
        record: &mut QuestionRecord,
        previous: Option<(usize, Direction)>,
        index: usize,
        direction: Direction,
        discrete: bool,
    ) {
        let same = previous.is_some_and(|(dimension, _)| dimension == index);
        if previous.is_some() && !same {
            record.dimension_switches += 1;
        }
        if discrete {
            record.selections[index] += 1;
        } else if !same {
            record.slides[index] += 1;
        } else if previous.is_some_and(|(_, before)| before != direction) {
            record.direction_reversals += 1;
        }
        if !record.first_touched.contains(&index) {
            record.first_touched.push(index);
        }
    }

    /// The last snapshot taken in.
    #[must_use]
    pub fn last_snapshot(&self) -> Option<&Snapshot> {
        self.last.as_ref()
    }

    /// When the question started, in milliseconds since the session's start.
    #[must_use]
    pub fn started_at_ms(&self) -> u64 {
        self.record.started_at_ms
    }

    /// Active milliseconds up to now.
    #[must_use]
    pub fn active_ms(&self, now_ms: u64) -> u64 {
        self.clock.active_ms(now_ms)
    }

    /// The metrics as far as the events go: up to the end, or up to the last event.
    #[must_use]
    pub fn record(&self) -> QuestionRecord {
        let mut record = self.record.clone();
        let elapsed_ms = self.last_ms.saturating_sub(record.started_at_ms);
        record.response_time_s = seconds(elapsed_ms);
        record.active_time_s = seconds(self.clock.active_ms(self.last_ms));
        if let Some(last) = &self.last {
            record.error_auc +=
                last.squared_error * seconds(elapsed_ms.saturating_sub(last.elapsed_ms));
        }
        record
    }
}
