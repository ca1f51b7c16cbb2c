//! The table of staircases: how somebody went up and down among levels of difficulty.

use domain::common::table::Field;
use domain::fields;
use domain::session::flow::{Climb, Staircase};

use super::replay::ReplayedSession;

/// The meaning of one row, in words.
pub(super) const ROW: &str = "one staircase that a participant began";

/// The data that a row is made from.
pub(super) struct Row {
    session: String,
    stage: usize,
    stage_id: String,
    model: String,
    levels: usize,
    started_at_ms: u64,
    climb: Climb,
}

/// The rows of a session.
pub(super) fn rows(replayed: &ReplayedSession) -> Vec<Row> {
    let session = &replayed.session;
    let stages = &session.plan().stages;
    let row = |(staircase, climb): (&Staircase, Climb)| {
        let first = *staircase.stages.first()?;
        let stage = stages.get(first)?;
        let mut questions = session.questions();
        let begun = questions.find(|it| staircase.stages.contains(&it.at.stage))?;
        Some(Row {
            session: replayed.stored.id.0.clone(),
            stage: first,
            stage_id: stage.id.clone(),
            model: stage.task.subject(None).to_owned(),
            levels: staircase.stages.len(),
            started_at_ms: begun.clock.started_at_ms(),
            climb,
        })
    };
    session.climbs().filter_map(row).collect()
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    fields! { |r: &Row|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.session;
        "stage": "The stage of its easiest level, as in the tables of questions",
            Integer, "", "0 and up" => r.stage;
        "stage_id": "Name of that stage in the study",
            Text, "", "any" => r.stage_id;
        "model": "Model of that stage; empty if there is none",
            Text, "", "any" => r.model;
        "levels": "Number of its levels",
            Integer, "levels", "1 and up" => r.levels;
        "questions": "Number of questions that ended with an answer that is right or wrong",
            Integer, "questions", "1 and up" => r.climb.levels.len();
        "levels_asked": "Level of each of these questions, from 0 for the easiest, in the order in which they came, separated by spaces",
            Text, "", "numbers" => spaced(&r.climb.levels);
        "reversals": "How often a step went in the other direction than the step before; a step that the easiest or the hardest level stops is a step, too",
            Integer, "reversals", "0 and up" => r.climb.reversals.len();
        "reversal_levels": "Level of the question whose answer led to each reversal, in order, separated by spaces",
            Text, "", "numbers" => spaced(&r.climb.reversals);
        "threshold_level": "Where the staircase settled: the mean of reversal_levels, the first one left out, and the second one where an odd number is left; empty with fewer than three reversals (Levitt 1971)",
            Number, "levels", "0 and up" => r.climb.threshold();
        "started_at_ms": "When its first question started, since the session's start",
            Integer, "ms", "0 and up" => r.started_at_ms;
        "replay": "Where one watches it in the researcher's area, from its first question",
            Text, "", "address", link => r.started_at_ms;
    }
}

fn spaced(levels: &[usize]) -> String {
    let levels: Vec<String> = levels.iter().map(usize::to_string).collect();
    levels.join(" ")
}
