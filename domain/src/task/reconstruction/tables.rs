//! The tables of an export.

use serde_json::json;

use super::deviation::{DeviationSoFar, OverTime, deviation};
use super::{Event, Feedforward, Measures, Plan, Snapshot, Stop};
use crate::common::table::ColumnType::{Integer, Json, Number, Numbers, Text};
use crate::common::table::{Field, field};
use crate::movement::Modality;
use crate::task::tables::{QuestionCells, QuestionRow, Table, question_fields};

use crate::task::{AnswerKey, TaskEvent, TaskMeasures, TaskPlan};

mod dimensions;
mod snapshots;

use dimensions::{Dial, dimensions};
use snapshots::{Shots, snapshots};

const COUNT: &str = "0 and up";

pub(super) fn tables() -> Vec<Table> {
    vec![
        Table::folded(
            "reconstruction_questions",
            "one reconstruction question that was begun; one that was not ended counts up to its last event",
            questions(),
            |path: &mut Path, row, seq, event| {
                path.push(row, seq, event);
                None
            },
            |path, row| Question::of(row, path).into_iter().collect(),
        ),
        Table::folded(
            "reconstruction_dimensions",
            "one dimension of one reconstruction question that was begun",
            dimensions(),
            |path: &mut Path, row, seq, event| {
                path.push(row, seq, event);
                None
            },
            |path, row| Dial::of(row, path),
        ),
        Table::folded(
            "reconstruction_snapshots",
            "one stored state of a reconstruction question",
            snapshots(),
            Shots::next,
            |_, _| Vec::new(),
        ),
    ]
}

/// What a row of the table of questions is made from.
struct Question {
    cells: QuestionCells,
    measures: Measures,
    start: Option<Vec<f64>>,
    target: Option<Vec<f64>>,
    end: Option<Vec<f64>>,
    /// The dimensions that are shown, in the order of their dials.
    shown: Vec<usize>,
    stop: Stop,
    feedforward: Feedforward,
    deviation: Option<OverTime>,
}

impl AsRef<QuestionCells> for Question {
    fn as_ref(&self) -> &QuestionCells {
        &self.cells
    }
}

impl Question {
    fn of(row: &QuestionRow<'_>, path: &Path) -> Option<Self> {
        let TaskMeasures::Reconstruction(measures) = &row.record.measures else {
            return None;
        };
        let plan = plan_of(row)?;
        let question = plan.questions.get(row.record.at.question);
        let target = match row.key {
            Some(AnswerKey::Reconstruction(key)) => Some(key.target.clone()),
            _ => None,
        };
        Some(Self {
            deviation: path.over_time(row),
            shown: plan.shown(),
            stop: plan.stop,
            feedforward: plan.feedforward,
            cells: QuestionCells::of(row),
            measures: measures.clone(),
            start: question.map(|question| question.start.clone()),
            target,
            end: path.end.clone(),
        })
    }
}

/// What the snapshots of a question come to.
#[derive(Default)]
struct Path {
    /// Where the dials stood last.
    end: Option<Vec<f64>>,
    /// How far from the target they were.
    deviation: DeviationSoFar,
    /// The deviation of some snapshot is not known: there is no answer key, or it does not fit.
    unknown: bool,
    /// The dimensions that are shown; found out with the first snapshot.
    shown: Option<Vec<usize>>,
}

impl Path {
    fn push(&mut self, row: &QuestionRow<'_>, _: u64, event: &TaskEvent) {
        let Some(Snapshot { movement, .. }) = snapshot_of(event) else {
            return;
        };
        self.end = Some(movement.z.clone());
        let shown = self.shown.get_or_insert_with(|| shown(row));
        match deviation_at(row, shown, &movement.z) {
            Some(deviation) => self.deviation.push(movement.elapsed_ms, deviation),
            None => self.unknown = true,
        }
    }

