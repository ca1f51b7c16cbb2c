//! Modularity: whether a code says something of one factor only (Ridgeway and Mozer 2018).

use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings};
use crate::outcome::{Flag, Outcome, constant, mean_of_defined};
use crate::problem::Checked;

use super::mutual_information::{BINS, Information, information};

/// Modularity as a measure.
pub static MODULARITY: Measure = Measure {
    name: "modularity",
    title: "Modularity",
    tells: "Whether each code says something of one factor only.",
    source: "Ridgeway and Mozer 2018; table 1 of Espinosa Zarlenga et al. (concept quality)",
    formula: "mean over codes of 1 − Σ_{j ≠ best} I(code; factor j)² / (I(code; best)² (number of factors − 1))",
    needs: &[Need::Codes, Need::Labels],
    takes: &[],
    parameters: &[Parameter {
        name: "bins",
        says: "Bins along each axis of the histograms.",
        default: BINS as f64,
        range: (2.0, 1000.0),
        whole: true,
        source: "disentanglement_lib, and Ross et al. (CHI 2021) for MIG",
    }],
    variants: &[],
    estimators: &[],
    scores: &[Score {
        name: "modularity",
        title: "Modularity",
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends(
            "far above 0 (0.2 to 0.6): a code without meaning is by chance nearest to one factor",
        ),
    }],
    cost: "Rows × codes × factors.",
    not_for: "Representations of which several codes say the same of one factor: that is no fault here. It is blind to factors that no code knows.",
    seeded: false,
    compute: measured,
};

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (codes, labels) = (inputs.needed(Need::Codes), inputs.needed(Need::Labels));
    super::agree(Checks::of(settings), codes, labels)?;
    let information = information(codes, labels, settings.parameter("bins") as usize)?;
    let of_codes = modularity(&information);
    let mut outcome = Outcome::new(&MODULARITY, settings, codes.rows());
    outcome.push("modularity", mean_of_defined(&of_codes));
    for (code, value) in of_codes.iter().enumerate() {
        outcome.push_of("modularity", Some(code.to_string()), *value);
    }
    outcome.flags.extend(constant("codes", &codes.by_column()));
    outcome
        .flags
        .extend(constant("labels", &labels.by_column()));
    if labels.columns() == 1 {
        outcome.flags.push(Flag::Undefined {
            of: "modularity".to_owned(),
            why: "with a single factor there is no other that a code could say something of",
        });
    }
    Ok(outcome)
}

/// Modularity of each code; none for a code that says nothing of any factor, and with fewer than two factors.
#[must_use]
pub fn modularity(information: &Information) -> Vec<Option<f64>> {
    let factors = information.matrix.len();
    let codes = information.matrix.first().map_or(0, Vec::len);
    let of_code = |code: usize| {
        let squares = information.matrix.iter().map(|row| row[code] * row[code]);
        let (sum, largest) = squares.fold((0.0, 0.0_f64), |(sum, largest), square| {
            (sum + square, largest.max(square))
        });
        (factors > 1 && largest > 0.0)
            .then(|| 1.0 - (sum - largest) / (largest * (factors - 1) as f64))
    };
    (0..codes).map(of_code).collect()
}
