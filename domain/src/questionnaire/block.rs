//! Named blocks: the field's own instruments, ready to use.
//!
//! A block's names are stable: they are in the data of every study that uses it. Its words
//! may be replaced (a translation), its items may not.
//!
//! Longer than most files: every instrument with its items and its source.

use serde::{Deserialize, Serialize};

use super::item::{ChoiceOption, Describe, Item, ItemKind, Row};
use super::{Questionnaire, SEQ};

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
    /// Free comments. Ross et al. 2021.
    Comments,
    /// Age band, gender, education, region. Ross et al. 2021; gender after Scheuerman et al.
    /// 2020.
    Demographics,
}

/// A subscale of the NASA-TLX.
pub(super) struct Subscale {
    /// Its name in the data.
    pub(super) id: &'static str,
    name: &'static str,
    question: &'static str,
    ends: [&'static str; 2],
}

const LOW_HIGH: [&str; 2] = ["Very low", "Very high"];

/// The six, in the order of the paper form.
pub(super) const TLX_SUBSCALES: [Subscale; 6] = [
    Subscale {
        id: "mental_demand",
        name: "Mental demand",
        question: "How mentally demanding was the task?",
        ends: LOW_HIGH,
    },
    Subscale {
        id: "physical_demand",
        name: "Physical demand",
        question: "How physically demanding was the task?",
        ends: LOW_HIGH,
    },
    Subscale {
        id: "temporal_demand",
        name: "Temporal demand",
        question: "How hurried or rushed was the pace of the task?",
        ends: LOW_HIGH,
    },
    Subscale {
        id: "performance",
        name: "Performance",
        question: "How successful were you in accomplishing what you were asked to do?",
        ends: ["Perfect", "Failure"],
    },
    Subscale {
        id: "effort",
        name: "Effort",
        question: "How hard did you have to work to accomplish your level of performance?",
        ends: LOW_HIGH,
    },
    Subscale {
        id: "frustration",
        name: "Frustration",
        question: "How insecure, discouraged, irritated, stressed, and annoyed were you?",
        ends: LOW_HIGH,
    },
];

const SUS_STATEMENTS: [&str; 10] = [
    "I think that I would like to use this system frequently.",
    "I found the system unnecessarily complex.",
    "I thought the system was easy to use.",
    "I think that I would need the support of a technical person to be able to use this system.",
    "I found the various functions in this system were well integrated.",
    "I thought there was too much inconsistency in this system.",
    "I would imagine that most people would learn to use this system very quickly.",
    "I found the system very cumbersome to use.",
    "I felt very confident using the system.",
    "I needed to learn a lot of things before I could get going with this system.",
];

impl Block {
    /// Every block.
    pub const ALL: [Self; 6] = [
        Self::Seq,
        Self::NasaTlx,
        Self::Sus,
        Self::Strategy,
        Self::Comments,
        Self::Demographics,
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
            Self::Comments => "comments",
            Self::Demographics => "demographics",
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
            Self::Strategy | Self::Comments => {
                "Ross et al. (2021), Evaluating the interpretability of generative models by interactive reconstruction, CHI"
            }
            Self::Demographics => {
                "Ross et al. (2021), CHI; gender after Scheuerman et al. (2020), HCI guidelines for gender equity and inclusivity"
            }
        }
    }

    /// Whether it asks about the stage before it, unless the study says otherwise.
    #[must_use]
    pub fn is_about_last_stage(self) -> bool {
        matches!(self, Self::Seq | Self::NasaTlx | Self::Strategy)
    }

    /// The page.
    #[must_use]
    pub fn questionnaire(self) -> Questionnaire {
        let (id, title, intro, items) = match self {
            Self::Seq => (SEQ, "How was that?", None, vec![seq()]),
            Self::NasaTlx => (
                "nasa_tlx",
                "How much work was that?",
                Some("Mark each line at the place that matches your experience of the task."),
                TLX_SUBSCALES.iter().map(subscale).collect(),
            ),
            Self::Sus => (
                "sus",
                "How was this system to use?",
                Some("Choose how much you agree with each statement."),
                vec![sus()],
            ),
            Self::Strategy => (
                "strategy",
                "How did you go about it?",
                None,
                vec![strategy()],
            ),
            Self::Comments => ("comments", "In your own words", None, vec![comments()]),
            Self::Demographics => ("demographics", "About you", None, demographics()),
        };
        Questionnaire {
            block: Some(self),
            intro: intro.map(str::to_owned),
            ..Questionnaire::page(id, title, items)
        }
    }
}

