//! A whole analysis against pandas, scipy, statsmodels and pingouin: `people.py` made the
//! people and the expected numbers.

use analysis::{
    Analysis, Computed, ExcludedBy, MetricComparison, PairTests, Person, Rating, StageData,
    TestOfMeans, analyse,
};
use domain::questionnaire::Score;
use domain::study::{AnalysisPlan, Metric};
use domain::task::{Outcome, TaskKind};
use serde_json::{Value, json};

fn people() -> Vec<Person> {
    serde_json::from_str(include_str!("../people.json")).unwrap()
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../expected.json")).unwrap()
}

fn plan() -> Value {
    json!({
        "metrics": ["completion_rate", "error_auc", "difficulty"],
        "conditions_vary": "within",
        "comparisons": [
            { "name": "lines", "conditions": ["lines-ae", "lines-vae", "lines-gt"] },
            { "name": "shapes", "conditions": ["shapes-ae", "shapes-vae", "shapes-gt"] },
        ],
        "across": [["lines", "shapes"]],
        "family": "study",
        "exclusions": [{ "kind": "incomplete" }, { "kind": "marked" }],
        "equivalence": [{ "metric": "completion_rate", "low": -0.1, "high": 0.1 }],
        "people": 90,
    })
}

fn analysed(plan: &Value) -> Analysis {
    let plan: AnalysisPlan = serde_json::from_value(plan.clone()).unwrap();
    analyse(people(), &"0".repeat(64), Some(plan))
}

#[track_caller]
fn same(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    let off = (found - expected).abs();
    assert!(
        off <= 1e-9 * expected.abs() || off <= 1e-12,
        "{found}, not {expected}"
    );
}

fn defined<T>(found: &Computed<T>) -> &T {
    found.defined().unwrap()
}

fn comparison<'a>(
    sample: &'a analysis::Sample,
    name: &str,
    metric: Metric,
) -> &'a MetricComparison {
    let mut all = sample.comparisons.iter();
    all.find(|c| c.name == name && c.metric == metric).unwrap()
}

#[test]
fn every_number_of_a_plan_within_people() {
    let (found, expected) = (analysed(&plan()), expected());
    // People who withdrew, exclusions by hand, the study's own rules and quota come first, and left nobody out.
    let counts: Vec<usize> = found.excluded.iter().map(|e| e.people).collect();
    assert_eq!(counts[..4], [0; 4]);
    assert_eq!(json!(counts[4..]), expected["excluded"]);
    assert!(found.interim);
    for (cell, kept, lost) in &found.attrition.cells {
        assert_eq!(json!([kept, lost]), expected["attrition"][cell]);
    }
    let tests = found.attrition.tests.as_ref().unwrap();
    same(*defined(&tests.fisher_p), &expected["attrition_fisher"]);
    same(defined(&tests.chi_squared).p, &expected["attrition_chi"]);

    for (key, sample) in [("included", &found.included), ("everyone", &found.everyone)] {
        for name in ["lines", "shapes"] {
            for metric in [
                Metric::CompletionRate,
                Metric::ResponseTimeS,
                Metric::ErrorAuc,
                Metric::Score(Score::Difficulty),
            ] {
                let expected = &expected[key][format!("{name} {}", metric.name())];
                agrees(comparison(sample, name, metric), expected);
            }
        }
    }
    let across = &found.included.across;
    let rates = across
        .iter()
        .find(|a| a.metric == Metric::CompletionRate)
        .unwrap();
    let anova = defined(&rates.anova);
    for (key, test) in [("group", anova.between), ("Interaction", anova.interaction)] {
        same(test.f, &expected["across"][key]);
        same(test.p, &expected["across_p"][key]);
    }
    assert!(
        across.iter().all(|a| a.metric != Metric::ErrorAuc),
        "its unit differs"
    );
}

