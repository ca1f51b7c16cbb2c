//! Bundles are made, written, read again, and refused with all that is wrong.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use arrays::{NumericArray, bytes_as_npy};
use concepts::make::{
    BundleTemplate, LabArrays, MarkedBundle, RandomBundle, import, manual, random,
};
use concepts::{CARD_FILE, ConceptBundle, ConceptLibrary, MAPS_FILE, PICTURES_FILE, Pictures};
use domain::concepts::{ConceptKind, ConceptSource as _, PictureShape, Sheet};
use serde_json::json;

/// Six pictures of 4 × 4 pixels, each of one grey: 0, 51, … 255.
fn pictures() -> Pictures {
    let values = (0..6).flat_map(|number| vec![f64::from(number) * 51.0; 16]);
    Pictures::of_array(&array(&[6, 4, 4], values.collect())).unwrap()
}

fn array(shape: &[usize], values: Vec<f64>) -> NumericArray {
    NumericArray {
        shape: shape.to_vec(),
        values,
    }
}

/// Maps of three concepts, of 2 × 2 places: the first is in the upper left, the second in the lower right,
/// the third everywhere. Later pictures have more of the first and less of the second.
fn maps() -> NumericArray {
    let mut values = Vec::new();
    for picture in 0..6 {
        let share = f64::from(picture + 1) / 6.0;
        values.extend([share, 0.0, 0.0, 0.0]);
        values.extend([0.0, 0.0, 0.0, 1.0 - share / 2.0]);
        values.extend([0.5; 4]);
    }
    array(&[6, 3, 2, 2], values)
}

fn template() -> BundleTemplate {
    let template = json!({
        "title": "Greys", "display": "in_picture", "highlight_above": 0.2, "samples": 3,
        "vocabulary": {"name": "corners", "groups": [
            {"id": "corner", "text": "Corner", "terms": [
                {"id": "upper", "text": "upper left"}, {"id": "lower", "text": "lower right"}]}]},
        "example": {"concept": 2, "terms": {"corner": "upper"}, "explanation": "It is everywhere."}
    });
    BundleTemplate::from_json(template.to_string().as_bytes()).unwrap()
}

