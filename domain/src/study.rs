//! A study as its author writes it: one JSON file, with its texts beside it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::common::language::{self, ENGLISH, LocalText, PSEUDO, Spoken};
use crate::common::settings::{AtEnd, Mode, WrongAnswer};
use crate::design::{Design, orders};
use crate::questionnaire::Questionnaire;
use crate::recruitment::pay::Pay;
use crate::recruitment::platform::Recruitment;
use crate::session::device::DeviceNeeds;
use crate::session::flow::StageLimit;
use crate::session::lab::LabSettings;
use crate::study::automation::AutomationThresholds;
use crate::study::inclusion::InclusionRule;
use crate::task::{TaskKind, TaskSettings};

mod analysis;
pub mod automation;
#[cfg(feature = "check")]
pub mod check;
mod conditions;
pub mod draw;
mod group;
pub mod inclusion;
pub mod length;
mod resume;
mod stored;
mod v1;

pub use crate::design::Levels;
pub use crate::session::time_limit::TimeLimit;
pub use crate::task::Metric;
pub use analysis::{
    Adjustment, Amendment, AnalysisPlan, Comparison, ConditionsAre, ConditionsVary, Correction,
    EquivalenceBounds, ExclusionCriterion, Family, NamingMeasure, NamingPlan, PairTest,
    PlannedContrast,
};
pub use group::{Group, Interruptions, JumpTarget, NextRule, Order, Skip};
pub use resume::Resume;
pub use stored::StoredDefinition;
pub use v1::{StudyV1, upcast as upcast_v1};

/// Format version of study files today.
pub const STUDY_FORMAT: u16 = 2;

/// A study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Address of the JSON Schema, for editors. Not read by Redial.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Format version of this file: 2.
    pub format: u16,
    /// Name in links and files: lower-case letters, digits and `-`, at most 64 characters.
    pub id: String,
    /// The languages that the study comes in, its first one first: that of texts that say none.
    /// Absent: `["en"]`. Any text that participants read can be given by language:
    /// `{ "en": "Age", "de": "Alter" }`.
    #[serde(default = "english", skip_serializing_if = "is_english")]
    #[cfg_attr(feature = "check", schemars(length(min = 1)))]
    pub languages: Vec<String>,
    /// Who chooses among them where the link does not: the participant's `browser`, or nobody,
    /// so that it is the `first`.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub language_choice: LanguageChoice,
    /// What participants read at the top of the first page.
    pub title: LocalText,
    /// One or two sentences for the list of studies. Participants do not see it on the study's own page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<LocalText>,
    /// Where sessions take place. In `lab`, skip is always there.
    #[serde(default)]
    pub mode: Mode,
    /// What the experimenter of a lab session has at hand.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub lab: LabSettings,
    /// What the last page shows beside the completion code: `nothing`, `summary` (time and how
    /// many were matched or right) or `everything` (a table of the measures, too).
    #[serde(default)]
    pub at_end: AtEnd,
    /// How many sessions one participant code can start: `one`, which the code then opens again
    /// on any device, or `many`.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub sessions_per_code: SessionsPerCode,
    /// A file beside the study with the participant codes that can start a session, one on each
    /// line, or in the first column of a spreadsheet saved as CSV. Absent: any code can, and none.
    /// It is for links of the researcher's, not for platforms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_codes: Option<String>,
    /// From when sessions can be started: `2026-12-01T09:00:00+01:00`. Absent: from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opens: Option<String>,
    /// Until when sessions can be started; who has begun can finish. Absent: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes: Option<String>,
    /// Whether the list of studies shows this one.
    #[serde(
        default = "crate::common::defaults::yes",
        skip_serializing_if = "crate::common::defaults::is_yes"
    )]
    pub listed: bool,
    /// Where participants come from: how they arrive and go back. None: from a link that the
    /// researcher hands out. With several, the parameters in a participant's link say which.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recruitment: Vec<Recruitment>,
    /// Names of other studies on the same server whose participants cannot take part in this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_after: Vec<String>,
    /// Whether whoever took part in any other study on the same server is kept out of this one, too.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub newcomers_only: bool,
    /// With `newcomers_only`: names of studies whose participants can take part all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_follow: Vec<String>,
    /// Whether somebody who left can go on. Absent: at any time, where they stopped.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub resume: Resume,
    /// How long participants have at their platform. The page warns before it is over, and
    /// `redial platform` tells it to the platform. Absent: nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<TimeLimit>,
    /// After how many days, from the start of each session on, the server deletes what its
    /// participant typed in their own words, 1 to 3,650. Say so in the consent form. Absent: it
    /// is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 3650)))]
    pub typed_text_deleted_after_days: Option<u32>,
    /// What participants are paid: for the ledger of payments (`redial pay`), and for platforms. None:
    /// nothing is owed unless you decide so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay: Option<Pay>,
    /// Origins of pages that may show the study in a frame, beside those of its platforms:
    /// `https://survey.example.org`. None: no other page may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub framed_by: Vec<String>,
    /// Whether the participant's code, or the keyed hash of their name at a platform, is kept when
    /// they have everything erased that they gave, so that they cannot take part again. Say so in
    /// the consent form.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub erasure_keeps_code: bool,
    /// Seed of everything drawn at random. With it, the n-th session of a study
    /// always gets the same order and questions; absent: drawn anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What varies between people and within them, and how people are put into its cells.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub design: Design,
    /// What a session must meet for its data to count. It is evaluated on the log, marks
    /// sessions with reasons and deletes nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inclusion: Vec<InclusionRule>,
    /// From where on a signal that a script or an agent took part is a flag in the export. Flags
    /// exclude nobody.
    #[serde(default, skip_serializing_if = "crate::common::defaults::is_default")]
    pub automation: AutomationThresholds,
    /// Parts, or halves of parts, that others are made from: a part with
    /// `"template": NAME` is that one, with its own fields in place of those of the same name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<String, serde_json::Value>,
    /// What is to be analysed, and how: fixed before the data, since it is part of what
    /// sessions are hashed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub analysis: Option<AnalysisPlan>,
    /// What a participant goes through, in order.
    pub parts: Vec<Part>,
}

