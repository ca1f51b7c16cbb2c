//! Cautions about a study that can be used as it is.

use crate::study::{AnalysisPlan, Metric, PairTest, Study};

/// Something to look at again. The study can be used all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caution {
    /// Where: `analysis.test`.
    pub path: String,
    /// What is to be expected, and what can be done.
    pub said: String,
}

impl std::fmt::Display for Caution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.said)
    }
}

/// All there is to say of a study, in the order of its file.
#[must_use]
pub fn cautions(study: &Study) -> Vec<Caution> {
    let mut found = Vec::new();
    if let Some(plan) = study
        .analysis
        .as_ref()
        .filter(|plan| plan.test == PairTest::MixedModel)
    {
        mixed_model(study, plan, &mut found);
    }
    found
}

fn mixed_model(study: &Study, plan: &AnalysisPlan, found: &mut Vec<Caution>) {
    for (index, metric) in plan.metrics.iter().enumerate() {
        let is_one_number = match metric {
            Metric::ErrorAucChange => true,
            Metric::Score(score) => !score.is_one_answer(),
            _ => false,
        };
        if is_one_number {
            found.push(Caution {
                path: format!("analysis.metrics[{index}]"),
                said: format!(
                    "'{}' is one number of a person and condition, and a mixed model is one of single questions: with \"test\": \"mixed_model\" this metric has no test",
                    metric.name()
                ),
            });
        }
    }
    for stage in study.scored_stages() {
        if let Some(questions) = stage.task.fixed_questions() {
            found.push(Caution {
                path: "analysis.test".into(),
                said: format!(
                    "everybody gets the same {questions} questions of stage '{}'. A mixed model then generalises over questions, too: its degrees of freedom are at most those of the questions, however many people take part. Ask more questions, or have them drawn for each person",
                    stage.id
                ),
            });
        }
    }
}
