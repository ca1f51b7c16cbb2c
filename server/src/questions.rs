//! Questions that several people were asked, and everybody's alignment over time on one of them. The fold of each log is
//! the timeline's, and its numbers are those of the export's table of snapshots.

use std::collections::BTreeMap;

use api::research::{ABANDONED, AlignmentLine, QuestionLines, QuestionSeen, QuestionsSeen};
use domain::lanes::ErrorLane;
use domain::session::event::{Event, QuestionRef};
use domain::session::{BegunQuestion, Session};
use domain::task::Posed;

use crate::export::{
    ReplayedSession, ReplayedSessions, SessionSelection, Standing, Visited, Watch,
};
use crate::storage::{self, Archive};

/// Goes through the sessions of a study that are data.
struct Visits {
    sessions: ReplayedSessions,
    listed: u64,
    no_data: u64,
    problems: Vec<String>,
}

impl Visits {
    async fn open(
        archive: &dyn Archive,
        study: &str,
        whose: SessionSelection,
    ) -> storage::Result<Self> {
        let sessions = ReplayedSessions::open(archive, study, whose).await?;
        Ok(Self {
            listed: sessions.left() as u64,
            no_data: 0,
            problems: sessions
                .unlisted()
                .iter()
                .map(ToString::to_string)
                .collect(),
            sessions,
        })
    }

    async fn next(&mut self, watch: Watch<'_>) -> storage::Result<Option<Box<ReplayedSession>>> {
        loop {
            watch(self.listed - self.sessions.left() as u64, self.listed);
            match self.sessions.next().await? {
                None => return Ok(None),
                Some(Visited::Damaged(damaged)) => {
                    let problems = damaged.problems.iter();
                    self.problems.extend(problems.map(ToString::to_string));
                }
                Some(Visited::Whole(replayed)) if replayed.standing() == Standing::NoData => {
                    self.no_data += 1;
                }
                Some(Visited::Whole(replayed)) => return Ok(Some(replayed)),
            }
        }
    }
}

/// The questions with a target that more than one session of a study has begun. `watch` is told how far it is.
///
/// # Errors
/// When the database fails. Damage to single sessions is told in [`QuestionsSeen::problems`].
pub async fn questions_seen(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
    watch: Watch<'_>,
) -> storage::Result<QuestionsSeen> {
    let mut visits = Visits::open(archive, study, whose).await?;
    // With the ordinal of the session that has begun it last, and its place among all.
    let mut seen = BTreeMap::<String, (u64, usize, QuestionSeen)>::new();
    let mut sessions = 0;
    while let Some(replayed) = visits.next(watch).await? {
        let ordinal = replayed.stored.ordinal;
        let mut any = false;
        for (question, posed) in begun(&replayed.session) {
            any = true;
            let name = posed.name();
            let place = seen.len();
            let (last, _, found) = seen.entry(name.clone()).or_insert_with(|| {
                let found = QuestionSeen {
                    question: name,
                    model: posed.model.name.clone(),
                    stages: Vec::new(),
                    number: replayed.session.number_of(question.at) as u64,
                    practice: stage(&replayed.session, question.at).is_some_and(|it| it.1),
                    sessions: 0,
                    outcomes: BTreeMap::new(),
                };
                (0, place, found)
            });
            if *last != ordinal {
                *last = ordinal;
                found.sessions += 1;
            }
            let outcome = outcome(question).to_owned();
            *found.outcomes.entry(outcome).or_default() += 1;
            if let Some((stage, _)) = stage(&replayed.session, question.at)
                && !found.stages.iter().any(|it| it == stage)
            {
                found.stages.push(stage.to_owned());
            }
        }
        sessions += u64::from(any);
    }
    let all = seen.len() as u64;
    let mut shared: Vec<(usize, QuestionSeen)> = seen
        .into_values()
        .filter(|(_, _, found)| found.sessions > 1)
        .map(|(_, place, found)| (place, found))
        .collect();
    shared.sort_by_key(|(place, found)| (std::cmp::Reverse(found.sessions), *place));
    Ok(QuestionsSeen {
        alone: all - shared.len() as u64,
        questions: shared.into_iter().map(|(_, found)| found).collect(),
        sessions,
        no_data: visits.no_data,
        problems: visits.problems,
    })
}

