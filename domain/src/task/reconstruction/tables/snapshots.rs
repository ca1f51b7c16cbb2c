//! The table of snapshots.

use std::sync::Arc;

use serde_json::json;

use super::{COUNT, deviation_at, shown, snapshot_of};
use crate::common::table::ColumnType::{Integer, Number, Numbers, Text};
use crate::common::table::{Field, field};
use crate::task::TaskEvent;
use crate::task::reconstruction::Snapshot;
use crate::task::tables::{QuestionCells, QuestionRow, place_fields};

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

/// What the snapshots of a question have in common; found out with the first.
#[derive(Default)]
pub(super) struct Shots(Option<(Arc<QuestionCells>, Vec<usize>)>);

impl Shots {
    /// The row of an event that is a snapshot.
    pub(super) fn next(
        &mut self,
        row: &QuestionRow<'_>,
        seq: u64,
        event: &TaskEvent,
    ) -> Option<Shot> {
        let snapshot = snapshot_of(event)?.clone();
        let known = || (Arc::new(QuestionCells::of(row)), shown(row));
        let (cells, shown) = self.0.get_or_insert_with(known);
        Some(Shot {
            cells: Arc::clone(cells),
            seq,
            deviation: deviation_at(row, shown, &snapshot.movement.z),
            snapshot,
        })
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
        field("z", Numbers, "", "list of numbers", "Latent vector", |r| json!(r.snapshot.movement.z)),
    ]);
    fields
}
