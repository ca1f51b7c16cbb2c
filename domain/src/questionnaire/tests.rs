use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use serde_json::{Value, json};

use super::*;
use crate::common::language::{LocalText, OF_THE_APP, Spoken};

fn answers(value: Value) -> Answers {
    serde_json::from_value(value).unwrap()
}

fn page(items: Value) -> Questionnaire {
    serde_json::from_value(json!({"id": "p", "title": "P", "items": items})).unwrap()
}

/// One item of a kind, as study files write it.
fn item(kind: Value) -> Item {
    serde_json::from_value(json!({"id": "i", "text": "?", "answer": kind})).unwrap()
}

/// A block as a participant gets it in English.
fn block(block: Block) -> Questionnaire {
    block.questionnaire().spoken(Spoken {
        language: "en",
        first: "en",
    })
}

#[track_caller]
fn takes(kind: Value, fitting: &[Value], unfit: &[Value]) {
    let item = item(kind);
    for (values, fits) in [(fitting, true), (unfit, false)] {
        for value in values {
            let answer: Answer = serde_json::from_value(value.clone()).unwrap();
            assert_eq!(item.fits(&answer).is_ok(), fits, "{value}");
        }
    }
    let sample = Questionnaire::page("p", "", vec![item]);
    assert_eq!(sample.check(&sample.sample_answers()), Ok(()));
}

#[test]
fn seq_takes_one_to_seven_and_nothing_else() {
    let seq = block(Block::Seq);
    let with = |answer| seq.check(&BTreeMap::from([(SEQ.to_owned(), answer)]));
    assert_eq!(with(Answer::Number(1)), Ok(()));
    assert_eq!(with(Answer::Number(7)), Ok(()));
    assert!(with(Answer::Number(8)).is_err());
    assert!(with(Answer::Text("4".into())).is_err());
    assert_eq!(
        seq.check(&BTreeMap::new()),
        Err(AnswerError::Unfit {
            item: SEQ.into(),
            fault: AnswerFault::Missing
        })
    );
    let stray = BTreeMap::from([("x".to_owned(), Answer::Number(1))]);
    assert_eq!(seq.check(&stray), Err(AnswerError::Unknown("x".into())));
}

#[test]
fn each_kind_takes_what_fits_and_nothing_else() {
    takes(
        json!({"kind": "gradations", "min_label": "a", "max_label": "b"}),
        &[json!(0), json!(20)],
        &[json!(21), json!(-1), json!(3.5), json!("3")],
    );
    takes(
        json!({"kind": "slider", "min_label": "a", "max_label": "b", "step": 0.1, "max": 1.0}),
        &[json!(0), json!(0.3), json!(0.7), json!(1)],
        &[json!(0.35), json!(1.1), json!("1")],
    );
    takes(
        json!({"kind": "text", "min_length": 3, "max_length": 5}),
        // A text that was deleted or is withheld was as long as it had to be.
        &[
            json!("äöü"),
            json!("abcde"),
            json!("[deleted]"),
            json!("withheld"),
        ],
        &[json!("ab"), json!("abcdef"), json!("   "), json!(3)],
    );
    takes(
        json!({"kind": "number", "min": 0, "max": 120, "unit": "years"}),
        &[json!(0), json!(120)],
        &[json!(-1), json!(121), json!(3.5), json!("3")],
    );
    takes(
        json!({"kind": "number", "decimals": true}),
        &[json!(3.5), json!(-1e6)],
        &[json!([])],
    );
    takes(
        json!({"kind": "date", "min": "1900-01-01", "max": "2026-12-31"}),
        &[json!("2000-02-29"), json!("1900-01-01")],
        &[
            json!("1900-02-29"), // 1900 was no leap year
            json!("2026-13-01"),
            json!("2026-04-31"),
            json!("1899-12-31"),
            json!("2027-01-01"),
            json!("01.02.2000"),
            json!("2000-2-1"),
            json!("2000-02-2９"),
        ],
    );
    takes(
        json!({"kind": "dropdown", "options": ["a", "b"]}),
        &[json!("a")],
        &[json!("c"), json!(["a"])],
    );
    takes(
        json!({"kind": "ranking", "options": ["a", "b", "c"]}),
        &[json!(["b", "a", "c"])],
        &[
            json!(["b", "a"]),
            json!(["b", "a", "a"]),
            json!(["a", "b", "c", "d"]),
            json!("a"),
        ],
    );
    takes(
        json!({"kind": "ranking", "options": ["a", "b", "c"], "top": 2}),
        &[json!(["b", "a"])],
        &[json!(["b"]), json!(["b", "a", "c"])],
    );
    takes(
        json!({"kind": "matrix", "points": ["no", "", "yes"], "rows": [{"id": "r", "text": "R"}, {"id": "s", "text": "S"}]}),
        &[json!({"rows": {"r": 1, "s": 3}})],
        &[
            json!({"rows": {"r": 1}}),
            json!({"rows": {"r": 1, "s": 4}}),
            json!({"rows": {"r": 0, "s": 1}}),
            json!({"rows": {"r": 1, "s": 1, "t": 1}}),
        ],
    );
}

