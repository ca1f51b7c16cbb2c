//! A session as a person's data.

use std::collections::{BTreeMap, BTreeSet};

use domain::clock::seconds;
use domain::model::latent::Dimension;
use domain::movement::Movement;
use domain::questionnaire::{Answer, Block, GRADATIONS_MAX, Item, ItemKind, Questionnaire, Score};
use domain::session::event::{Envelope, Event, QuestionRef};
use domain::session::plan::{PartPlan, StagePlan};
use domain::session::{Phase, Session};
use domain::study::Metric;
use domain::task::{QuestionRecord, TaskPlan};

use super::{DialRange, ExcludedBy, Label, Person, QuestionResult, Rating, StageData, Trajectory};

/// Of how many people, the first ones, paths of questions are worth keeping: curves over time
/// need no more, and memory must not grow with every snapshot of a large study.
pub const PEOPLE_WITH_PATHS: usize = 200;

impl Person {
    /// Folds a session. With its answer keys, right and wrong are known. What the log does not
    /// say (whether inclusion rules exclude it where nobody did, whether it is over quota) is for
    /// the caller to set.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let plan = session.plan();
        let records = session.records();
        let goes_on = |index| {
            let mut staircases = plan.staircases.iter();
            staircases.any(|it| it.stages.iter().skip(1).any(|stage| *stage == index))
        };
        let stages = plan.stages.iter().enumerate().filter(|(_, s)| !s.practice);
        let stages = stages.flat_map(|(index, stage)| {
            let subjects = subjects(session, index, stage);
            let is_one = subjects.len() == 1;
            let records = &records;
            subjects.into_iter().map(move |subject| {
                let model = stage.task.model();
                let of_subject = records
                    .iter()
                    .filter(|record| record.at.stage == index && record.model == subject);
                StageData {
                    stage: stage.id.clone(),
                    weights_sha256: model.map_or_else(String::new, |it| it.weights_sha256.clone()),
                    threshold: threshold(&stage.task),
                    task: stage.task.task(),
                    goes_on: goes_on(index),
                    skip_after_s: stage.task.skip_after_s(),
                    questions: of_subject.map(|record| question(session, record)).collect(),
                    // What is said of a stage is said of none of its subjects alone.
                    scores: if is_one {
                        scores(session, index)
                    } else {
                        BTreeMap::new()
                    },
                    dials: dials(stage),
                    dials_have_names: stage.task.dials_have_names(),
                    labels: labels(session, index, stage),
                    ratings: if is_one {
                        ratings(session, index)
                    } else {
                        Vec::new()
                    },
                    model: subject,
                }
            })
        });
        Self {
            study_sha256: plan.study_sha256.clone(),
            complete: session.phase() == Phase::Complete,
            excluded: excluded(session),
            over_quota: false,
            marked: session.is_marked() == Some(true),
            agreed: plan
                .parts
                .contains(&PartPlan::Consent)
                .then(|| session.consented().is_some()),
            stages: stages.collect(),
        }
    }

    /// Adds how each scored question with a target went. `events` is the session's log, in
    /// order. Paths take much more memory than all else: the caller says for whom they are kept.
    pub fn add_paths<'a>(&mut self, session: &Session, events: impl Iterator<Item = &'a Envelope>) {
        let mut paths: BTreeMap<QuestionRef, Trajectory> = BTreeMap::new();
        let mut current = None;
        for envelope in events {
            match &envelope.event {
                Event::QuestionStarted { at } => current = Some(*at),
                Event::Task(event) => {
                    if let (Some(at), Some(movement), Some(distance)) =
                        (current, event.movement(), event.distance())
                    {
                        paths.entry(at).or_default().push(movement, distance);
                    }
                }
                _ => {}
            }
        }
        let plan = session.plan();
        let scored = plan.stages.iter().enumerate().filter(|(_, s)| !s.practice);
        let each =
            scored.flat_map(|(index, stage)| vec![index; subjects(session, index, stage).len()]);
        for (index, stage) in each.zip(&mut self.stages) {
            let of_stage = session
                .questions()
                .map(|question| question.at)
                .filter(|at| at.stage == index);
            for (at, question) in of_stage.zip(&mut stage.questions) {
                question.path = paths.remove(&at);
            }
        }
    }
}

impl Trajectory {
    fn push(&mut self, movement: &Movement, distance: f64) {
        let seconds = seconds(movement.elapsed_ms);
        // A question that a reload began anew: its clock went on, so time never falls.
        let last = self.seconds.last().copied().unwrap_or(0.0);
        self.seconds.push(seconds.max(last));
        self.distance.push(distance);
        self.z.push(movement.z.clone());
    }
}

/// What the questions of a stage are about, each once and in the order of their names: one model, or
/// bundles of concepts.
fn subjects(session: &Session, index: usize, stage: &StagePlan) -> Vec<String> {
    let subject = |question| {
        let at = QuestionRef {
            stage: index,
            question,
        };
        stage.task.subject(session.key(at)).to_owned()
    };
    let found: BTreeSet<String> = (0..stage.task.question_count()).map(subject).collect();
    if found.is_empty() {
        return vec![stage.task.subject(None).to_owned()];
    }
    found.into_iter().collect()
}

