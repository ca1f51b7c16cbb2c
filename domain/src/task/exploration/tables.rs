//! The table of an export.

use serde_json::json;

use super::Measures;
use crate::table::ColumnType::{Integer, Json, Number, Text};
use crate::table::{QuestionCells, QuestionRow, Table, field, question_fields};
use crate::task::TaskMeasures;

pub(super) fn tables() -> Vec<Table> {
    let mut fields = question_fields::<Row>();
    fields.extend([
        field(
            "slide_distance_widths",
            Number,
            "slider widths",
            "0 and up",
            "Distance moved by sliders in slider widths, plus 1 for each discrete change",
            |r: &Row| json!(r.measures.movement.slide_distance),
        ),
        field(
            "first_touched",
            Json,
            "",
            "list of dimensions",
            "Dimensions in the order they were first moved",
            |r| json!(r.measures.movement.first_touched),
        ),
        field("renamings", Integer, "", "0 and up", "How often a dial was renamed", |r| {
            json!(r.measures.renamings)
        }),
        field("dial_names", Json, "", "list of texts", "Names given to the dials; null where none was", |r| {
            json!(r.names)
        }),
        field("notes", Text, "", "any", "The participant's notes", |r| {
            json!(r.measures.notes)
        }),
    ]);
    vec![Table::new("exploration_questions", "one exploration that was begun", fields, Row::of)]
}

/// What a row of the table is made from.
struct Row {
    cells: QuestionCells,
    measures: Measures,
    names: Vec<Option<String>>,
}

impl AsRef<QuestionCells> for Row {
    fn as_ref(&self) -> &QuestionCells {
        &self.cells
    }
}

impl Row {
    fn of(row: &QuestionRow<'_>) -> Vec<Self> {
        let TaskMeasures::Exploration(measures) = &row.record.measures else {
            return Vec::new();
        };
        let cells = QuestionCells::of(row);
        let dials = cells.model.as_ref().map_or(0, |model| model.latent.len());
        let stage = row.record.at.stage;
        let name = |dial| row.session.dial_name(stage, dial).map(str::to_owned);
        vec![Self {
            names: (0..dials).map(name).collect(),
            measures: measures.clone(),
            cells,
        }]
    }
}
