//! From a replayed session to the rows of the tables.

use std::collections::BTreeMap;

use domain::event::{Envelope, Event, PageInfo, QuestionRef, Snapshot};
use domain::latent::Dimension;
use domain::metrics::{Outcome, QuestionRecord};
use domain::questionnaire::Answer;
use serde_json::{Value, json};

use super::Replayed;

type Row = Vec<Value>;

/// Unix milliseconds as RFC 3339, null if there is no such time.
fn utc(unix_ms: Option<u64>) -> Value {
    unix_ms
        .and_then(|ms| i64::try_from(ms).ok())
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or(Value::Null, |time| Value::String(time.to_string()))
}

/// Snapshots by question.
pub struct Paths<'a> {
    session: &'a str,
    by_question: BTreeMap<QuestionRef, Vec<(u64, &'a Snapshot)>>,
}

impl<'a> Paths<'a> {
    /// Sorts a log's snapshots by question.
    #[must_use]
    pub fn of(events: &'a [(String, Envelope)]) -> Self {
        let mut by_question: BTreeMap<QuestionRef, Vec<(u64, &Snapshot)>> = BTreeMap::new();
        let mut current = None;
        for (_, envelope) in events {
            match &envelope.event {
                Event::QuestionStarted { at } => current = Some(*at),
                Event::Snapshot(snapshot) => {
                    if let Some(at) = current {
                        by_question
                            .entry(at)
                            .or_default()
                            .push((envelope.seq, snapshot));
                    }
                }
                _ => {}
            }
        }
        let session = events
            .first()
            .map_or("", |(_, envelope)| envelope.session.0.as_str());
        Self {
            session,
            by_question,
        }
    }

    fn last_z(&self, at: QuestionRef) -> Option<&[f64]> {
        self.by_question
            .get(&at)?
            .last()
            .map(|(_, snapshot)| snapshot.z.as_slice())
    }

    /// Rows of the table of snapshots.
    pub fn snapshots(&self) -> impl Iterator<Item = Row> + '_ {
        self.by_question.iter().flat_map(move |(at, path)| {
            path.iter().map(move |(seq, s)| {
                vec![
                    json!(self.session),
                    json!(seq),
                    json!(at.stage),
                    json!(at.question),
                    json!(s.elapsed_ms),
                    json!(s.dimension),
                    json!(s.direction),
                    json!(s.distance),
                    json!(s.squared_error),
                    json!(s.z),
                ]
            })
        })
    }
}

/// Row of the table of sessions.
#[must_use]
pub fn session(replayed: &Replayed) -> Row {
    let Replayed {
        stored,
        events,
        session,
    } = replayed;
    let scored: Vec<_> = stored
        .plan
        .stages
        .iter()
        .filter(|stage| !stage.practice)
        .collect();
    let ended: Vec<_> = session
        .ended()
        .iter()
        .filter(|record| !record.practice)
        .collect();
    let count =
        |wanted: fn(&Event) -> bool| events.iter().filter(|(_, e)| wanted(&e.event)).count();
    let page: Option<&PageInfo> = events.iter().find_map(|(_, e)| match &e.event {
        Event::PageOpened { page } => Some(page),
        _ => None,
    });
    let phase = serde_json::to_value(session.phase()).unwrap_or_default();
    vec![
        json!(stored.id),
        json!(stored.study),
        json!(stored.study_sha256),
        json!(stored.ordinal),
        json!(stored.participant_code),
        utc(Some(stored.created_at_unix_ms)),
        utc(stored.completed_at_unix_ms),
        json!(stored.completion_code),
        phase.get("phase").cloned().unwrap_or_default(),
        json!(scored.iter().map(|stage| &stage.id).collect::<Vec<_>>()),
        json!(
            scored
                .iter()
                .map(|stage| stage.questions.len())
                .sum::<usize>()
        ),
        json!(ended.len()),
        json!(
            ended
                .iter()
                .filter(|record| record.outcome == Some(Outcome::Solved))
                .count()
        ),
        json!(events.len()),
        json!(session.last_ms()),
        json!(count(|e| matches!(e, Event::PageOpened { .. }))),
        json!(count(|e| matches!(e, Event::ConnectionLost))),
        json!(page.map(|p| p.viewport_width_px)),
        json!(page.map(|p| p.viewport_height_px)),
        json!(page.map(|p| p.touch)),
        json!(page.map(|p| &p.user_agent)),
    ]
}

