//! Messages about what the experimenter of a lab session has at hand.

use super::*;

fn said(mode: &str, lab: Value) -> Vec<String> {
    let mut study = good();
    study["mode"] = json!(mode);
    study["lab"] = lab;
    problems_of(&study)
}

#[test]
fn marks_have_names_and_keys() {
    let nothing: [&str; 0] = [];
    assert_eq!(said("lab", json!({})), nothing);
    assert_eq!(said("lab", json!({"marks": ["insight", "doubt"]})), nothing);
    assert_eq!(
        said("online", json!({})),
        [
            r#"lab: found settings of lab sessions in a study that has none; "mode": "lab", or no 'lab'"#
        ]
    );
    let ten: Vec<String> = (0..10).map(|n| format!("mark {n}")).collect();
    assert_eq!(
        said("lab", json!({ "marks": ten })),
        ["lab.marks: found 10 marks; at most 9: one for each of the keys 1 to 9"]
    );
    assert_eq!(
        said("lab", json!({"marks": ["doubt", " ", "doubt"]})),
        [
            "lab.marks[1]: found ' '; a name of 1 to 40 characters",
            "lab.marks[2]: found 'doubt' a second time; each mark once"
        ]
    );
    assert_eq!(
        said("lab", json!({"recording": {"delete_after_days": 0}})),
        ["lab.recording.delete_after_days: found 0; 1 to 3650 days"]
    );
    assert_eq!(
        said("lab", json!({"recording": {"press_to_talk": true}})),
        nothing
    );
    let unknown = said("lab", json!({"marcs": []}));
    assert!(
        unknown.len() == 1 && unknown[0].contains("marcs"),
        "{unknown:?}"
    );
}
