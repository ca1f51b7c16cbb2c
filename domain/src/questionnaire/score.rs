//! Scores of named blocks: pure functions of the answers.

use super::block::{Block, TLX_SUBSCALES};
use super::{Answer, Answers};

/// A score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Its name in the data.
    pub name: &'static str,
    /// Its value; `None` when an answer that it needs is missing.
    pub value: Option<f64>,
}

impl Block {
    /// The scores of the block's answers; none for a block without a score.
    #[must_use]
    pub fn scores(self, answers: &Answers) -> Vec<Score> {
        let score = |name, value| vec![Score { name, value }];
        match self {
            Self::Seq => score(
                "difficulty",
                answers.get(super::SEQ).and_then(Answer::number),
            ),
            Self::NasaTlx => score("raw_tlx", raw_tlx(answers)),
            Self::Sus => score("sus", sus(answers)),
            Self::Strategy
            | Self::Closing
            | Self::Comments
            | Self::Demographics
            | Self::HumanCheck => Vec::new(),
        }
    }
}

/// Raw TLX, 0 to 100: the mean of the six subscales, each 0 to 20, times 5 (Hart 2006: the
/// ratings without weights). `None` when one is missing.
fn raw_tlx(answers: &Answers) -> Option<f64> {
    let ratings = TLX_SUBSCALES.iter();
    let sum: Option<f64> = ratings
        .map(|subscale| answers.get(*subscale)?.number())
        .sum();
    #[allow(clippy::cast_precision_loss)] // six
    let count = TLX_SUBSCALES.len() as f64;
    Some(sum? / count * 5.0)
}

/// System Usability Scale, 0 to 100 (Brooke 1996): odd statements give their point less 1,
/// even ones 5 less their point; the sum times 2.5. `None` when one is missing.
fn sus(answers: &Answers) -> Option<f64> {
    let Some(Answer::Rows { rows }) = answers.get(Block::SUS_ITEM) else {
        return None;
    };
    let statement = |number: i64| {
        let point = *rows.get(&Block::sus_row(number))?;
        Some(if number % 2 == 1 {
            point - 1
        } else {
            5 - point
        })
    };
    let sum: Option<i64> = (1..=10).map(statement).sum();
    #[allow(clippy::cast_precision_loss)] // at most 40
    Some(sum? as f64 * 2.5)
}