    /// The deviation over the question's time; `None` without its answer key.
    fn over_time(&self, row: &QuestionRow<'_>) -> Option<OverTime> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a few hours
        let until_ms = (row.record.response_time_s * 1_000.0).round() as u64;
        (!self.unknown).then(|| self.deviation.until(until_ms))?
    }
}

/// The plan of the question's stage.
fn plan_of<'a>(row: &QuestionRow<'a>) -> Option<&'a Plan> {
    match row.task {
        TaskPlan::Reconstruction(plan) => Some(plan),
        _ => None,
    }
}

/// The dimensions that are shown, in the order of their dials.
fn shown(row: &QuestionRow<'_>) -> Vec<usize> {
    plan_of(row).map(Plan::shown).unwrap_or_default()
}

/// How far the dials are from the target; `None` without the question's answer key.
fn deviation_at(row: &QuestionRow<'_>, shown: &[usize], z: &[f64]) -> Option<f64> {
    let Some(AnswerKey::Reconstruction(key)) = row.key else {
        return None;
    };
    deviation(&plan_of(row)?.model.latent, shown, z, &key.target)
}

fn snapshot_of(event: &TaskEvent) -> Option<&Snapshot> {
    match event {
        TaskEvent::Reconstruction(logged) => match &logged.event {
            Event::Snapshot(snapshot) => Some(snapshot),
            _ => None,
        },
        _ => None,
    }
}

