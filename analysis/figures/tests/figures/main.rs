//! Every figure of made-up studies, in every format.
#![allow(clippy::unwrap_used)]

mod estimation;
mod flow;
mod made_up;
mod measured;

use analysis::{Analysis, ModelCard, MutualInformation, analyse};
use domain::study::AnalysisPlan;
use figures::{Figure, figures};
use serde_json::json;

fn within() -> Analysis {
    let of = |task: &str| ["ae", "vae", "gt"].map(|model| format!("{task}-sinelines-{model}"));
    let plan: AnalysisPlan = serde_json::from_value(json!({
        "metrics": ["completion_rate", "response_time_s", "slide_distance", "error_auc", "difficulty",
                    "correct_rate", "confidence", "understanding"],
        "conditions_vary": "within",
        "comparisons": [
            { "name": "interactive-sinelines", "conditions": of("interactive") },
            { "name": "exemplars-sinelines", "conditions": of("exemplars") },
        ],
        "family": "study",
        "correction": "bonferroni",
    }))
    .unwrap();
    analyse(made_up::within(36), &"0".repeat(64), Some(plan))
}

fn between() -> Analysis {
    let conditions =
        ["ae5", "vae5", "ig5", "tc5", "ss5", "ae10", "ss10"].map(|m| format!("mnist-{m}"));
    let plan: AnalysisPlan = serde_json::from_value(json!({
        "metrics": ["completion_rate", "response_time_s", "error_auc", "difficulty"],
        "conditions_vary": "between",
        "comparisons": [{ "name": "mnist", "conditions": conditions }],
    }))
    .unwrap();
    analyse(made_up::between(105), &"1".repeat(64), Some(plan))
}

fn cards() -> Vec<ModelCard> {
    let card = |name: &str, dci: f64| ModelCard {
        name: name.to_owned(),
        weights_sha256: String::new(),
        squared_error: Some(1.0),
        dci: Some(dci),
        mig: Some(dci / 2.0),
        mutual_information: Some(MutualInformation {
            factors: ["slope", "intercept", "amplitude", "frequency", "phase"]
                .map(String::from)
                .into(),
            entropies: vec![4.3; 5],
            bits: (0..5)
                .map(|i| {
                    (0..5)
                        .map(|j| if i == j { 4.0 * dci } else { 1.2 * (1.0 - dci) })
                        .collect()
                })
                .collect(),
            instances: 20_000,
        }),
    };
    vec![
        card("sinelines-ae5", 0.2),
        card("sinelines-vae5", 0.4),
        card("sinelines-gt5", 1.0),
    ]
}

/// To look at them: `FIGURES_OUT=/tmp/figures cargo test -p figures --test figures`.
fn to_be_looked_at(study: &str, all: &[Figure]) {
    let Some(folder) = std::env::var_os("FIGURES_OUT") else {
        return;
    };
    let folder = std::path::PathBuf::from(folder).join(study);
    std::fs::create_dir_all(&folder).unwrap();
    for figure in all {
        let path = |ending: &str| folder.join(format!("{}{ending}", figure.name));
        std::fs::write(path(".svg"), figure.to_svg()).unwrap();
        std::fs::write(path(".png"), figure.to_png().unwrap()).unwrap();
        std::fs::write(path("-narrow.png"), figure.to_narrow_png().unwrap()).unwrap();
        std::fs::write(path(".pdf"), figure.to_pdf().unwrap()).unwrap();
        std::fs::write(path(".csv"), figure.data.to_csv()).unwrap();
    }
}

