//! Estimation plots.

use std::collections::BTreeMap;

use analysis::analyse;
use domain::study::AnalysisPlan;
use figures::figures;
use serde_json::json;

use crate::{check, made_up, to_be_looked_at};

/// Two conditions have the difference beside the values, by each kind of test; names are long.
#[test]
fn two_conditions_have_the_difference_at_the_right() {
    let long = [
        "a condition whose name is rather long",
        "gt, another long name of a condition",
    ];
    let labels = [
        ("interactive-sinelines-ae", long[0]),
        ("interactive-sinelines-gt", long[1]),
    ];
    for (test, names) in [
        ("t", false),
        ("rank", false),
        ("mixed_model", false),
        ("t", true),
    ] {
        let mut plan = json!({
            "metrics": ["completion_rate", "response_time_s", "error_auc", "difficulty"],
            "conditions_vary": "within",
            "comparisons": [{ "name": "two", "conditions": labels.map(|(name, _)| name) }],
            "test": test,
        });
        if names {
            plan["condition_labels"] = json!(BTreeMap::from(labels));
        }
        let plan: AnalysisPlan = serde_json::from_value(plan).unwrap();
        let found = analyse(made_up::within(30), "ab", Some(plan));
        let all = figures(&found, &[]);
        to_be_looked_at(
            &format!("two-{test}{}", if names { "-long" } else { "" }),
            &all,
        );
        let figure = all.iter().find(|it| it.name == "estimation-two").unwrap();
        check(figure);
        // Each person's two values and the line between them, a mean each, and the difference.
        let pair = &found.included.comparisons[0].pairs[0];
        let csv = figure.data.to_csv();
        let estimate = -pair.declared.estimate.defined().unwrap();
        let shows = format!("{}, less ", pair.declared.test.estimates().to_lowercase());
        let row = csv.lines().find(|row| row.contains(&shows)).unwrap();
        assert!(
            row.contains(&estimate.to_string()),
            "{test}: {estimate} {row}"
        );
    }
}