fn questions() -> Vec<Field<Question>> {
    let mut fields = question_fields::<Question>();
    fields.extend([
        field("threshold_distance", Number, "", "0 to 1", "Distance that solves the question", |r: &Question| {
            json!(r.cells.model.threshold)
        }),
        field(
            "stop",
            Text,
            "",
            "at_threshold, declared",
            "What ends the question: the threshold, or the participant",
            |r: &Question| json!(r.stop.name()),
        ),
        field(
            "feedforward",
            Text,
            "",
            "none, filmstrip",
            "What participants see of where a dial would lead",
            |r| json!(r.feedforward.name()),
        ),
        field("dials_shown", Integer, "", "1 and up", "Number of dials on screen", |r| {
            json!(r.shown.len())
        }),
        field(
            "slide_distance_widths",
            Number,
            "slider widths",
            COUNT,
            "Distance moved by sliders in slider widths, plus 1 for each discrete change",
            |r| json!(r.measures.movement.slide_distance),
        ),
        field(
            "input_modality",
            Text,
            "",
            "mouse, touch, pen, keyboard, assistive",
            "What most stored movements of the dials were made with; 'assistive' is neither a pointer nor a key; empty where that is not known",
            |r| json!(r.measures.movement.mostly_by().map(Modality::name)),
        ),
        field(
            "movements_by_modality",
            Json,
            "",
            "number by modality",
            "How many stored movements of the dials were made with what",
            |r| json!(r.measures.movement.by),
        ),
        field(
            "error_auc_s",
            Number,
            "squared error × s",
            COUNT,
            "Integral of the summed squared error over the question's time; the paper prints it divided by 1000",
            |r| json!(r.measures.error_auc),
        ),
        field(
            "error_auc_present_s",
            Number,
            "squared error × s",
            COUNT,
            "The same without the time away or paused",
            |r| json!(r.measures.error_auc_present),
        ),
        field(
            "start_distance",
            Number,
            "",
            "0 to 1",
            "Distance to the target at the start; empty before the first snapshot",
            |r| json!(r.measures.start_distance),
        ),
        field(
            "end_distance",
            Number,
            "",
            "0 to 1",
            "Distance at the last snapshot; empty before the first",
            |r| json!(r.measures.end_distance),
        ),
        field(
            "best_distance",
            Number,
            "",
            "0 to 1",
            "Smallest distance of any snapshot; empty before the first",
            |r| json!(r.measures.best_distance),
        ),
        field(
            "start_deviation_widths",
            Number,
            "slider widths",
            COUNT,
            "Mean distance of the dials shown from the target's values at the start; radio buttons: 0 right, 1 wrong",
            |r| json!(r.deviation.map(|it| it.start)),
        ),
        field(
            "end_deviation_widths",
            Number,
            "slider widths",
            COUNT,
            "The same at the last snapshot",
            |r| json!(r.deviation.map(|it| it.end)),
        ),
        field(
            "mean_deviation_widths",
            Number,
            "slider widths",
            COUNT,
            "The same, averaged over the question's time: that of each snapshot counts until the next",
            |r| json!(r.deviation.map(|it| it.mean)),
        ),
        field("snapshots", Integer, "", COUNT, "Number of snapshots", |r| json!(r.measures.snapshots)),
        field(
            "first_moved_ms",
            Integer,
            "ms",
            COUNT,
            "When a dial was first moved, since the question started; empty if none was",
            |r| json!(r.measures.movement.first_moved_ms),
        ),
        field("dimension_switches", Integer, "", COUNT, "How often the dial being moved changed", |r| {
            json!(r.measures.movement.dimension_switches)
        }),
        field(
            "direction_reversals",
            Integer,
            "",
            COUNT,
            "How often a slider turned round without another dial being moved in between",
            |r| json!(r.measures.movement.direction_reversals),
        ),
        field(
            "overshoots",
            Integer,
            "",
            COUNT,
            "How often a dial passed the target's value while it was slid, all dials together",
            |r| json!(r.measures.overshoots.as_ref().map(|each| each.iter().sum::<u64>())),
        ),
        field(
            "zero_crossings",
            Integer,
            "",
            COUNT,
            "How often a dial passed the target's value over the whole question, all dials together",
            |r| json!(r.measures.zero_crossings.as_ref().map(|each| each.iter().sum::<u64>())),
        ),
        field(
            "moves",
            Integer,
            "",
            COUNT,
            "How often a dial was taken up and moved, after another dial, a button, or nothing",
            |r| json!(r.measures.movement.moves),
        ),
        field(
            "monotone_moves",
            Integer,
            "",
            COUNT,
            "How many of these moves went one way only",
            |r| json!(r.measures.movement.monotone_moves),
        ),
        field(
            "passes",
            Integer,
            "",
            COUNT,
            "How often all dials that are shown and can be moved had been taken up since the last time they all had",
            |r| json!(r.measures.movement.passes),
        ),
        field(
            "first_improvement_ms",
            Integer,
            "milliseconds",
            COUNT,
            "When the distance was first smaller than at the start by more than 0.01; empty if it never was",
            |r| json!(r.measures.first_improvement_ms),
        ),
        field("undos", Integer, "", COUNT, "How often a movement was undone", |r| {
            json!(r.measures.movement.undos)
        }),
        field("randomisations", Integer, "", COUNT, "How often the dials were put to random places", |r| {
            json!(r.measures.movement.randomisations)
        }),
        field(
            "display_switches",
            Integer,
            "",
            COUNT,
            "How often the pictures were put apart or together before the question ended",
            |r| json!(r.measures.display_switches),
        ),
        field("renamings", Integer, "", COUNT, "How often a dial was renamed", |r| {
            json!(r.measures.renamings)
        }),
        field(
            "first_touched",
            Numbers,
            "",
            "list of dimensions",
            "Dimensions in the order they were first moved",
            |r| json!(r.measures.movement.first_touched),
        ),
        field("start_z", Numbers, "", "list of numbers", "Latent vector the dials started at", |r| json!(r.start)),
        field("target_z", Numbers, "", "list of numbers", "Latent vector of the target", |r| json!(r.target)),
        field(
            "end_z",
            Numbers,
            "",
            "list of numbers",
            "Latent vector at the last snapshot; empty before the first",
            |r| json!(r.end),
        ),
    ]);
    fields
}
