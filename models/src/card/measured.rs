//! Measures of a model, and how its weights are stored.

use serde::{Deserialize, Serialize};

/// What ranges and percentiles were measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredOn {
    /// Number of latent vectors: of all held-out instances, or draws where a model draws from
    /// distributions. The bundle holds the first of them.
    pub rows: usize,
    /// SHA-256 in hex of the encoder that is kept beside the bundle; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder_sha256: Option<String>,
}

/// Percentiles of one continuous dimension over the held-out latents (linear
/// interpolation between neighbours, as numpy's default).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // each field is the percentile it is named after
pub struct Percentiles {
    pub p1: f64,
    pub p5: f64,
    pub p48: f64,
    pub p52: f64,
    pub p95: f64,
    pub p99: f64,
}

/// How the dimensions of a model relate to the true factors of its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disentanglement {
    /// Number of held-out instances measured.
    pub instances: usize,
    /// Names of the factors.
    pub factors: Vec<String>,
    /// Mutual information in bits, one row for each factor, one column for each dimension.
    pub mutual_information: Vec<Vec<f64>>,
    /// Entropy of each factor in bits.
    pub factor_entropies: Vec<f64>,
    /// Mutual information gap; absent where it is undefined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mig: Option<f64>,
    /// DCI disentanglement, factors predicted from codes (Eastwood and Williams).
    pub dci: f64,
    /// The same, codes predicted from factors: what Ross et al. printed.
    pub dci_as_published: f64,
    /// DCI of the paper's model (as published).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_dci: Option<f64>,
    /// MIG of the paper's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_mig: Option<f64>,
}

/// What a category that was learnt without labels has to do with the labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Categories {
    /// Number of instances decoded and judged.
    pub instances: usize,
    /// Mutual information between category and predicted label, in bits.
    pub mutual_information: f64,
    /// Number of labels that some category stands for (its most frequent prediction).
    pub labels_reached: usize,
    /// Share of held-out instances that the judging classifier labels correctly.
    pub classifier_accuracy: f64,
}

/// How the weights are stored, chosen tensor by tensor, and what it was admitted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightStorage {
    /// Type of each tensor that is not f32, by name.
    pub tensors: std::collections::BTreeMap<String, Precision>,
    /// Number of held-out latents on which it was compared with f32, or with
    /// `compared_with`.
    pub instances: usize,
    /// Largest change of a pixel, or of a point of a series.
    pub largest_value_change: f64,
    /// Largest change of the distance between random pairs of instances.
    pub largest_distance_change: f64,
    /// Mean over the pairs of that change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_distance_change: Option<f64>,
    /// How the weights were stored that it was compared with, where these were not f32
    /// any more. Seen from f32, nothing has moved by more than both changes together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_with: Option<Box<WeightStorage>>,
}

/// How a tensor's numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Half precision.
    F16,
    /// Whole numbers −127 … 127 times one scale for each output unit, which is the
    /// tensor `NAME.scale` `[outputs]` of f32.
    Int8,
    /// Four bits: whole numbers −7 … 7 times a whole number for each group of neighbours,
    /// which is the tensor `NAME.step`, and times one scale for each output unit, as for
    /// `Int8`. Two values to a byte.
    Int4,
}

/// Reconstruction of held-out instances.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldOut {
    /// Number of held-out instances measured.
    pub instances: usize,
    /// Mean over them of Σ(x − x̂)², an undivided sum per instance.
    pub squared_error: f64,
    /// Which latent vector each was reconstructed from.
    pub latents: HeldOutLatents,
    /// The same sum with the means of the encoder's distributions, for a model that samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub squared_error_of_means: Option<f64>,
    /// The same figure of the paper's own model, for comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper_squared_error: Option<f64>,
}

/// Latent vectors that held-out instances are reconstructed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeldOutLatents {
    /// The encoder's output, or the mean of its distribution.
    Encoded,
    /// A draw from the encoder's distribution.
    Sampled,
    /// The true factors of the instance.
    Factors,
}
