//! Where concepts come from.

use super::ConceptCard;

/// Bundles of concepts: those of the server, or a stand-in in tests.
pub trait ConceptSource {
    /// Names of all bundles, in order.
    fn names(&self) -> Vec<String>;
    /// The card of a bundle, if there is such a bundle.
    fn card(&self, bundle: &str) -> Option<&ConceptCard>;
    /// SHA-256 in hex over all files of a bundle.
    fn sha256(&self, bundle: &str) -> Option<&str>;
    /// The values of the [`Sheet`](super::Sheet) of a concept, by its index in the card.
    fn sheet(&self, bundle: &str, concept: usize) -> Option<Vec<f32>>;
    /// The values of the sheet of the bundle's worked example, if it has one.
    fn example_sheet(&self, bundle: &str) -> Option<Vec<f32>>;
}
