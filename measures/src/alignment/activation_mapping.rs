//! Concept activation mapping (CoAM): where in an image a concept is active.

use crate::array::Array;

/// Concept activation maps F_j = (1/d) Σ over channels k of c_jk E(·,·,k).
///
/// `features` are the maps of one image before global average pooling, height × width × channels; `vectors` the
/// concept vectors, concepts × channels. The result is concepts × height × width. The mean of a map is the product
/// of the concept vector and the pooled features, divided by the number of channels d. Panics when the channels are
/// not as many, or `features` has not three axes.
#[must_use]
pub fn activation_maps(features: &Array, vectors: &Array) -> Array {
    let &[height, width, channels] = features.shape() else {
        panic!("features are height × width × channels");
    };
    assert_eq!(vectors.columns(), channels, "an entry for each channel");
    let mut values = Vec::with_capacity(vectors.rows() * height * width);
    for concept in 0..vectors.rows() {
        let vector = vectors.row(concept);
        values.extend(features.values().chunks(channels).map(|position| {
            let product: f64 = position.iter().zip(vector).map(|(e, c)| e * c).sum();
            product / channels as f64
        }));
    }
    Array::new(vec![vectors.rows(), height, width], values).expect("a value at each position")
}
