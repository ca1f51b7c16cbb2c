//! Figures of measures, and of models beside each other.

use analysis::{
    COMPARED_METRICS, ComparedModel, ModelsCompared, PeopleValues, ScoreColumn, ScoreSource,
};
use figures::{CurvePanel, Matrix, curves, heat_maps, models_compared};
use measures::measure::Direction;

use crate::{check, to_be_looked_at};

#[test]
fn curves_and_heat_maps_leave_out_what_is_not_defined() {
    let curve = |name: &str, by: f64| {
        let at = |step: i32| {
            let x = f64::from(step) / 10.0;
            (x, (step != 4).then_some(by * x))
        };
        (name.to_owned(), (0..=10).map(at).collect::<Vec<_>>())
    };
    let panel = |title: &str, by: f64| CurvePanel {
        title: title.to_owned(),
        across: "β".to_owned(),
        curves: vec![curve("one", by), curve("two", -by)],
    };
    let panels = [panel("NPS", 1.0), panel("NIS", 0.5), panel("Size", 5.0)];
    let lines = curves("curves", "Curves. No test.", &panels).unwrap();
    assert_eq!(lines.data.rows.len(), 3 * 2 * 11);
    let table = Matrix {
        title: "Purity".to_owned(),
        rows: vec!["code 0".to_owned(), "code 1".to_owned()],
        columns: vec!["concept 0".to_owned(), "concept 1".to_owned()],
        values: vec![vec![Some(1.0), None], vec![Some(0.4), Some(0.75)]],
    };
    let maps = heat_maps("maps", "Maps. No test.", &[table], (0.5, 1.0)).unwrap();
    assert_eq!(maps.to_svg().matches("0.75").count(), 1);
    to_be_looked_at("measured", &[lines.clone(), maps.clone()]);
    [lines, maps].iter().for_each(check);
    let nothing = CurvePanel {
        curves: Vec::new(),
        ..panel("Nothing", 1.0)
    };
    assert!(curves("none", "None.", &[nothing]).is_none());
    assert!(heat_maps("none", "None.", &[], (0.0, 1.0)).is_none());
}

#[test]
fn models_beside_each_other_have_a_panel_for_each_data_set() {
    let model = |data: &str, place: usize| ComparedModel {
        name: format!("{data}-{place}"),
        data: data.to_owned(),
        people: COMPARED_METRICS
            .map(|metric| PeopleValues {
                metric,
                values: (1..=4).map(|p| (p, (place * p % 5) as f64)).collect(),
            })
            .to_vec(),
        scores: vec![Some(place as f64), (place != 2).then_some(-(place as f64))],
        smallest: vec![None; 2],
    };
    let score = |key: &str, head: &str| ScoreColumn {
        key: key.to_owned(),
        head: head.to_owned(),
        better: Direction::Higher,
        from: ScoreSource::Codes,
    };
    let mut found = ModelsCompared {
        simulated: true,
        people_from: "Simulated people.".to_owned(),
        scores: vec![score("mig", "MIG"), score("ois", "OIS")],
        models: Vec::new(),
        notes: Vec::new(),
    };
    found
        .models
        .extend((0..3).map(|place| model("lines", place)));
    found
        .models
        .extend((0..6).map(|place| model("digits", place)));
    let figure = models_compared(&found, &found.correlations(1)).unwrap();
    assert!(
        figure.caption.contains("lines 3, digits 6"),
        "{}",
        figure.caption
    );
    to_be_looked_at("models", std::slice::from_ref(&figure));
    check(&figure);
    found.models.truncate(2);
    assert!(models_compared(&found, &found.correlations(1)).is_none());
}