fn learnt() -> ConceptBundle {
    let (pictures, maps) = (pictures(), maps());
    let lab = LabArrays {
        pictures: &pictures,
        maps: &maps,
        activations: None,
        concepts: None,
    };
    import("greys", &template(), &lab).unwrap()
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("redial-concepts-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn the_most_active_pictures_are_the_samples_in_falling_order() {
    let bundle = learnt();
    assert_eq!(bundle.card().kind, ConceptKind::Learnt);
    let ids: Vec<&str> = bundle
        .card()
        .concepts
        .iter()
        .map(|it| it.id.as_str())
        .collect();
    assert_eq!(ids, ["c00", "c01"], "the third concept is the example");
    let greys = |concept| {
        let sheet = bundle.sheet(concept).unwrap();
        let sheet = Sheet::of(&sheet, PictureShape::new(4, 4, 1), 3).unwrap();
        [0, 1, 2].map(|sample| (sheet.picture(sample)[0] * 255.0).round())
    };
    assert_eq!(greys(0), [255.0, 204.0, 153.0]);
    assert_eq!(greys(1), [0.0, 51.0, 102.0]);
    let sheet = bundle.sheet(0).unwrap();
    let sheet = Sheet::of(&sheet, PictureShape::new(4, 4, 1), 3).unwrap();
    let place = sheet.place(0, 0.2).unwrap();
    assert!(place.row < 0.5 && place.column < 0.5, "{place:?}");
    assert!(bundle.sheet(2).is_none() && bundle.example_sheet().is_some());
}

#[test]
fn activations_that_are_given_decide() {
    let (pictures, maps) = (pictures(), maps());
    // The first concept is most active in the third picture, and then in the first of the others.
    let values = (0..6).flat_map(|picture| [f64::from(u8::from(picture == 2)), 0.0, 0.0]);
    let activations = array(&[6, 3], values.collect());
    let lab = LabArrays {
        pictures: &pictures,
        maps: &maps,
        activations: Some(&activations),
        concepts: Some(&[0]),
    };
    let bundle = import("greys", &template(), &lab).unwrap();
    let sheet = bundle.sheet(0).unwrap();
    let sheet = Sheet::of(&sheet, PictureShape::new(4, 4, 1), 3).unwrap();
    let greys = [0, 1, 2].map(|sample| (sheet.picture(sample)[0] * 255.0).round());
    assert_eq!(greys, [102.0, 0.0, 51.0]);
}

#[test]
fn what_is_written_is_read_again_and_its_hash_is_that_of_its_files() {
    let parent = folder("written");
    let bundle = learnt();
    bundle.write(&parent).unwrap();
    let read = ConceptBundle::read(&parent.join("greys")).unwrap();
    assert_eq!(
        (read.card(), read.sha256()),
        (bundle.card(), bundle.sha256())
    );
    assert_eq!(read.sheet(1), bundle.sheet(1));
    let again = bundle.write(&parent).unwrap_err().to_string();
    assert!(again.contains("is there already"), "{again}");
    let names = std::fs::read_dir(&parent).unwrap().count();
    assert_eq!(names, 1, "nothing unfinished is left");

    let mut library = ConceptLibrary::default();
    assert_eq!(library.take_in(&parent).unwrap(), [""; 0]);
    assert_eq!(library.names(), ["greys"]);
    assert_eq!(library.sheet("greys", 0), bundle.sheet(0));
    assert!(library.example_sheet("greys").is_some() && library.card("other").is_none());
    // Another name than the folder's is refused, and nothing of that name is left.
    std::fs::rename(parent.join("greys"), parent.join("grey")).unwrap();
    let refused = library.take_in(&parent).unwrap();
    assert!(
        refused[0].contains("'grey', as the folder is called"),
        "{refused:?}"
    );
    std::fs::remove_dir_all(&parent).unwrap();
    assert_eq!(
        library.take_in(&parent).unwrap(),
        [""; 0],
        "no folder is no bundles"
    );
}

#[test]
fn everything_that_is_wrong_with_a_bundle_is_told_at_once() {
    let parent = folder("wrong");
    learnt().write(&parent).unwrap();
    let bundle = parent.join("greys");
    let mut card: serde_json::Value =
        serde_json::from_slice(&std::fs::read(bundle.join(CARD_FILE)).unwrap()).unwrap();
    card["highlight_above"] = json!(2);
    card["concepts"][0]["terms"] = json!({"corner": "middle"});
    std::fs::write(bundle.join(CARD_FILE), card.to_string()).unwrap();
    std::fs::write(
        bundle.join(PICTURES_FILE),
        bytes_as_npy(&[1, 3, 4, 4], &[0; 48]),
    )
    .unwrap();
    std::fs::remove_file(bundle.join(MAPS_FILE)).unwrap();
    let floats = b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }                                                          \n";
    std::fs::write(bundle.join("example_maps.npy"), floats).unwrap();
    let said = ConceptBundle::read(&bundle).unwrap_err().to_string();
    for part in [
        "highlight_above",
        "concepts[0].terms.corner",
        "pictures.npy: shape [1, 3, 4, 4]; [2, 3, 4, 4]",
        "maps.npy is missing",
        "example_maps.npy: values of type '<f4'",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    std::fs::remove_dir_all(&parent).unwrap();
}

#[test]
fn what_does_not_fit_a_lab_s_arrays_is_told_with_its_place() {
    let (pictures, mut maps) = (pictures(), maps());
    let said = |maps: &NumericArray, activations: Option<&NumericArray>, concepts: &[usize]| {
        let lab = LabArrays {
            pictures: &pictures,
            maps,
            activations,
            concepts: Some(concepts),
        };
        import("greys", &template(), &lab).unwrap_err().to_string()
    };
    let few = array(&[5, 3], vec![0.0; 15]);
    let wrong = said(&array(&[5, 3, 1, 1], vec![0.0; 15]), Some(&few), &[0]);
    assert!(
        wrong.contains("maps: 5 pictures; 6") && wrong.contains("activations: shape [5, 3]"),
        "{wrong}"
    );
    let wrong = said(&maps, None, &[2, 7]);
    assert!(
        wrong.contains("concept 7: the maps have concepts 0 to 2"),
        "{wrong}"
    );
    assert!(wrong.contains("concept 2 is the worked example"), "{wrong}");
    maps.values[3 * 4 + 1] = -0.5;
    let wrong = said(&maps, None, &[0]);
    assert!(wrong.contains("maps: row 2, value 2: -0.5"), "{wrong}");
}

#[test]
fn a_random_bundle_looks_like_the_other_and_is_drawn_by_its_seed() {
    let (like, pictures) = (learnt(), pictures());
    let drawn = |seed| {
        let wanted = RandomBundle {
            name: "chance",
            like: &like,
            pictures: &pictures,
            seed,
        };
        random(&wanted).unwrap()
    };
    let bundle = drawn(1);
    let (card, other) = (bundle.card(), like.card());
    assert_eq!(card.kind, ConceptKind::Random);
    assert_eq!(card.vocabulary, other.vocabulary);
    assert_eq!((card.shape, card.samples), (other.shape, other.samples));
    assert_eq!(card.concepts.len(), other.concepts.len());
    assert_eq!(bundle.example_sheet(), like.example_sheet());
    assert_eq!(drawn(1).sha256(), bundle.sha256());
    assert_ne!(drawn(2).sha256(), bundle.sha256());
    for concept in 0..2 {
        let sheet = bundle.sheet(concept).unwrap();
        let sheet = Sheet::of(&sheet, card.shape, card.samples).unwrap();
        let mut greys: Vec<u32> = Vec::new();
        for sample in 0..card.samples {
            assert!(
                sheet.place(sample, card.highlight_above).is_some(),
                "something is highlighted"
            );
            let area = |map: &[f32]| map.iter().filter(|it| f64::from(**it) > 0.2).count();
            let areas = |concept| {
                let sheet = like.sheet(concept).unwrap();
                let sheet = Sheet::of(&sheet, card.shape, card.samples).unwrap();
                [0, 1, 2].map(|sample| area(sheet.map(sample)))
            };
            let found = area(sheet.map(sample));
            assert!(
                areas(0).contains(&found) || areas(1).contains(&found),
                "{found}: as large as one of the other bundle"
            );
            greys.push((sheet.picture(sample)[0] * 255.0) as u32);
        }
        greys.sort_unstable();
        greys.dedup();
        assert_eq!(greys.len(), card.samples, "no picture comes twice");
    }
}

#[test]
fn marks_become_highlights_with_their_terms() {
    let (like, pictures) = (learnt(), pictures());
    let marked = |marks: &str| {
        manual(&MarkedBundle {
            name: "marks",
            like: &like,
            pictures: &pictures,
            marks,
        })
    };
    let good = "concept,picture,top,left,bottom,right,corner\n\
        a,0,0,0,2,2,upper\n\
        a,3,0,0,1,1,upper\n\
        a,3,3,3,4,4,upper\n\
        a,5,1,1,2,2,upper\n";
    let bundle = marked(good).unwrap();
    assert_eq!(bundle.card().kind, ConceptKind::Manual);
    assert_eq!(bundle.card().concepts[0].terms["corner"], "upper");
    let sheet = bundle.sheet(0).unwrap();
    let sheet = Sheet::of(&sheet, PictureShape::new(4, 4, 1), 3).unwrap();
    // Two rectangles in one picture are one highlight: the corners.
    // It is as large as they are, though maps of the other bundle have 2 × 2 places.
    let above = sheet.map(1).iter().map(|value| f64::from(*value) > 0.2);
    let corners: Vec<usize> = (0..16)
        .zip(above)
        .filter_map(|(at, it)| it.then_some(at))
        .collect();
    assert_eq!(corners, [0, 15]);
    assert_eq!((sheet.picture(1)[0] * 255.0).round(), 153.0);

    let bad = "concept,picture,top,left,bottom,right,corner\n\
        a,6,0,0,2,2,upper\n\
        a,1,3,0,2,9,lower\n\
        a,2,0,0,1,1,middle\n";
    let said = marked(bad).err().unwrap().to_string();
    for part in [
        "marks, line 2, column 'picture': '6'; a whole number from 0 to 5",
        "marks, line 3, column 'bottom': '2'; a whole number from 4 to 4",
        "marks, line 3, column 'right': '9'; a whole number from 1 to 4",
        "marks, line 3: concept 'a' has other terms before",
        "marks, line 4, column 'corner': 'middle'; one of: upper, lower",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = marked("concept,picture\n").err().unwrap().to_string();
    assert!(
        said.contains("there is no column 'top'") && said.contains("'corner'"),
        "{said}"
    );
    let few = "concept,picture,top,left,bottom,right,corner\na,0,0,0,2,2,upper\n";
    let said = marked(few).err().unwrap().to_string();
    assert!(said.contains("concept 'a' has 1 pictures; 3"), "{said}");
}

/// `strokes.py` wrote it, and printed the numbers of highlighted pixels:
/// python3 -c "import numpy as np; m = np.load('models/concepts/shipped/strokes/maps.npy') > 0
/// print(m[0, 0].mean(), (np.argwhere(m[0, 0])[:, 0].mean() + .5) / 28)"
#[test]
fn the_shipped_bundle_is_read_as_numpy_wrote_it() {
    let library = ConceptLibrary::shipped().unwrap();
    let card = library.card("strokes").unwrap();
    assert_eq!((card.kind, card.concepts.len()), (ConceptKind::Manual, 3));
    let sheet = library.sheet("strokes", 0).unwrap();
    let sheet = Sheet::of(&sheet, card.shape, card.samples).unwrap();
    let highlighted = |sample| {
        sheet
            .map(sample)
            .iter()
            .filter(|value| **value > 0.0)
            .count()
    };
    assert_eq!((0..card.samples).map(highlighted).sum::<usize>(), 1_456);
    let place = sheet.place(0, card.highlight_above).unwrap();
    assert!((place.share - 0.179_846_938_775_510_2).abs() < 1e-12);
    assert!(
        (place.row - 0.208_586_626_139_817_63).abs() < 1e-9,
        "{place:?}"
    );
    let sum: f32 = (0..card.samples)
        .flat_map(|sample| sheet.picture(sample))
        .sum();
    assert!((f64::from(sum) * 255.0 - 167_169.0).abs() < 1.0, "{sum}");
    assert!(library.example_sheet("strokes").is_some());
}
