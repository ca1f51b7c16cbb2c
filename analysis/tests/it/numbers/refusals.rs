//! The words where there is no number: each case of the table in docs/analysis.md, in texts and
//! in JSON.

use analysis::{Analysis, Person};
use measures::statistics::{Confounded, SampleUnit, Undefined};
use serde_json::Value;

use super::made_up::{Questions, analysed, person, stage};

/// A case of the table.
struct Case {
    /// As the table says it.
    case: &'static str,
    found: Analysis,
    /// The results that there are none of, and why.
    missing: Vec<(NoResult, Undefined)>,
}

/// A result as the table and the text name it, and where the JSON says that there is none.
type NoResult = (&'static str, &'static str);

impl Case {
    fn lacks(mut self, result: NoResult, why: Undefined) -> Self {
        self.missing.push((result, why));
        self
    }

    fn rows(&self) -> impl Iterator<Item = (&Self, NoResult, Undefined)> {
        self.missing
            .iter()
            .map(move |&(result, why)| (self, result, why))
    }
}

const MODEL: &str = "Mixed model";
const PAIR: &str = "The test of two conditions";
const PAIR_AT: &str = "/included/comparisons/0/pairs/0/declared/result";
const MODEL_AT: &str = "/included/comparisons/0/model";

fn too_few(of: SampleUnit, found: usize, needed: usize) -> Undefined {
    Undefined::TooFew { of, found, needed }
}

fn unidentified(from: Confounded) -> Undefined {
    Undefined::Unidentified { from }
}

/// Three questions whose times differ, one of them not solved.
fn some(p: usize, c: usize) -> Questions {
    let seconds = |q: usize| (20 + (p * 7 + c * 5 + q * 3) % 11) as f64;
    (0..3)
        .map(|q| (seconds(q), !(p + c + q).is_multiple_of(3), None))
        .collect()
}

/// Questions that all took so long.
fn all(seconds: f64, solved: bool) -> Questions {
    vec![(seconds, solved, None); 3]
}

/// So many people with both conditions.
fn both(people: usize, of: impl Fn(usize, usize) -> Questions) -> Vec<Person> {
    let one = |p| {
        let stages = [("one", 0), ("two", 1)].map(|(name, c)| stage(name, of(p, c), Some(4.0)));
        person(stages.into())
    };
    (0..people).map(one).collect()
}

/// So many people with one condition each, in turn.
fn one_each(people: usize) -> Vec<Person> {
    let one = |p: usize| {
        let score = Some(1.0 + (p % 5) as f64);
        person(vec![stage(["one", "two"][p % 2], some(p, p % 2), score)])
    };
    (0..people).map(one).collect()
}

/// So many people with the first condition, of whom one is left out.
fn met_one(people: usize) -> Vec<Person> {
    let mut people = both(people, some);
    for person in &mut people {
        person.stages.truncate(1);
    }
    people[0].over_quota = true;
    people
}

fn times(people: Vec<Person>, vary: &str, test: &str) -> Analysis {
    analysed(people, vary, test, "response_time_s")
}

fn case(case: &'static str, found: Analysis) -> Case {
    Case {
        case,
        found,
        missing: Vec::new(),
    }
}