fn target(replayed: &Replayed, at: QuestionRef) -> Option<&[f64]> {
    replayed
        .stored
        .targets
        .get(at.stage)?
        .get(at.question)
        .map(Vec::as_slice)
}

/// Row of the table of questions.
#[must_use]
pub fn question(replayed: &Replayed, paths: &Paths<'_>, r: &QuestionRecord) -> Row {
    let planned = replayed.stored.plan.question(r.at);
    let model = planned.map(|(stage, _)| &stage.model);
    vec![
        json!(replayed.stored.id),
        json!(r.at.stage),
        json!(r.stage_id),
        json!(r.at.question),
        json!(r.model),
        json!(model.map(|m| &m.weights_sha256)),
        json!(r.practice),
        json!(r.outcome),
        json!(model.map(|m| m.threshold)),
        json!(r.started_at_ms),
        json!(r.response_time_s),
        json!(r.active_time_s),
        json!(r.slide_distance),
        json!(r.error_auc),
        json!(r.start_distance),
        json!(r.end_distance),
        json!(r.best_distance),
        json!(r.snapshots),
        json!(r.dimension_switches),
        json!(r.direction_reversals),
        json!(r.display_switches),
        json!(r.renamings),
        json!(r.reloads),
        json!(r.first_touched),
        json!(planned.map(|(_, question)| &question.start)),
        json!(target(replayed, r.at)),
        json!(paths.last_z(r.at)),
    ]
}

/// Rows of the table of dimensions for one question.
#[must_use]
pub fn dimensions(replayed: &Replayed, paths: &Paths<'_>, r: &QuestionRecord) -> Vec<Row> {
    let Some((stage, planned)) = replayed.stored.plan.question(r.at) else {
        return Vec::new();
    };
    let at = |z: Option<&[f64]>, index: usize| json!(z.and_then(|z| z.get(index)));
    let row = |(index, dimension): (usize, &Dimension)| {
        let (kind, min, max) = match dimension {
            Dimension::Discrete { .. } => ("discrete", None, None),
            Dimension::Continuous { min, max, .. } => ("continuous", Some(min), Some(max)),
        };
        vec![
            json!(replayed.stored.id),
            json!(r.at.stage),
            json!(r.stage_id),
            json!(r.at.question),
            json!(r.model),
            json!(index),
            json!(kind),
            json!(min),
            json!(max),
            json!(replayed.session.dial_name(r.at.stage, index)),
            at(Some(&planned.start), index),
            at(target(replayed, r.at), index),
            at(paths.last_z(r.at), index),
            json!(r.distance_per_dimension.get(index)),
            json!(r.slides.get(index)),
            json!(r.selections.get(index)),
            json!(r.first_touched.iter().position(|touched| *touched == index)),
        ]
    };
    stage
        .model
        .latent
        .dimensions()
        .iter()
        .enumerate()
        .map(row)
        .collect()
}

/// Rows of the table of answers.
#[must_use]
pub fn answers(replayed: &Replayed) -> Vec<Row> {
    let plan = &replayed.stored.plan;
    let mut rows = Vec::new();
    for answered in replayed.session.answers() {
        let stage = answered.stage.and_then(|index| plan.stages.get(index));
        for (item, answer) in &answered.answers {
            let (number, text) = match answer {
                Answer::Number(number) => (json!(number), Value::Null),
                Answer::Text(text) => (Value::Null, json!(text)),
                Answer::Several(options) => (Value::Null, json!(json!(options).to_string())),
            };
            rows.push(vec![
                json!(replayed.stored.id),
                json!(answered.stage),
                json!(stage.map(|stage| &stage.id)),
                json!(stage.map(|stage| &stage.model.name)),
                json!(answered.questionnaire),
                json!(item),
                json!(answered.at_ms),
                number,
                text,
            ]);
        }
    }
    rows
}

/// Row of the table of events.
///
/// # Errors
/// When the event cannot be written as JSON.
pub fn event(envelope: &Envelope) -> anyhow::Result<Row> {
    let mut detail = serde_json::to_value(&envelope.event)?;
    if let Some(fields) = detail.as_object_mut() {
        fields.remove("kind");
    }
    Ok(vec![
        json!(envelope.session),
        json!(envelope.seq),
        json!(envelope.at_ms),
        json!(envelope.format),
        json!(envelope.event.kind()),
        detail,
    ])
}