fn dials(stage: &StagePlan) -> Vec<DialRange> {
    let dial = |dimension: &Dimension| match *dimension {
        Dimension::Discrete { values } => DialRange {
            min: 0.0,
            max: f64::from(values.saturating_sub(1)),
            discrete: true,
        },
        Dimension::Continuous { min, max, .. } => DialRange {
            min,
            max,
            discrete: false,
        },
    };
    let model = stage.task.model();
    let dimensions = model.map_or(&[][..], |model| model.latent.dimensions());
    dimensions.iter().map(dial).collect()
}

fn labels(session: &Session, index: usize, stage: &StagePlan) -> Vec<Label> {
    let dials = 0..stage.task.model().map_or(0, |model| model.latent.len());
    dials
        .filter_map(|dial| {
            let text = session.dial_name(index, dial)?.trim();
            (!text.is_empty()).then(|| Label {
                dial,
                text: text.to_owned(),
            })
        })
        .collect()
}

fn question(session: &Session, record: &QuestionRecord) -> QuestionResult {
    let value = |metric| record.measures.metric(metric, record.active_time_s);
    let metrics = record.task().metrics();
    let details = record.measures.details();
    QuestionResult {
        outcome: record.outcome,
        response_time_s: record.response_time_s,
        active_time_s: record.active_time_s,
        away_s: record.away_s,
        metrics: metrics
            .iter()
            .filter_map(|&it| Some((it, value(it)?)))
            .collect(),
        right: record
            .is_right()
            .filter(|_| metrics.contains(&Metric::CorrectRate)),
        first_touched: details.first_touched,
        dimension: details.dimension,
        options: details.options,
        item: item(session, record.at),
        naming: details.naming,
        path: None,
    }
}

fn item(session: &Session, at: QuestionRef) -> Option<String> {
    let stage = session.plan().stages.get(at.stage)?;
    stage.task.item(session.key(at)?, at.question)
}

/// The numbers that were given about a stage, the Single Ease Question left out.
fn ratings(session: &Session, stage: usize) -> Vec<Rating> {
    let mut ratings = Vec::new();
    for answered in session.last_answers() {
        let Some(asked) = session.plan().questionnaire(answered.part) else {
            continue;
        };
        if answered.stage != Some(stage) || asked.instrument() == Some(Block::Seq) {
            continue;
        }
        for item in &asked.items {
            if let Some(answer) = answered.answers.get(&item.id) {
                ratings.extend(ratings_of(&asked.id, item, answer));
            }
        }
    }
    ratings
}

fn ratings_of(questionnaire: &str, item: &Item, answer: &Answer) -> Vec<Rating> {
    let rating = |id: &str, text: &str, ends: [f64; 2], value: f64| Rating {
        item: format!("{questionnaire}.{id}"),
        text: text.to_owned(),
        low: ends[0],
        high: ends[1],
        value,
    };
    let one = |ends: [f64; 2]| match answer {
        Answer::Number(value) => vec![rating(&item.id, &item.text, ends, *value as f64)],
        Answer::Decimal(value) => vec![rating(&item.id, &item.text, ends, *value)],
        _ => Vec::new(),
    };
    match &item.answer {
        ItemKind::Scale { min, max, .. } => one([*min as f64, *max as f64]),
        ItemKind::Slider { min, max, .. } => one([*min, *max]),
        ItemKind::Gradations { .. } => one([0.0, GRADATIONS_MAX as f64]),
        ItemKind::Matrix { points, rows, .. } => {
            let Answer::Rows { rows: given } = answer else {
                return Vec::new();
            };
            let ends = [1.0, points.len() as f64];
            rows.iter()
                .filter_map(|row| {
                    let value = *given.get(&row.id)? as f64;
                    let id = format!("{}.{}", item.id, row.id);
                    Some(rating(&id, &row.text, ends, value))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The scores of blocks about a stage; or about everything, where the person had one scored stage.
/// Of several pages with one block the last counts.
fn scores(session: &Session, stage: usize) -> BTreeMap<Score, f64> {
    let plan = session.plan();
    let mut scored: Vec<usize> = session
        .questions()
        .map(|question| question.at.stage)
        .collect();
    scored.retain(|stage| plan.stages.get(*stage).is_some_and(|it| !it.practice));
    scored.dedup();
    let about = |of: Option<usize>| of == Some(stage) || (of.is_none() && scored == [stage]);
    let found = |score: Score| {
        let mut answers = session.last_answers().rev();
        let answered = answers.find(|answered| {
            let block = session
                .plan()
                .questionnaire(answered.part)
                .and_then(Questionnaire::instrument);
            block == Some(score.block()) && about(answered.stage)
        })?;
        Some((score, score.of(&answered.answers)?))
    };
    Score::ALL.iter().copied().filter_map(found).collect()
}

/// What people decided about the session, the participant first; whether it is complete does not
/// matter.
fn excluded(session: &Session) -> Option<ExcludedBy> {
    if session.has_withdrawn() {
        return Some(ExcludedBy::Participant);
    }
    let why = session.excluded_because()?.to_owned();
    Some(ExcludedBy::Hand { why })
}

/// The threshold of a stage's questions; `None` where each has its own, or there is none.
fn threshold(task: &TaskPlan) -> Option<f64> {
    let mut all = (0..task.question_count()).map(|question| task.threshold(question));
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}
