//! The kept results of training, so that the tables can be made again: features of pictures, what was found in
//! features, and BotCL's attention.

use super::{Concepts, Method};
use crate::array::Array;
use crate::discovered::baselines::{
    cluster_attention, component_attention, largest_component, nearest_cluster,
};

/// Features of the classifier that everything began with, and what a component looks at them with.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptFeatures {
    /// Features of pictures: pictures × positions × entries. The positions are those of a square, in reading order.
    pub features: Array,
    /// The mean of each entry over training features.
    pub mean: Vec<f64>,
    /// The standard deviation of each.
    pub deviations: Vec<f64>,
}

/// The kept results for one number of concepts.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptConcepts {
    /// BotCL's attention: pictures × concepts × rows × columns.
    pub maps: Array,
    /// Centres of clusters: concepts × entries.
    pub centres: Array,
    /// Principal components: concepts × entries.
    pub components: Array,
    /// Linear classifiers (labels × (1 + concepts)) in the order of [`Method::ALL`].
    pub classifiers: [Array; 3],
}

impl KeptFeatures {
    /// Attention of all three methods.
    ///
    /// # Panics
    /// When the positions of features are not those of `kept.maps`, or entries differ.
    #[must_use]
    pub fn concepts(&self, kept: &KeptConcepts) -> Vec<Concepts> {
        let shape = kept.maps.shape();
        let clusters = |features: &Array| cluster_attention(features, &kept.centres);
        let nearest = |features: &Array| nearest_cluster(features, &kept.centres);
        let components =
            |features: &Array| component_attention(features, &self.mean, &kept.components);
        let largest = |features: &Array| {
            largest_component(features, &self.mean, &self.deviations, &kept.components)
        };
        let [botcl, k_means, pca] = kept.classifiers.clone();
        let of = |method, printed, released, classifier| Concepts {
            method,
            printed,
            released,
            classifier,
        };
        vec![
            of(Method::Botcl, kept.maps.clone(), kept.maps.clone(), botcl),
            of(
                Method::KMeans,
                self.each(shape, clusters),
                self.each(shape, nearest),
                k_means,
            ),
            of(
                Method::Pca,
                self.each(shape, components),
                self.each(shape, largest),
                pca,
            ),
        ]
    }

    /// What `attention` makes of each picture's features, as maps of this shape.
    fn each(&self, shape: &[usize], attention: impl Fn(&Array) -> Array) -> Array {
        let positions = self.features.shape()[1..].to_vec();
        let mut values = Vec::with_capacity(shape.iter().product());
        for row in 0..self.features.rows() {
            let features = Array::new(positions.clone(), self.features.row(row).to_vec());
            let features = features.expect("the features of a picture");
            values.extend_from_slice(attention(&features).values());
        }
        Array::new(shape.to_vec(), values).expect("a value for each concept and position")
    }
}