/// The list: in the order of the table.
fn cases() -> Vec<Case> {
    let pair = (PAIR, PAIR_AT);
    let model = (MODEL, MODEL_AT);
    let friedman = ("Friedman", "/included/comparisons/0/omnibus/ranks");
    let kruskal = ("Kruskal–Wallis", "/included/comparisons/0/omnibus/ranks");
    let repeated = (
        "Repeated-measures analysis of variance",
        "/included/comparisons/0/omnibus/means/anova",
    );
    let welch = ("Welch's", "/included/comparisons/0/omnibus/means/welch");
    let attrition = ("Attrition", "/attrition/tests/chi_squared");
    let interval = (
        "Interval of a mean",
        "/included/comparisons/0/conditions/0/interval",
    );
    let alone = || times(one_each(2), "between", "t");
    let additive = || both(8, |p, c| all((20 + 3 * p + 5 * c) as f64, true));
    // 0.1 s times 3, in another order each: equal up to rounding.
    let rounded = both(8, |p, c| {
        let off = ((p * 3 + c * 5) % 8) as f64;
        all(0.1 * (1.0 + off * f64::EPSILON), true)
    });
    let with_items = both(8, |p, c| {
        let item = Some(["start", "other"][c]);
        some(p, c).into_iter().map(|q| (q.0, q.1, item)).collect()
    });
    let mut still_group = both(8, |p, c| all((20 + 3 * p * c) as f64, true));
    for (p, person) in still_group.iter_mut().enumerate() {
        person.stages.swap(0, p % 2);
        person.stages.truncate(1);
    }
    let solved_by_all = both(12, |p, c| {
        let solved = |q| c == 0 || (p + q) % 3 == 0;
        (0..4).map(|q| (20.0, solved(q), None)).collect()
    });
    let all_or_nothing = both(12, |p, _| all(20.0, p % 2 == 0));
    vec![
        case("One person", times(both(1, some), "within", "t"))
            .lacks(pair, too_few(SampleUnit::Values, 1, 2))
            .lacks(friedman, too_few(SampleUnit::People, 1, 2))
            .lacks(model, too_few(SampleUnit::Groups, 1, 2)),
        case("One person in a condition", alone())
            .lacks(interval, too_few(SampleUnit::Values, 1, 2)),
        case("One person in each condition", alone())
            .lacks(pair, too_few(SampleUnit::Values, 1, 2))
            .lacks(kruskal, too_few(SampleUnit::Values, 2, 3)),
        case(
            "One person in each condition",
            times(one_each(2), "between", "mixed_model"),
        )
        .lacks(model, unidentified(Confounded::Conditions)),
        case(
            "One question in each condition, the same for everybody",
            times(with_items, "within", "mixed_model"),
        )
        .lacks(model, unidentified(Confounded::Conditions)),
        case(
            "Conditions vary within people, and each person met one of them",
            times(one_each(8), "within", "mixed_model"),
        )
        .lacks(model, unidentified(Confounded::Terms)),
        case(
            "Nobody met one of the conditions",
            times(met_one(8), "between", "mixed_model"),
        )
        .lacks(model, Undefined::Aliased),
        case(
            "Nobody was to meet one of the conditions, and somebody is left out",
            times(met_one(8), "between", "t"),
        )
        .lacks(attrition, Undefined::EmptyMargin),
        case(
            "Nobody met both conditions",
            times(one_each(8), "within", "t"),
        )
        .lacks(pair, too_few(SampleUnit::Values, 0, 2)),
        case(
            "All values are equal",
            times(both(8, |_, _| all(20.0, true)), "within", "t"),
        )
        .lacks(pair, Undefined::Constant)
        .lacks(repeated, Undefined::Constant)
        .lacks(interval, Undefined::Constant),
        case(
            "Values are equal up to rounding (1e-12 of the largest)",
            times(rounded, "within", "t"),
        )
        .lacks(pair, Undefined::Constant),
        case(
            "Differences are all the same: the mean difference is given",
            times(additive(), "within", "t"),
        )
        .lacks(pair, Undefined::Constant),
        case(
            "A group does not vary",
            times(still_group, "between", "welch"),
        )
        .lacks(welch, Undefined::Constant),
        case(
            "A person and a condition explain every question",
            times(additive(), "within", "mixed_model"),
        )
        .lacks(model, Undefined::Constant),
        case(
            "A condition in which everybody solves everything",
            analysed(solved_by_all, "within", "mixed_model", "completion_rate"),
        )
        .lacks(model, Undefined::Separated),
        case(
            "People who solve everything, and others nothing",
            analysed(all_or_nothing, "within", "mixed_model", "completion_rate"),
        )
        .lacks(model, Undefined::Separated),
        case(
            "A mixed model is declared, and the metric is a score of a stage",
            analysed(both(8, some), "within", "mixed_model", "raw_tlx"),
        )
        .lacks(pair, Undefined::NotOfQuestions),
        case(
            "Welch's test is declared, and conditions vary within people",
            times(both(8, some), "within", "welch"),
        )
        .lacks(pair, Undefined::BetweenOnly),
    ]
}

/// Every reason is a case of the table, or cannot come out of an analysis.
fn is_reached(why: Undefined) -> bool {
    match why {
        Undefined::TooFew { .. }
        | Undefined::Constant
        | Undefined::Unidentified { .. }
        | Undefined::Separated
        | Undefined::Aliased
        | Undefined::EmptyMargin
        | Undefined::NotOfQuestions
        | Undefined::BetweenOnly => true,
        // Values are finite and of one length; levels, bounds, times and contrasts are checked with the plan. A
        // search that does not come to rest, replicates on one side, and tables of very many cells
        // are of no data that are made up in a moment.
        Undefined::NotFinite { .. }
        | Undefined::Lengths { .. }
        | Undefined::OutOfRange { .. }
        | Undefined::OneSided
        | Undefined::NotConverged
        | Undefined::RanksBetween
        | Undefined::TooLarge => false,
    }
}

