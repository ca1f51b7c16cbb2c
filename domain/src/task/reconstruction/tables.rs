//! The tables of an export.

use super::deviation::{DeviationSoFar, OverTime, deviation};
use super::{Event, Feedforward, Measures, Plan, Snapshot, Stop};
use crate::common::table::Field;
use crate::fields;
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

/// The data of a row of the table of questions.
struct Question {
    cells: QuestionCells,
    measures: Measures,
    start: Option<Vec<f64>>,
    target: Option<Vec<f64>>,
    end: Option<Vec<f64>>,
    /// The dimensions that are shown, in the order of their dials.
    shown: Vec<usize>,
    threshold: f64,
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
            threshold: plan.threshold(row.record.at.question),
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

/// The summary of a question's snapshots.
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
    fields.extend(fields! { |r: &Question|
        "threshold_distance": "Distance that solves the question",
            Number, "", "0 to 1" => r.threshold;
        "stop": "What ends the question: the threshold, or the participant",
            Text, "", "at_threshold, declared" => r.stop.name();
        "feedforward": "What participants see of where a dial would lead",
            Text, "", "none, filmstrip" => r.feedforward.name();
        "dials_shown": "Number of dials on screen",
            Integer, "", "1 and up" => r.shown.len();
        "slide_distance_widths": "Distance moved by sliders in slider widths, plus 1 for each discrete change",
            Number, "slider widths", COUNT => r.measures.movement.slide_distance;
        "input_modality": "What most stored movements of the dials were made with; 'assistive' is neither a pointer nor a key; empty where that is not known",
            Text, "", "mouse, touch, pen, keyboard, assistive" => r.measures.movement.mostly_by().map(Modality::name);
        "movements_by_modality": "How many stored movements of the dials were made with what",
            Json, "", "number by modality" => r.measures.movement.by;
        "error_auc_s": "Integral of the summed squared error over the question's time; the paper prints it divided by 1000",
            Number, "squared error × s", COUNT => r.measures.error_auc;
        "error_auc_present_s": "The same without the time away or paused",
            Number, "squared error × s", COUNT => r.measures.error_auc_present;
        "start_distance": "Distance to the target at the start; empty before the first snapshot",
            Number, "", "0 to 1" => r.measures.start_distance;
        "end_distance": "Distance at the last snapshot; empty before the first",
            Number, "", "0 to 1" => r.measures.end_distance;
        "best_distance": "Smallest distance of any snapshot; empty before the first",
            Number, "", "0 to 1" => r.measures.best_distance;
        "start_deviation_widths": "Mean distance of the dials shown from the target's values at the start; radio buttons: 0 right, 1 wrong",
            Number, "slider widths", COUNT => r.deviation.map(|it| it.start);
        "end_deviation_widths": "The same at the last snapshot",
            Number, "slider widths", COUNT => r.deviation.map(|it| it.end);
        "mean_deviation_widths": "The same, averaged over the question's time: that of each snapshot counts until the next",
            Number, "slider widths", COUNT => r.deviation.map(|it| it.mean);
        "snapshots": "Number of snapshots",
            Integer, "", COUNT => r.measures.snapshots;
        "first_moved_ms": "When a dial was first moved, since the question started; empty if none was",
            Integer, "ms", COUNT => r.measures.movement.first_moved_ms;
        "dimension_switches": "How often the dial being moved changed",
            Integer, "", COUNT => r.measures.movement.dimension_switches;
        "direction_reversals": "How often a slider turned round without another dial being moved in between",
            Integer, "", COUNT => r.measures.movement.direction_reversals;
        "overshoots": "How often a dial passed the target's value while it was slid, all dials together",
            Integer, "", COUNT => r.measures.overshoots.as_ref().map(|each| each.iter().sum::<u64>());
        "zero_crossings": "How often a dial passed the target's value over the whole question, all dials together",
            Integer, "", COUNT => r.measures.zero_crossings.as_ref().map(|each| each.iter().sum::<u64>());
        "moves": "How often a dial was taken up and moved, after another dial, a button, or nothing",
            Integer, "", COUNT => r.measures.movement.moves;
        "monotone_moves": "How many of these moves went one way only",
            Integer, "", COUNT => r.measures.movement.monotone_moves;
        "passes": "How often all dials that are shown and can be moved had been taken up since the last time they all had",
            Integer, "", COUNT => r.measures.movement.passes;
        "first_improvement_ms": "When the distance was first smaller than at the start by more than 0.01; empty if it never was",
            Integer, "milliseconds", COUNT => r.measures.first_improvement_ms;
        "undos": "How often a movement was undone",
            Integer, "", COUNT => r.measures.movement.undos;
        "randomisations": "How often the dials were put to random places",
            Integer, "", COUNT => r.measures.movement.randomisations;
        "display_switches": "How often the pictures were put apart or together before the question ended",
            Integer, "", COUNT => r.measures.display_switches;
        "renamings": "How often a dial was renamed",
            Integer, "", COUNT => r.measures.renamings;
        "first_touched": "Dimensions in the order they were first moved",
            Numbers, "", "list of dimensions" => r.measures.movement.first_touched;
        "start_z": "Latent vector the dials started at",
            Numbers, "", "list of numbers" => r.start;
        "target_z": "Latent vector of the target",
            Numbers, "", "list of numbers" => r.target;
        "end_z": "Latent vector at the last snapshot; empty before the first",
            Numbers, "", "list of numbers" => r.end;
    });
    fields
}
