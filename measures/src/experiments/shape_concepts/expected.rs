//! The paper's statements on its figures 7 and 8 in words, and whether they hold here. The figures' numbers are not in
//! the text that there is.

use super::{Method, Point, Reading};
use serde::Serialize;

/// Something that the paper found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// In which reading of coverage it was looked at.
    pub reading: Reading,
    /// What: a sentence.
    pub says: &'static str,
    /// Whether it holds here for every number of concepts that there is.
    pub holds: bool,
    /// For which numbers of concepts it does not; none where it is about their order.
    pub not_for: Vec<usize>,
}

/// A number of a point.
type Score = fn(&Point) -> Option<f64>;

/// Statements of which method is above all others with every number of concepts.
const BEST: [(&str, Method, Score); 4] = [
    (
        "BotCL is more accurate than k-means and PCA.",
        Method::Botcl,
        |point| Some(point.accuracy),
    ),
    (
        "BotCL's concepts are more complete than those of k-means and PCA.",
        Method::Botcl,
        |point| point.completeness,
    ),
    (
        "BotCL's concepts are more distinctive than those of k-means and PCA.",
        Method::Botcl,
        |point| point.distinctiveness,
    ),
    (
        "The concepts of k-means are the purest.",
        Method::KMeans,
        |point| point.purity,
    ),
];

/// Statements of which scores do not fall from the fewest concepts to the most, or fall.
const ORDER: [(&str, Method, bool, Score); 5] = [
    (
        "With more concepts BotCL is more accurate.",
        Method::Botcl,
        true,
        |point| Some(point.accuracy),
    ),
    (
        "With more concepts BotCL's are more complete.",
        Method::Botcl,
        true,
        |point| point.completeness,
    ),
    (
        "With more concepts BotCL's are purer.",
        Method::Botcl,
        true,
        |point| point.purity,
    ),
    (
        "With more concepts BotCL's are more distinctive.",
        Method::Botcl,
        true,
        |point| point.distinctiveness,
    ),
    (
        "With more concepts those of PCA are less distinctive.",
        Method::Pca,
        false,
        |point| point.distinctiveness,
    ),
];

/// The paper's statements, in each reading; those of their order only where there are several numbers of concepts. A
/// number that is not defined is above none.
#[must_use]
pub fn verdicts(points: &[Point]) -> Vec<Verdict> {
    let of_reading = |reading: Reading| {
        let here: Vec<&Point> = points.iter().filter(|p| p.reading == reading).collect();
        let best = BEST.iter().map(|(says, method, score)| {
            let not_for = not_best(&here, *method, *score);
            Verdict {
                reading,
                says,
                holds: !here.is_empty() && not_for.is_empty(),
                not_for,
            }
        });
        let order = ORDER.iter().filter_map(|(says, method, rises, score)| {
            let several = here.iter().any(|point| point.concepts != here[0].concepts);
            let change = change(&here, *method, *score);
            several.then(|| Verdict {
                reading,
                says,
                holds: change.is_some_and(|by| if *rises { by > 0.0 } else { by < 0.0 }),
                not_for: Vec::new(),
            })
        });
        best.chain(order).collect::<Vec<Verdict>>()
    };
    Reading::ALL.into_iter().flat_map(of_reading).collect()
}

/// The numbers of concepts with which a method is not above all others.
fn not_best(points: &[&Point], method: Method, score: Score) -> Vec<usize> {
    let of = points.iter().filter(|point| point.method == method);
    let others = |concepts: usize| {
        let others = points
            .iter()
            .filter(move |p| p.concepts == concepts && p.method != method);
        others.filter_map(|point| score(point))
    };
    of.filter(|point| {
        let own = score(point);
        own.is_none_or(|own| others(point.concepts).any(|other| other >= own))
    })
    .map(|point| point.concepts)
    .collect()
}

/// From the fewest concepts to the most.
fn change(points: &[&Point], method: Method, score: Score) -> Option<f64> {
    let of = || points.iter().filter(|point| point.method == method);
    let fewest = of().min_by_key(|point| point.concepts)?;
    let most = of().max_by_key(|point| point.concepts)?;
    (fewest.concepts < most.concepts).then_some(score(most)? - score(fewest)?)
}