#[test]
fn choices_with_text_fields_and_options_that_stand_alone() {
    let options = json!(["a", "b",
        {"id": "none", "text": "None of these", "exclusive": true},
        {"id": "other", "text": "Other", "describe": "required"}]);
    takes(
        json!({"kind": "choice", "options": options.clone()}),
        &[
            json!("a"),
            json!({"chosen": ["other"], "described": {"other": "tea"}}),
        ],
        &[
            json!("other"),
            json!({"chosen": ["other"], "described": {"other": " "}}),
            json!({"chosen": ["other"], "described": {"other": "x".repeat(201)}}),
            json!({"chosen": ["a"], "described": {"a": "tea"}}),
            json!({"chosen": ["a", "b"], "described": {}}),
            json!(["a"]),
        ],
    );
    takes(
        json!({"kind": "choice", "several": true, "at_least": 2, "at_most": 2, "options": options}),
        &[
            json!(["a", "b"]),
            json!(["none"]),
            json!({"chosen": ["a", "other"], "described": {"other": "tea"}}),
        ],
        &[
            json!([]),
            json!(["a"]),
            json!(["a", "none"]),
            json!(["a", "a"]),
            json!({"chosen": ["a", "b", "other"], "described": {"other": "tea"}}),
        ],
    );
}

#[test]
fn no_answer_is_taken_where_it_is_offered() {
    let page =
        page(json!([{"id": "a", "text": "?", "dont_know": true, "answer": {"kind": "text"}}]));
    let with = |value| page.check(&answers(json!({ "a": value })));
    assert_eq!(with(json!({"no_answer": "dont_know"})), Ok(()));
    assert!(with(json!({"no_answer": "prefer_not"})).is_err());
}

#[test]
fn an_item_is_asked_for_only_while_it_is_shown() {
    let page = page(json!([
        {"id": "pet", "text": "?", "answer": {"kind": "choice", "options": ["cat", "dog", "no"]}},
        {"id": "name", "text": "?", "answer": {"kind": "text"}, "show_if": {"item": "pet", "is_not": "no"}},
        {"id": "why", "text": "?", "answer": {"kind": "text"}, "show_if": {"item": "name", "is": "Rex"}}]));
    let check = |value| page.check(&answers(value));
    assert_eq!(check(json!({"pet": "no"})), Ok(()));
    assert_eq!(check(json!({"pet": "cat", "name": "Tom"})), Ok(()));
    assert!(check(json!({"pet": "cat"})).is_err());
    assert!(check(json!({"pet": "dog", "name": "Rex"})).is_err());
    assert_eq!(
        check(json!({"pet": "dog", "name": "Rex", "why": "king"})),
        Ok(())
    );
    // An item that is not shown is not answered, and opens nothing.
    assert_eq!(
        check(json!({"pet": "no", "name": "Rex"})),
        Err(AnswerError::Unknown("name".into()))
    );
    assert_eq!(page.check(&page.sample_answers()), Ok(()));
}

