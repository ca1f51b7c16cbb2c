//! Scores of named blocks: pure functions of the answers.
//!
//! [`scores!`] is the one place that lists them. Tables, figures, tests and the checker ask a score for
//! all that they say of it.

use serde::{Deserialize, Serialize};

use super::block::{Block, TLX_SUBSCALES};
use super::{Answer, Answers, Questionnaire, SEQ, Words};

/// The facts of a score.
struct About {
    name: &'static str,
    label: &'static str,
    block: Block,
    ends: [f64; 2],
    low_is_good: bool,
    is_one_answer: bool,
    of: fn(&Answers) -> Option<f64>,
}

macro_rules! scores {
    ($($(#[$doc:meta])* $variant:ident $about:expr,)*) => {
        /// The score of a named block.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum Score {
            $($(#[$doc])* $variant,)*
        }

        impl Score {
            /// Every score.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            const fn about(self) -> About {
                match self { $(Self::$variant => $about,)* }
            }
        }
    };
}

scores! {
    /// The Single Ease Question, 1 (very easy) to 7 (very difficult), about the stage.
    Difficulty About {
        name: "difficulty",
        label: "Difficulty (1–7)",
        block: Block::Seq,
        ends: [1.0, 7.0],
        low_is_good: true,
        is_one_answer: true,
        of: difficulty,
    },
    /// NASA-TLX without weights (mean of the six subscales × 5), 0 to 100, about the stage.
    RawTlx About {
        name: "raw_tlx",
        label: "NASA-TLX, raw (0–100)",
        block: Block::NasaTlx,
        ends: [0.0, 100.0],
        low_is_good: true,
        is_one_answer: false,
        of: raw_tlx,
    },
    /// System Usability Scale, 0 to 100, about the stage; or about everything, where a person
    /// had one stage.
    Sus About {
        name: "sus",
        label: "SUS (0–100)",
        block: Block::Sus,
        ends: [0.0, 100.0],
        low_is_good: false,
        is_one_answer: false,
        of: sus,
    },
}

impl Score {
    /// The name in study files and in the data.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.about().name
    }

    /// The label in tables, with the lowest and the highest value.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.about().label
    }

    /// The block whose answers it is of.
    #[must_use]
    pub fn block(self) -> Block {
        self.about().block
    }

    /// The lowest and the highest value.
    #[must_use]
    pub fn ends(self) -> [f64; 2] {
        self.about().ends
    }

    /// Whether a low value speaks for what was rated.
    #[must_use]
    pub fn low_is_good(self) -> bool {
        self.about().low_is_good
    }

    /// Whether it is the answer to a single item, so that it has the item's few values.
    #[must_use]
    pub fn is_one_answer(self) -> bool {
        self.about().is_one_answer
    }

    /// Its value; `None` when an answer that it needs is missing.
    #[must_use]
    pub fn of(self, answers: &Answers) -> Option<f64> {
        (self.about().of)(answers)
    }
}

impl Block {
    /// The scores of the block; none for a block without a score.
    pub fn scores(self) -> impl Iterator<Item = Score> {
        let all = Score::ALL.iter().copied();
        all.filter(move |score| score.block() == self)
    }
}

impl<T: Words> Questionnaire<T> {
    /// The named block that the page is. The Single Ease Question had a name before blocks had.
    #[must_use]
    pub fn instrument(&self) -> Option<Block> {
        self.block.or((self.id == SEQ).then_some(Block::Seq))
    }
}

fn difficulty(answers: &Answers) -> Option<f64> {
    answers.get(SEQ)?.number()
}

/// Raw TLX, 0 to 100: the mean of the six subscales, each 0 to 20, times 5 (Hart 2006: the
/// ratings without weights). `None` when one is missing.
fn raw_tlx(answers: &Answers) -> Option<f64> {
    let ratings = TLX_SUBSCALES.iter();
    let sum: Option<f64> = ratings
        .map(|subscale| answers.get(*subscale)?.number())
        .sum();
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
    Some(sum? as f64 * 2.5)
}