/// Everybody's alignment over time on a question of a study, by the name that [`QuestionSeen::question`] has. `watch` is
/// told how far it is. A question that nobody has begun has no lines.
///
/// # Errors
/// As [`questions_seen`].
pub async fn question_lines(
    archive: &dyn Archive,
    study: &str,
    question: &str,
    whose: SessionSelection,
    watch: Watch<'_>,
) -> storage::Result<QuestionLines> {
    let mut visits = Visits::open(archive, study, whose).await?;
    let (mut model, mut lines) = (String::new(), Vec::new());
    while let Some(replayed) = visits.next(watch).await? {
        let mut mine = Vec::new();
        for (begun, posed) in begun(&replayed.session) {
            if posed.name() == question {
                model.clone_from(&posed.model.name);
                mine.push(line(&replayed, begun));
            }
        }
        if mine.is_empty() {
            continue;
        }
        // The log is read once more, since the state that it leads to has no way there.
        let mut on_screen = None;
        while let Some(logged) = visits.sessions.next_event().await? {
            match &logged.envelope.event {
                Event::QuestionStarted { at } => on_screen = Some(*at),
                Event::Task(event) => {
                    let line = mine.iter_mut().find(|it| Some(it.at) == on_screen);
                    let stage =
                        on_screen.and_then(|at| replayed.session.plan().stages.get(at.stage));
                    let (Some(line), Some(stage)) = (line, stage) else {
                        continue;
                    };
                    let mut error = ErrorLane::default();
                    error.take(0, stage.task.model(), event);
                    for point in error.alignment {
                        line.elapsed_ms.push(point.at_ms);
                        line.alignment.push(point.value);
                    }
                }
                _ => {}
            }
        }
        lines.append(&mut mine);
    }
    Ok(QuestionLines {
        question: question.to_owned(),
        model,
        lines,
        no_data: visits.no_data,
        problems: visits.problems,
    })
}

/// The questions with a target that a session has begun, in order.
fn begun(session: &Session) -> impl Iterator<Item = (&BegunQuestion, Posed<'_>)> {
    session.questions().filter_map(|question| {
        let stage = session.plan().stages.get(question.at.stage)?;
        Some((question, stage.task.posed(question.at.question)?))
    })
}

/// Name of a question's stage, and whether it is practice.
fn stage(session: &Session, at: QuestionRef) -> Option<(&str, bool)> {
    let stage = session.plan().stages.get(at.stage)?;
    Some((&stage.id, stage.practice))
}

fn outcome(question: &BegunQuestion) -> &'static str {
    question.outcome.map_or(ABANDONED, |outcome| outcome.name())
}

/// A line without its points.
fn line(replayed: &ReplayedSession, question: &BegunQuestion) -> AlignmentLine {
    let plan = replayed.session.plan();
    let stage = plan.stages.get(question.at.stage);
    let mut levels = plan.cell.clone();
    levels.extend(stage.iter().flat_map(|it| it.levels.clone()));
    let started_at_ms = question.clock.started_at_ms();
    AlignmentLine {
        session: replayed.stored.id.clone(),
        ordinal: replayed.stored.ordinal,
        at: question.at,
        stage_id: stage.map(|it| it.id.clone()).unwrap_or_default(),
        number: replayed.session.number_of(question.at) as u64,
        levels: levels.into_iter().collect(),
        standing: replayed.standing().name().to_owned(),
        outcome: outcome(question).to_owned(),
        started_at_ms,
        lasted_ms: question.clock.until_ms().saturating_sub(started_at_ms),
        wanted: stage
            .and_then(|it| it.task.threshold(question.at.question))
            .map_or(1.0, ErrorLane::wanted),
        elapsed_ms: Vec::new(),
        alignment: Vec::new(),
    }
}
