//! Runs of every kind become bundles; cards are measured over every held-out row.

use std::path::Path;

use domain::model::latent::Dimension;
use models::bundle::Bundle;

use super::*;
use crate::data::Rows;
use crate::mnist::tests::write_synthetic;
use crate::recipe::Recipe;
use crate::run::Schedule;

#[test]
fn a_run_of_every_kind_becomes_a_bundle() {
    let out = tempfile::tempdir().unwrap();
    let data = tempfile::tempdir().unwrap();
    write_synthetic(&data.path().join("mnist"), 40, 30);
    for (name, held_out) in [
        ("sinelines-ae5", 300),
        ("sinelines-vae5", 1200),
        ("dsprites-vae5", 5),
        ("dsprites-gt5", 5),
        ("mnist-ss5", 30),
        ("mnist-botcl20", 30),
    ] {
        let schedule = Schedule {
            iterations: 1,
            seed: 3,
            batch: 4,
            learning_rate: 1e-3,
        };
        let recipe = Recipe::named(name).unwrap();
        let mut run = Run::new(recipe, schedule, data.path()).unwrap();
        run.split.held_out.truncate(held_out);
        run.step().unwrap();
        let made = bundle(&run, held_out, Some("2026-01-01".to_owned())).unwrap();
        let folder = made.write(out.path()).unwrap();
        let read = Bundle::read(&folder).unwrap();
        assert_eq!(read.held_out().len(), held_out.min(1000));
        let card = read.card();
        assert_eq!(card.percentiles.len(), card.facts.latent.len());
        let found = card.held_out.clone().unwrap();
        assert_eq!(found.instances, held_out);
        assert_eq!(
            found.squared_error_of_means.is_some(),
            recipe.objective.is_variational()
        );
        assert!(card.storage.is_some());
        let disentangled = card.disentanglement.as_ref().map(|d| d.instances);
        let expected = (!name.starts_with("mnist")).then_some(held_out);
        assert_eq!(disentangled, expected);
        // The bundle decodes what the model decodes, as far as its gate lets it.
        let z = &read.held_out()[0];
        let row = Rows::of(&*run.task.dataset, &run.split.held_out[..1]);
        let trained = run.model.trained().unwrap();
        let mean = trained.encode(&row).unwrap().mean;
        let input = run.model.decoder_input(&mean, &row.labels).unwrap();
        let expected = trained.decode(&input).unwrap();
        let expected: Vec<f32> = expected.flatten_all().unwrap().to_vec1().unwrap();
        for (a, b) in read.decoder().decode(z).unwrap().iter().zip(&expected) {
            assert!((a - b).abs() < 0.08, "{name}: {a} is not {b}");
        }
    }
}

/// A run that has trained on one batch, with `held_out` rows held out.
fn begun(name: &str, held_out: usize, data: &Path) -> Run {
    let schedule = Schedule {
        iterations: 1,
        seed: 3,
        batch: 4,
        learning_rate: 1e-3,
    };
    let mut run = Run::new(Recipe::named(name).unwrap(), schedule, data).unwrap();
    run.split.held_out.truncate(held_out);
    run.step().unwrap();
    run
}

/// The smallest and the largest value of each column.
fn extremes(rows: &[Vec<f32>]) -> Vec<(f64, f64)> {
    let ends = |i: usize| {
        let column = || rows.iter().map(move |z| f64::from(z[i]));
        (
            column().fold(f64::INFINITY, f64::min),
            column().fold(f64::NEG_INFINITY, f64::max),
        )
    };
    (0..rows[0].len()).map(ends).collect()
}

#[test]
fn ranges_and_percentiles_are_those_of_every_held_out_row() {
    let out = tempfile::tempdir().unwrap();
    let run = begun("sinelines-vae5", 1400, Path::new("nowhere"));
    // Pictures are compared on fewer rows than are shipped, and those are fewer than all.
    let made = bundle(&run, 500, None).unwrap();
    let card = Card::from_json(&made.files.card).unwrap();
    let trained = run.model.trained().unwrap();
    let latents = encoder::encode(&run, &trained, &run.split.held_out).unwrap();
    let of_all = extremes(&latents);
    assert_ne!(
        of_all,
        extremes(&latents[..SHIPPED_LATENTS]),
        "the rows that are not shipped must matter here"
    );
    for (dimension, (least, most)) in card.facts.latent.dimensions().iter().zip(&of_all) {
        let Dimension::Continuous { min, max, step } = *dimension else {
            panic!("a choice");
        };
        assert!(min <= *least && *least < min + step, "{min} for {least}");
        assert!(max - step < *most && *most <= max, "{max} for {most}");
    }
    assert_eq!(
        card.percentiles,
        percentiles(&wide(&latents), &card.facts.latent)
    );
    assert_eq!(card.measured.as_ref().unwrap().rows, 1400);
    assert_eq!(card.held_out.as_ref().unwrap().instances, 500);
    let folder = made.write(out.path()).unwrap();
    let read = Bundle::read(&folder).unwrap();
    assert_eq!(read.held_out().len(), SHIPPED_LATENTS);
}

#[test]
fn a_card_is_measured_again_with_the_encoder_that_was_kept() {
    let out = tempfile::tempdir().unwrap();
    let data = tempfile::tempdir().unwrap();
    write_synthetic(&data.path().join("mnist"), 40, 30);
    for name in [
        "sinelines-vae5",
        "mnist-ss5",
        "mnist-botcl20",
        "dsprites-gt5",
    ] {
        let run = begun(name, 25, data.path());
        let made = bundle(&run, 10, None).unwrap();
        let folder = made.write(out.path()).unwrap();
        let card = Card::from_json(&made.files.card).unwrap();
        assert_eq!(made.encoder.is_some(), name != "dsprites-gt5");
        // A card as it was before: too narrow, and of an older format.
        let mut old = card.clone();
        old.percentiles.clear();
        let mut again = old.clone();
        let fresh = Run::new(run.recipe, run.schedule, data.path()).map(|mut fresh| {
            fresh.split.held_out.truncate(25);
            fresh
        });
        remeasure::measure_run(&mut again, &fresh.unwrap(), &folder).unwrap();
        assert_eq!(again, card, "{name}");
    }
}

#[test]
fn another_encoder_and_none_are_refused() {
    let out = tempfile::tempdir().unwrap();
    let run = begun("sinelines-ae5", 25, Path::new("nowhere"));
    let made = bundle(&run, 10, None).unwrap();
    let folder = made.write(out.path()).unwrap();
    let mut card = Card::from_json(&made.files.card).unwrap();
    let path = folder.join(ENCODER_FILE);
    let other = begun("sinelines-ae5", 25, Path::new("nowhere"));
    let bias = &other.model.parameters["encoder.dense1.bias"];
    bias.set(&bias.affine(1.0, 1.0).unwrap()).unwrap();
    std::fs::write(&path, encoder::keep(&other).unwrap().unwrap()).unwrap();
    let error = remeasure::measure_run(&mut card, &run, &folder).unwrap_err();
    assert!(error.to_string().contains("SHA-256"), "{error:#}");
    std::fs::remove_file(&path).unwrap();
    let error = remeasure::measure_run(&mut card, &run, &folder).unwrap_err();
    assert!(error.to_string().contains("trained again"), "{error:#}");
}

#[test]
fn a_formula_is_measured_again_by_drawing() {
    let out = tempfile::tempdir().unwrap();
    let made = crate::formula::bundle("circles").unwrap();
    let folder = made.write(out.path(), true).unwrap();
    let again = remeasure::remeasure(&folder, Path::new("nowhere")).unwrap();
    assert_eq!(again.card, made.card);
}