fn agrees(found: &MetricComparison, expected: &Value) {
    assert_eq!(json!(found.n), expected["n"]);
    assert_eq!(json!(found.left_out), expected["left_out"]);
    assert_eq!(found.planned, found.metric != Metric::ResponseTimeS);
    for (index, row) in found.conditions.iter().enumerate() {
        let description = defined(&row.description);
        assert_eq!(json!(description.n), expected["count"][index]);
        same(description.mean, &expected["mean"][index]);
        same(description.sd_population, &expected["sd"][index]);
        same(description.median, &expected["median"][index]);
        let interval = defined(row.interval.as_ref().unwrap());
        assert!(interval.low < description.mean && description.mean < interval.high);
    }
    let omnibus = found.omnibus.as_ref().unwrap();
    let TestOfMeans::Repeated { anova } = &omnibus.means else {
        panic!("{:?}", omnibus.means);
    };
    let anova = defined(anova);
    same(anova.test.f, &expected["f"]);
    same(anova.test.p, &expected["p"]);
    same(anova.epsilon.unwrap(), &expected["eps"]);
    same(anova.p_greenhouse_geisser.unwrap(), &expected["p_gg"]);
    same(defined(&omnibus.ranks).p, &expected["friedman"]);
    for (index, pair) in found.pairs.iter().enumerate() {
        same(pair.p().unwrap(), &expected["pairs"][index]);
        if expected.get("holm").is_some() {
            same(pair.p_corrected.unwrap(), &expected["holm"][index]);
        }
        assert_eq!(
            pair.equivalence.is_some(),
            found.metric == Metric::CompletionRate
        );
    }
    assert!(found.model.as_ref().unwrap().defined().is_some());
}

/// Each person met the first model of one data set or the other.
#[test]
fn a_plan_between_people_and_its_mixed_model() {
    let mut plan = plan();
    plan["conditions_vary"] = json!("between");
    plan["comparisons"] = json!([{ "name": "first", "conditions": ["lines-ae", "shapes-ae"] }]);
    plan["across"] = json!([]);
    plan["test"] = json!("mixed_model");
    let found = analysed(&plan);
    let rates = comparison(&found.included, "first", Metric::CompletionRate);
    let pair = &rates.pairs[0];
    let PairTests::Between { t, .. } = &pair.tests else {
        panic!("{pair:?}");
    };
    assert_eq!(defined(t).n.iter().sum::<usize>(), rates.n);
    let contrast = &rates.model.as_ref().unwrap().defined().unwrap().tests.pairs[0];
    assert_eq!(pair.p(), Some(defined(contrast).p));
    assert_eq!(
        pair.declared.estimate,
        Computed::Defined(defined(contrast).estimate)
    );
}

/// Without a plan all is exploratory, and who meets what is seen from the sessions.
#[test]
fn without_a_plan_all_is_exploratory() {
    let found = analyse(people(), "ab", None);
    assert_eq!(found.design, domain::study::ConditionsVary::Within);
    assert!(found.included.comparisons.iter().all(|c| !c.planned));
    let text = found.to_text();
    assert!(text.contains("everything here is exploratory"), "{text}");
    // Of nobody there is nothing to say.
    let nobody = analyse(Vec::new(), "ab", None);
    assert_eq!((nobody.started, nobody.included.comparisons.len()), (0, 0));
    assert!(nobody.to_text().contains("0 people started"));
}

#[test]
fn the_text_says_what_a_reader_must_know() {
    let text = analysed(&plan()).to_text();
    for wanted in [
        "32 people started",
        "INTERIM: 90 people are declared",
        "the session is not complete",
        "(exploratory)",
        "All who started",
        "Greenhouse–Geisser",
        "corrected after Holm",
        "Cumulative incidence",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing:\n{text}");
    }
    // Differences below zero have a true minus sign.
    let letters: Vec<char> = text.chars().collect();
    let hyphen =
        |three: &[char]| matches!(three, [' ' | '(', '-', digit] if digit.is_ascii_digit());
    assert!(!letters.windows(3).any(hyphen), "{text}");
    assert!(text.contains('−'), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

/// A model that was replaced under a running study is a condition of its own.
#[test]
fn other_weights_are_another_condition() {
    let mut people = people();
    for stage in &mut people[0].stages {
        stage.weights_sha256 = "f".repeat(64);
    }
    let found = analyse(people, "ab", None);
    let names: Vec<&str> = found.everyone.comparisons[0]
        .conditions
        .iter()
        .map(|row| row.condition.as_str())
        .collect();
    assert!(
        names.iter().any(|name| name.contains("ffffffff")),
        "{names:?}"
    );
}

#[test]
fn inclusion_rules_and_quotas_leave_people_out_first() {
    let mut people = people();
    people[0].excluded = Some(ExcludedBy::Rules {
        unmet: vec!["solved_at_least".to_owned()],
    });
    people[1].over_quota = true;
    let found = analyse(people, "ab", None);
    assert_eq!((found.excluded[2].people, found.excluded[3].people), (1, 1));
    assert_eq!(found.started, 32);
    let left_out: usize = found.excluded.iter().map(|e| e.people).sum();
    assert_eq!(found.included.people, 32 - left_out);
}

/// People with two stages, `one` and `two`, that `edit` fills.
fn people_of_two_stages(count: usize, edit: impl Fn(usize, usize, &mut StageData)) -> Vec<Person> {
    let mut people: Vec<Person> = people().into_iter().take(count).collect();
    assert_eq!(people.len(), count);
    for (person, of_person) in people.iter_mut().enumerate() {
        of_person.stages.truncate(2);
        of_person.complete = true;
        for (index, stage) in of_person.stages.iter_mut().enumerate() {
            ["one", "two"][index].clone_into(&mut stage.stage);
            stage.task = TaskKind::Reconstruction;
            edit(person, index, stage);
        }
    }
    people
}

fn of_two_stages(people: Vec<Person>) -> Analysis {
    let plan = json!({
        "metrics": ["response_time_s"],
        "conditions_vary": "within",
        "comparisons": [{ "name": "both", "conditions": ["one", "two"] }],
        "exclusions": [],
    });
    analyse(people, "ab", Some(serde_json::from_value(plan).unwrap()))
}

#[track_caller]
fn near(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found}, not {expected}"
    );
}

