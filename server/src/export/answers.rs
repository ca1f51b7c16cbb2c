//! The table of answers to questionnaires.

use domain::questionnaire::Answer;
use domain::table::ColumnType::{Integer, Text};
use domain::table::{Field, field};
use serde_json::{Value, json};

use super::replay::ReplayedSession;

/// What one row is.
pub(super) const ROW: &str = "one answer to one item of a questionnaire";

/// What a row is made from.
pub(super) struct Row {
    session: String,
    stage: Option<usize>,
    stage_id: Option<String>,
    model: Option<String>,
    questionnaire: String,
    item: String,
    at_ms: u64,
    answer: Answer,
}

/// The rows of a session.
pub(super) fn rows(replayed: &ReplayedSession) -> Vec<Row> {
    let plan = replayed.session.plan();
    let mut rows = Vec::new();
    for answered in replayed.session.answers() {
        let stage = answered.stage.and_then(|index| plan.stages.get(index));
        for (item, answer) in &answered.answers {
            rows.push(Row {
                session: replayed.stored.id.0.clone(),
                stage: answered.stage,
                stage_id: stage.map(|stage| stage.id.clone()),
                model: stage.map(|stage| stage.task.model().name.clone()),
                questionnaire: answered.questionnaire.clone(),
                item: item.clone(),
                at_ms: answered.at_ms,
                answer: answer.clone(),
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
            "stage",
            Integer,
            "",
            "0 and up",
            "Stage the questionnaire is about, as in the tables of questions; empty if it is about none",
            |r| json!(r.stage),
        ),
        field(
            "stage_id",
            Text,
            "",
            "any",
            "Name of that stage; empty if there is none",
            |r| json!(r.stage_id),
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
            "Name of the questionnaire; 'seq' is the Single Ease Question, 1 very easy to 7 very difficult",
            |r| json!(r.questionnaire),
        ),
        field("item", Text, "", "any", "Name of the item", |r| {
            json!(r.item)
        }),
        field(
            "at_ms",
            Integer,
            "ms",
            "0 and up",
            "When it was handed in, since the session's start",
            |r| json!(r.at_ms),
        ),
        field(
            "answer_number",
            Integer,
            "",
            "any",
            "The point chosen on a scale; empty for other items",
            |r| match &r.answer {
                Answer::Number(number) => json!(number),
                Answer::Text(_) | Answer::Several(_) => Value::Null,
            },
        ),
        field(
            "answer_text",
            Text,
            "",
            "any",
            "Free text or the option chosen; several options as a JSON list; empty for scales",
            |r| match &r.answer {
                Answer::Number(_) => Value::Null,
                Answer::Text(text) => json!(text),
                Answer::Several(options) => json!(json!(options).to_string()),
            },
        ),
    ]
}
