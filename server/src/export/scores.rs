//! The table of scores: those of named blocks.

use domain::common::table::ColumnType::{Integer, Number, Text};
use domain::common::table::{Field, field};
use domain::questionnaire::Questionnaire;
use serde_json::json;

use super::replay::ReplayedSession;

/// What one row is.
pub(super) const ROW: &str = "one score of one named block that was answered";

/// What a row is made from.
pub(super) struct Row {
    session: String,
    part: usize,
    stage: Option<usize>,
    model: Option<String>,
    questionnaire: String,
    block: &'static str,
    score: &'static str,
    value: Option<f64>,
}

/// The rows of a session; of several attempts at a page, the last.
pub(super) fn rows(replayed: &ReplayedSession) -> Vec<Row> {
    let session = &replayed.session;
    let stages = &session.plan().stages;
    let mut rows = Vec::new();
    for answered in session.last_answers() {
        let Some(block) = session
            .plan()
            .questionnaire(answered.part)
            .and_then(Questionnaire::instrument)
        else {
            continue;
        };
        let stage = answered.stage.and_then(|index| stages.get(index));
        for score in block.scores() {
            rows.push(Row {
                session: replayed.stored.id.0.clone(),
                part: answered.part,
                stage: answered.stage,
                model: stage.map(|stage| stage.task.model().name.clone()),
                questionnaire: answered.questionnaire.clone(),
                block: block.name(),
                score: score.name(),
                value: score.of(&answered.answers),
            });
        }
    }
    rows
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    vec![
        field(
            "session",
            Text,
            "",
            "any",
            "Name of the session; joins the tables",
            |r: &Row| json!(r.session),
        ),
        field(
            "part",
            Integer,
            "",
            "0 and up",
            "Part of the session's plan that the questionnaire is, from 0; joins the answers",
            |r| json!(r.part),
        ),
        field(
            "stage",
            Integer,
            "",
            "0 and up",
            "Stage it is about, as in the tables of questions; empty if it is about none",
            |r| json!(r.stage),
        ),
        field(
            "model",
            Text,
            "",
            "any",
            "Model of that stage; empty if there is none",
            |r| json!(r.model),
        ),
        field(
            "questionnaire",
            Text,
            "",
            "any",
            "Name of the questionnaire",
            |r| json!(r.questionnaire),
        ),
        field(
            "block",
            Text,
            "",
            "seq, nasa-tlx, sus",
            "Named block that it is",
            |r| json!(r.block),
        ),
        field(
            "score",
            Text,
            "",
            "difficulty, raw_tlx, sus",
            "difficulty: the Single Ease Question, 1 very easy to 7 very difficult; raw_tlx: mean of the six subscales × 5, 0 to 100 (Hart 2006); sus: 0 to 100 (Brooke 1996)",
            |r| json!(r.score),
        ),
        field(
            "value",
            Number,
            "",
            "0 to 100",
            "The score; empty when an answer that it needs is missing",
            |r| json!(r.value),
        ),
    ]
}
