//! What CC is made of.

use crate::close;
use crate::naming::{golden, one_concept};
use measures::discovered::naming::consistency::{Reading, consistency};
use measures::discovered::naming::similarity::histogram;
use serde_json::Value;

/// What CC is made of, group by group: w is the group's share of all terms given, r the discount, and the rest the
/// pairs that agree. `cc` of `golden/discovered.py` with one group gives r × agreement:
///
/// ```python
/// named = np.mean([g[i] is not None and g[j] is not None for i, j in pairs])  # r, "literal": 1 - named
/// agree = np.mean([g[i] == g[j] and g[i] is not None for i, j in pairs])      # "literal": g[i] == g[j]
/// ```
#[test]
fn consistency_is_made_of_shares_discounts_and_pairs_that_agree() {
    let golden = golden();
    let case = &golden["botcl_user"];
    let responses = case["responses"].as_object().unwrap();
    let all = one_concept(&case["responses"]);
    let given: f64 = histogram(&all, 0, &[3, 3]).iter().sum();
    for (reading, detail, agreement, whole) in [
        (
            Reading::BothName,
            "detail_recon",
            "agree_excl_none",
            "CC_recon",
        ),
        (
            Reading::Literal,
            "detail_literal",
            "agree_literal",
            "CC_literal",
        ),
    ] {
        let mut sum = 0.0;
        for (group, terms) in responses {
            let expected = |name: &str| case[detail][group][name].as_f64().unwrap();
            let what = |name: &str| format!("{detail}, {group}, {name}");
            let alone = one_concept(&serde_json::json!({ group: terms }));
            let w = histogram(&alone, 0, &[3]).iter().sum::<f64>() / given;
            close(w, expected("w"), &what("w"));
            // Where all who name choose the same term, pairs that both name are those that agree.
            let chosen = terms.as_array().unwrap().iter();
            let one: Vec<Value> = chosen.map(|it| it.as_u64().map(|_| 0).into()).collect();
            let alike = one_concept(&serde_json::json!({ group: one }));
            let named = consistency(&alike, 0, Reading::BothName).unwrap().sqrt();
            let r = match reading {
                Reading::BothName => named,
                _ => 1.0 - named,
            };
            close(r, expected("r"), &what("r"));
            let discounted = consistency(&alone, 0, reading).unwrap();
            close(discounted / r, expected(agreement), &what(agreement));
            sum += w * discounted;
        }
        let found = consistency(&all, 0, reading).unwrap();
        close(found, sum, detail);
        close(found, case[whole].as_f64().unwrap(), whole);
    }
}
