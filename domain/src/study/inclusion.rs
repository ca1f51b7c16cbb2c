//! Inclusion rules: whose data a study's analysis counts.
//!
//! A study declares them; [`exclusions`] evaluates them on a session's log. A rule that is not
//! met marks the session, with the reason. Nothing is deleted, and the participant is not told.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::questionnaire::AnswerCondition;
use crate::session::flow::{Condition, ConditionMet, RecordedSoFar};
use crate::session::{AnsweredQuestionnaire, Phase, Session};
use crate::task::{Metric, Outcome, QuestionRecord, TaskKind};

/// What a session must meet to be included. Practice counts in `practice_right` alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "rule", rename_all = "snake_case", deny_unknown_fields)]
pub enum InclusionRule {
    /// So many reconstruction questions were solved. Sessions without such questions meet it.
    SolvedAtLeast {
        /// Number of questions.
        #[cfg_attr(feature = "check", schemars(range(min = 1)))]
        questions: u32,
    },
    /// Every practice question was solved, or answered rightly.
    PracticeRight,
    /// An answer that shows attention, or that says something else about the person. All
    /// conditions on the item must hold; a questionnaire that was not asked does not matter.
    AttentionCheck {
        /// What the answer must be.
        answer: AnswerCondition,
    },
    /// Of several answers that show attention, at most so many were others. One on a page that was not asked does not
    /// matter.
    AttentionChecks {
        /// What the answers must be.
        answers: Vec<AnswerCondition>,
        /// Most that may be others.
        #[cfg_attr(feature = "check", schemars(range(min = 0)))]
        failed_at_most: usize,
    },
    /// A dial made of radio buttons was moved, in a session whose models have such dials.
    RadioButtonTouched,
    /// Participants were active for so long, all questions together, by the plan's rule for
    /// active time.
    ActiveTimeAtLeast {
        /// Seconds.
        #[cfg_attr(feature = "check", schemars(range(min = 0)))]
        seconds: f64,
    },
    /// The page was hidden, closed or asleep for at most this share of the time in questions.
    TimeAwayAtMost {
        /// Share, in [0, 1].
        #[cfg_attr(feature = "check", schemars(range(min = 0, max = 1)))]
        share: f64,
    },
    /// At most so many questions were over sooner than anybody can look and answer.
    TooFastAtMost {
        /// Seconds from a question's start to its end, below which it counts.
        #[cfg_attr(feature = "check", schemars(range(min = 0)))]
        below_s: f64,
        /// Most questions that may.
        #[cfg_attr(feature = "check", schemars(range(min = 0)))]
        questions: usize,
    },
}

/// The name in place of a rule where the participant withdrew after the end.
const WITHDRAWN: &str = "withdrawn";

/// The name in place of a rule where the researcher excluded a session by hand.
const BY_HAND: &str = "by_hand";

/// Why a session is not included.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exclusion {
    /// Name of the rule that is not met; `by_hand` where the researcher decided, `withdrawn` where
    /// the participant did.
    pub rule: &'static str,
    /// The finding, in words.
    pub found: String,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.rule, self.found)
    }
}

/// Why a session is not included, as far as its log goes: withdrawn, by hand, and the rules that it
/// does not meet, in the order of the study; none: it is included. Only for a complete session is that the last word
/// ([`is_included`]). The session needs its answer keys where answers are right or wrong:
/// an answer whose verdict is not known is not right.
#[must_use]
pub fn exclusions(rules: &[InclusionRule], session: &Session) -> Vec<Exclusion> {
    let records = session.ended();
    let facts = Facts {
        session,
        practice: records.iter().filter(|record| record.practice).collect(),
        scored: records.iter().filter(|record| !record.practice).collect(),
    };
    let unmet = |rule: &InclusionRule| {
        facts.unmet(rule).map(|found| Exclusion {
            rule: rule.name(),
            found,
        })
    };
    let by_hand = session.excluded_because().map(|why| Exclusion {
        rule: BY_HAND,
        found: why.to_owned(),
    });
    let withdrawn = session.has_withdrawn().then(|| Exclusion {
        rule: WITHDRAWN,
        found: "the participant withdrew".to_owned(),
    });
    withdrawn
        .into_iter()
        .chain(by_hand)
        .chain(rules.iter().filter_map(unmet))
        .collect()
}

/// Whether a session is included; `None` while it is not complete.
#[must_use]
pub fn is_included(rules: &[InclusionRule], session: &Session) -> Option<bool> {
    (session.phase() == Phase::Complete).then(|| exclusions(rules, session).is_empty())
}

crate::json::named!(InclusionRule::name:
    SolvedAtLeast, PracticeRight, AttentionCheck, AttentionChecks, RadioButtonTouched,
    ActiveTimeAtLeast, TimeAwayAtMost, TooFastAtMost
);

impl InclusionRule {
    /// The answers that show attention, by this rule.
    #[must_use]
    pub fn attentive_answers(&self) -> &[AnswerCondition] {
        match self {
            Self::AttentionCheck { answer } => std::slice::from_ref(answer),
            Self::AttentionChecks { answers, .. } => answers,
            _ => &[],
        }
    }
}

