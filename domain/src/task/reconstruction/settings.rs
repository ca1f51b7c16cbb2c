//! Settings of a study's author.

use serde::{Deserialize, Serialize};

use crate::clock::ActiveTimeRule;
use crate::model::Arrangement;
use crate::model::distance::Distance;

/// What a study's author sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a switch of its own
pub struct Settings {
    /// Name of the model: a folder of the zoo, or of `--models`.
    pub model: String,
    /// How many questions are drawn, 1 to 100; absent where `items` gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub questions: Option<u32>,
    /// The questions, start and target given; absent: they are drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// The questions are drawn once, and everybody gets the same; absent: drawn for each person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_for_all: Option<SameForAll>,
    /// The order of questions that are the same for all, or given as `items`.
    #[serde(default)]
    pub question_order: ListOrder,
    /// Whether targets are drawn without replacement: no two questions of a session have the
    /// same target.
    #[serde(default)]
    pub distinct_targets: bool,
    /// Where the dials start.
    #[serde(default)]
    pub start: StartAt,
    /// When a question can be skipped. Absent: practice never; in a lab session, or where the
    /// participant declares the end, always; else after T.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<SkipPolicy>,
    /// T in active seconds, after which a question can be skipped; absent: the model's
    /// card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 3600)))]
    pub skip_after_s: Option<f64>,
    /// What alignment is measured by; absent: the model's card decides. A threshold belongs to a distance, so the
    /// study sets it, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<Distance>,
    /// Alignment that solves a question, in per cent; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub target_alignment_percent: Option<f64>,
    /// Each question has a threshold of its own, by how near other instances lie to its target; absent: all have
    /// the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold_by_target: Option<ThresholdByTarget>,
    /// What ends a question.
    #[serde(default)]
    pub stop: Stop,
    /// Whether the bar with the alignment is shown.
    #[serde(default = "crate::common::defaults::yes")]
    pub show_alignment: bool,
    /// What participants see of where a dial would lead.
    #[serde(default)]
    pub feedforward: Feedforward,
    /// No picture is shown sooner than so many milliseconds after its input, 0 to 1000: decoding and
    /// waiting together. Set above what the slowest model of a comparison needs, it makes pictures
    /// follow the dials equally fast with all of them. Absent: a picture is shown once it is decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0, max = 1000)))]
    pub minimum_latency_ms: Option<u64>,
    /// How picture and target are first placed; absent: the model's card decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrangement: Option<Arrangement>,
    /// Whether the arrangement that a participant chose is kept for the stage's later questions.
    #[serde(default = "crate::common::defaults::yes")]
    pub keep_arrangement: bool,
    /// Whether participants can rename dials.
    #[serde(default)]
    pub rename_dials: bool,
    /// Whether there is a button that undoes the last movement.
    #[serde(default)]
    pub undo: bool,
    /// Whether there is a button that puts the dials to random places.
    #[serde(default)]
    pub randomise: bool,
    /// The order of the dials on screen.
    #[serde(default)]
    pub dial_order: ListOrder,
    /// Which dials are shown; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_dials: Option<ShownDials>,
    /// Where the dials stand that are not shown. They stand there in start and target alike, so
    /// that every target can be reached exactly with those that are shown.
    #[serde(default)]
    pub hidden_dials_at: HiddenAt,
    /// How gaps between two activities count into the active time.
    #[serde(default)]
    pub active_time: ActiveTimeRule,
    /// Seconds without an activity after which the active time stands still; absent: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 0.1, max = 600)))]
    pub inactive_after_s: Option<f64>,
}

impl Settings {
    /// The settings of an author who names a model and nothing else.
    #[must_use]
    pub fn of(model: String) -> Self {
        Self {
            model,
            questions: None,
            items: Vec::new(),
            same_for_all: None,
            question_order: ListOrder::default(),
            distinct_targets: false,
            start: StartAt::default(),
            skip: None,
            skip_after_s: None,
            distance: None,
            target_alignment_percent: None,
            threshold_by_target: None,
            stop: Stop::default(),
            show_alignment: true,
            feedforward: Feedforward::default(),
            minimum_latency_ms: None,
            arrangement: None,
            keep_arrangement: true,
            rename_dials: false,
            undo: false,
            randomise: false,
            dial_order: ListOrder::default(),
            shown_dials: None,
            hidden_dials_at: HiddenAt::default(),
            active_time: ActiveTimeRule::default(),
            inactive_after_s: None,
        }
    }
}

/// One question whose start and target are given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// z the dials start at.
    pub start: Vec<f64>,
    /// z′ to be found.
    pub target: Vec<f64>,
    /// Alignment that solves this question, in per cent; absent: that of the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 100)))]
    pub target_alignment_percent: Option<f64>,
}

/// How the threshold of a question follows from its target.
///
/// A target among many that are alike is found by chance; one that nothing is like is not. Both are as hard where the
/// threshold grows with the distance of what lies nearest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ThresholdByTarget {
    /// The threshold as a share of the distance from the target to the nearest of 200 other instances of the model,
    /// the same for everybody. With 0.5, what solves a question is nearer to its target than to each of the others,
    /// by a distance that is a metric.
    #[cfg_attr(feature = "check", schemars(range(min = 0.01, max = 1)))]
    pub share_of_nearest: f64,
}

/// How questions are drawn that are the same for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SameForAll {
    /// Seed of the draw: the same seed gives the same questions about the same model.
    pub seed: u64,
    /// Into so many strata of equal size, by the distance of start and target, ten times as many
    /// pairs are sorted; each gives the same number of questions. 1: all pairs count alike.
    #[serde(default = "one")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 20)))]
    pub strata: u32,
}

fn one() -> u32 {
    1
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ListOrder {
    /// As it is given: of dials, as the model has them.
    #[default]
    AsGiven,
    /// Shuffled for each person: of dials, in one order for all stages about the same model.
    Shuffled,
}

/// Where the dials start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StartAt {
    /// At a vector drawn from the model's distribution.
    #[default]
    Drawn,
    /// Sliders in the middle of their range; radio buttons, which have no middle, as drawn.
    Centre,
}

/// When a question can be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SkipPolicy {
    /// Not at all.
    Never,
    /// At any time.
    Always,
    /// Once the active time passes T (`skip_after_s`).
    AfterActive,
}

/// What ends a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The threshold: once the alignment reaches it, the dials lock.
    #[default]
    AtThreshold,
    /// The participant, with *Done* or *Give up*. It is solved if it is declared done within
    /// the threshold, and missed if it is declared done outside of it.
    Declared,
}

/// What participants see of where a dial would lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Feedforward {
    /// Nothing.
    #[default]
    None,
    /// Along each dial, small pictures of what it would make from where all the others stand.
    Filmstrip,
}

crate::json::named!(Feedforward: None, Filmstrip);

crate::json::named!(Stop: AtThreshold, Declared);

/// Which dials are shown. Dimensions count from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ShownDials {
    /// The first so many dimensions of the model.
    First(usize),
    /// So many, drawn for each person: where stages about one model show different numbers, the
    /// fewer are among the more.
    Drawn(usize),
    /// These dimensions.
    These(Vec<usize>),
}

/// Where the dials stand that are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HiddenAt {
    /// At the target's values, as drawn.
    #[default]
    Target,
    /// At the mean of the model's distribution; of radio buttons, the value that is most
    /// frequent there. The mean is that of 1,000 vectors, the same for everybody.
    Mean,
}
