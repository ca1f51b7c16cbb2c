//! The table of scores: those of named blocks, and those that questionnaires declare.

use domain::common::table::Field;
use domain::fields;
use domain::questionnaire::Block;
use domain::study::Metric;

use super::replay::ReplayedSession;

/// The meaning of one row, in words.
pub(super) const ROW: &str = "one score of one page that was answered";

/// The data that a row is made from.
pub(super) struct Row {
    session: String,
    part: usize,
    stage: Option<usize>,
    model: Option<String>,
    questionnaire: String,
    block: Option<&'static str>,
    score: String,
    value: Option<f64>,
    at_ms: u64,
}

/// The rows of a session; of several attempts at a page, the last.
pub(super) fn rows(replayed: &ReplayedSession) -> Vec<Row> {
    let session = &replayed.session;
    let stages = &session.plan().stages;
    let mut rows = Vec::new();
    for answered in session.last_answers() {
        let Some(page) = session.plan().questionnaire(answered.part) else {
            continue;
        };
        let stage = answered.stage.and_then(|index| stages.get(index));
        let block = page.instrument();
        for (metric, value) in Metric::scores(page, &answered.answers) {
            rows.push(Row {
                session: replayed.stored.id.0.clone(),
                part: answered.part,
                stage: answered.stage,
                model: stage.map(|stage| stage.task.subject(None).to_owned()),
                questionnaire: answered.questionnaire.clone(),
                block: block.map(Block::name),
                score: metric.score_name().to_owned(),
                value,
                at_ms: answered.at_ms,
            });
        }
    }
    rows
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    fields! { |r: &Row|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.session;
        "part": "Part of the session's plan that the questionnaire is, from 0; joins the answers",
            Integer, "", "0 and up" => r.part;
        "stage": "Stage it is about, as in the tables of questions; empty if it is about none",
            Integer, "", "0 and up" => r.stage;
        "model": "Model of that stage; empty if there is none",
            Text, "", "any" => r.model;
        "questionnaire": "Name of the questionnaire",
            Text, "", "any" => r.questionnaire;
        "block": "Named block that it is; empty for a questionnaire of the study's own",
            Text, "", "seq, nasa-tlx, sus" => r.block;
        "score": "difficulty: the Single Ease Question, 1 very easy to 7 very difficult; raw_tlx: mean of the six subscales × 5, 0 to 100 (Hart 2006); sus: 0 to 100 (Brooke 1996); others are declared by the questionnaire, a mean or a sum of answers",
            Text, "", "any" => r.score;
        "value": "The score; empty when an answer that it needs is missing",
            Number, "", "any" => r.value;
        "replay": "Where one watches the answers being given in the researcher's area",
            Text, "", "address", link => r.at_ms;
    }
}