/// Whether a task's questions have a target that is reached or not.
fn can_be_solved(task: TaskKind) -> bool {
    task.metrics().contains(&Metric::CompletionRate)
}

/// The facts that the rules look at.
struct Facts<'a> {
    session: &'a Session,
    practice: Vec<&'a QuestionRecord>,
    scored: Vec<&'a QuestionRecord>,
}

impl Facts<'_> {
    /// The finding, if the rule is not met.
    fn unmet(&self, rule: &InclusionRule) -> Option<String> {
        match rule {
            InclusionRule::SolvedAtLeast { questions } => self.too_few_solved(*questions),
            InclusionRule::PracticeRight => {
                let wrong = self.practice.iter().filter(|r| !self.was_right(r)).count();
                (wrong > 0).then(|| format!("{wrong} of {} wrong", self.practice.len()))
            }
            InclusionRule::AttentionCheck { answer } => self.inattentive(answer),
            InclusionRule::AttentionChecks {
                answers,
                failed_at_most,
            } => {
                let failed = answers.iter().filter_map(|answer| self.inattentive(answer));
                let failed: Vec<String> = failed.collect();
                let (count, all) = (failed.len(), answers.len());
                (count > *failed_at_most)
                    .then(|| format!("{count} of {all} failed: {}", failed.join("; ")))
            }
            InclusionRule::RadioButtonTouched => self.no_radio_button_touched(),
            InclusionRule::ActiveTimeAtLeast { seconds } => {
                let active_s = self.over_scored(|record| record.active_time_s);
                (active_s < *seconds).then(|| format!("{active_s:.1} s, below {seconds} s"))
            }
            InclusionRule::TimeAwayAtMost { share } => {
                let whole_s = self.over_scored(|record| record.response_time_s);
                let away_s = self.over_scored(|record| record.away_s);
                (away_s > share * whole_s)
                    .then(|| format!("{away_s:.1} of {whole_s:.1} s, above a share of {share}"))
            }
            InclusionRule::TooFastAtMost { below_s, questions } => {
                let all = self.scored.len();
                let fast = self
                    .scored
                    .iter()
                    .filter(|it| it.response_time_s < *below_s);
                let fast = fast.count();
                (fast > *questions).then(|| {
                    format!("{fast} of {all} questions below {below_s} s, more than {questions}")
                })
            }
        }
    }

    /// A sum over the scored questions. Not `sum`, which is −0 of nothing.
    fn over_scored(&self, of: fn(&QuestionRecord) -> f64) -> f64 {
        self.scored.iter().fold(0.0, |sum, record| sum + of(record))
    }

    fn too_few_solved(&self, wanted: u32) -> Option<String> {
        let mut stages = self.session.plan().stages.iter();
        let asked = stages.any(|stage| !stage.practice && can_be_solved(stage.task.task()));
        let solved = self
            .scored
            .iter()
            .filter(|record| record.outcome == Some(Outcome::Solved))
            .count();
        (asked && (solved as u64) < u64::from(wanted))
            .then(|| format!("{solved} solved, below {wanted}"))
    }

    /// Whether an answer was right, by the verdict or else by the answer key.
    fn was_right(&self, record: &QuestionRecord) -> bool {
        let by_key = || Some(self.session.true_verdict(record.at)?.right);
        let has_none = !record.task().has_right_answers();
        has_none || record.is_right().or_else(by_key) == Some(true)
    }

    fn inattentive(&self, answer: &AnswerCondition) -> Option<String> {
        let asked =
            |answered: &&AnsweredQuestionnaire| answered.questionnaire == answer.questionnaire;
        let answers: Vec<&AnsweredQuestionnaire> =
            self.session.answers().iter().filter(asked).collect();
        let last = answers.last()?;
        let recorded = RecordedSoFar {
            questions: &[],
            answers: &answers,
        };
        if Condition::Answer(answer.clone()).met(recorded) == ConditionMet::Yes {
            return None;
        }
        let AnswerCondition {
            questionnaire,
            item,
            ..
        } = answer;
        let given = last.answers.get(item);
        let given = given.and_then(|given| serde_json::to_string(given).ok());
        let given = given.unwrap_or_else(|| "no answer".into());
        Some(format!("{questionnaire}.{item} is {given}"))
    }

    fn no_radio_button_touched(&self) -> Option<String> {
        let stages = &self.session.plan().stages;
        let has_radio_buttons = |record: &&&QuestionRecord| {
            let stage = stages.get(record.at.stage);
            let model = stage.and_then(|stage| stage.task.model());
            model.is_some_and(|it| it.latent.dimensions().iter().any(|d| d.is_discrete()))
        };
        let mut with_buttons = 0_usize;
        let mut selections = 0;
        for record in self.scored.iter().filter(has_radio_buttons) {
            if let Some(movement) = record.measures.movement()
                && can_be_solved(record.task())
            {
                with_buttons += 1;
                selections += movement.selections.iter().sum::<u64>();
            }
        }
        (with_buttons > 0 && selections == 0)
            .then(|| format!("none in {with_buttons} questions that had some"))
    }
}

#[cfg(test)]
mod tests;
