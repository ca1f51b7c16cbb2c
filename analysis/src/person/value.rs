//! The value of a metric for one person: a fold over questions.

use domain::study::Metric;
use domain::task::Outcome;
use measures::statistics::resolution;

use super::{QuestionResult, StageData};

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The value of a metric for one person in one condition: over the questions that ended in
/// its stages. `None` where nothing says anything about it.
#[must_use]
pub(crate) fn value(stages: &[&StageData], metric: Metric) -> Option<f64> {
    if metric.is_score() {
        let scores = stages.iter().filter_map(|stage| stage.scores.get(&metric));
        return mean(scores.copied());
    }
    if metric.is_of_staircases() {
        let climbed = stages.iter().filter_map(|stage| stage.staircase);
        return mean(climbed.filter_map(|staircase| match metric {
            Metric::StaircaseThreshold => staircase.threshold,
            _ => Some(staircase.reversals as f64),
        }));
    }
    value_of_questions(&ended(stages), metric)
}

/// The questions of these stages that ended, in order.
pub(crate) fn ended<'a>(stages: &[&'a StageData]) -> Vec<&'a QuestionResult> {
    let questions = stages.iter().flat_map(|stage| &stage.questions);
    questions
        .filter(|question| question.outcome.is_some())
        .collect()
}

impl QuestionResult {
    /// The question's value for a metric of questions once it has ended; rates are 0 or 1.
    #[must_use]
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        let outcome = self.outcome?;
        let rate = |yes: bool| Some(f64::from(u8::from(yes)));
        match metric {
            // A participant who declares a question done short of the target has not solved it.
            Metric::CompletionRate | Metric::CompletionRateWithCut => match outcome {
                Outcome::Solved => rate(true),
                Outcome::Skipped | Outcome::Missed => rate(false),
                Outcome::Cut if metric == Metric::CompletionRateWithCut => rate(false),
                _ => None,
            },
            Metric::CorrectRate => rate(self.right?),
            Metric::ResponseTimeS => Some(self.response_time_s),
            _ => self.metrics.get(&metric).copied(),
        }
    }
}

/// The value of a metric of questions, over some questions that ended; `None` where nothing
/// says anything about it, and for what is about a stage: scores and staircases.
pub(crate) fn value_of_questions(ended: &[&QuestionResult], metric: Metric) -> Option<f64> {
    let over = |metric| {
        ended
            .iter()
            .filter_map(move |question| question.value(metric))
    };
    match metric {
        Metric::ErrorAucChange => change(&over(Metric::ErrorAuc).collect::<Vec<_>>()),
        _ => mean(over(metric)),
    }
}

/// The first and the last ⌊(n − 1)/2⌋ of n in order; `None` below 3.
pub(crate) fn ends<T>(all: &[T]) -> Option<[&[T]; 2]> {
    let half = all.len().checked_sub(1)? / 2;
    if half == 0 {
        return None;
    }
    Some([all.get(..half)?, all.get(all.len() - half..)?])
}

/// Learning: mean of the last ⌊(n − 1)/2⌋ minus mean of the first; `None` below 3.
fn change(all: &[f64]) -> Option<f64> {
    let [first, last] = ends(all)?;
    let change = mean(last.iter().copied())? - mean(first.iter().copied())?;
    // Rounding leaves a difference between equal ends, which would be all that there is to compare.
    let largest = all
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    let equal = change.abs() <= resolution(largest);
    Some(if equal { 0.0 } else { change })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ⌊(n − 1)/2⌋ questions at each end; numbers worked out by hand.
    #[test]
    fn learning_compares_the_two_ends_and_needs_three_questions() {
        assert_eq!(change(&[]), None);
        assert_eq!(change(&[1.0, 2.0]), None);
        assert_eq!(change(&[4.0, 9.0, 1.0]), Some(-3.0));
        // The paper's seven: three, one in between, three.
        assert_eq!(change(&[6.0, 5.0, 4.0, 9.0, 3.0, 2.0, 1.0]), Some(-3.0));
        // Both ends have the mean 0.4; in floating point they differ by 5.6e-17.
        assert_ne!((0.3 + 0.5) / 2.0, (0.1 + 0.7) / 2.0);
        assert_eq!(change(&[0.1, 0.7, 9.0, 0.3, 0.5]), Some(0.0));
        // Of four, one at each end.
        assert_eq!(change(&[4.0, 8.0, 8.0, 1.0]), Some(-3.0));
    }
}
