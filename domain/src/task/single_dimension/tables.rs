//! The table of an export.

use serde_json::json;

use super::Measures;
use crate::common::table::Field;
use crate::fields;
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

/// The data of a row.
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
    fields.extend(fields! { |r: &Row|
        "dimension": "The dimension asked about, from 0",
            Integer, "", "0 and up" => r.measures.dimension;
        "dial": "The number that the participant read",
            Integer, "", "1 and up" => r.measures.dial;
        "options": "Number of options: 3 (low, medium, high), or the values of a discrete dimension",
            Integer, "", "2 and up" => r.measures.options;
        "chance": "Share of right answers that guessing gives",
            Number, "", "0 to 1" => {
                #[allow(clippy::cast_precision_loss)] // at most 65,535 options
                let chance = 1.0 / r.measures.options.max(1) as f64;
                json!(chance)
            };
        "chosen": "The option chosen, from 0; empty before any was",
            Integer, "", "0 and up" => r.measures.chosen;
        "right_option": "The right option",
            Integer, "", "0 and up" => r.measures.right_option;
        "right": "Whether the answer is right; empty before the answer",
            Boolean, "", "true, false" => r.measures.right;
        "confidence": "\"I'm confident I'm right\": 1 strongly disagree, 5 strongly agree; empty before the answer",
            Integer, "", "1 to 5" => r.measures.confidence;
        "understanding": "\"The dial makes sense\": 1 strongly disagree, 5 strongly agree; empty before the answer",
            Integer, "", "1 to 5" => r.measures.understanding;
        "choice_time_s": "Time from the start to the choice; response_time_s includes the two items",
            Number, "s", "0 and up" => r.measures.choice_time_s;
        "more_examples": "How often more examples were asked for",
            Integer, "", "0 and up" => r.measures.more_examples;
        "with_feedback": "Whether the right answer was shown; empty before the participant went on",
            Boolean, "", "true, false" => r.measures.with_feedback;
        "z": "Latent vector of the picture asked about",
            Numbers, "", "list of numbers" => r.z;
    });
    fields
}
