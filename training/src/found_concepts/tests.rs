//! BotCL as a whole: it learns, goes on where it stopped, and its arrays are what bundles are made from.

use arrays::NumericArray;
use measures::discovered::activity::active;

use super::arrays::{SAMPLES, write};
use super::report::Activations;
use crate::checkpoint;
use crate::mnist::tests::write_synthetic;
use crate::recipe::Recipe;
use crate::run::{Run, Schedule};

fn begun(iterations: u64, data: &std::path::Path) -> Run {
    let recipe = Recipe::named("mnist-botcl20").unwrap();
    let schedule = Schedule {
        iterations,
        seed: 7,
        batch: 32,
        learning_rate: 3e-3,
    };
    Run::new(recipe, schedule, data).unwrap()
}

fn values(run: &Run, name: &str) -> Vec<f32> {
    let tensor = run.model.parameters[name].flatten_all().unwrap();
    tensor.to_vec1().unwrap()
}

#[test]
fn it_learns_and_every_part_of_it_does() {
    let data = tempfile::tempdir().unwrap();
    write_synthetic(&data.path().join("mnist"), 400, 100);
    let mut run = begun(160, data.path());
    let before: Vec<(String, Vec<f32>)> = run
        .model
        .parameters
        .keys()
        .map(|name| (name.clone(), values(&run, name)))
        .collect();
    let losses: Vec<f64> = (0..160).map(|_| run.step().unwrap().total()).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (first, last) = (mean(&losses[..10]), mean(&losses[150..]));
    assert!(last < 0.85 * first, "{first} to {last}");
    for (name, before) in before {
        assert_ne!(values(&run, &name), before, "{name}");
    }
    let found = Activations::of(&run, &run.split.held_out).unwrap();
    assert!(found.accuracy() >= 0.2, "{}", found.accuracy());
    assert!(
        found
            .values
            .iter()
            .flatten()
            .all(|t| (0.0..=1.0).contains(t))
    );
}

#[test]
fn a_resumed_run_takes_the_same_steps() {
    let folder = tempfile::tempdir().unwrap();
    write_synthetic(&folder.path().join("mnist"), 40, 10);
    let path = folder.path().join("run.safetensors");
    let mut whole = begun(4, folder.path());
    whole.step().unwrap();
    whole.step().unwrap();
    checkpoint::save(&whole, &path).unwrap();
    let terms = whole.step().unwrap();
    let mut resumed = begun(4, folder.path());
    checkpoint::restore(&mut resumed, &path).unwrap();
    assert_eq!(resumed.step().unwrap(), terms);
}

#[test]
fn arrays_hold_the_most_active_samples_and_their_attention() {
    let folder = tempfile::tempdir().unwrap();
    write_synthetic(&folder.path().join("mnist"), 60, 30);
    let run = begun(1, folder.path());
    let out = folder.path().join("arrays");
    write(&run, &out).unwrap();
    let read = |name: &str| {
        let bytes = std::fs::read(out.join(name)).unwrap();
        NumericArray::read(name, &bytes).unwrap()
    };
    let (pictures, maps) = (read("samples/pictures.npy"), read("samples/maps.npy"));
    let t = read("samples/activations.npy");
    let count = pictures.shape[0];
    assert!((SAMPLES..=60).contains(&count));
    assert_eq!(pictures.shape, [count, 28, 28]);
    assert_eq!(maps.shape, [count, 20, 7, 7]);
    assert_eq!(t.shape, [count, 20]);
    assert_eq!(read("pool/pictures.npy").shape, [60, 28, 28]);
    for (attention, t) in maps.values.chunks(49).zip(&t.values) {
        let sum: f64 = attention.iter().sum();
        assert!((sum.tanh() - t).abs() < 5e-3, "{sum} {t}");
    }
    let training = Activations::of(&run, &run.split.train).unwrap();
    for concept in 0..20 {
        let most = training.most_active(concept, SAMPLES);
        let least = training.values[*most.last().unwrap()][concept];
        let above = training.values.iter().filter(|v| v[concept] > least);
        assert!(above.count() < SAMPLES);
    }
    let csv = std::fs::read_to_string(out.join("samples/rows.csv")).unwrap();
    assert_eq!(csv.lines().count(), count + 1);
    assert_eq!(read("held_out/activations.npy").shape, [30, 20]);
    assert_eq!(read("held_out/class_weights.npy").shape, [10, 20]);
    // A list is read as a column.
    assert_eq!(read("held_out/class_bias.npy").shape, [10, 1]);
    assert_eq!(read("held_out/maps.npy").shape, [30, 20, 7, 7]);
}

#[test]
fn a_model_without_concepts_is_named() {
    let run = Run::new(
        Recipe::named("sinelines-ae5").unwrap(),
        Schedule::of(Recipe::named("sinelines-ae5").unwrap()),
        std::path::Path::new("nowhere"),
    )
    .unwrap();
    let Err(error) = Activations::of(&run, &[0]) else {
        panic!("it has none");
    };
    assert!(error.to_string().contains("sinelines-ae5"), "{error}");
    assert!(active(&[]).is_empty());
}
