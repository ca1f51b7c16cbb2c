//! The table of dimensions.

use super::{COUNT, Path, Question};
use crate::common::table::Field;
use crate::fields;
use crate::model::latent::Dimension;
use crate::task::tables::{QuestionCells, QuestionRow, place_fields, replay_fields};

/// The data of a row of the table of dimensions.
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
            let latent = &question.cells.model.as_ref()?.latent;
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

    fn at<'a, T>(&self, each: Option<&'a Vec<T>>) -> Option<&'a T> {
        each?.get(self.index)
    }
}

pub(super) fn dimensions() -> Vec<Field<Dial>> {
    let mut fields = place_fields::<Dial>();
    fields.extend(fields! { |r: &Dial|
        "dimension": "The dimension of the model, from 0",
            Integer, "", COUNT => r.index;
        "position": "Which dial it was on screen, from 1; empty if it was not shown",
            Integer, "", "1 and up" => r.question.shown.iter().position(|shown| *shown == r.index).map(|before| before + 1);
        "kind": "Slider or radio buttons",
            Text, "", "continuous, discrete" => if r.dimension.is_discrete() { "discrete" } else { "continuous" };
        "min": "Smallest value; empty for a discrete dimension",
            Number, "", "any" => r.dimension.interval().map(|(min, _)| min);
        "max": "Largest value; empty for a discrete dimension",
            Number, "", "any" => r.dimension.interval().map(|(_, max)| max);
        "name": "Last name the participant gave to the dial in this stage; empty if none",
            Text, "", "any", identifying => r.name;
        "start": "Value at the start",
            Number, "", "min to max" => r.at(r.question.start.as_ref());
        "target": "Value of the target",
            Number, "", "min to max" => r.at(r.question.target.as_ref());
        "end": "Value at the last snapshot; empty before the first",
            Number, "", "min to max" => r.at(r.question.end.as_ref());
        "distance_widths": "Its part of the question's slide distance",
            Number, "slider widths", COUNT => r.at(Some(&r.question.measures.movement.distance_per_dimension));
        "slides": "How often it was taken up and slid; 0 for a discrete dimension",
            Integer, "", COUNT => r.at(Some(&r.question.measures.movement.slides));
        "selections": "How many selections were made; 0 for a continuous dimension",
            Integer, "", COUNT => r.at(Some(&r.question.measures.movement.selections));
        "overshoots": "How often it passed the target's value while it was slid",
            Integer, "", COUNT => r.at(r.question.measures.overshoots.as_ref());
        "zero_crossings": "How often it passed the target's value over the whole question",
            Integer, "", COUNT => r.at(r.question.measures.zero_crossings.as_ref());
        "touched_order": "Position among the dimensions in order of first movement, from 0; empty if never moved",
            Integer, "", COUNT => r.question.measures.movement.first_touched.iter().position(|index| *index == r.index);
    });
    fields.extend(replay_fields());
    fields
}
