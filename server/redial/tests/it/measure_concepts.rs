//! Concept activation maps, and figures of measures, as people make them.

use std::path::Path;

use crate::measure_tables::{run, text};

/// Writes an array as numpy does.
fn save(folder: &Path, name: &str, shape: &[usize], values: &[f32]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, arrays::f32_as_npy(shape, values)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn maps_are_made_of_features() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, shape: &[usize], values: &[f32]| save(folder.path(), name, shape, values);
    // Two images of 1 × 2 positions and three channels.
    let last = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let features = at("last.npy", &[2, 1, 2, 3], &last);
    let first = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0];
    let turned = at("first.npy", &[2, 3, 1, 2], &first);
    let vectors = at("vectors.npy", &[1, 3], &[3.0, 0.0, -3.0]);
    let out = folder.path().join("maps.npy");
    let read = || {
        let bytes = std::fs::read(&out).unwrap();
        arrays::NumericArray::read("maps", &bytes).unwrap()
    };
    // python3 -c "import numpy as np; e = np.array([[1, 2, 3], [4, 5, 6], [0, 1, 0], [1, 0, 1]]); print(e @ [3, 0, -3] / 3)"
    let expected = [-2.0, -2.0, 0.0, 0.0];
    for (features, more) in [(&features, &[][..]), (&turned, &["--channels-first"])] {
        let arguments = [
            "coam",
            "--features",
            features,
            "--vectors",
            &vectors,
            "--out",
        ];
        text(&[&arguments[..], &[out.to_str().unwrap()], more].concat());
        let maps = read();
        assert_eq!(
            (maps.shape, maps.values),
            (vec![2, 1, 1, 2], expected.to_vec())
        );
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&out).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let arguments = ["coam", "--features", &features, "--vectors", &vectors];
    let shown = text(&arguments);
    assert!(
        shown.contains("2 × 1 × 1 × 2") && shown.contains("-1.0000"),
        "{shown}"
    );
    let size = [
        "--height",
        "4",
        "--width",
        "4",
        "--out",
        out.to_str().unwrap(),
    ];
    text(&[&arguments[..], &size].concat());
    assert_eq!(read().shape, [2, 1, 4, 4]);
    let output = run(&["coam", "--features", &turned, "--vectors", &vectors]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("vectors are 1 × 3, and features have 2 channels"),
        "{said}"
    );
    assert!(
        said.contains("say --channels-first") || said.contains("concepts × 2"),
        "{said}"
    );
    let broken = at("broken.npy", &[1, 3], &[3.0, f32::NAN, -3.0]);
    let output = run(&["coam", "--features", &features, "--vectors", &broken]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("vectors: row 0, column 1"), "{said}");
}

#[test]
fn histograms_of_alignment_and_curves_are_figures() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, shape: &[usize], values: &[f32]| save(folder.path(), name, shape, values);
    let codes: Vec<f32> = (0..24).map(|i| ((i * 7) % 11) as f32 / 11.0).collect();
    let labels: Vec<f32> = (0..24).map(|i| ((i * 5) % 3 == 0) as u8 as f32).collect();
    let classes: Vec<f32> = (0..12).map(|i| (i % 3) as f32).collect();
    let (codes, labels) = (
        at("z.npy", &[12, 2], &codes),
        at("c.npy", &[12, 2], &labels),
    );
    let (task, weights) = (
        at("y.npy", &[12], &classes),
        at("w.npy", &[2, 3], &[0.5, -0.5, 1.0, 0.0, 1.0, -1.0]),
    );
    let arrays = ["--codes", &codes, "--labels", &labels];
    let layer = [
        "--weights",
        &weights,
        "--predictions",
        &task,
        "--task",
        &task,
    ];
    let svg = ["--format", "svg"];
    let figure = text(&[&["cgim"], &arrays[..], &layer, &svg].concat());
    assert!(
        figure.contains("<svg") && figure.contains("CGIM3, mean over classes"),
        "{figure}"
    );
    let figure = text(&[&["nis-released"], &arrays[..], &svg].concat());
    assert!(
        figure.contains("<svg") && figure.contains("NIS"),
        "{figure}"
    );
}
