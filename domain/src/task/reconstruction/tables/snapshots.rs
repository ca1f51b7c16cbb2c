//! The table of snapshots.

use std::sync::Arc;

use serde_json::json;

use super::{COUNT, snapshots_of};
use crate::table::ColumnType::{Integer, Json, Number, Text};
use crate::table::{Field, QuestionCells, QuestionRow, field, place_fields};
use crate::task::reconstruction::Snapshot;

/// What a row of the table of snapshots is made from.
pub(super) struct Shot {
    cells: Arc<QuestionCells>,
    seq: u64,
    snapshot: Snapshot,
}

impl AsRef<QuestionCells> for Shot {
    fn as_ref(&self) -> &QuestionCells {
        &self.cells
    }
}

impl Shot {
    pub(super) fn of(row: &QuestionRow<'_>) -> Vec<Self> {
        let cells = Arc::new(QuestionCells::of(row));
        let shot = |(seq, snapshot): (u64, &Snapshot)| Self {
            cells: Arc::clone(&cells),
            seq,
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
        field("dimension", Integer, "", COUNT, "Dimension last moved; empty before any was", |r| {
            json!(r.snapshot.movement.dimension)
        }),
        field(
            "direction",
            Integer,
            "",
            "1, -1",
            "Direction it last moved in; empty before any was",
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
        field("z", Json, "", "list of numbers", "Latent vector", |r| json!(r.snapshot.movement.z)),
    ]);
    fields
}
