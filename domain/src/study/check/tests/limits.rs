//! Studies that would make far more than they say, and texts that nobody could read.

use super::*;

/// A study with so many factors of ten levels within people, and one part.
fn with_factors(count: usize, varies: &str, part: Value) -> Value {
    let levels: Vec<String> = (0..10).map(|level| format!("l{level}")).collect();
    let factors = (0..count)
        .map(|factor| json!({ "name": format!("f{factor}"), "levels": levels, "varies": varies }));
    let mut study = good();
    study["design"] = json!({ "factors": factors.collect::<Vec<_>>() });
    study["parts"] = json!([good()["parts"][2], part]);
    study
}

fn group(for_each: &[String], part: &Value) -> Value {
    json!({ "kind": "group", "for_each": for_each, "parts": [part] })
}

#[test]
fn a_few_lines_make_no_more_groups_than_anybody_can_use() {
    let names: Vec<String> = (0..9).map(|factor| format!("f{factor}")).collect();
    let part = json!({ "kind": "break", "id": "rest" });
    let at_once = with_factors(9, "within", group(&names, &part));
    assert_eq!(
        problems_of(&at_once),
        [
            "parts[1]: found 1000000000 groups, one for each combination of levels; at most 1000 in the whole study"
        ]
    );
    let nested = names.iter().rev().fold(part, |inner, name| {
        group(std::slice::from_ref(name), &inner)
    });
    let found = problems_of(&with_factors(9, "within", nested));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("at most 1000 in the whole study"),
        "{found:?}"
    );

    let text: String = names.iter().map(|name| format!("{{{name}}}")).collect();
    let named = json!({ "kind": "break", "id": "rest", "text": text });
    let found = problems_of(&with_factors(9, "between", named));
    assert_eq!(
        found,
        [
            "parts[1]: found 1000000000 groups, one for each combination of levels; at most 1000 in the whole study"
        ]
    );

    let long = json!({ "kind": "break", "id": "{f0}-{f1}-{f2}",
        "text": vec!["x".repeat(9_000); 10] });
    let found = problems_of(&with_factors(3, "within", group(&names[..3], &long)));
    assert_eq!(
        found,
        ["parts[1]: found 85 MiB, once levels are filled in; at most 64 MiB in the whole study"]
    );
}

#[test]
fn texts_have_a_length_and_are_read_as_they_are_written() {
    let mut study = good();
    study["title"] = json!("T".repeat(200));
    assert_eq!(problems_of(&study), [""; 0]);
    study["title"] = json!("T".repeat(201));
    study["parts"][5]["items"][0]["text"] = json!("x".repeat(10_001));
    study["summary"] = json!("a\u{0007}b");
    study["parts"][5]["title"] = json!({ "en": "a\u{2066}b" });
    let mut found = problems_of(&study);
    found.sort();
    assert_eq!(
        found,
        [
            "parts[5].items[0].text: found a text of 10001 characters; at most 10000",
            "parts[5].title.en: found U+2066, which turns the direction of what is written around it; a text without it",
            "summary: found the control character U+0007; a text without it",
            "title: found a text of 201 characters; at most 200",
        ]
    );
    // Marks of direction are how Hebrew and Arabic texts keep their order.
    study = good();
    study["title"] = json!("א\u{200F} 1");
    assert_eq!(problems_of(&study), [""; 0]);
}
