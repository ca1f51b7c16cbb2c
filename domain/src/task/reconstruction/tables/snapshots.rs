//! The table of snapshots.

use std::sync::Arc;

use serde_json::json;

use super::{COUNT, snapshots_of};
use crate::table::ColumnType::{Integer, Json, Number, Text};
use crate::table::{Field, QuestionCells, QuestionRow, field, place_fields};
use crate::task::reconstruction::deviation::deviation;
use crate::task::reconstruction::{Plan, Snapshot};
use crate::task::{AnswerKey, TaskPlan};

/// What a row of the table of snapshots is made from.
pub(super) struct Shot {
    cells: Arc<QuestionCells>,
    seq: u64,
    snapshot: Snapshot,
    deviation: Option<f64>,
}

impl AsRef<QuestionCells> for Shot {
    fn as_ref(&self) -> &QuestionCells {
        &self.cells
    }
}

impl Shot {
    pub(super) fn of(row: &QuestionRow<'_>) -> Vec<Self> {
        let cells = Arc::new(QuestionCells::of(row));
        let stage = row.plan.stages.get(row.record.at.stage);
        let plan = stage.and_then(|stage| match &stage.task {
            TaskPlan::Reconstruction(plan) => Some(plan),
            _ => None,
        });
        let shown = plan.map(Plan::shown).unwrap_or_default();
        let deviation_of = |z: &[f64]| match row.key {
            Some(AnswerKey::Reconstruction(key)) => {
                deviation(&plan?.model.latent, &shown, z, &key.target)
            }
            _ => None,
        };
        let shot = |(seq, snapshot): (u64, &Snapshot)| Self {
            cells: Arc::clone(&cells),
            seq,
            deviation: deviation_of(&snapshot.movement.z),
            snapshot: snapshot.clone(),
        };
        snapshots_of(row).map(shot).collect()
    }
}

pub(super) fn snapshots() -> Vec<Field<Shot>> {
    let mut fields = place_fields::<Shot>();
    fields.extend([
        field("seq", Integer, "", COUNT, "Position in the participant's event log", |r: &Shot| {
            json!(r.seq)
        }),
        field(
            "elapsed_ms",
            Integer,
            "ms",
            COUNT,
            "Time since the question started at which the state was reached",
            |r| json!(r.snapshot.movement.elapsed_ms),
        ),
        field("dimension", Integer, "", COUNT, "Dimension last moved; empty before any was, and where a button moved several", |r| {
            json!(r.snapshot.movement.dimension)
        }),
        field(
            "direction",
            Integer,
            "",
            "1, -1",
            "Direction it last moved in; empty where the dimension is",
            |r| json!(r.snapshot.movement.direction),
        ),
        field(
            "jump",
            Text,
            "",
            "undo, randomise",
            "Button that moved the dials; empty where they were turned",
            |r| json!(r.snapshot.movement.jump),
        ),
        field("distance", Number, "", "0 to 1", "Distance to the target; alignment is 1 minus this", |r| {
            json!(r.snapshot.distance)
        }),
        field("squared_error", Number, "", COUNT, "Summed squared error to the target", |r| {
            json!(r.snapshot.squared_error)
        }),
        field(
            "deviation_widths",
            Number,
            "slider widths",
            COUNT,
            "Mean distance of the dials shown from the target's values; radio buttons: 0 right, 1 wrong",
            |r| json!(r.deviation),
        ),
        field("z", Json, "", "list of numbers", "Latent vector", |r| json!(r.snapshot.movement.z)),
    ]);
    fields
}
