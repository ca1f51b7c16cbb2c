//! Names that people gave the dials.

use std::collections::BTreeSet;

use serde::Serialize;

use super::ConditionCases;

/// One dial of one condition.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LabelRow {
    /// The comparison.
    pub comparison: String,
    /// The condition.
    pub condition: String,
    /// The model.
    pub model: String,
    /// Number of dials that the model has.
    pub dials: usize,
    /// The dial, from 0.
    pub dial: usize,
    /// Whether it is a choice among values.
    pub discrete: bool,
    /// People who saw it.
    pub people: usize,
    /// Share of them who gave it a label that says something; `None` if nobody saw it.
    pub coverage: Option<f64>,
    /// People whose label says nothing: "x", "no", "nothing" and the like.
    pub empty_words: usize,
    /// Mean token Jaccard of every two of its labels minus that of its labels and those of other
    /// dials; `None` below two labels, or without a label of another dial.
    pub consistency: Option<f64>,
    /// The labels with the number of people who gave each, in the order of the people who
    /// gave them first.
    pub labels: Vec<(String, usize)>,
}

/// The dials of one condition, where they could be named.
pub(crate) fn labels(cell: ConditionCases<'_>) -> Vec<LabelRow> {
    let stages = || cell.people().flat_map(|(_, stages)| stages).copied();
    let Some(first) = stages().find(|stage| stage.dials_have_names) else {
        return Vec::new();
    };
    let saw =
        |stages: &&[&crate::person::StageData]| stages.iter().any(|s| !s.questions.is_empty());
    let people = cell.people().filter(|(_, stages)| saw(stages)).count();
    let row = |(dial, facts): (usize, &crate::person::DialRange)| {
        let mut labels: Vec<(String, usize)> = Vec::new();
        let all = stages().flat_map(|stage| &stage.labels);
        for label in all.filter(|label| label.dial == dial) {
            match labels.iter_mut().find(|(text, _)| *text == label.text) {
                Some((_, count)) => *count += 1,
                None => labels.push((label.text.clone(), 1)),
            }
        }
        let given: usize = labels.iter().map(|(_, count)| count).sum();
        let empty_words = labels
            .iter()
            .filter(|(text, _)| says_nothing(text))
            .map(|(_, count)| count)
            .sum();
        let coverage = (people > 0).then(|| (given - empty_words) as f64 / people as f64);
        LabelRow {
            coverage,
            empty_words,
            consistency: consistency(
                dial,
                &stages()
                    .flat_map(|stage| &stage.labels)
                    .filter(|label| !says_nothing(&label.text))
                    .map(|label| (label.dial, tokens(&label.text)))
                    .collect::<Vec<_>>(),
            ),
            comparison: cell.comparison.to_owned(),
            condition: cell.condition.to_owned(),
            model: first.model.clone(),
            dials: first.dials.len(),
            dial,
            discrete: facts.discrete,
            people,
            labels,
        }
    };
    first.dials.iter().enumerate().map(row).collect()
}

/// Words that people write when they have nothing to say.
const EMPTY_WORDS: [&str; 10] = [
    "x",
    "no",
    "nothing",
    "none",
    "na",
    "n a",
    "idk",
    "unknown",
    "dont know",
    "not sure",
];

/// Whether a label says nothing: no letter or digit at all, or one of [`EMPTY_WORDS`].
fn says_nothing(text: &str) -> bool {
    let words: Vec<String> = tokens_in_order(&text.replace(['\'', '’'], ""));
    words.is_empty() || EMPTY_WORDS.contains(&words.join(" ").as_str())
}

/// The words of a label in lower case: what letters and digits stand together.
fn tokens_in_order(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn tokens(text: &str) -> BTreeSet<String> {
    tokens_in_order(text).into_iter().collect()
}

/// |A ∩ B| / |A ∪ B|.
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let both = a.intersection(b).count() as f64;
    both / (a.union(b).count() as f64).max(1.0)
}

/// How much more the labels of a dial have in common with each other than with those of other
/// dials. `labels` are those of all dials.
fn consistency(dial: usize, labels: &[(usize, BTreeSet<String>)]) -> Option<f64> {
    let (mut within, mut between) = (Vec::new(), Vec::new());
    for (index, (of, words)) in labels.iter().enumerate() {
        if *of != dial {
            continue;
        }
        for (other, (of_other, other_words)) in labels.iter().enumerate() {
            if *of_other != dial {
                between.push(jaccard(words, other_words));
            } else if other > index {
                within.push(jaccard(words, other_words));
            }
        }
    }
    let mean = |values: &[f64]| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Some(mean(&within)? - mean(&between)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_nothing_are_known() {
        for text in ["x", "No", " nothing! ", "n/a", "don't know", "?", "…"] {
            assert!(says_nothing(text), "{text}");
        }
        for text in ["no change", "size x", "Größe", "2"] {
            assert!(!says_nothing(text), "{text}");
        }
    }

    /// Worked out by hand. Within: size and big size 1/2, size and wide 0, big size and wide 0: 1/6.
    #[test]
    fn consistency_is_what_a_dial_s_labels_share_beyond_those_of_others() {
        let labels: Vec<(usize, BTreeSet<String>)> = [
            (0, "size"),
            (0, "big size"),
            (0, "wide"),
            (1, "size"),
            (1, "tilt"),
        ]
        .map(|(dial, text)| (dial, tokens(text)))
        .to_vec();
        // Between: size|size 1, size|tilt 0, big size|size 1/2, big size|tilt 0, wide 0, 0: 1/4.
        let found = consistency(0, &labels).unwrap();
        assert!((found - (1.0 / 6.0 - 1.5 / 6.0)).abs() < 1e-12, "{found}");
        assert_eq!(consistency(0, &labels[..1]), None);
        assert_eq!(
            consistency(0, &labels[..3]),
            None,
            "no other dial has a label"
        );
    }
}
