//! The tables of a paper: those of Ross et al. (2021), for any study.

mod dial_use;
mod labels;
mod metrics;
mod naming;
mod pairs;
mod ratings;
mod results;

use domain::study::Metric;
use serde::{Deserialize, Serialize};

pub use metrics::better;

use crate::report::{Analysis, Sample};
use crate::table::{Table, short_names};

/// Measures of a model without people, from its card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCard {
    /// Its name.
    pub name: String,
    /// SHA-256 of its weights; empty for a closed form.
    pub weights_sha256: String,
    /// Σ(x − x̂)² of an instance that it has not seen, on average.
    pub squared_error: Option<f64>,
    /// DCI disentanglement, as the paper printed it.
    pub dci: Option<f64>,
    /// Mutual information gap.
    pub mig: Option<f64>,
    /// Mutual information of factors and dimensions.
    pub mutual_information: Option<MutualInformation>,
}

/// Mutual information of the factors of the data and a model's dimensions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MutualInformation {
    /// Names of the factors.
    pub factors: Vec<String>,
    /// Entropy of each in bits.
    pub entropies: Vec<f64>,
    /// A row for each factor, a column for each dimension, in bits.
    pub bits: Vec<Vec<f64>>,
    /// Instances that it was measured on.
    pub instances: usize,
}

/// Which people a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Population {
    /// Those who are included.
    Included,
    /// All who started.
    Everyone,
}

impl Population {
    /// In a caption.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Included => "people who are included",
            Self::Everyone => "all who started",
        }
    }

    /// At the end of a file's name.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Included => "",
            Self::Everyone => "-everyone",
        }
    }
}

impl Analysis {
    /// The results of some people.
    #[must_use]
    pub fn sample(&self, who: Population) -> &Sample {
        match who {
            Population::Included => &self.included,
            Population::Everyone => &self.everyone,
        }
    }

    /// The tables: metrics of each condition (the paper's table 2), full results (A.3), every two
    /// conditions, what people called the dials (1 and A.4), and what they called concepts. Results of all who started come behind those
    /// of the included, where they differ. `cards` are those of the models that are at hand.
    #[must_use]
    pub fn tables(&self, cards: &[ModelCard]) -> Vec<Table> {
        let mut tables = Vec::new();
        for who in self.samples() {
            tables.extend(self.metrics_table(who, cards));
            tables.extend(self.results_tables(who));
            tables.extend(self.pairs_tables(who));
            if who == Population::Included {
                tables.extend(self.label_tables());
                tables.extend(self.dial_use_table());
                tables.extend(self.ratings_table());
                tables.extend(self.naming_tables());
            }
        }
        for table in &mut tables {
            table.caption = self.caption(&table.caption);
        }
        tables
    }

    /// A caption, which says of simulated people that they are.
    #[must_use]
    pub fn caption(&self, caption: &str) -> String {
        if self.simulated {
            format!("Simulated people, no real ones. {caption}")
        } else {
            caption.to_owned()
        }
    }

    /// Whose results there are: those of all who started only where they are others.
    #[must_use]
    pub fn samples(&self) -> Vec<Population> {
        let mut all = vec![Population::Included];
        if self.everyone.people != self.included.people {
            all.push(Population::Everyone);
        }
        all
    }

    /// The tests that p-values and stars are of, as a caption says it.
    #[must_use]
    pub fn p_words(&self) -> String {
        use crate::text::{correction, test};
        let plan = self.plan.as_ref();
        format!(
            "{}, {}",
            test(plan.map(|p| p.test).unwrap_or_default(), self.design),
            correction(plan.map(|p| p.correction).unwrap_or_default()),
        )
    }
}

impl Analysis {
    /// Some conditions' names for readers: the plan's labels, else names without the words that all of them have.
    #[must_use]
    pub fn names_of(&self, conditions: &[&str]) -> Vec<String> {
        let label = |condition: &str| self.plan.as_ref()?.condition_labels.get(condition);
        let short = short_names(conditions).into_iter().zip(conditions);
        short
            .map(|(short, condition)| label(condition).cloned().unwrap_or(short))
            .collect()
    }
}

impl Sample {
    /// Whether tables and figures show a metric: the declared ones, and of the others those
    /// that are not a variant of another, and do not say how people went about it. All of them
    /// are in the numbers.
    #[must_use]
    pub fn shows(&self, metric: Metric) -> bool {
        let variant = matches!(
            metric,
            Metric::CompletionRateWithCut
                | Metric::ErrorAucPresent
                | Metric::ErrorAucChange
                | Metric::Passes
                | Metric::MonotoneShare
                | Metric::ReversalsPerS
                | Metric::FirstImprovementS
                | Metric::StaircaseReversals
        );
        !variant
            || self
                .comparisons
                .iter()
                .any(|c| c.metric == metric && c.planned)
    }
}

/// The divisor of means where people read them: 1000 for large ones, as the paper does with
/// error AUC.
#[must_use]
pub fn divisor(means: impl Iterator<Item = f64>) -> f64 {
    let largest = means.map(f64::abs).fold(0.0, f64::max);
    if largest >= 10_000.0 { 1_000.0 } else { 1.0 }
}

/// A metric's name with what its numbers are divided by.
#[must_use]
pub fn label(metric: Metric, divisor: f64) -> String {
    if divisor > 1.0 {
        format!("{} / {divisor}", metric.label())
    } else {
        metric.label().to_owned()
    }
}