/// How many sessions one participant code can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionsPerCode {
    /// One. Whoever comes with the code again goes on with it; the page before stops.
    #[default]
    One,
    /// As many as are started.
    Many,
}

fn english() -> Vec<String> {
    vec![ENGLISH.into()]
}

fn is_english(languages: &[String]) -> bool {
    languages == [ENGLISH]
}

/// Who chooses a session's language where the link does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LanguageChoice {
    /// The browser: the first of its languages that the study comes in, else the study's first.
    #[default]
    Browser,
    /// Nobody: it is the study's first.
    First,
}

/// One part of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant)] // a few dozen in each study
pub enum Part {
    /// The consent form: the study's first page. It comes first.
    Consent(Consent),
    /// Something to read.
    Instructions(Instructions),
    /// The tutorial of a task.
    Tutorial(Tutorial),
    /// Questions of one task about one model.
    Stage(Stage),
    /// A page of items.
    Questionnaire(QuestionnairePart),
    /// The Single Ease Question about the stage before: the paper's *difficulty*.
    #[cfg_attr(feature = "check", schemars(extend("additionalProperties" = false)))]
    Difficulty,
    /// A look at whether the participant's device fits: its pointer, its window, how fast it
    /// decodes. A device that does not fit ends the session before any work is done.
    DeviceCheck(DeviceCheck),
    /// A rest.
    Break(Break),
    /// Several parts, with an order and rules of their own.
    Group(Group),
}

