//! Right answers, which stay on the server.

use serde::{Deserialize, Serialize};

use crate::questionnaire::Answers;
use crate::session::event::QuestionRef;
use crate::task::AnswerKey;

/// The right answers of one questionnaire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemKey {
    /// 0-based index of the part.
    pub part: usize,
    /// The right answers, by item.
    pub answers: Answers,
}

/// All right answers of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "StoredKeys")]
pub struct AnswerKeys {
    /// Answer keys of questions, by stage and question.
    pub questions: Vec<Vec<AnswerKey>>,
    /// Those of questionnaires that have some.
    pub items: Vec<ItemKey>,
}

/// As records hold them: earlier versions kept the keys of questions alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredKeys {
    Questions(Vec<Vec<AnswerKey>>),
    All {
        questions: Vec<Vec<AnswerKey>>,
        items: Vec<ItemKey>,
    },
}

impl From<StoredKeys> for AnswerKeys {
    fn from(stored: StoredKeys) -> Self {
        match stored {
            StoredKeys::Questions(questions) => Self::of_questions(questions),
            StoredKeys::All { questions, items } => Self { questions, items },
        }
    }
}

impl AnswerKeys {
    /// The keys of a session whose questionnaires have none.
    #[must_use]
    pub fn of_questions(questions: Vec<Vec<AnswerKey>>) -> Self {
        Self {
            questions,
            items: Vec::new(),
        }
    }

    /// The key of a question.
    #[must_use]
    pub fn of(&self, at: QuestionRef) -> Option<&AnswerKey> {
        self.questions.get(at.stage)?.get(at.question)
    }

    /// The right answers of a questionnaire, by the index of its part.
    #[must_use]
    pub fn of_part(&self, part: usize) -> Option<&Answers> {
        let key = self.items.iter().find(|key| key.part == part)?;
        Some(&key.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_earlier_versions_are_read() {
        let keys: AnswerKeys = serde_json::from_str("[[], []]").unwrap();
        assert_eq!(keys, AnswerKeys::of_questions(vec![vec![], vec![]]));
        let written = serde_json::to_string(&keys).unwrap();
        assert_eq!(serde_json::from_str::<AnswerKeys>(&written).unwrap(), keys);
    }
}