#[test]
fn orders_are_drawn_within_their_bounds_and_from_the_seed() {
    let asked: Questionnaire = serde_json::from_value(json!({"id": "p", "title": "P", "random_order": true, "items": [
        {"id": "a", "text": "?", "answer": {"kind": "choice", "random_order": true, "options":
            ["1", "2", "3", "4", {"id": "other", "text": "Other", "describe": "optional"}]}},
        {"id": "a2", "text": "?", "answer": {"kind": "text"}, "show_if": {"item": "a", "is": "1"}},
        {"id": "b", "text": "?", "answer": {"kind": "text"}},
        {"id": "c", "text": "?", "answer": {"kind": "matrix", "points": ["x", "y"], "random_order": true, "rows": [
            {"id": "r", "text": "R"}, {"id": "s", "text": "S"}, {"id": "t", "text": "T"}]}}]}))
    .unwrap();
    let drawn = |seed| asked.drawn(1, &mut ChaCha20Rng::seed_from_u64(seed));
    let ids = |page: &Questionnaire| -> Vec<String> {
        page.items.iter().map(|item| item.id.clone()).collect()
    };
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..60 {
        let page = drawn(seed);
        assert_eq!(page, drawn(seed));
        let order = ids(&page);
        let at = |id: &str| order.iter().position(|found| found == id).unwrap();
        assert_eq!(at("a2"), at("a") + 1);
        let options = page.items[at("a")].answer.shown_order();
        assert_eq!(options.last(), Some(&"other"));
        let mut all = order.clone();
        all.sort();
        assert_eq!(all, ["a", "a2", "b", "c"]);
        orders.insert((order.clone(), options.join("")));
    }
    // 3! orders of items and 4! of options: most of what 60 draws can show.
    assert!(orders.len() > 40, "{}", orders.len());
    assert_eq!(ids(&block(Block::Sus)), ["sus"]);
}

#[test]
fn right_answers_are_taken_out_and_held_against_the_answers() {
    let mut page = page(json!([
        {"id": "a", "text": "?", "answer": {"kind": "choice", "options": ["x", "y"]}, "right": "x"},
        {"id": "b", "text": "?", "answer": {"kind": "text"}, "right": "Green"},
        {"id": "c", "text": "?", "answer": {"kind": "number"}, "right": 3},
        {"id": "d", "text": "?", "answer": {"kind": "choice", "several": true, "options": ["x", "y", "z"]}, "right": ["x", "z"]},
        {"id": "e", "text": "?", "answer": {"kind": "text"}}]));
    let key = page.take_key();
    assert_eq!(key.len(), 4);
    assert!(!serde_json::to_string(&page).unwrap().contains("Green"));
    let right = answers(json!({"a": "x", "b": " green", "c": 3, "d": ["z", "x"], "e": "?"}));
    assert_eq!(page.wrong(&key, &right), [""; 0]);
    let wrong = answers(json!({"a": "y", "b": "blue", "c": 4, "d": ["x"], "e": "?"}));
    assert_eq!(page.wrong(&key, &wrong), ["a", "b", "c", "d"]);
}

/// The worked example of Brooke (1996): contributions 4 1 1 4 1 2 1 1 4 3 sum to 22, and
/// 22 × 2.5 = 55. The points follow from them: odd + 1, 5 − even.
#[test]
fn sus_gives_the_score_of_its_published_example() {
    let points = [5, 4, 2, 1, 2, 3, 2, 4, 5, 2];
    let rows: serde_json::Map<String, Value> = (1..=10)
        .zip(points)
        .map(|(number, point)| (format!("sus_{number}"), json!(point)))
        .collect();
    let mut given = answers(json!({"sus": {"rows": rows}}));
    assert_eq!(Block::Sus.questionnaire().check(&given), Ok(()));
    assert_eq!(Score::Sus.of(&given), Some(55.0));
    given.remove("sus");
    assert_eq!(Score::Sus.of(&given), None);
}

