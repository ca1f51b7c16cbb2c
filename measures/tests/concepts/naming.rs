//! CDR, CC, MIC, Krippendorff's α, and their intervals over people.

use crate::{array, close, numbers, run};
use measures::array::Array;
use measures::discovered::naming::agreement::term_agreement;
use measures::discovered::naming::answers::Answers;
use measures::discovered::naming::consistency::{Reading, consistency};
use measures::discovered::naming::discovery::discovery_rate;
use measures::discovered::naming::interval::over_people;
use measures::discovered::naming::similarity::{Estimator, histogram, similarity};
use measures::inputs::{Inputs, Need};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

pub fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/discovered.json")).unwrap()
}

/// Answers for one concept from lists of people, one for each group.
pub fn one_concept(responses: &Value) -> Answers {
    let groups: Vec<Vec<Option<usize>>> = responses
        .as_object()
        .unwrap()
        .values()
        .map(|people| {
            let people = people.as_array().unwrap().iter();
            people
                .map(|term| term.as_u64().map(|term| term as usize))
                .collect()
        })
        .collect();
    let people: Vec<Vec<Vec<Option<usize>>>> = (0..groups[0].len())
        .map(|person| vec![groups.iter().map(|group| group[person]).collect()])
        .collect();
    Answers::new(&people).unwrap()
}

#[test]
fn discovery_and_consistency_in_three_readings() {
    let golden = golden();
    let answers = one_concept(&golden["botcl_user"]["responses"]);
    let expected = golden["botcl_user"]["CDR"].as_f64().unwrap();
    close(discovery_rate(&answers, 0).unwrap(), expected, "CDR");
    for (name, case) in golden["cc_readings"].as_object().unwrap() {
        let answers = one_concept(&case["responses"]);
        for (reading, key) in [
            (Reading::BothName, "default"),
            (Reading::Literal, "literal"),
            (Reading::BothNone, "both_none"),
        ] {
            let found = consistency(&answers, 0, reading).unwrap();
            close(
                found,
                case[key].as_f64().unwrap(),
                &format!("{name}, {key}"),
            );
        }
    }
}

#[test]
fn similarity_of_histograms_by_three_estimators() {
    let golden = golden();
    for (name, case) in golden["mic"].as_object().unwrap() {
        let (first, second) = (numbers(&case["H"]), numbers(&case["K"]));
        for (estimator, key) in [
            (Estimator::Overlap, "overlap"),
            (Estimator::ConceptAndTerm, "concept_and_term_nats"),
            (Estimator::Counts, "counts_as_labels_nats"),
        ] {
            let found = similarity(&first, &second, estimator).unwrap();
            close(
                found,
                case[key].as_f64().unwrap(),
                &format!("{name}, {key}"),
            );
        }
    }
    let case = &golden["botcl_user"];
    let (first, second) = (numbers(&case["H"]), numbers(&case["H2"]));
    let expected = case["MIC_mutual_info_score_nats"].as_f64().unwrap();
    close(
        similarity(&first, &second, Estimator::Counts).unwrap(),
        expected,
        "counts",
    );
    // python3 -c "mutual_info_score(case['H'], case['H'])"
    let expected = case["MIC_self"].as_f64().unwrap();
    let same = similarity(&first, &first, Estimator::Counts).unwrap();
    close(same, expected, "counts beside themselves");
    assert_eq!(
        similarity(&[0.0, 0.0], &[1.0, 0.0], Estimator::Overlap),
        None
    );
}

