//! How long an analysis of 10,000 sessions takes: `cargo xtask bench analysis` prints it.
//!
//! It begins where the logs have been read and folded into people. In unoptimised builds, too,
//! this crate and `measures` are optimised.

use std::time::{Duration, Instant};

use analysis::{Analysis, Extent, Person, analyse_to};
use domain::study::{AnalysisPlan, Metric};
use domain::task::Outcome;
use serde_json::json;

/// Sessions that are analysed.
const SESSIONS: usize = 10_000;

/// The people of `people.json` over and over, each with numbers of their own: times and distances
/// are multiplied by a factor, and every so many outcomes are turned round.
fn people(sessions: usize) -> Vec<Person> {
    let few: Vec<Person> = serde_json::from_str(include_str!("../people.json")).unwrap();
    (0..sessions)
        .map(|index| {
            let mut person = few[index % few.len()].clone();
            // A sequence that fills (0, 1) evenly, so that no two people are the same.
            let own = (index as f64 * 0.618_033_988_749_894_9).fract();
            for (s, stage) in person.stages.iter_mut().enumerate() {
                for (q, question) in stage.questions.iter_mut().enumerate() {
                    let factor = 0.5 + (own + 0.37 * (s * 7 + q) as f64).fract();
                    question.response_time_s *= factor;
                    question.active_time_s *= factor;
                    for metric in [Metric::SlideDistance, Metric::ErrorAuc] {
                        question
                            .metrics
                            .entry(metric)
                            .and_modify(|value| *value *= factor);
                    }
                    if factor < 0.6 {
                        question.outcome = question.outcome.map(|outcome| match outcome {
                            Outcome::Solved => Outcome::Skipped,
                            _ => Outcome::Solved,
                        });
                    }
                }
            }
            person
        })
        .collect()
}

fn analysed(people: &[Person], extent: Extent) -> (Analysis, Duration) {
    let plan = json!({
        "metrics": ["completion_rate", "response_time_s", "error_auc", "slide_distance", "difficulty"],
        "conditions_vary": "within",
        "across": [["lines", "shapes"]],
        "comparisons": [
            { "name": "lines", "conditions": ["lines-ae", "lines-vae", "lines-gt"] },
            { "name": "shapes", "conditions": ["shapes-ae", "shapes-vae", "shapes-gt"] },
        ],
        "equivalence": [{ "metric": "difficulty", "low": -0.5, "high": 0.5 }],
    });
    let plan: AnalysisPlan = serde_json::from_value(plan).unwrap();
    let people = people.to_vec();
    let begun = Instant::now();
    let found = analyse_to(people, &"0".repeat(64), Some(plan), extent);
    (found, begun.elapsed())
}

#[test]
#[ignore = "takes minutes: closed forms alone, and with bootstrap intervals and mixed models"]
fn analysis_of_ten_thousand_sessions() {
    let people = people(SESSIONS);
    let (found, closed_forms) = analysed(&people, Extent::CLOSED_FORMS);
    assert_eq!(found.started, SESSIONS);
    let tested = &found.included.comparisons[0];
    assert!(tested.n > 1_000 && tested.pairs.iter().all(|pair| pair.p_corrected.is_some()));
    assert!(tested.model.is_none() && tested.conditions[0].interval.is_none());
    let begun = Instant::now();
    let tables = found.tables(&[]);
    let mut written = 0;
    for table in &tables {
        written += table.to_csv().len() + table.to_markdown().len() + table.to_latex().len();
    }
    let tables_took = begun.elapsed();
    assert!(tables.len() >= 6 && written > 10_000);
    println!(
        "{SESSIONS} sessions: closed forms {closed_forms:.2?}, {} tables {tables_took:.2?}",
        tables.len()
    );
    let intervals = Extent {
        intervals: true,
        ..Extent::CLOSED_FORMS
    };
    let (_, took) = analysed(&people, intervals);
    println!(
        "{SESSIONS} sessions: bootstrap {:.2?}",
        took.saturating_sub(closed_forms)
    );
    let models = Extent {
        models: true,
        ..Extent::CLOSED_FORMS
    };
    for sessions in [100, 1_000, SESSIONS] {
        let people = &people[..sessions];
        let (_, closed_forms) = analysed(people, Extent::CLOSED_FORMS);
        let (found, took) = analysed(people, models);
        assert!(found.included.comparisons[0].model.is_some());
        println!(
            "{sessions} sessions: mixed models {:.2?}",
            took.saturating_sub(closed_forms)
        );
    }
}