fn table() -> Vec<[String; 3]> {
    let docs = include_str!("../../../../docs/analysis.md");
    let rows = docs
        .lines()
        .skip_while(|line| !line.starts_with("| case |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let cells: [&str; 3] = cells.try_into().unwrap();
        cells.map(str::to_owned)
    })
    .collect()
}

#[test]
fn the_table_of_the_guide_is_what_is_said() {
    let cases = cases();
    let rows = cases.iter().flat_map(Case::rows);
    let list: Vec<[String; 3]> = rows
        .map(|(case, (result, _), why)| [case.case.to_owned(), result.to_owned(), why.to_string()])
        .collect();
    let lines: Vec<String> = list
        .iter()
        .map(|row| format!("| {} |", row.join(" | ")))
        .collect();
    assert_eq!(
        table(),
        list,
        "docs/analysis.md should have\n{}",
        lines.join("\n")
    );
}

#[test]
fn each_refusal_is_said_in_text_and_json_and_has_no_number_beside_it() {
    let cases = cases();
    for (case, (result, at), why) in cases.iter().flat_map(Case::rows) {
        let place = format!("{}: {result}", case.case);
        assert!(is_reached(why), "{place}");
        let said = format!("undefined: {why}");
        let text = case.found.to_text();
        let begins = match result {
            PAIR => "one ",
            "Interval of a mean" => "Response time",
            "Attrition" => "Does it differ between cells?",
            other => other,
        };
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.trim_start().starts_with(begins))
            .collect();
        assert!(
            lines.iter().any(|line| line.contains(&said)),
            "{place}: {said} is not in {lines:#?}\n{text}"
        );
        for nothing in ["NaN", "inf"] {
            assert!(!text.contains(nothing), "{place}: {text}");
        }
        let json = serde_json::to_value(&case.found).unwrap();
        let found = json.pointer(at).unwrap_or(&Value::Null);
        assert_eq!(found["reason"], why.to_string(), "{place}: {found}");
        for number in [
            "p",
            "f",
            "chi_squared",
            "effect",
            "low",
            "statistic",
            "pairs",
        ] {
            assert!(found.get(number).is_none(), "{place}: {found}");
        }
        if result == PAIR {
            let pair = &case.found.included.comparisons[0].pairs[0];
            assert_eq!((pair.p(), pair.p_corrected), (None, None), "{place}");
            // Tables say it beneath.
            let tables = case.found.tables(&[]);
            for name in ["results-both", "pairs-both"] {
                let table = tables.iter().find(|table| table.name == name).unwrap();
                let noted = table.notes.iter().any(|note| note.contains(&said));
                assert!(noted, "{place}, {name}: {:?}", table.notes);
            }
        }
    }
}

/// The mean of differences that are all the same is −5 in every place; of one person it is one, too.
#[test]
fn a_mean_difference_stays_where_its_test_is_undefined() {
    let same = times(
        both(8, |p, c| all((20 + 3 * p + 5 * c) as f64, true)),
        "within",
        "t",
    );
    let one = times(
        both(1, |_, c| all((20 + 5 * c) as f64, true)),
        "within",
        "t",
    );
    for found in [same, one] {
        let pair = &found.included.comparisons[0].pairs[0];
        assert_eq!(pair.declared.estimate.defined(), Some(&-5.0));
        assert!(pair.declared.result.defined().is_none());
        let text = found.to_text();
        let row = text.lines().find(|line| line.starts_with("one ")).unwrap();
        assert!(row.replace('−', "-").contains("-5.00"), "{row}");
    }
}

/// The standard errors of one person's curves.
#[test]
fn one_persons_curves_have_no_standard_errors() {
    let mut people = both(1, some);
    for stage in &mut people[0].stages {
        stage.skip_after_s = Some(25.0);
    }
    let found = times(people, "within", "t");
    let row = &found.included.incidence[0];
    assert!(
        row.points
            .iter()
            .all(|point| point.standard_error.is_none())
    );
    let text = found.to_text();
    assert!(
        text.contains("(SE undefined: too few people: 1, where 2 are needed)"),
        "{text}"
    );
}
