//! How questions of reconstruction go on over time.

use domain::task::Outcome;
use measures::statistics::quantile;
use serde::Serialize;

use super::ConditionCases;
use crate::person::{DialRange, QuestionResult, Trajectory};

/// The distance to the target over time, over the questions of one condition.
#[derive(Debug, Clone, Serialize)]
pub struct DistanceOverTime {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// Questions whose paths are known.
    pub questions: usize,
    /// People they are of.
    pub people: usize,
    /// Distance that solves a question; `None` where each has its own.
    pub threshold: Option<f64>,
    /// At each second since the question's start: what is known then.
    pub at: Vec<AtSecond>,
}

/// Distances at one time. A question that has ended counts with its last distance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtSecond {
    /// Seconds since the question's start.
    pub second: f64,
    /// Questions that are still open.
    pub open: usize,
    /// First quartile of d(x, x′), of type 7.
    pub quartile_1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub quartile_3: f64,
}

/// One question, to be looked at: of the solved ones of a condition, the one whose response
/// time is nearest to their median.
#[derive(Debug, Clone, Serialize)]
pub struct TypicalPath {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// Number of the person among all who started, from 1.
    pub person: usize,
    /// Number of the question among that person's of the condition, from 1.
    pub question: usize,
    /// Seconds from start to end.
    pub response_time_s: f64,
    /// Solved questions it was chosen among.
    pub among: usize,
    /// Distance that solves it; `None` where each question of the stage has its own.
    pub threshold: Option<f64>,
    /// The dials.
    pub dials: Vec<DialRange>,
    /// How it went.
    pub path: Trajectory,
}

/// Seconds between two points of the curves.
const STEP_S: f64 = 0.5;
/// Most points of a curve.
const MOST_POINTS: usize = 600;

/// The curve of one condition, up to the time at which nine of ten questions have ended.
pub(crate) fn over_time(cell: ConditionCases<'_>) -> Option<DistanceOverTime> {
    let mut known: Vec<(&QuestionResult, &Trajectory)> = Vec::new();
    let (mut people, mut threshold) = (0, None);
    for (_, stages) in cell.people() {
        let before = known.len();
        for stage in stages {
            let paths = stage.questions.iter().filter(|q| q.outcome.is_some());
            known.extend(paths.filter_map(|question| {
                let path = question
                    .path
                    .as_ref()
                    .filter(|path| !path.seconds.is_empty())?;
                Some((question, path))
            }));
            threshold = threshold.or(stage.threshold);
        }
        people += usize::from(known.len() > before);
    }
    let times: Vec<f64> = known.iter().map(|(q, _)| q.response_time_s).collect();
    let until = quantile(&times, 0.9).ok()?;
    let mut at = Vec::new();
    for step in 0..MOST_POINTS {
        let second = step as f64 * STEP_S;
        if second > until {
            break;
        }
        let distances: Vec<f64> = known
            .iter()
            .map(|(_, path)| distance_at(path, second))
            .collect();
        at.push(AtSecond {
            second,
            open: times.iter().filter(|time| **time > second).count(),
            quartile_1: quantile(&distances, 0.25).ok()?,
            median: quantile(&distances, 0.5).ok()?,
            quartile_3: quantile(&distances, 0.75).ok()?,
        });
    }
    Some(DistanceOverTime {
        comparison: cell.comparison.to_owned(),
        condition: cell.condition.to_owned(),
        questions: known.len(),
        people,
        threshold,
        at,
    })
}

/// A snapshot counts until the next; before the first, the first does.
fn distance_at(path: &Trajectory, second: f64) -> f64 {
    let after = path.seconds.partition_point(|time| *time <= second);
    path.distance[after.saturating_sub(1)]
}

/// The typical question of one condition.
pub(crate) fn typical(cell: ConditionCases<'_>) -> Option<TypicalPath> {
    let mut solved = Vec::new();
    for (person, stages) in cell.people() {
        let questions = stages
            .iter()
            .flat_map(|stage| stage.questions.iter().map(move |q| (stage, q)));
        for (index, (stage, question)) in questions.enumerate() {
            if question.outcome == Some(Outcome::Solved)
                && question
                    .path
                    .as_ref()
                    .is_some_and(|path| !path.seconds.is_empty())
            {
                solved.push((person, index + 1, stage, question));
            }
        }
    }
    let times: Vec<f64> = solved.iter().map(|(.., q)| q.response_time_s).collect();
    let median = quantile(&times, 0.5).ok()?;
    let off = |question: &QuestionResult| (question.response_time_s - median).abs();
    let (person, number, stage, question) = solved
        .iter()
        .min_by(|(.., a), (.., b)| off(a).total_cmp(&off(b)))?;
    Some(TypicalPath {
        comparison: cell.comparison.to_owned(),
        condition: cell.condition.to_owned(),
        person: *person,
        question: *number,
        response_time_s: question.response_time_s,
        among: solved.len(),
        threshold: stage.threshold,
        dials: stage.dials.clone(),
        path: question.path.clone()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_counts_until_the_next() {
        let path = Trajectory {
            seconds: vec![0.0, 1.0, 1.5],
            distance: vec![0.9, 0.4, 0.1],
            z: vec![Vec::new(); 3],
        };
        let found = [0.0, 0.9, 1.0, 1.4, 9.0].map(|second| distance_at(&path, second));
        assert_eq!(found, [0.9, 0.9, 0.4, 0.4, 0.1]);
    }
}
