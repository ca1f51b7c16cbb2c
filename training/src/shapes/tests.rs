//! Runs on the shapes as a whole: they learn, go on where they stopped, and their arrays make a table.

use std::collections::BTreeMap;

use arrays::NumericArray;
use candle_core::{Device, Tensor, Var};
use measures::array::Array;
use measures::experiments::shape_concepts::{
    KeptConcepts, KeptFeatures, Method, shape_concepts, verdicts,
};
use models::kept_shapes::{AboutShapes, ShapesFiles};

use super::kept_arrays::{self, Extents};
use super::pictures::DATA;
use super::run::{ShapesRun, Stage};
use crate::run::Schedule;

fn begun(stage: Stage, iterations: u64, from: Option<&ShapesRun>) -> ShapesRun {
    let schedule = Schedule {
        iterations,
        batch: 16,
        ..stage.schedule(3)
    };
    ShapesRun::new(stage, schedule, from).unwrap()
}

fn values(parameters: &BTreeMap<String, Var>) -> BTreeMap<String, Vec<f32>> {
    let of = |(name, var): (&String, &Var)| {
        let values = var.flatten_all().unwrap().to_vec1().unwrap();
        (name.clone(), values)
    };
    parameters.iter().map(of).collect()
}

#[test]
fn it_learns_and_the_first_layers_stay() {
    let mut plain = begun(Stage::Classifier, 60, None);
    let before = values(&plain.parameters);
    let losses: Vec<f64> = (0..60).map(|_| plain.step().unwrap().total()).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (first, last) = (mean(&losses[..10]), mean(&losses[50..]));
    assert!(last < 0.95 * first, "{first} to {last}");
    for (name, after) in values(&plain.parameters) {
        assert_ne!(before[&name], after, "{name}");
    }
    let mut botcl = begun(Stage::Concepts(4), 40, Some(&plain));
    let before = values(&botcl.parameters);
    for (name, features) in values(&plain.parameters) {
        if name.starts_with("features.") {
            assert_eq!(before[&name], features, "{name}");
        }
    }
    let first = botcl.step().unwrap();
    for _ in 1..40 {
        botcl.step().unwrap();
    }
    assert!(first.get("contrast").is_some() && first.get("distinctiveness").is_some());
    for (name, after) in values(&botcl.parameters) {
        let fixed = ["features.conv1.", "features.conv2."];
        let stays = fixed.iter().any(|prefix| name.starts_with(prefix));
        assert_eq!(before[&name] == after, stays, "{name}");
    }
}

#[test]
fn a_resumed_run_takes_the_same_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.safetensors");
    let mut whole = begun(Stage::Concepts(3), 4, None);
    whole.step().unwrap();
    whole.step().unwrap();
    whole.save(&path).unwrap();
    let terms = whole.step().unwrap();
    let mut resumed = begun(Stage::Concepts(3), 4, None);
    resumed.restore(&path).unwrap();
    assert_eq!(resumed.step().unwrap(), terms);
    let mut other = begun(Stage::Concepts(5), 4, None);
    let error = other.restore(&path).unwrap_err().to_string();
    assert!(
        error.contains("shapes-botcl3") && error.contains("shapes-botcl5"),
        "{error}"
    );
}

/// Concepts begin almost absent: at a score of 0 their activations would all be 1, and nothing would move them.
#[test]
fn concepts_begin_where_their_activations_have_a_slope() {
    let run = begun(Stage::Concepts(6), 1, None);
    let responses = run.responses(&[0, 1, 2]).unwrap();
    assert_eq!(responses.maps.len(), 3 * 6 * 49);
    for t in responses.activations.iter().flatten() {
        assert!((0.2..0.98).contains(t), "{t}");
    }
    assert!(begun(Stage::Classifier, 1, None).responses(&[0]).is_err());
    assert!(run.features(&[0]).is_err());
    assert!(ShapesRun::new(Stage::Concepts(0), run.schedule, None).is_err());
}

