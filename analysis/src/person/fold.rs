//! A session as a person's data.

use std::collections::{BTreeMap, BTreeSet};

use domain::clock::seconds;
use domain::model::latent::Dimension;
use domain::movement::Movement;
use domain::session::event::{Envelope, Event, QuestionRef};
use domain::session::plan::{PartPlan, StagePlan};
use domain::session::{Phase, Session};
use domain::study::Metric;
use domain::task::{QuestionRecord, TaskPlan};

use super::asked::{numbers, ratings, scores};
use super::{
    DialRange, ExcludedBy, Label, Person, QuestionResult, StageData, StaircaseResult, Trajectory,
};

/// Of how many people, the first ones, paths of questions are worth keeping: curves over time
/// need no more, and memory must not grow with every snapshot of a large study.
pub const PEOPLE_WITH_PATHS: usize = 200;

impl Person {
    /// Folds a session. With its answer keys, right and wrong are known. Facts that the log does not
    /// say (whether inclusion rules exclude it where nobody did, whether it is over quota) are for
    /// the caller to set.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let plan = session.plan();
        let records = session.records();
        let goes_on = |index| {
            let mut staircases = plan.staircases.iter();
            staircases.any(|it| it.stages.iter().skip(1).any(|stage| *stage == index))
        };
        let climbs: Vec<_> = session.climbs().collect();
        let staircase = |index| {
            let mut climbs = climbs.iter();
            let (_, climb) = climbs.find(|(it, _)| it.stages.first() == Some(&index))?;
            Some(StaircaseResult {
                reversals: climb.reversals.len(),
                threshold: climb.threshold(),
            })
        };
        let stages = plan.stages.iter().enumerate().filter(|(_, s)| !s.practice);
        let mut places = 0..;
        let mut place = 0;
        let stages = stages.flat_map(|(index, stage)| {
            if !goes_on(index) {
                place = places.next().unwrap_or_default();
            }
            let place = place;
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
                    place,
                    goes_on: goes_on(index),
                    staircase: staircase(index),
                    skip_after_s: stage.task.skip_after_s(),
                    questions: of_subject.map(|record| question(session, record)).collect(),
                    // Scores of a stage are of none of its subjects alone.
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
            answers: numbers(session),
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

/// The subjects of a stage's questions, each once and in the order of their names: one model, or
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

/// People's decision to exclude the session, the participant's first; whether it is complete does not
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
