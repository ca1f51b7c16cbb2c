//! The table of answers to questionnaires.

use domain::common::table::Field;
use domain::fields;
use domain::questionnaire::{Answer, Item, is_right};
use domain::session::AnsweredQuestionnaire;
use domain::session::typed_text::{self, WITHHELD};
use serde_json::{Value, json};

use super::replay::ReplayedSession;

/// The meaning of one row, in words.
pub(super) const ROW: &str = "one answer to one item of a questionnaire, or to one row of a matrix; each attempt has its own";

/// The data that a row is made from.
pub(super) struct Row {
    session: String,
    part: usize,
    stage: Option<usize>,
    stage_id: Option<String>,
    model: Option<String>,
    questionnaire: String,
    block: Option<&'static str>,
    attempt: usize,
    item: String,
    kind: Option<&'static str>,
    row: Option<String>,
    place: Option<usize>,
    shown_order: Vec<String>,
    at_ms: u64,
    answer: Answer,
    right: Option<bool>,
    revisions: u32,
    time_over: bool,
}

/// The rows of a session, with what was typed in own words only if `identifying`.
pub(super) fn rows(replayed: &ReplayedSession, identifying: bool) -> Vec<Row> {
    let answers = replayed.session.answers();
    let mut rows = Vec::new();
    for (index, answered) in answers.iter().enumerate() {
        let before = answers[..index].iter();
        let attempt = 1 + before.filter(|other| other.part == answered.part).count();
        let asked = replayed.session.plan().questionnaire(answered.part);
        let shown = asked.map_or_else(Vec::new, |asked| asked.shown(&answered.answers));
        for (item, answer) in &answered.answers {
            let place = shown.iter().position(|shown| shown.id == *item);
            let of = shown.iter().find(|shown| shown.id == *item).copied();
            let mut row = row(replayed, answered, attempt, item, answer, of);
            if !identifying {
                typed_text::replace(typed_text::in_answer(&mut row.answer, of), WITHHELD);
            }
            let row = Row {
                place: place.map(|place| place + 1),
                block: asked
                    .and_then(|asked| asked.block)
                    .map(|block| block.name()),
                ..row
            };
            match answer {
                Answer::Rows { rows: points } => {
                    rows.extend(row.of_each_point(points));
                }
                _ => rows.push(row),
            }
        }
    }
    rows
}

fn row(
    replayed: &ReplayedSession,
    answered: &AnsweredQuestionnaire,
    attempt: usize,
    item: &str,
    answer: &Answer,
    of: Option<&Item>,
) -> Row {
    let stages = &replayed.session.plan().stages;
    let stage = answered.stage.and_then(|index| stages.get(index));
    let right = replayed.session.right_answer(answered.part, item);
    let order = of.map_or_else(Vec::new, |item| item.answer.shown_order());
    Row {
        session: replayed.stored.id.0.clone(),
        part: answered.part,
        stage: answered.stage,
        stage_id: stage.map(|stage| stage.id.clone()),
        model: stage.map(|stage| stage.task.subject(None).to_owned()),
        questionnaire: answered.questionnaire.clone(),
        block: None,
        attempt,
        item: item.to_owned(),
        kind: of.map(|item| item.answer.name()),
        row: None,
        place: None,
        shown_order: order.into_iter().map(str::to_owned).collect(),
        at_ms: answered.at_ms,
        answer: answer.clone(),
        right: right.and_then(|right| is_right(right, answer)),
        revisions: answered.revisions.get(item).copied().unwrap_or(0),
        time_over: answered.time_over,
    }
}

impl Row {
    /// A row for each row of a matrix, in the order in which they were shown.
    fn of_each_point(self, points: &std::collections::BTreeMap<String, i64>) -> Vec<Self> {
        let shown = self.shown_order.iter();
        let shown = shown.filter_map(|row| Some((row.clone(), *points.get(row)?)));
        shown
            .map(|(row, point)| Self {
                session: self.session.clone(),
                stage_id: self.stage_id.clone(),
                model: self.model.clone(),
                questionnaire: self.questionnaire.clone(),
                item: self.item.clone(),
                shown_order: self.shown_order.clone(),
                row: Some(row),
                answer: Answer::Number(point),
                ..self
            })
            .collect()
    }
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    fields! { |r: &Row|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.session;
        "part": "Part of the session's plan that the questionnaire is, from 0",
            Integer, "", "0 and up" => r.part;
        "stage": "Stage the questionnaire is about, as in the tables of questions; empty if it is about none",
            Integer, "", "0 and up" => r.stage;
        "stage_id": "Name of that stage; empty if there is none",
            Text, "", "any" => r.stage_id;
        "model": "Model of that stage; empty if there is none",
            Text, "", "any" => r.model;
        "questionnaire": "Name of the questionnaire; 'seq' is the Single Ease Question, 1 very easy to 7 very difficult",
            Text, "", "any" => r.questionnaire;
        "block": "Named block that the questionnaire is; empty if it is the study's own",
            Text, "", "seq, nasa-tlx, sus, strategy, comments, demographics, human-check" => r.block;
        "attempt": "Number of the attempt, for questionnaires that may be handed in again",
            Integer, "", "1 and up" => r.attempt;
        "item": "Name of the item",
            Text, "", "any" => r.item;
        "item_kind": "What the item asks for",
            Text, "", "scale, matrix, slider, gradations, text, choice, dropdown, ranking, number, date, motion_letters" => r.kind;
        "row": "Name of the row of a matrix; empty for other items",
            Text, "", "any" => r.row;
        "place": "Place of the item among those that were shown, from 1",
            Integer, "", "1 and up" => r.place;
        "shown_order": "Options, or rows of a matrix, in the order in which this person saw them; empty for items without",
            Json, "", "list of names" => (!r.shown_order.is_empty()).then_some(&r.shown_order);
        "at_ms": "When it was handed in, since the session's start",
            Integer, "ms", "0 and up" => r.at_ms;
        "answer_number": "The point, the value of a slider (gradations: 0 to 20), or the number; empty for other answers",
            Number, "", "any" => match &r.answer {
                Answer::Number(number) => json!(number),
                Answer::Decimal(number) => json!(number),
                _ => Value::Null,
            };
        "answer_text": "Free text (with --identifying), date, or the option chosen; several options, or a ranking from its first, as a JSON list; empty for other answers",
            Text, "", "any" => match &r.answer {
                Answer::Text(text) => json!(text),
                Answer::Several(all) | Answer::Described { chosen: all, .. } => json!(json!(all).to_string()),
                _ => Value::Null,
            };
        "described": "What was written in the text fields of options (with --identifying); empty if nothing was",
            Json, "", "words by option" => match &r.answer {
                Answer::Described { described, .. } if !described.is_empty() => Some(described),
                _ => None,
            };
        "no_answer": "Why there is no answer: \"I don't know\", \"prefer not to answer\", \"I cannot see this\"; empty if there is one",
            Text, "", "dont_know, prefer_not, cannot_see" => match &r.answer {
                Answer::NoAnswer { no_answer } => Some(no_answer.name()),
                _ => None,
            };
        "right": "Whether the answer is the item's right one (attention checks, comprehension questions); empty for items without",
            Boolean, "", "true, false" => r.right;
        "revisions": "How often the answer was changed after going back to its page; the row holds the last one, the log all of them",
            Integer, "", "0 and up" => r.revisions;
        "time_over": "Whether the page was handed in as it was because its time was over",
            Boolean, "", "true, false" => r.time_over;
        "replay": "Where one watches the answer being given in the researcher's area",
            Text, "", "address", link => r.at_ms;
    }
}