#[test]
fn arrays_make_the_table() {
    let plain = begun(Stage::Classifier, 1, None);
    let botcl = [2, 3].map(|k| begun(Stage::Concepts(k), 1, Some(&plain)));
    let extents = Extents {
        clustered: 4,
        fitted: 20,
        held_out: 12,
        kept: 10,
    };
    let files = kept_arrays::files(&plain, &botcl, extents, vec!["a test".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    kept_arrays::write(&files, folder.path()).unwrap();
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let about: AboutShapes = serde_json::from_slice(&bytes("about.json")).unwrap();
    assert_eq!((about.concepts.clone(), about.pictures), (vec![2, 3], 10));
    let array = |name: &str| {
        let read = NumericArray::read(name, &bytes(name)).unwrap();
        Array::new(read.shape, read.values).unwrap()
    };
    let scale = array("scale.npy");
    let features = KeptFeatures {
        features: array("features.npy"),
        mean: scale.row(0).to_vec(),
        deviations: scale.row(1).to_vec(),
    };
    let mut all = Vec::new();
    for (&k, run) in about.concepts.iter().zip(&botcl) {
        let names = ShapesFiles::of(k);
        let kept = KeptConcepts {
            maps: array(&names.maps),
            centres: array(&names.centres),
            components: array(&names.components),
            classifiers: names.classifiers.map(|name| array(&name)),
        };
        let responses = run
            .responses(&(18_000..18_010).collect::<Vec<_>>())
            .unwrap();
        for (kept, seen) in kept.maps.values().iter().zip(&responses.maps) {
            assert!((kept - f64::from(*seen)).abs() < 1e-3, "{kept} {seen}");
        }
        all.extend(features.concepts(&kept));
    }
    let scenes: Vec<_> = (0..10).map(|row| DATA.scene(about.first + row)).collect();
    let points = shape_concepts(&all, DATA, &scenes, 1, |_| ());
    assert_eq!(points.len(), 12);
    // Accuracies of the pictures that are kept are those of the file but for two pictures that are not.
    for (place, method) in Method::ALL.iter().enumerate() {
        let point = points
            .iter()
            .find(|p| p.method == *method && p.concepts == 2);
        let (kept, file) = (point.unwrap().accuracy, about.accuracy[0][place]);
        assert!(
            (kept - file).abs() < 2.0 / 12.0,
            "{method:?}: {kept} {file}"
        );
    }
    assert_eq!(verdicts(&points).len(), 18);
}

/// Gradients of BotCL's whole loss on the shapes against central differences, through features, keys, queries and
/// classes: in f32, so loosely.
#[test]
fn gradients_agree_with_differences() {
    let run = begun(Stage::Concepts(3), 1, None);
    let loss = || run.loss_of(&[0, 1, 2, 3]).unwrap();
    let grads = loss().backward().unwrap();
    for name in [
        "features.conv3.weight",
        "narrow.weight",
        "keys1.weight",
        "queries.weight",
        "classes.weight",
    ] {
        let var = &run.parameters[name];
        let grad: Vec<f32> = grads
            .get(var)
            .unwrap()
            .flatten_all()
            .unwrap()
            .to_vec1()
            .unwrap();
        let start: Vec<f32> = var.flatten_all().unwrap().to_vec1().unwrap();
        // The entry that the loss depends on most.
        let place = (0..grad.len())
            .max_by(|&a, &b| grad[a].abs().total_cmp(&grad[b].abs()))
            .unwrap();
        let moved = |by: f32| {
            let mut values = start.clone();
            values[place] += by;
            let moved = Tensor::from_vec(values, var.dims(), &Device::Cpu).unwrap();
            var.set(&moved).unwrap();
            f64::from(loss().to_scalar::<f32>().unwrap())
        };
        let step = 5e-3;
        let numeric = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
        moved(0.0);
        let own = f64::from(grad[place]);
        assert!(
            (numeric - own).abs() < 0.03 * own.abs() + 1e-4,
            "{name}: {numeric} {own}"
        );
    }
}