fn seq() -> Item {
    Item::required(
        SEQ,
        "Overall, how easy or difficult were the questions in this stage?",
        ItemKind::Scale {
            min: 1,
            max: 7,
            min_label: "Very easy".into(),
            max_label: "Very difficult".into(),
        },
    )
}

fn subscale(of: &Subscale) -> Item {
    let [min_label, max_label] = of.ends.map(str::to_owned);
    let kind = ItemKind::Gradations {
        min_label,
        max_label,
    };
    Item {
        hint: Some(of.question.to_owned()),
        prefer_not: true,
        ..Item::required(of.id, of.name, kind)
    }
}

/// Five points of agreement, in words at the ends.
fn agreement() -> Vec<String> {
    let points = ["Strongly disagree", "", "", "", "Strongly agree"];
    points.map(str::to_owned).to_vec()
}

fn sus() -> Item {
    let rows = (1..).zip(SUS_STATEMENTS).map(|(number, text)| Row {
        id: Block::sus_row(number),
        text: text.to_owned(),
    });
    let kind = ItemKind::Matrix {
        points: agreement(),
        rows: rows.collect(),
        random_order: false,
    };
    Item::required(Block::SUS_ITEM, "How much do you agree?", kind)
}

fn strategy() -> Item {
    let row = |id: &str, text: &str| Row {
        id: id.to_owned(),
        text: text.to_owned(),
    };
    let kind = ItemKind::Matrix {
        points: agreement(),
        rows: vec![
            row(
                "systematic",
                "I had a systematic plan to reconstruct the images.",
            ),
            row("random", "I spent most of my time randomly experimenting."),
            row(
                "understood",
                "I understood what many of the dimensions meant.",
            ),
        ],
        random_order: false,
    };
    Item::required("strategy", "How much do you agree?", kind)
}

fn comments() -> Item {
    Item {
        optional: true,
        ..Item::required(
            "comments",
            "Is there anything you would like to tell us?",
            ItemKind::text(),
        )
    }
}

fn demographics() -> Vec<Item> {
    let list = |options: &[(&str, &str)]| -> Vec<ChoiceOption> {
        let options = options.iter();
        options
            .map(|(id, text)| ChoiceOption::plain(id, text))
            .collect()
    };
    let asked = |id, text, kind| Item {
        prefer_not: true,
        ..Item::required(id, text, kind)
    };
    let ages = list(&[
        ("below_18", "Below 18"),
        ("18_34", "18 to 34"),
        ("35_50", "35 to 50"),
        ("51_69", "51 to 69"),
        ("70_plus", "70 or older"),
    ]);
    let mut genders = list(&[
        ("woman", "Woman"),
        ("man", "Man"),
        ("non_binary", "Non-binary"),
    ]);
    genders.push(ChoiceOption {
        exclusive: true,
        ..ChoiceOption::plain("not_disclosed", "Prefer not to disclose")
    });
    genders.push(ChoiceOption {
        describe: Some(Describe::Optional),
        ..ChoiceOption::plain("self_described", "Prefer to self-describe")
    });
    let gender = ItemKind::Choice {
        options: genders,
        several: true,
        at_least: None,
        at_most: None,
        random_order: false,
    };
    let education = list(&[
        ("none", "No formal education"),
        ("primary", "Primary school"),
        ("secondary", "Secondary school"),
        ("vocational", "Vocational training"),
        ("bachelor", "Bachelor’s degree"),
        ("master", "Master’s degree"),
        ("doctorate", "Doctorate"),
    ]);
    let region = list(&[
        ("africa", "Africa"),
        ("asia", "Asia"),
        ("europe", "Europe"),
        ("north_america", "North America"),
        (
            "central_america_caribbean",
            "Central America and the Caribbean",
        ),
        ("south_america", "South America"),
        ("oceania", "Oceania"),
    ]);
    vec![
        asked("age", "How old are you?", ItemKind::one_of(ages)),
        Item::required("gender", "What is your gender?", gender),
        asked(
            "education",
            "What is the highest level of education that you have completed?",
            ItemKind::Dropdown { options: education },
        ),
        asked(
            "region",
            "Which part of the world do you live in?",
            ItemKind::Dropdown { options: region },
        ),
    ]
}