fn check(figure: &Figure) {
    let name = &figure.name;
    let svg = figure.to_svg();
    for bad in ["NaN", "\"inf", "-inf", " inf "] {
        assert!(!svg.contains(bad), "{name}: {svg}");
    }
    assert!(svg.contains("width=\"7.0000in\""), "{name}");
    let png = figure.to_png().unwrap();
    assert_eq!(&png[1..4], b"PNG", "{name}");
    // Width in pixels: 7 inches of 300 dots.
    assert_eq!(
        u32::from_be_bytes(png[16..20].try_into().unwrap()),
        2100,
        "{name}"
    );
    // Drawing takes its time: of the narrow ones, one is enough.
    let narrow = (name == "funnel").then(|| figure.to_narrow_png().unwrap());
    for png in [png].into_iter().chain(narrow) {
        let picture = resvg::tiny_skia::Pixmap::decode_png(&png).unwrap();
        let see_through = picture.pixels().iter().filter(|pixel| pixel.alpha() < 255);
        assert_eq!(
            see_through.count(),
            0,
            "{name}: the ground covers every pixel"
        );
    }
    assert!(figure.to_pdf().unwrap().starts_with(b"%PDF-"), "{name}");
    assert!(!figure.data.rows.is_empty(), "{name}");
    assert!(
        figure
            .data
            .rows
            .iter()
            .all(|row| row.len() == figure.data.columns.len()),
        "{name}"
    );
    assert!(
        figure.caption.contains("est") || figure.caption.contains("Stars"),
        "{name}: {}",
        figure.caption
    );
}

#[test]
fn each_figure_of_a_study_within_people() {
    let all = figures(&within(), &cards());
    let names: Vec<&str> = all.iter().map(|figure| figure.name.as_str()).collect();
    let of = |comparison: &str, kinds: &[&str]| {
        kinds
            .iter()
            .map(|kind| format!("{kind}-{comparison}"))
            .collect::<Vec<_>>()
    };
    let mut expected = vec!["flow".to_owned(), "funnel".to_owned()];
    expected.extend(of(
        "interactive-sinelines",
        &[
            "box-plots",
            "estimation",
            "differences",
            "ratings",
            "first-and-last-questions",
            "solved-and-skipped",
            "distance-over-time",
            "dials-over-time",
        ],
    ));
    expected.extend(of(
        "exemplars-sinelines",
        &[
            "box-plots",
            "estimation",
            "differences",
            "correct-by-dimension",
            "ratings",
            "first-and-last-questions",
        ],
    ));
    expected.push("mutual-information".to_owned());
    assert_eq!(names, expected);
    to_be_looked_at("within", &all);
    all.iter().for_each(check);
}

#[test]
fn seven_models_between_people_have_room() {
    let all = figures(&between(), &[]);
    to_be_looked_at("between", &all);
    all.iter().for_each(check);
}

/// Nobody, one person, and people who have not ended a question.
#[test]
fn hardly_any_people_give_fewer_figures_and_no_panic() {
    for people in [0, 1, 2, 3] {
        let found = analyse(made_up::within(people), "ab", None);
        figures(&found, &cards()).iter().for_each(check);
    }
    let mut nothing = made_up::within(4);
    for stage in nothing.iter_mut().flat_map(|person| &mut person.stages) {
        stage.questions.clear();
        stage.scores.clear();
        stage.ratings.clear();
        stage.labels.clear();
    }
    figures(&analyse(nothing, "ab", None), &[])
        .iter()
        .for_each(check);
}

/// Names that people and authors write are text, in SVG as in CSV.
#[test]
fn names_are_escaped() {
    let mut people = made_up::within(6);
    for stage in people.iter_mut().flat_map(|person| &mut person.stages) {
        stage.stage += "\"><script>";
        for rating in &mut stage.ratings {
            rating.text = "=1+1 <b>&".to_owned();
        }
    }
    for figure in figures(&analyse(people, "ab", None), &[]) {
        assert!(!figure.to_svg().contains("<script>"), "{}", figure.name);
        assert!(!figure.to_svg().contains("<b>"), "{}", figure.name);
        assert!(!figure.data.to_csv().contains(",=1+1"), "{}", figure.name);
        check(&figure);
    }
}
