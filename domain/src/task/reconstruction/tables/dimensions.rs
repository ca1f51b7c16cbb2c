//! The table of dimensions.

use serde_json::{Value, json};

use super::{COUNT, Path, Question};
use crate::common::table::ColumnType::{Integer, Number, Text};
use crate::common::table::{Field, field};
use crate::model::latent::Dimension;
use crate::task::tables::{QuestionCells, QuestionRow, place_fields};

/// What a row of the table of dimensions is made from.
pub(super) struct Dial {
    question: Question,
    index: usize,
    dimension: Dimension,
    name: Option<String>,
}

impl AsRef<QuestionCells> for Dial {
    fn as_ref(&self) -> &QuestionCells {
        &self.question.cells
    }
}

impl Dial {
    pub(super) fn of(row: &QuestionRow<'_>, path: &Path) -> Vec<Self> {
        let dial = |index: usize| {
            let question = Question::of(row, path)?;
            let latent = &question.cells.model.latent;
            let dimension = latent.dimensions().get(index)?.clone();
            Some(Self {
                name: row.dial_name(index).map(str::to_owned),
                question,
                index,
                dimension,
            })
        };
        (0..).map_while(dial).collect()
    }

    fn at(&self, z: Option<&Vec<f64>>) -> Value {
        json!(z.and_then(|z| z.get(self.index)))
    }

    fn each<T: serde::Serialize>(&self, each: &[T]) -> Value {
        json!(each.get(self.index))
    }
}

pub(super) fn dimensions() -> Vec<Field<Dial>> {
    let mut fields = place_fields::<Dial>();
    fields.extend([
        field(
            "dimension",
            Integer,
            "",
            COUNT,
            "The dimension of the model, from 0",
            |r: &Dial| json!(r.index),
        ),
        field(
            "position",
            Integer,
            "",
            "1 and up",
            "Which dial it was on screen, from 1; empty if it was not shown",
            |r| {
                let position = r.question.shown.iter().position(|shown| *shown == r.index);
                json!(position.map(|position| position + 1))
            },
        ),
        field("kind", Text, "", "continuous, discrete", "Slider or radio buttons", |r| {
            json!(if r.dimension.is_discrete() { "discrete" } else { "continuous" })
        }),
        field("min", Number, "", "any", "Smallest value; empty for a discrete dimension", |r| {
            json!(r.dimension.interval().map(|(min, _)| min))
        }),
        field("max", Number, "", "any", "Largest value; empty for a discrete dimension", |r| {
            json!(r.dimension.interval().map(|(_, max)| max))
        }),
        field(
            "name",
            Text,
            "",
            "any",
            "Last name the participant gave to the dial in this stage; empty if none",
            |r: &Dial| json!(r.name),
        )
        .identifying(),
        field("start", Number, "", "min to max", "Value at the start", |r| r.at(r.question.start.as_ref())),
        field("target", Number, "", "min to max", "Value of the target", |r| {
            r.at(r.question.target.as_ref())
        }),
        field("end", Number, "", "min to max", "Value at the last snapshot; empty before the first", |r| {
            r.at(r.question.end.as_ref())
        }),
        field(
            "distance_widths",
            Number,
            "slider widths",
            COUNT,
            "Its part of the question's slide distance",
            |r| r.each(&r.question.measures.movement.distance_per_dimension),
        ),
        field(
            "slides",
            Integer,
            "",
            COUNT,
            "How often it was taken up and slid; 0 for a discrete dimension",
            |r| r.each(&r.question.measures.movement.slides),
        ),
        field(
            "selections",
            Integer,
            "",
            COUNT,
            "How many selections were made; 0 for a continuous dimension",
            |r| r.each(&r.question.measures.movement.selections),
        ),
        field(
            "overshoots",
            Integer,
            "",
            COUNT,
            "How often it passed the target's value while it was slid",
            |r| r.each(r.question.measures.overshoots.as_deref().unwrap_or_default()),
        ),
        field(
            "zero_crossings",
            Integer,
            "",
            COUNT,
            "How often it passed the target's value over the whole question",
            |r| r.each(r.question.measures.zero_crossings.as_deref().unwrap_or_default()),
        ),
        field(
            "touched_order",
            Integer,
            "",
            COUNT,
            "Position among the dimensions in order of first movement, from 0; empty if never moved",
            |r| {
                let touched = &r.question.measures.movement.first_touched;
                json!(touched.iter().position(|index| *index == r.index))
            },
        ),
    ]);
    fields
}
