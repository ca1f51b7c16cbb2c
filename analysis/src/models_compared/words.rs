//! Sentences on what a comparison of a few models can say, and what it cannot.

use super::{DataSetCorrelations, ModelsCompared};
use crate::numbers::{counted, rounded};

impl ModelsCompared {
    /// Sentences that belong beside the correlations of a data set.
    #[must_use]
    pub fn words(&self, of: &DataSetCorrelations) -> Vec<String> {
        let mut words = vec![orders(of.models)];
        words.extend(of.largest.iter().map(|largest| {
            format!(
                "The largest |ρ| of {} over {} models is {}. Where the scores said nothing about people, the largest would \
                 still be {} (median over random ways to match people's numbers with models).",
                counted(largest.correlations, "correlation", "correlations"),
                largest.models,
                rounded(largest.found, 2),
                rounded(largest.by_chance, 2)
            )
        }));
        words.push(
            "These models were not drawn at random: they are those of one project, by a few methods, trained once each. \
             A correlation over them says how these models are ordered, and is no evidence that a score foresees what \
             people will do with other models. Nothing here is called significant."
                .to_owned(),
        );
        if self.simulated {
            words.push(
                "The people are simulated: programs that search the dials. What they find easy was not fitted to people, \
                 so that these correlations are about the programs alone."
                    .to_owned(),
            );
        }
        words
    }
}

/// How many orders so many models have.
fn orders(models: usize) -> String {
    if models < 3 {
        return format!(
            "{} always in the same order or the reverse: no correlation is given.",
            if models == 2 {
                "Two models are"
            } else {
                "One model is"
            }
        );
    }
    let orders: f64 = (1..=models).map(|k| k as f64).product();
    let share = 2.0 / orders;
    format!(
        "{models} models have {} orders. A score that says nothing agrees with people in full, or disagrees in full, in {} of \
         them.{}",
        rounded(orders, 0),
        if share >= 0.001 {
            format!("{} %", rounded(100.0 * share, 1))
        } else {
            "less than 0.1 %".to_owned()
        },
        if models < 5 {
            " No interval over models is given: from so few, samples repeat the same orders, and it would be narrow where \
             least is known."
        } else {
            ""
        }
    )
}