/// What participants are told before they start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Consent {
    /// File beside the study, in Markdown: purpose, procedure, risks, confidentiality. In another
    /// language than the study's first, its name is `consent.de.md`.
    pub file: String,
    /// Version of the text, as the ethics board knows it. It is stored with each consent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Number of the protocol that the ethics board approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// How a participant agrees.
    #[serde(default)]
    pub agree: Agreement,
    /// Who is responsible, as participants should read it.
    pub investigator: LocalText,
    /// Where participants can turn to: an e-mail address, say.
    pub contact: LocalText,
    /// How long it takes, in minutes.
    pub duration_minutes: u32,
    /// What participants get, in words; absent: nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pay: Option<LocalText>,
    /// How long the form stays on screen at least before one can agree, in seconds.
    #[serde(default)]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    pub at_least_s: f64,
}

/// How a participant agrees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// By pressing the button.
    #[default]
    Button,
    /// By ticking a box first.
    Checkbox,
    /// By typing their name as a signature first. The data then say who they are.
    Signature,
}

/// Something to read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Instructions {
    /// Name in the data: lower-case letters, digits and `-`.
    pub id: String,
    /// File beside the study, in Markdown; pictures in it lie beside it, too. In another language
    /// than the study's first, its name is `rules.de.md`.
    pub file: String,
    /// Heading of the page; absent: the app's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<LocalText>,
    /// How long it stays on screen at least, in seconds.
    #[serde(default)]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    pub at_least_s: f64,
}

/// The tutorial of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tutorial {
    /// The task it shows.
    pub task: TaskKind,
    /// Name of the model to play with.
    #[serde(default = "circles")]
    pub model: String,
}

fn circles() -> String {
    "circles".into()
}

/// Questions of one task about one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Name in the data: lower-case letters, digits and `-`.
    pub id: String,
    /// Whether it is practice, which is not scored.
    #[serde(default)]
    pub practice: bool,
    /// What a wrong answer comes to: nothing, a mark in the data, or the end of the session.
    #[serde(default)]
    pub wrong_answer: WrongAnswer,
    /// When it ends although questions are left; absent: with its last question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<StageLimit>,
    /// The task.
    pub task: TaskSettings,
}

/// A page of items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
// serde cannot say so beside `flatten`; the checker looks at the schema first.
#[cfg_attr(feature = "check", schemars(deny_unknown_fields))]
pub struct QuestionnairePart {
    /// Whether it is about the stage before it, as the data then say.
    #[serde(default)]
    pub about_last_stage: bool,
    /// The page.
    #[serde(flatten)]
    pub questionnaire: Questionnaire<LocalText>,
}

/// A look at whether the participant's device fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceCheck {
    /// Name in the data: lower-case letters, digits and `-`.
    pub id: String,
    /// What it must have and be able to do.
    pub needs: DeviceNeeds,
    /// Name of the model that is decoded to see how fast: the slowest of the study. It goes with
    /// `max_decode_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Break {
    /// Name in the data: lower-case letters, digits and `-`.
    pub id: String,
    /// How long it lasts at least, in seconds; 0: as short as the participant likes.
    #[serde(default)]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    pub at_least_s: f64,
}

impl Part {
    /// Its name, where it has one: what a way forward can lead to.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Instructions(part) => Some(&part.id),
            Self::Stage(part) => Some(&part.id),
            Self::Questionnaire(part) => Some(&part.questionnaire.id),
            Self::DeviceCheck(part) => Some(&part.id),
            Self::Break(part) => Some(&part.id),
            Self::Group(part) => part.id.as_deref(),
            Self::Consent(_) | Self::Tutorial(_) | Self::Difficulty => None,
        }
    }
}

impl Study {
    /// Whether somebody who took part in another study on the same server cannot take part in this
    /// one.
    #[must_use]
    pub fn rules_out(&self, other: &str) -> bool {
        let listed = |studies: &[String]| studies.iter().any(|study| study == other);
        let follows = other == self.id || listed(&self.may_follow);
        listed(&self.not_after) || self.newcomers_only && !follows
    }

    /// Its first language.
    #[must_use]
    pub fn first_language(&self) -> &str {
        self.languages.first().map_or(ENGLISH, String::as_str)
    }