/// Raw TLX is the plain mean of six ratings of 0 to 100 in steps of 5 (Hart 2006). For 30, 15,
/// 60, 40, 30, 40: `python3 -c "import numpy; print(numpy.mean([30,15,60,40,30,40]))"` prints
/// 35.833333333333336.
#[test]
fn raw_tlx_is_the_mean_of_its_subscales() {
    let mut given = answers(
        json!({"mental_demand": 6, "physical_demand": 3, "temporal_demand": 12,
        "performance": 8, "effort": 6, "frustration": 8}),
    );
    assert_eq!(Block::NasaTlx.questionnaire().check(&given), Ok(()));
    let score = Score::RawTlx.of(&given).unwrap();
    assert!((score - 35.833_333_333_333_336).abs() < 1e-12);
    given.insert(
        "effort".into(),
        Answer::NoAnswer {
            no_answer: NoAnswer::PreferNot,
        },
    );
    assert_eq!(Block::NasaTlx.questionnaire().check(&given), Ok(()));
    assert_eq!(Score::RawTlx.of(&given), None);
}

#[test]
fn every_block_can_be_answered_and_is_stored_as_it_was() {
    for block in Block::ALL {
        let written = block.questionnaire();
        assert_eq!(Block::named(block.name()), Some(block));
        let stored = serde_json::to_value(&written).unwrap();
        assert_eq!(stored["block"], block.name());
        let read: Questionnaire<LocalText> = serde_json::from_value(stored).unwrap();
        assert_eq!(read, written);
        for (language, _) in OF_THE_APP {
            let in_it = |at: &str, text: &LocalText| {
                assert!(
                    text.is_in(language, "en"),
                    "{} {at}: {language}",
                    block.name()
                );
                text.spoken(Spoken {
                    language,
                    first: "en",
                })
            };
            let page: Questionnaire = written.with_texts(&mut { in_it });
            assert_eq!(
                page.check(&page.sample_answers()),
                Ok(()),
                "{}",
                block.name()
            );
            // Answers mean the same in every language.
            let data = |page: &Questionnaire| -> Vec<(String, Vec<String>)> {
                let items = page.items.iter();
                let shown = |item: &Item| {
                    item.answer
                        .shown_order()
                        .into_iter()
                        .map(str::to_owned)
                        .collect()
                };
                items.map(|item| (item.id.clone(), shown(item))).collect()
            };
            assert_eq!(data(&page), data(&self::block(block)));
        }
    }
}

#[test]
fn an_option_in_several_languages_is_stored_by_its_name() {
    let kind = json!({"kind": "choice", "options": [
        {"id": "cat", "text": {"en": "Cat", "de": "Katze"}}, "Python"]});
    let page: Questionnaire<LocalText> = serde_json::from_value(
        json!({"id": "p", "title": "P", "items": [{"id": "i", "text": "?", "answer": kind}]}),
    )
    .unwrap();
    let german = page.spoken(Spoken {
        language: "de",
        first: "en",
    });
    let options = german.items[0].answer.options();
    assert_eq!(
        (options[0].id.as_str(), options[0].text.as_str()),
        ("cat", "Katze")
    );
    assert_eq!(
        (options[1].id.as_str(), options[1].text.as_str()),
        ("Python", "Python")
    );
    // Words by language are no name.
    let nameless = json!({"kind": "dropdown", "options": [{"en": "Cat", "de": "Katze"}]});
    assert!(serde_json::from_value::<ItemKind<LocalText>>(nameless).is_err());
}

#[test]
fn a_row_for_each_stage_is_one_for_each_that_the_person_had() {
    let page = block(Block::Closing);
    let rows = |stages: usize| {
        let drawn = page.drawn(stages, &mut ChaCha20Rng::seed_from_u64(1));
        let ItemKind::Matrix { rows, .. } = &drawn.items[0].answer else {
            panic!("the block asks with a matrix")
        };
        rows.iter()
            .map(|row| (row.id.clone(), row.text.clone()))
            .collect::<Vec<_>>()
    };
    let row = |id: &str, text: &str| (id.to_owned(), text.to_owned());
    let frustrating = row("frustrating", "Overall, this was frustrating.");
    assert_eq!(rows(0), std::slice::from_ref(&frustrating));
    let easy = |number| {
        let id = format!("stage_{number}_easy");
        row(&id, &format!("Stage {number} was easy."))
    };
    assert_eq!(rows(2), [frustrating, easy(1), easy(2)]);
}

