//! People who are made up of a few numbers.

use analysis::{Analysis, Person, analyse};
use serde_json::{Value, json};

/// Questions of one stage: seconds, whether solved, and the item, if there is one.
pub type Questions = Vec<(f64, bool, Option<&'static str>)>;

/// A stage with so many questions; the score stands for difficulty and for NASA-TLX.
pub fn stage(name: &str, questions: Questions, score: Option<f64>) -> Value {
    let questions: Vec<Value> = questions
        .into_iter()
        .map(|(seconds, solved, item)| {
            json!({
                "outcome": if solved { "solved" } else { "skipped" },
                "response_time_s": seconds, "active_time_s": seconds, "away_s": 0.0, "item": item,
            })
        })
        .collect();
    let rating = |value: f64| json!([{ "item": "scale.ease", "text": "Ease", "low": 1.0, "high": 7.0, "value": value }]);
    json!({
        "stage": name, "model": name, "weights_sha256": "", "threshold": 0.1,
        "task": "reconstruction", "questions": questions,
        "scores": score.map_or(json!({}), |score| json!({"difficulty": score, "raw_tlx": score})),
        "ratings": score.map_or(json!([]), rating),
    })
}

/// Somebody who completed these stages.
pub fn person(stages: Vec<Value>) -> Person {
    let person = json!({
        "study_sha256": "ab", "complete": true, "marked": false, "stages": stages,
    });
    serde_json::from_value(person).unwrap()
}

/// The analysis of the conditions `one` and `two` in a metric by a test.
pub fn analysed(people: Vec<Person>, vary: &str, test: &str, metric: &str) -> Analysis {
    let plan = json!({
        "metrics": [metric], "conditions_vary": vary, "test": test,
        "comparisons": [{ "name": "both", "conditions": ["one", "two"] }],
        "exclusions": [], "correction": "none",
    });
    analyse(people, "ab", Some(serde_json::from_value(plan).unwrap()))
}
