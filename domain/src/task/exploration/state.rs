//! An exploration as far as it has gone, what is measured of it, and the table of an export.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Event, Plan};
use crate::fields;
use crate::movement::{Modality, Movement, MovementMeasures};
use crate::task::tables::{QuestionCells, QuestionRow, Table, question_fields};
use crate::task::{Now, Outcome, Step, TaskMeasures, TaskRefusal};

/// Everything that the screen shows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    last: Movement,
    logged: bool,
    dial_names: BTreeMap<usize, String>,
    notes: String,
    measures: MovementMeasures,
    renamings: u64,
}

impl State {
    /// Where the dials stand, as far as that is logged.
    #[must_use]
    pub fn last_movement(&self) -> &Movement {
        &self.last
    }

    /// Whether a movement is logged; the first one says where the dials start.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        self.logged
    }

    /// The participant's notes.
    #[must_use]
    pub fn notes(&self) -> &str {
        &self.notes
    }

    pub(super) fn start(plan: &Plan) -> Self {
        Self {
            last: Movement::start(plan.start.clone()),
            logged: false,
            dial_names: BTreeMap::new(),
            notes: String::new(),
            measures: MovementMeasures::new(&plan.model.latent),
            renamings: 0,
        }
    }

    pub(super) fn dial_name(&self, dimension: usize) -> Option<&str> {
        self.dial_names.get(&dimension).map(String::as_str)
    }

    pub(super) fn measures(&self) -> Measures {
        Measures {
            movement: self.measures.clone(),
            renamings: self.renamings,
            notes: self.notes.clone(),
        }
    }

    pub(super) fn apply(
        &mut self,
        plan: &Plan,
        now: &Now<'_>,
        event: &Event,
    ) -> Result<Step, TaskRefusal> {
        let impossible = |why: &str| {
            Err(TaskRefusal::Impossible {
                event: event.name(),
                why: why.to_owned(),
            })
        };
        match event {
            Event::Moved(movement) => {
                let space = &plan.model.latent;
                let before = self.logged.then_some(&self.last);
                if let Some(why) = movement.problem(space, before, now.elapsed_ms()) {
                    return impossible(&why);
                }
                self.measures.push(space, &self.last, movement);
                self.last = movement.clone();
                self.logged = true;
                let at_ms = now.clock.started_at_ms() + movement.elapsed_ms;
                Ok(Step::activity(at_ms))
            }
            Event::DialRenamed { dimension, name } => {
                if !plan.rename_dials {
                    return impossible("dials keep their names in this stage");
                }
                if *dimension >= plan.model.latent.len() {
                    return impossible("there is no such dial");
                }
                self.dial_names.insert(*dimension, name.clone());
                self.renamings += 1;
                Ok(Step::activity(now.at_ms))
            }
            Event::NotesWritten { text } => {
                if !plan.notes {
                    return impossible("there is no place for notes in this stage");
                }
                self.notes.clone_from(text);
                Ok(Step::activity(now.at_ms))
            }
            Event::Finished => Ok(Step {
                left: true,
                ..Step::ended(Outcome::Finished)
            }),
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Measures {
    /// How the dials were moved.
    #[serde(flatten)]
    pub movement: MovementMeasures,
    /// How often a dial was renamed.
    pub renamings: u64,
    /// The notes.
    pub notes: String,
}

pub(super) fn tables() -> Vec<Table> {
    let mut fields = question_fields::<Row>();
    fields.extend(fields! { |r: &Row|
        "slide_distance_widths": "Distance moved by sliders in slider widths, plus 1 for each discrete change",
            Number, "slider widths", "0 and up" => r.measures.movement.slide_distance;
        "first_touched": "Dimensions in the order they were first moved",
            Numbers, "", "list of dimensions" => r.measures.movement.first_touched;
        "input_modality": "What most stored movements of the dials were made with; 'assistive' is neither a pointer nor a key; empty where that is not known",
            Text, "", "mouse, touch, pen, keyboard, assistive" => r.measures.movement.mostly_by().map(Modality::name);
        "movements_by_modality": "How many stored movements of the dials were made with what",
            Json, "", "number by modality" => r.measures.movement.by;
        "renamings": "How often a dial was renamed",
            Integer, "", "0 and up" => r.measures.renamings;
        "dial_names": "Names given to the dials; null where none was",
            Json, "", "list of texts", identifying => r.names;
        "notes": "The participant's notes",
            Text, "", "any", identifying => r.measures.notes;
    });
    vec![Table::new(
        "exploration_questions",
        "one exploration that was begun",
        fields,
        Row::of,
    )]
}

/// The data of a row of the table.
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
        let name = |dial| row.dial_name(dial).map(str::to_owned);
        vec![Self {
            names: (0..dials).map(name).collect(),
            measures: measures.clone(),
            cells,
        }]
    }
}
