//! An explanation of a last layer, made from codes and classes alone: what the reliability cards of measures of
//! faithfulness are made on where nobody has an explanation of their own.

use super::sanity::with_fitted_layer;
use crate::array::Array;
use crate::discovered::components::components;
use crate::inputs::{Inputs, Need};

/// Concepts of the explanation.
pub const CONCEPTS: usize = 5;

/// Adds an explanation of a last layer that tells the task's classes from the codes: weights and bias of a logistic
/// regression ([`with_fitted_layer`]); as outputs what it says before the softmax; as directions the first `concepts`
/// principal components of the codes, the same for every class; as importance of a concept for a class how far the
/// class's weights point its way, w · v. Fewer concepts than codes make an explanation that is good and not perfect.
///
/// Inputs come back as they are where no layer is fitted, and where there are fewer codes than concepts.
#[must_use]
pub fn with_explained_layer(inputs: Inputs<'_>, concepts: usize) -> Inputs<'_> {
    let fitted = with_fitted_layer(inputs.clone());
    explained(&fitted, concepts).map_or(inputs, |[directions, importances, outputs]| {
        fitted
            .with(Need::Directions, directions)
            .with(Need::Importances, importances)
            .with(Need::Outputs, outputs)
    })
}

/// Directions, importances and outputs.
fn explained(inputs: &Inputs, concepts: usize) -> Option<[Array; 3]> {
    let codes = inputs.get(Need::Codes)?;
    let (weights, bias) = (inputs.get(Need::Weights)?, inputs.get(Need::Bias)?);
    let (classes, vectors) = (weights.columns(), components(codes, concepts)?.directions);
    let of_class = |row: &[f64], class: usize| -> f64 {
        let pairs = row.iter().zip(weights.column(class));
        pairs.map(|(value, weight)| value * weight).sum()
    };
    let directions = (0..classes).flat_map(|_| vectors.values().iter().copied());
    let importances = (0..classes)
        .flat_map(|class| (0..concepts).map(move |concept| (class, concept)))
        .map(|(class, concept)| of_class(vectors.row(concept), class));
    let outputs = (0..codes.rows())
        .flat_map(|row| (0..classes).map(move |class| (row, class)))
        .map(|(row, class)| of_class(codes.row(row), class) + bias.values()[class]);
    Some([
        Array::new(
            vec![classes, concepts, codes.columns()],
            directions.collect(),
        )?,
        Array::new(vec![classes, concepts], importances.collect())?,
        Array::new(vec![codes.rows(), classes], outputs.collect())?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faithfulness::surf::SURF;
    use crate::measure::Request;
    use crate::random::Random;

    fn made_up() -> Inputs<'static> {
        let mut random = Random::new(5, 0);
        let codes = (0..300).flat_map(|row| {
            let corner = [row % 2, row / 2 % 2, row % 3];
            corner.map(|at| at as f64 + 0.4 * random.normal())
        });
        let codes = Array::new(vec![100 * 3, 3], codes.collect()).unwrap();
        let task = (0..300).map(|row| (row % 4) as f64).collect();
        Inputs::default()
            .with(Need::Codes, codes)
            .with(Need::Task, Array::new(vec![300], task).unwrap())
    }

    #[test]
    fn all_components_explain_the_layer_in_full_and_fewer_do_not() {
        let error = |concepts: usize| {
            let inputs = with_explained_layer(made_up(), concepts);
            let outcome = SURF.run(&inputs, &Request::default()).unwrap();
            outcome.value("surf_mae").unwrap()
        };
        assert!(error(3) < 1e-9, "{}", error(3));
        assert!(error(2) > 0.01, "{}", error(2));
    }

    #[test]
    fn what_cannot_be_explained_comes_back_as_it_is() {
        assert!(!with_explained_layer(made_up(), 4).has(Need::Directions));
        let codes = Array::new(vec![2, 1], vec![1.0, 2.0]).unwrap();
        let without = Inputs::default().with(Need::Codes, codes);
        assert!(!with_explained_layer(without, 1).has(Need::Outputs));
    }
}