#[test]
fn histograms_stand_behind_each_other_and_combine() {
    // Three people, one concept, groups of 3 and 8 terms.
    let answers = [[Some(2), Some(7)], [Some(0), None], [Some(2), Some(1)]];
    let answers = Answers::new(&answers.map(|a| vec![a.to_vec()])).unwrap();
    let found = histogram(&answers, 0, &[3, 8]);
    assert_eq!(
        found,
        [1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    );
    let together = answers.combined(&[3, 8]);
    let expected = golden()["mnist_terms"]["terms"].as_u64().unwrap();
    let found = histogram(&together, 0, &[expected as usize]);
    assert_eq!((found.len(), found.iter().sum::<f64>()), (24, 2.0));
    assert_eq!((found[8 * 2 + 7], found[8 * 2 + 1]), (1.0, 1.0));
}

/// The four coders of `tests/statistics/agreement.rs`, twelve concepts, 0 for none: α by the package `krippendorff`
/// 0.9.0 of PyPI is there.
const CODERS: [[usize; 12]; 4] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
    [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
];

fn coders() -> Answers {
    let term = |code: usize| vec![(code > 0).then_some(code)];
    let people: Vec<Vec<Vec<Option<usize>>>> = CODERS
        .iter()
        .map(|codes| codes.iter().map(|&code| term(code)).collect())
        .collect();
    Answers::new(&people).unwrap()
}

#[test]
fn agreement_of_terms_and_its_interval() {
    let answers = coders();
    close(
        term_agreement(&answers, 0).unwrap(),
        0.743_421_052_631_579,
        "α",
    );
    // Somebody who counts twice makes no pair with themselves: two people, however often, agree as two.
    let two = term_agreement(&answers.weighted(vec![1, 1, 0, 0]), 0).unwrap();
    close(two, 0.852_173_913_043_478_3, "two of them");
    let doubled = term_agreement(&answers.weighted(vec![3, 3, 0, 0]), 0).unwrap();
    close(doubled, two, "three times each");
    assert!(term_agreement(&answers.weighted(vec![4, 0, 0, 0]), 0).is_err());
    let of = |answers: &Answers| term_agreement(answers, 0).ok();
    let draw = || over_people(&answers, of, 999, 0.95, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let interval = draw();
    assert!(
        interval.low < 0.743 && 0.743 < interval.high,
        "{interval:?}"
    );
    assert!(interval.high - interval.low > 0.05, "{interval:?}");
    assert_eq!(interval, draw(), "the same seed gives the same interval");
}

/// People × concepts × groups as it comes in: −1 for none.
fn study() -> Array {
    let people = [
        [[0, 2], [1, 1], [-1, -1]],
        [[0, 2], [1, -1], [0, 2]],
        [[0, 2], [2, 1], [-1, -1]],
        [[0, 1], [1, 1], [2, 0]],
    ];
    let flat = people.iter().flatten().flatten();
    Array::new(vec![4, 3, 2], flat.map(|&v| f64::from(v)).collect()).unwrap()
}

/// By hand: CDR 1, 1, ½. CC of concept 0: w = ½ each, r = 1; groups agree in 6/6 and 3/6 pairs, so ¾.
/// Concept 1: terms 4 + 3; group 0: w = 4/7, r = 1, 3/6; group 1: w = 3/7, r = 3/6, 3/6; 2/7 + 3/28.
/// Concept 2: nobody agrees, 0.
#[test]
fn the_measures_give_each_concept_mean_and_interval() {
    let inputs = Inputs::default().with(Need::Answers, study());
    let cdr = run("cdr", &inputs, "", &[]).unwrap();
    close(cdr.value("cdr").unwrap(), 2.5 / 3.0, "CDR");
    assert_eq!((cdr.rows, cdr.seed), (4, Some(5)));
    let cc = run("cc", &inputs, "", &[]).unwrap();
    let each: Vec<f64> = cc
        .values
        .iter()
        .filter_map(|v| v.value.filter(|_| v.of.is_some()))
        .collect();
    crate::all_close(&each, &[0.75, 2.0 / 7.0 + 3.0 / 28.0, 0.0], "CC");
    let mean = cc.value("cc").unwrap();
    let table = &cc.tables[0].rows[0];
    assert_eq!(table[0], Some(mean));
    let deviation = (each.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
    close(table[1].unwrap(), deviation, "SD");
    assert!(table[2] < table[0] && table[0] < table[3], "{table:?}");
}

/// α of each group, with the interval that [`over_people`] gives with the measure's seed.
#[test]
fn agreement_of_each_group_has_an_interval() {
    let people = CODERS.iter().flat_map(|codes| {
        codes
            .iter()
            .flat_map(|&code| [code as f64 - 1.0, (code > 2) as u8 as f64])
    });
    let answers = Array::new(vec![4, 12, 2], people.collect()).unwrap();
    let inputs = Inputs::default().with(Need::Answers, answers.clone());
    let found = run("term-agreement", &inputs, "", &[]).unwrap();
    let [first, second] = &found.tables[1].rows[..] else {
        panic!("a row for each group");
    };
    close(first[0].unwrap(), 0.743_421_052_631_579, "α of group 0");
    let answers = Answers::from_array(&answers, None).unwrap();
    let of = |answers: &Answers| term_agreement(answers, 1).ok();
    let expected =
        over_people(&answers, of, 1999, 0.95, &mut ChaCha8Rng::seed_from_u64(5)).unwrap();
    let expected = [of(&answers), Some(expected.low), Some(expected.high)];
    assert_eq!(second[..], expected);
    let mean = (first[0].unwrap() + second[0].unwrap()) / 2.0;
    close(found.value("alpha").unwrap(), mean, "mean of groups");
}

#[test]
fn combining_groups_is_what_the_answers_do() {
    let terms = Array::new(vec![2], vec![3.0, 3.0]).unwrap();
    let inputs = Inputs::default()
        .with(Need::Answers, study())
        .with(Need::Terms, terms);
    let combined = Answers::from_array(&study(), Some(&[3, 3]))
        .unwrap()
        .combined(&[3, 3]);
    let expected = (0..3).map(|c| consistency(&combined, c, Reading::BothName).unwrap());
    let found = run("cc", &inputs, "both-name", &[("combine", 1.0)]).unwrap();
    close(
        found.value("cc").unwrap(),
        expected.sum::<f64>() / 3.0,
        "CC",
    );
    let similar = run("mic", &inputs, "overlap", &[("combine", 1.0)]).unwrap();
    // Concepts 0 and 2 share one term of 4 and of 2, and concept 1 none with either.
    let first = [0.25, 0.75, 0.0];
    let third = [0.0, 0.5, 0.5];
    let expected = similarity(&first, &third, Estimator::Overlap).unwrap() / 3.0;
    close(similar.value("mic").unwrap(), expected, "MIC");
    let other = run("mic", &inputs, "concept-and-term", &[]).unwrap();
    assert!(other.value("mic").is_none() && other.value("mic_concept_and_term").is_some());
}

#[test]
fn sizes_of_groups_are_held_against_answers() {
    let terms = Array::new(vec![2], vec![2.0, 3.0]).unwrap();
    let inputs = Inputs::default()
        .with(Need::Answers, study())
        .with(Need::Terms, terms);
    let problems = run("cc", &inputs, "", &[]).unwrap_err();
    let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("row 2, column 1 is 2"), "{found:?}");
    assert!(found[1].contains("row 3, column 2 is 2"), "{found:?}");
    let three = array(&serde_json::json!([1, 2, 3]));
    let inputs = Inputs::default()
        .with(Need::Answers, study())
        .with(Need::Terms, three);
    assert!(run("mic", &inputs, "", &[]).is_err());
}

/// Histograms have room for every term: numbers that no vocabulary has are refused, not made room for.
#[test]
fn vocabularies_are_for_people() {
    let huge = Array::new(vec![2, 1, 1], vec![0.0, 4e9]).unwrap();
    let inputs = Inputs::default().with(Need::Answers, huge);
    let problems = run("mic", &inputs, "", &[]).unwrap_err();
    assert!(
        problems[0].to_string().contains("must be below 10000"),
        "{problems:?}"
    );
    let terms = Array::new(vec![2], vec![9000.0, 9000.0]).unwrap();
    let inputs = Inputs::default()
        .with(Need::Answers, study())
        .with(Need::Terms, terms);
    let problems = run("cc", &inputs, "", &[("combine", 1.0)]).unwrap_err();
    assert!(
        problems[0].to_string().contains("combinations"),
        "{problems:?}"
    );
}
