use super::*;
use crate::checkpoint;
use crate::mnist::tests::write_synthetic;

fn tiny(name: &str, iterations: u64) -> Run {
    let recipe = Recipe::named(name).unwrap();
    Run::new(
        recipe,
        Schedule {
            iterations,
            seed: 7,
            batch: 8,
            learning_rate: 1e-3,
        },
        Path::new("nowhere"),
    )
    .unwrap()
}

fn weights(run: &Run) -> Vec<Vec<f32>> {
    run.model
        .parameters
        .values()
        .map(|p| p.flatten_all().unwrap().to_vec1().unwrap())
        .collect()
}

#[test]
fn losses_go_down() {
    for name in ["sinelines-ae5", "sinelines-vae5", "dsprites-gt5"] {
        let mut run = tiny(name, 60);
        let losses: Vec<f64> = (0..60).map(|_| run.step().unwrap().total()).collect();
        let mean = |part: &[f64]| part.iter().sum::<f64>() / 10.0;
        let (first, last) = (mean(&losses[..10]), mean(&losses[50..]));
        assert!(last < 0.9 * first, "{name}: {first} to {last}");
        assert!(run.is_done());
    }
}

#[test]
fn a_resumed_run_ends_where_an_uninterrupted_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nested/run.safetensors");
    let mut whole = tiny("sinelines-vae5", 12);
    while !whole.is_done() {
        whole.step().unwrap();
        if whole.iteration == 5 {
            checkpoint::save(&whole, &path).unwrap();
        }
    }
    let mut resumed = tiny("sinelines-vae5", 12);
    checkpoint::restore(&mut resumed, &path).unwrap();
    assert_eq!(resumed.iteration, 5);
    while !resumed.is_done() {
        resumed.step().unwrap();
    }
    assert_eq!(weights(&resumed), weights(&whole));
}

#[test]
fn infogan_too_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    write_synthetic(&folder.path().join("mnist"), 40, 10);
    let recipe = Recipe::named("mnist-ig5").unwrap();
    let schedule = Schedule {
        iterations: 3,
        seed: 7,
        batch: 4,
        learning_rate: 1e-3,
    };
    let fresh = || Run::new(recipe, schedule, folder.path()).unwrap();
    let mut whole = fresh();
    whole.step().unwrap();
    whole.step().unwrap();
    checkpoint::save(&whole, &path).unwrap();
    assert!(!checkpoint::is_finished(&path).unwrap());
    let terms = whole.step().unwrap();
    let mut resumed = fresh();
    checkpoint::restore(&mut resumed, &path).unwrap();
    assert_eq!(resumed.step().unwrap(), terms);
    assert_eq!(weights(&resumed), weights(&whole));
    // Both players learn, and the running statistics move.
    let initial = fresh();
    for name in [
        "decoder.dense1.weight",
        "discriminator.dense2.weight",
        "recogniser.dense2.bias",
        "decoder.norm1.running_mean",
    ] {
        let values = |run: &Run| -> Vec<f32> {
            let tensor = run.model.parameters[name].flatten_all().unwrap();
            tensor.to_vec1().unwrap()
        };
        assert_ne!(values(&whole), values(&initial), "{name}");
    }
    checkpoint::save(&whole, &path).unwrap();
    assert!(checkpoint::is_finished(&path).unwrap());
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    checkpoint::save(&tiny("sinelines-ae5", 12), &path).unwrap();
    for mut other in [tiny("sinelines-ae5", 13), tiny("sinelines-vae5", 12)] {
        let error = checkpoint::restore(&mut other, &path)
            .unwrap_err()
            .to_string();
        assert!(error.contains("another run"), "{error}");
    }
}