    /// How to read its texts in a language.
    #[must_use]
    pub fn spoken<'a>(&'a self, language: &'a str) -> Spoken<'a> {
        Spoken {
            language,
            first: self.first_language(),
        }
    }

    /// The language of a session: what the link asks for, else what the study says or the
    /// browser prefers. `browser` is in the order of preference.
    #[must_use]
    pub fn language_for(&self, link: Option<&str>, browser: &[&str]) -> &str {
        let offered: Vec<&str> = self.languages.iter().map(String::as_str).collect();
        let from_link = link.and_then(|link| language::best(&[link], &offered));
        let from_browser = || match self.language_choice {
            LanguageChoice::Browser => language::best(browser, &offered).filter(|l| *l != PSEUDO),
            LanguageChoice::First => None,
        };
        from_link
            .or_else(from_browser)
            .unwrap_or_else(|| self.first_language())
    }

    /// The consent form, if the study has one.
    #[must_use]
    pub fn consent(&self) -> Option<&Consent> {
        self.parts.iter().find_map(|part| match part {
            Part::Consent(consent) => Some(consent),
            _ => None,
        })
    }

    /// All parts that are no group, those in groups included, in the order of the file.
    #[must_use]
    pub fn leaves(&self) -> Vec<&Part> {
        fn collect<'a>(parts: &'a [Part], out: &mut Vec<&'a Part>) {
            for part in parts {
                match part {
                    Part::Group(group) => {
                        collect(&group.parts, out);
                        for interruptions in &group.interruptions {
                            collect(&interruptions.parts, out);
                        }
                    }
                    other => out.push(other),
                }
            }
        }
        let mut leaves = Vec::new();
        collect(&self.parts, &mut leaves);
        leaves
    }

    /// All groups, those in groups included, each before what it holds.
    #[must_use]
    pub fn groups(&self) -> Vec<&Group> {
        fn collect<'a>(parts: &'a [Part], out: &mut Vec<&'a Group>) {
            for part in parts {
                let Part::Group(group) = part else { continue };
                out.push(group);
                collect(&group.parts, out);
                for interruptions in &group.interruptions {
                    collect(&interruptions.parts, out);
                }
            }
        }
        let mut groups = Vec::new();
        collect(&self.parts, &mut groups);
        groups
    }

    /// Number of rows over which the study's orders are balanced: 1 where none is.
    #[must_use]
    pub fn rows(&self) -> u64 {
        fn of(parts: &[Part]) -> u64 {
            let of_part = |part: &Part| match part {
                Part::Group(group) => {
                    let inner = std::iter::once(group.rows())
                        .chain(std::iter::once(of(&group.parts)))
                        .chain(group.interruptions.iter().map(|i| of(&i.parts)));
                    inner.fold(1, orders::least_common_multiple)
                }
                _ => 1,
            };
            let rows = parts.iter().map(of_part);
            rows.fold(1, orders::least_common_multiple)
        }
        of(&self.parts)
    }

    /// Names of the models that some session of the study may need, each once, in the
    /// order of the file.
    #[must_use]
    pub fn models(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for part in self.leaves() {
            let of_part = match part {
                Part::Tutorial(tutorial) => vec![tutorial.model.as_str()],
                Part::Stage(stage) => stage.task.models(),
                Part::DeviceCheck(part) => part.model.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            };
            for name in of_part {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Each model with the shortest time, in milliseconds, that some stage keeps its pictures back
    /// for (`minimum_latency_ms`), in the order of the file.
    #[must_use]
    pub fn minimum_latencies(&self) -> Vec<(&str, u64)> {
        let mut found: Vec<(&str, u64)> = Vec::new();
        for part in self.leaves() {
            let Part::Stage(stage) = part else { continue };
            let Some(ms) = stage.task.minimum_latency_ms() else {
                continue;
            };
            for model in stage.task.models() {
                match found.iter_mut().find(|(name, _)| *name == model) {
                    Some((_, least)) => *least = ms.min(*least),
                    None => found.push((model, ms)),
                }
            }
        }
        found
    }
}