/// A page with every kind of scale: 1 to 5, 0 to 100, 0 to 20, and two statements of 7 points.
fn scales(scores: Value) -> Questionnaire {
    let mut page = page(json!([
        {"id": "clear", "text": "?", "answer": {"kind": "scale", "min": 1, "max": 5, "min_label": "", "max_label": ""}},
        {"id": "sure", "text": "?", "answer": {"kind": "slider", "min_label": "", "max_label": ""}},
        {"id": "effort", "text": "?", "answer": {"kind": "gradations", "min_label": "", "max_label": ""}},
        {"id": "words", "text": "?", "answer": {"kind": "text"}},
        {"id": "trust", "text": "?", "answer": {"kind": "matrix", "points": ["", "", "", "", "", "", ""],
            "rows": [{"id": "relied", "text": "?"}, {"id": "doubted", "text": "?"}]}},
    ]));
    page.scores = serde_json::from_value(scores).unwrap();
    page
}

/// Worked out by hand: (5 + (1 + 7 − 2)) / 2 and their sum; (1 + 5 − 4) + (0 + 100 − 30) + (0 + 20 − 20).
#[test]
fn own_scores_are_means_and_sums_with_items_reversed_between_their_ends() {
    let page = scales(json!([
        {"name": "trusting", "items": ["trust"], "reversed": ["trust.doubted"]},
        {"name": "trusting_sum", "items": ["trust.relied", "trust.doubted"], "reversed": ["trust.doubted"], "of": "sum"},
        {"name": "relied", "items": ["trust.relied"]},
        {"name": "hard", "items": ["clear", "sure", "effort"], "reversed": ["clear", "sure", "effort"], "of": "sum"},
        {"name": "nothing", "items": ["words"]},
    ]));
    let all = json!({"clear": 4, "sure": 30.0, "effort": 20, "words": "well", "trust": {"rows": {"relied": 5, "doubted": 2}}});
    let values = |given: &Value| -> Vec<Option<f64>> {
        let given = answers(given.clone());
        let scores = page.scores.iter();
        scores.map(|score| score.value(&page, &given)).collect()
    };
    let expected = [Some(5.5), Some(11.0), Some(5.0), Some(72.0), None];
    assert_eq!(values(&all), expected);
    // A score that lacks an answer has no value; another score of the page has.
    let some = json!({"clear": 4, "sure": {"no_answer": "dont_know"}, "effort": 20, "trust": {"rows": {"relied": 5}}});
    assert_eq!(values(&some), [None, None, Some(5.0), None, None]);
}

#[test]
fn an_own_score_is_a_metric_by_its_name() {
    use crate::task::Metric;
    let metric = Metric::own("trusting").unwrap();
    assert_eq!(
        (metric.name(), metric.score_name()),
        ("score.trusting", "trusting")
    );
    let read: Metric = serde_json::from_value(json!("score.trusting")).unwrap();
    assert_eq!(read, metric);
    assert_eq!(
        serde_json::to_value(metric).unwrap(),
        json!("score.trusting")
    );
    let longest = "a".repeat(OwnScore::LONGEST);
    assert!(Metric::own(&longest).is_some());
    for none in ["", "Trust", "a-b", "a b", "é", &format!("{longest}a")] {
        assert_eq!(Metric::own(none), None, "{none}");
        let name = json!(format!("score.{none}"));
        assert!(serde_json::from_value::<Metric>(name).is_err(), "{none}");
    }
    let page = scales(json!([{"name": "relied", "items": ["trust.relied"]}]));
    let given = answers(json!({"trust": {"rows": {"relied": 5, "doubted": 2}}}));
    assert_eq!(
        Metric::scores(&page, &given),
        [(Metric::own("relied").unwrap(), Some(5.0))]
    );
}
