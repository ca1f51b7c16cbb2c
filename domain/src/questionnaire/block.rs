//! Named blocks: the field's own instruments, ready to use.
//!
//! A block's names are stable: they are in the data of every study that uses it. Its words
//! may be replaced, its items may not. Each is written as a study would write it, in
//! `blocks/`, in every language of the app; the translations are our own and not validated.

use serde::{Deserialize, Serialize};

use super::Questionnaire;
use crate::common::language::LocalText;
use crate::json;

/// A named block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// Single Ease Question, 1 very easy to 7 very difficult. Sauro & Dumas 2009, with the
    /// ends as in Ross et al. 2021.
    Seq,
    /// NASA Task Load Index without weights: six subscales of 21 gradations. Hart & Staveland
    /// 1988, Hart 2006. Score `raw_tlx`, 0 to 100.
    NasaTlx,
    /// System Usability Scale: ten statements. Brooke 1996. Score `sus`, 0 to 100.
    Sus,
    /// Three statements on how a participant went about it. Ross et al. 2021.
    Strategy,
    /// How frustrating the whole was, and whether each stage was easy, from 1 (strongly disagree) to
    /// 5. Ross et al. 2021.
    Closing,
    /// Free comments. Ross et al. 2021.
    Comments,
    /// Age band, gender, education, region. Ross et al. 2021; gender after Scheuerman et al.
    /// 2020.
    Demographics,
    /// Letters that move, or a sentence from whoever cannot see them: to tell people from
    /// programs. Our own, and not validated.
    HumanCheck,
}

/// Names of the six subscales of the NASA-TLX in the data, in the order of the paper form.
pub(super) const TLX_SUBSCALES: [&str; 6] = [
    "mental_demand",
    "physical_demand",
    "temporal_demand",
    "performance",
    "effort",
    "frustration",
];

impl Block {
    /// Every block.
    pub const ALL: [Self; 8] = [
        Self::Seq,
        Self::NasaTlx,
        Self::Sus,
        Self::Strategy,
        Self::Closing,
        Self::Comments,
        Self::Demographics,
        Self::HumanCheck,
    ];

    /// The item of the SUS, whose rows are the statements.
    pub(super) const SUS_ITEM: &'static str = "sus";

    /// Name of a statement of the SUS, from 1.
    pub(super) fn sus_row(number: i64) -> String {
        format!("sus_{number}")
    }

    /// The name in study files and in the data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Seq => "seq",
            Self::NasaTlx => "nasa-tlx",
            Self::Sus => "sus",
            Self::Strategy => "strategy",
            Self::Closing => "closing",
            Self::Comments => "comments",
            Self::Demographics => "demographics",
            Self::HumanCheck => "human-check",
        }
    }

    /// The block of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|block| block.name() == name)
    }

    /// Where it comes from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Seq => {
                "Sauro & Dumas (2009), Comparison of three one-question, post-task usability questionnaires, CHI; ends as in Ross et al. (2021), CHI"
            }
            Self::NasaTlx => {
                "Hart & Staveland (1988), Development of NASA-TLX; without weights as in Hart (2006), NASA-Task Load Index: 20 years later"
            }
            Self::Sus => "Brooke (1996), SUS: a quick and dirty usability scale",
            Self::Strategy | Self::Closing | Self::Comments => {
                "Ross et al. (2021), Evaluating the interpretability of generative models by interactive reconstruction, CHI"
            }
            Self::Demographics => {
                "Ross et al. (2021), CHI; gender after Scheuerman et al. (2020), HCI guidelines for gender equity and inclusivity"
            }
            Self::HumanCheck => "of this project; not validated",
        }
    }

    /// Whether it asks about the stage before it, unless the study says otherwise.
    #[must_use]
    pub fn is_about_last_stage(self) -> bool {
        matches!(self, Self::Seq | Self::NasaTlx | Self::Strategy)
    }

    /// The page, in every language it comes in.
    ///
    /// # Panics
    /// Never: the files are part of the program, and a test reads each of them.
    #[must_use]
    pub fn questionnaire(self) -> Questionnaire<LocalText> {
        let json = match self {
            Self::Seq => include_str!("blocks/seq.json"),
            Self::NasaTlx => include_str!("blocks/nasa-tlx.json"),
            Self::Sus => include_str!("blocks/sus.json"),
            Self::Strategy => include_str!("blocks/strategy.json"),
            Self::Closing => include_str!("blocks/closing.json"),
            Self::Comments => include_str!("blocks/comments.json"),
            Self::Demographics => include_str!("blocks/demographics.json"),
            Self::HumanCheck => include_str!("blocks/human-check.json"),
        };
        match json::from_text(json) {
            Ok(page) => page,
            Err(error) => panic!("blocks/{}.json: {error}", self.name()),
        }
    }
}
