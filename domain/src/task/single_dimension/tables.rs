//! The table of an export.

use serde_json::json;

use super::Measures;
use crate::common::table::ColumnType::{Boolean, Integer, Number, Numbers};
use crate::common::table::{Field, field};
use crate::task::tables::{QuestionCells, QuestionRow, Table, question_fields};
use crate::task::{AnswerKey, TaskMeasures};

pub(super) fn tables() -> Vec<Table> {
    vec![Table::new(
        "single_dimension_questions",
        "one single-dimension question that was begun",
        fields(),
        Row::of,
    )]
}

/// What a row is made from.
struct Row {
    cells: QuestionCells,
    measures: Measures,
    z: Option<Vec<f64>>,
}

impl AsRef<QuestionCells> for Row {
    fn as_ref(&self) -> &QuestionCells {
        &self.cells
    }
}

impl Row {
    fn of(row: &QuestionRow<'_>) -> Vec<Self> {
        let TaskMeasures::SingleDimension(measures) = &row.record.measures else {
            return Vec::new();
        };
        let z = match row.key {
            Some(AnswerKey::SingleDimension(key)) => Some(key.z.clone()),
            _ => None,
        };
        vec![Self {
            cells: QuestionCells::of(row),
            measures: measures.clone(),
            z,
        }]
    }
}

fn fields() -> Vec<Field<Row>> {
    let mut fields = question_fields::<Row>();
    fields.extend([
        field("dimension", Integer, "", "0 and up", "The dimension asked about, from 0", |r: &Row| {
            json!(r.measures.dimension)
        }),
        field("dial", Integer, "", "1 and up", "The number that the participant read", |r| {
            json!(r.measures.dial)
        }),
        field(
            "options",
            Integer,
            "",
            "2 and up",
            "Number of options: 3 (low, medium, high), or the values of a discrete dimension",
            |r| json!(r.measures.options),
        ),
        field("chance", Number, "", "0 to 1", "Share of right answers that guessing gives", |r| {
            #[allow(clippy::cast_precision_loss)] // at most 65,535 options
            let chance = 1.0 / r.measures.options.max(1) as f64;
            json!(chance)
        }),
        field("chosen", Integer, "", "0 and up", "The option chosen, from 0; empty before any was", |r| {
            json!(r.measures.chosen)
        }),
        field("right_option", Integer, "", "0 and up", "The right option", |r| {
            json!(r.measures.right_option)
        }),
        field(
            "right",
            Boolean,
            "",
            "true, false",
            "Whether the answer is right; empty before the answer",
            |r| json!(r.measures.right),
        ),
        field(
            "confidence",
            Integer,
            "",
            "1 to 5",
            "\"I'm confident I'm right\": 1 strongly disagree, 5 strongly agree; empty before the answer",
            |r| json!(r.measures.confidence),
        ),
        field(
            "understanding",
            Integer,
            "",
            "1 to 5",
            "\"The dial makes sense\": 1 strongly disagree, 5 strongly agree; empty before the answer",
            |r| json!(r.measures.understanding),
        ),
        field(
            "choice_time_s",
            Number,
            "s",
            "0 and up",
            "Time from the start to the choice; response_time_s includes the two items",
            |r| json!(r.measures.choice_time_s),
        ),
        field("more_examples", Integer, "", "0 and up", "How often more examples were asked for", |r| {
            json!(r.measures.more_examples)
        }),
        field(
            "with_feedback",
            Boolean,
            "",
            "true, false",
            "Whether the right answer was shown; empty before the participant went on",
            |r| json!(r.measures.with_feedback),
        ),
        field("z", Numbers, "", "list of numbers", "Latent vector of the picture asked about", |r| json!(r.z)),
    ]);
    fields
}
