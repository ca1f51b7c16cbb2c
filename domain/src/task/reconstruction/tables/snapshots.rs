//! The table of snapshots.

use std::sync::Arc;

use super::{COUNT, deviation_at, shown, snapshot_of};
use crate::common::table::Field;
use crate::fields;
use crate::task::TaskEvent;
use crate::task::reconstruction::Snapshot;
use crate::task::tables::{QuestionCells, QuestionRow, place_fields};

/// The data of a row of the table of snapshots.
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

/// The data that the snapshots of a question have in common; found out with the first.
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
    fields.extend(fields! { |r: &Shot|
        "seq": "Position in the participant's event log",
            Integer, "", COUNT => r.seq;
        "elapsed_ms": "Time since the question started at which the state was reached",
            Integer, "ms", COUNT => r.snapshot.movement.elapsed_ms;
        "dimension": "Dimension last moved; empty before any was, and where a button moved several",
            Integer, "", COUNT => r.snapshot.movement.dimension;
        "direction": "Direction it last moved in; empty where the dimension is",
            Integer, "", "1, -1" => r.snapshot.movement.direction;
        "jump": "Button that moved the dials; empty where they were turned",
            Text, "", "undo, randomise" => r.snapshot.movement.jump;
        "distance": "Distance to the target; alignment is 1 minus this",
            Number, "", "0 to 1" => r.snapshot.distance;
        "squared_error": "Summed squared error to the target",
            Number, "", COUNT => r.snapshot.squared_error;
        "deviation_widths": "Mean distance of the dials shown from the target's values; radio buttons: 0 right, 1 wrong",
            Number, "slider widths", COUNT => r.deviation;
        "z": "Latent vector",
            Numbers, "", "list of numbers" => r.snapshot.movement.z;
        "replay": "Where one watches the state being reached in the researcher's area",
            Text, "", "address", link => r.cells.record.started_at_ms + r.snapshot.movement.elapsed_ms;
    });
    fields
}