/// R's `clmm(y ~ c + (1|p), gradTol = 1e-6)` of the package ordinal: log-likelihood −38.915755, c
/// 0.638175 (0.748960).
#[test]
fn ratings_have_cumulative_link_models() {
    const RATINGS: [[u8; 14]; 2] = [
        [3, 4, 2, 5, 3, 4, 2, 3, 4, 5, 1, 3, 2, 4],
        [4, 3, 2, 4, 5, 3, 3, 4, 4, 4, 2, 5, 3, 3],
    ];
    let people = people_of_two_stages(14, |person, stage, data| {
        data.ratings = vec![Rating {
            item: "nasa-tlx.effort".to_owned(),
            text: "Effort".to_owned(),
            low: 1.0,
            high: 5.0,
            value: f64::from(RATINGS[stage][person]),
        }];
    });
    let found = of_two_stages(people);
    let [rating] = &found.included.rating_models[..] else {
        panic!("{:?}", found.included.rating_models);
    };
    assert_eq!(rating.item, "nasa-tlx.effort");
    let model = defined(&rating.model);
    assert_eq!((model.rows, model.random.len()), (28, 1));
    near(model.log_likelihood, -38.915_755, 0.01);
    let pair = defined(&model.tests.pairs[0]);
    near(pair.estimate, -0.638_175, 0.05 * 0.748_960);
    near(pair.standard_error, 0.748_960, 0.05 * 0.748_960);
    let table = found.tables(&[]);
    let table = table.iter().find(|table| table.name == "ratings").unwrap();
    assert!(table.to_csv().contains("both,nasa-tlx.effort,28,"));
    assert!(
        table
            .to_markdown()
            .contains("| both | NASA-TLX, effort | 28 |")
    );
}

/// R's `lmer(y ~ c + (1|p) + (1|p:c) + (1|item))` of lme4: log-likelihood −193.289582, c 5.625
/// (3.161556), SDs 3.035969 (p), 0 (p:c), 4.426482 (item), 1.992817 (residual).
#[test]
fn a_fixed_list_of_questions_has_a_term_of_its_own() {
    let with_items = |item: fn(usize, usize, usize) -> String| {
        people_of_two_stages(10, |p, c, data| {
            data.questions = vec![data.questions[0].clone(); 4];
            for (q, question) in data.questions.iter_mut().enumerate() {
                let whole = 20 + 3 * c + (p * 37) % 11 + 2 * ((q * 5 + c * 3) % 7);
                let part = (p * 31 + c * 17 + q * 13) % 19;
                question.outcome = Some(Outcome::Solved);
                question.response_time_s = whole as f64 + part as f64 / 3.0;
                question.item = Some(item(p, c, q));
            }
        })
    };
    let model = |people| {
        let found = of_two_stages(people);
        let times = comparison(&found.included, "both", Metric::ResponseTimeS);
        defined(times.model.as_ref().unwrap()).clone()
    };
    let fixed = model(with_items(|_, c, q| format!("{c} {q}")));
    let names: Vec<&str> = fixed.random.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["person", "person:condition", "item"]);
    near(fixed.log_likelihood, -193.289_582, 0.01);
    let pair = defined(&fixed.tests.pairs[0]);
    near(pair.estimate, -5.625, 0.05 * 3.161_556);
    near(pair.standard_error, 3.161_556, 0.05 * 3.161_556);
    near(fixed.random[2].sd, 4.426_482, 0.05);
    // Questions that are drawn for each person have none.
    let drawn = model(with_items(|p, c, q| format!("{p} {c} {q}")));
    assert_eq!(drawn.random.len(), 2);
}
