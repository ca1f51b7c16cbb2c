//! The measures that there are. A measure is declared in the module that computes it, and named here.

use crate::alignment::{existence, global_importance, location};
use crate::concept_quality::{leakage, niche_measure, niche_released, oracle_impurity, overall};
use crate::discovered::{coverage, naming, saliency};
use crate::disentanglement;
use crate::faithfulness::{agreement, cshap, sanity_check, surf};
use crate::measure::Measure;
use crate::{monosemanticity, perturbation};

/// All measures, in the order in which lists show them.
pub const MEASURES: &[&Measure] = &[
    &disentanglement::mutual_information::MIG,
    &disentanglement::dci::DCI,
    &disentanglement::sap::SAP,
    &disentanglement::modularity::MODULARITY,
    &disentanglement::explicitness::EXPLICITNESS,
    &disentanglement::alignment::ALIGNMENT,
    &disentanglement::infomec::INFOMEC,
    &oracle_impurity::OIS,
    &niche_measure::NICHE,
    &niche_released::NICHE_RELEASED,
    &overall::CONCEPT_AUC,
    &overall::TASK_AUC,
    &leakage::LEAKAGE,
    &monosemanticity::MONOSEMANTICITY,
    &perturbation::SELECTIVITY,
    &coverage::SHAPE_COVERAGE,
    &naming::measures::CDR,
    &naming::measures::CC,
    &naming::measures::MIC,
    &naming::measures::TERM_AGREEMENT,
    &saliency::insertion_deletion::IAUC,
    &saliency::insertion_deletion::DAUC,
    &saliency::robustness::STABILITY,
    &saliency::robustness::INFIDELITY,
    &global_importance::CGIM,
    &existence::CEM,
    &location::CLM,
    &surf::SURF,
    &surf::ICE,
    &cshap::CSHAP,
    &surf::PARSIMONY,
    &agreement::SURROGATE_AGREEMENT,
    &sanity_check::FAITHFULNESS_SANITY,
];

/// Whether a measure reads labels as numbers, whatever they are, and not as classes: the true value of each factor
/// then says more than the class that it falls into.
#[must_use]
pub fn reads_values(measure: &Measure) -> bool {
    [
        disentanglement::mutual_information::MIG.name,
        disentanglement::dci::DCI.name,
        disentanglement::sap::SAP.name,
        disentanglement::modularity::MODULARITY.name,
    ]
    .contains(&measure.name)
}

/// Where a reading of a formula comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The paper's text.
    Printed,
    /// The code that its authors released.
    Released,
}

impl Origin {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Released => "released",
        }
    }
}

/// Variants of measures that are what a paper prints, or what its code computes.
const ORIGINS: [(&str, Origin, &str); 8] = [
    ("dci", Origin::Printed, "as-published"),
    ("ois", Origin::Printed, "printed"),
    ("ois", Origin::Released, "released"),
    ("niche", Origin::Printed, "printed"),
    ("nis-released", Origin::Released, "concept-quality"),
    ("shape-coverage", Origin::Printed, "printed"),
    ("shape-coverage", Origin::Released, "released"),
    ("cc", Origin::Printed, "literal"),
];

/// The variant of a measure that comes from a paper's text, or from its code; none where no variant does, or it is not
/// known to differ from the default.
#[must_use]
pub fn variant_of(measure: &Measure, origin: Origin) -> Option<&'static str> {
    let mut all = ORIGINS.iter();
    let found = all.find(|(name, of, _)| *name == measure.name && *of == origin);
    found.map(|(_, _, variant)| *variant)
}

/// The measure of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Measure> {
    MEASURES
        .iter()
        .copied()
        .find(|measure| measure.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;
    use crate::inputs::{Inputs, Need};
    use crate::measure::Request;
    use crate::random::Random;

    #[test]
    fn variants_with_an_origin_are_there() {
        for (name, _, variant) in ORIGINS {
            let variants = find(name).expect("a measure").variants;
            assert!(
                variants.iter().any(|it| it.name == variant),
                "{name} {variant}"
            );
        }
    }

    #[test]
    fn measures_that_read_values_take_them_and_no_other_does() {
        let mut random = Random::new(1, 0);
        let mut drawn = |rows: usize| {
            let values = (0..2 * rows).map(|_| random.normal()).collect();
            Array::new(vec![rows, 2], values).expect("two columns")
        };
        let inputs = Inputs::default()
            .with(Need::Codes, drawn(60))
            .with(Need::Labels, drawn(60));
        let of_both = |measure: &&&Measure| measure.needs == [Need::Codes, Need::Labels];
        for measure in MEASURES.iter().filter(of_both) {
            let takes = measure.run(&inputs, &Request::default()).is_ok();
            assert_eq!(takes, reads_values(measure), "{}", measure.name);
        }
    }
}
