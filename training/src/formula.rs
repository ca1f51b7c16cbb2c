//! Models that are formulas: nothing to train, but something to measure.

use std::path::Path;

use anyhow::{Result, bail};
use domain::model::distance::Distance;
use domain::model::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use domain::model::{Arrangement, Display, InstanceShape, ModelFacts};
use models::architecture::Architecture;
use models::bundle::BundleFiles;
use models::card::{CARD_FORMAT, Card, Provenance};
use models::closed_form::ClosedForm;
use models::sampling::{Distribution, Sampling};

use crate::publish;
use crate::recipe::{PaperDisentanglement, sinelines_task};
use crate::sinelines;

/// Names of the formulas.
pub const FORMULAS: [&str; 3] = ["sinelines-gt5", "circles", "shapes"];

/// The bundle of a formula.
///
/// # Errors
/// When there is no formula of that name.
pub fn bundle(name: &str) -> Result<BundleFiles> {
    let mut card = match name {
        "sinelines-gt5" => sinelines_card()?,
        "circles" => circles_card()?,
        "shapes" => shapes_card()?,
        _ => bail!("no formula {name}"),
    };
    publish::measure_draws(&mut card)?;
    if name == "sinelines-gt5" {
        let task = sinelines_task(Path::new(""))?;
        // Its codes are the factors themselves.
        let factors: Vec<Vec<f64>> = task
            .dataset
            .split()
            .held_out
            .iter()
            .take(publish::disentangle::ROWS)
            .map(|&row| task.dataset.factors(row as usize))
            .collect();
        let paper = PaperDisentanglement { dci: 1.0, mig: 1.0 };
        card.disentanglement = publish::disentangle::disentanglement(
            &factors,
            &factors,
            task.dataset.factor_names(),
            Some(paper),
        )?;
    }
    Ok(BundleFiles::new(&card, None, None)?)
}

fn slider(min: f64, max: f64) -> Dimension {
    Dimension::continuous(min, max, DEFAULT_STEP)
}

fn card(facts: ModelFacts, title: &str, formula: ClosedForm, draws: &[Distribution]) -> Card {
    Card {
        format: CARD_FORMAT,
        facts,
        title: title.to_owned(),
        architecture: Architecture::ClosedForm { formula },
        sampling: Sampling::Distributions {
            dimensions: draws.to_vec(),
        },
        held_out: None,
        percentiles: Vec::new(),
        measured: None,
        disentanglement: None,
        categories: None,
        storage: None,
        provenance: Provenance {
            dataset: String::new(),
            loss: None,
            seed: None,
            iterations: None,
            trained_with: None,
            date: None,
            note: None,
        },
    }
}

fn sinelines_card() -> Result<Card> {
    let task = sinelines_task(Path::new(""))?;
    let facts = ModelFacts {
        name: "sinelines-gt5".to_owned(),
        latent: LatentSpace::new(vec![
            slider(-1.0, 1.0),
            slider(-4.0, 4.0),
            slider(0.0, 10.0),
            slider(0.0, 10.0),
            slider(0.0, std::f64::consts::TAU),
        ])?,
        shape: task.shape,
        display: task.display,
        distance: task.distance.clone(),
        threshold: task.threshold,
        skip_after_s: task.skip_after_s,
        weights_sha256: String::new(),
        bundle_sha256: String::new(),
    };
    let mut card = card(
        facts,
        "Sinelines, ground truth, 5 dimensions",
        ClosedForm::Sinelines {
            x_start: sinelines::X_START,
            x_step: sinelines::X_STEP,
            points: sinelines::POINTS,
        },
        &sinelines::FACTORS,
    );
    card.provenance.dataset = task.name.to_owned();
    card.provenance.note = Some(
        "The generating formula of Ross et al. (CHI 2021): slope, intercept, amplitude, \
         frequency, phase."
            .to_owned(),
    );
    Ok(card)
}

/// Side of the pictures of practice, in pixels.
const PRACTICE_SIZE: usize = 64;

fn circles_card() -> Result<Card> {
    practice_card(
        "circles",
        "Circles, for practice",
        "The practice task of Ross et al. (CHI 2021): dial 1 is the radius, dial 2 the shade.",
        vec![slider(0.0, 1.0); 2],
        ClosedForm::Circles {
            size: PRACTICE_SIZE,
        },
        &[Distribution::Uniform { min: 0.0, max: 1.0 }; 2],
    )
}

fn shapes_card() -> Result<Card> {
    let uniform = Distribution::Uniform { min: 0.0, max: 1.0 };
    practice_card(
        "shapes",
        "Shapes, for practice with radio buttons",
        "The practice task of Ross et al. (CHI 2021) with radio buttons before it, for the figure: \
         disc, square or triangle. The paper's participants met radio buttons without having practised them.",
        vec![
            Dimension::Discrete { values: 3 },
            slider(0.0, 1.0),
            slider(0.0, 1.0),
        ],
        ClosedForm::Shapes {
            size: PRACTICE_SIZE,
        },
        &[Distribution::Choice { values: 3 }, uniform, uniform],
    )
}

fn practice_card(
    name: &str,
    title: &str,
    note: &str,
    latent: Vec<Dimension>,
    formula: ClosedForm,
    draws: &[Distribution],
) -> Result<Card> {
    let facts = ModelFacts {
        name: name.to_owned(),
        latent: LatentSpace::new(latent)?,
        shape: InstanceShape::image(PRACTICE_SIZE, PRACTICE_SIZE, 1),
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: None,
            value_range: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.02,
        skip_after_s: 30.0,
        weights_sha256: String::new(),
        bundle_sha256: String::new(),
    };
    let mut card = card(facts, title, formula, draws);
    card.provenance.dataset = name.to_owned();
    card.provenance.note = Some(note.to_owned());
    Ok(card)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the zoo ships is what these formulas say, whatever was measured since.
    #[test]
    fn cards_are_those_of_the_zoo() {
        let zoo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/zoo");
        for name in FORMULAS {
            let made = Card::from_json(&bundle(name).unwrap().card).unwrap();
            let shipped = std::fs::read(zoo.join(name).join("card.json")).unwrap();
            let shipped = Card::from_json(&shipped).unwrap();
            assert_eq!(made.facts, shipped.facts);
            assert_eq!(made.sampling, shipped.sampling);
            assert_eq!(made.architecture, shipped.architecture);
            assert_eq!(made.percentiles.len(), made.facts.latent.len());
        }
    }

    #[test]
    fn the_true_factors_are_disentangled() {
        let card = Card::from_json(&bundle("sinelines-gt5").unwrap().card).unwrap();
        let found = card.disentanglement.unwrap();
        assert!(found.mig.unwrap() > 0.9 && found.dci > 0.95, "{found:?}");
        // The 5th percentile of U(−1, 1) is −0.9, of an exponential −ln 0.95.
        let p = card.percentiles[0].unwrap();
        assert!((p.p5 + 0.9).abs() < 0.02 && (p.p95 - 0.9).abs() < 0.02);
        let p = card.percentiles[2].unwrap();
        assert!((p.p5 - 0.051).abs() < 0.011 && (p.p95 - 2.996).abs() < 0.15);
    }
}
