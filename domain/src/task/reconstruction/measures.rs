//! Measures of one question.

use serde::{Deserialize, Serialize};

use crate::clock::{QuestionClock, seconds};
use crate::movement::MovementMeasures;
use crate::task::Metric;

/// A distance that is smaller by more than this is an improvement: a point of the alignment's bar.
pub const IMPROVEMENT: f64 = 0.01;

/// What is measured of one question. Nothing here is divided by 1000.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Measures {
    /// How the dials were moved.
    #[serde(flatten)]
    pub movement: MovementMeasures,
    /// ∫ Σ (x − x′)² dt over the whole question, in seconds × squared error: the error
    /// of each snapshot counts until the next.
    pub error_auc: f64,
    /// The same without the time in which the participant was away or the session paused.
    #[serde(default)]
    pub error_auc_present: f64,
    /// d(x, x′) at the start; absent before the first snapshot.
    pub start_distance: Option<f64>,
    /// d(x, x′) at the last snapshot.
    pub end_distance: Option<f64>,
    /// Smallest d(x, x′) of any snapshot.
    pub best_distance: Option<f64>,
    /// When d(x, x′) was first smaller than at the start by more than [`IMPROVEMENT`], in
    /// milliseconds since the question started; absent if it never was.
    #[serde(default)]
    pub first_improvement_ms: Option<u64>,
    /// Number of snapshots.
    pub snapshots: u64,
    /// How often picture and target were put apart or together before the question ended.
    pub display_switches: u64,
    /// How often a dial was renamed, after solving, too.
    pub renamings: u64,
    /// Per dimension: how often z_i passed z′_i while the dial was slid. Known only
    /// with the answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overshoots: Option<Vec<u64>>,
    /// Per dimension: how often z_i passed z′_i over the whole question. Known only
    /// with the answer key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_crossings: Option<Vec<u64>>,
}

impl Measures {
    pub(super) fn new(movement: MovementMeasures) -> Self {
        Self {
            movement,
            error_auc: 0.0,
            error_auc_present: 0.0,
            start_distance: None,
            end_distance: None,
            best_distance: None,
            first_improvement_ms: None,
            snapshots: 0,
            display_switches: 0,
            renamings: 0,
            overshoots: None,
            zero_crossings: None,
        }
    }

    pub(super) fn snapshot(&mut self, distance: f64, elapsed_ms: u64) {
        self.snapshots += 1;
        let start = *self.start_distance.get_or_insert(distance);
        if distance < start - IMPROVEMENT {
            self.first_improvement_ms.get_or_insert(elapsed_ms);
        }
        self.end_distance = Some(distance);
        let best = self.best_distance.unwrap_or(distance);
        self.best_distance = Some(best.min(distance));
    }

    /// An error that lasted from one time to another, in milliseconds since the session's start.
    pub(super) fn add_error(
        &mut self,
        clock: &QuestionClock,
        squared_error: f64,
        from_ms: u64,
        to_ms: u64,
    ) {
        self.error_auc += squared_error * seconds(to_ms.saturating_sub(from_ms));
        self.error_auc_present += squared_error * seconds(clock.present_ms(from_ms, to_ms));
    }

    /// See [`Task::is_direct`](crate::task::Task::is_direct).
    pub(super) fn is_direct(&self) -> Option<bool> {
        let dials = self.movement.first_touched.len();
        let beyond: u64 = self.overshoots.as_ref()?.iter().sum();
        (dials >= 2).then_some(beyond == 0 && self.movement.moves <= dials as u64)
    }

    /// See [`Task::metric`](crate::task::Task::metric).
    #[allow(clippy::cast_precision_loss)] // counts stay far below 2^52
    pub(super) fn metric(&self, metric: Metric, active_time_s: f64) -> Option<f64> {
        let share = |part: u64, whole: f64| (whole > 0.0).then(|| part as f64 / whole);
        let of = &self.movement;
        match metric {
            Metric::SlideDistance => Some(of.slide_distance),
            Metric::ErrorAuc => Some(self.error_auc),
            Metric::ErrorAucPresent => Some(self.error_auc_present),
            Metric::Passes => Some(of.passes as f64),
            Metric::MonotoneShare => share(of.monotone_moves, of.moves as f64),
            Metric::ReversalsPerS => share(of.direction_reversals, active_time_s),
            Metric::FirstImprovementS => self.first_improvement_ms.map(seconds),
            _ => None,
        }
    }
}
