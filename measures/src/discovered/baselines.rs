//! Attention of concepts that are clusters or principal components of features (supplement of BotCL, section 2.3).
//!
//! Features are positions × entries, concepts are concepts × entries, attention is concepts × positions.
//! [`super::attention::activations`] makes the activations of a whole image from it.

use crate::array::Array;

/// Attention of clusters: exp(−‖feature − centre‖), 1 at the centre itself.
///
/// Panics when features and centres differ in their entries, as the functions below do.
#[must_use]
pub fn cluster_attention(features: &Array, centres: &Array) -> Array {
    each(features, centres, |feature, centre| {
        (-distance(feature, centre)).exp()
    })
}

/// Attention of clusters as the released code has it: 1 where a centre is the nearest one of its position, else 0.
/// Of centres equally near the first one has it.
#[must_use]
pub fn nearest_cluster(features: &Array, centres: &Array) -> Array {
    let nearest: Vec<usize> = (0..features.rows())
        .map(|position| {
            let to = |centre: usize| distance(features.row(position), centres.row(centre));
            (1..centres.rows()).fold(
                0,
                |best, next| if to(next) < to(best) { next } else { best },
            )
        })
        .collect();
    owned(&nearest, features, centres)
}

/// Attention of principal components: the absolute cosine of component and feature, from which `mean`, the mean of
/// all training features, is taken away. Without a direction (a feature that is the mean, a component of zeros) it
/// is 0.
#[must_use]
pub fn component_attention(features: &Array, mean: &[f64], components: &Array) -> Array {
    assert_eq!(mean.len(), components.columns(), "a mean for each entry");
    each(features, components, |feature, component| {
        let centred: Vec<f64> = feature.iter().zip(mean).map(|(f, m)| f - m).collect();
        let product: f64 = centred.iter().zip(component).map(|(a, b)| a * b).sum();
        let lengths = norm(&centred) * norm(component);
        if lengths > 0.0 {
            (product / lengths).abs()
        } else {
            0.0
        }
    })
}

/// Attention of principal components as the released code has it: 1 where the absolute product of a component with the
/// standardised feature is the largest one of its position, else 0. Of equals the first one has it. `mean` and
/// `deviations` are those of the training features; an entry that does not vary there tells nothing.
#[must_use]
pub fn largest_component(
    features: &Array,
    mean: &[f64],
    deviations: &[f64],
    components: &Array,
) -> Array {
    assert_eq!(mean.len(), components.columns(), "a mean for each entry");
    assert_eq!(mean.len(), deviations.len(), "a deviation for each entry");
    let product = |feature: &[f64], component: &[f64]| {
        let standardised = feature.iter().zip(mean).zip(deviations);
        let standardised = standardised.map(|((f, m), d)| if *d > 0.0 { (f - m) / d } else { 0.0 });
        let product: f64 = standardised.zip(component).map(|(a, b)| a * b).sum();
        product.abs()
    };
    let products = each(features, components, product);
    let largest = |position: usize| {
        let at = |component| products.row(component)[position];
        (1..components.rows()).fold(
            0,
            |best, next| if at(next) > at(best) { next } else { best },
        )
    };
    let largest: Vec<usize> = (0..features.rows()).map(largest).collect();
    owned(&largest, features, components)
}

fn each(features: &Array, concepts: &Array, value: impl Fn(&[f64], &[f64]) -> f64) -> Array {
    let mut values = Vec::with_capacity(concepts.rows() * features.rows());
    for concept in 0..concepts.rows() {
        for position in 0..features.rows() {
            values.push(value(features.row(position), concepts.row(concept)));
        }
    }
    shaped(values, features, concepts)
}

/// 1 where a concept has a position, else 0.
fn owned(owners: &[usize], features: &Array, concepts: &Array) -> Array {
    let of = |concept| owners.iter().map(move |&owner| f64::from(owner == concept));
    shaped(
        (0..concepts.rows()).flat_map(of).collect(),
        features,
        concepts,
    )
}

fn shaped(values: Vec<f64>, features: &Array, concepts: &Array) -> Array {
    Array::new(vec![concepts.rows(), features.rows()], values).expect("a value for each pair")
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(
        a.len(),
        b.len(),
        "features and concepts have the same entries"
    );
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum::<f64>().sqrt()
}
