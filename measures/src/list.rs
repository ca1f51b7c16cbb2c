//! The measures that there are. A measure is declared in the module that computes it, and named here.

use crate::disentanglement;
use crate::measure::Measure;

/// All measures, in the order in which lists show them.
pub const MEASURES: &[&Measure] = &[&disentanglement::mutual_information::MIG];

/// The measure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Measure> {
    MEASURES
        .iter()
        .copied()
        .find(|measure| measure.name == name)
}
