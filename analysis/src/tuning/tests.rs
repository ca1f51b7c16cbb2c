use super::*;

fn tuning(steps: Vec<Vec<(f64, f64)>>) -> Tuning {
    let approach = |steps: Vec<(f64, f64)>| ApproachCurve {
        model: "m".to_owned(),
        strategy: "s".to_owned(),
        threshold: if steps.len() == 1 { 0.95 } else { 0.5 },
        steps,
    };
    Tuning {
        models: Vec::new(),
        strategies: vec!["s".to_owned()],
        thresholds: vec![0.1],
        times_s: vec![30.0],
        approaches: steps.into_iter().map(approach).collect(),
    }
}

/// Numbers worked out by hand. A distance counts as reached up to 0.001 above the threshold.
#[test]
fn shares_and_medians_count_what_is_reached_in_time() {
    let found = tuning(vec![
        vec![(0.0, 0.9), (10.0, 0.5), (20.0, 0.1005)],
        vec![(0.0, 0.9), (40.0, 0.05)],
        vec![(0.0, 0.9)],
        vec![(0.0, 0.05)],
    ]);
    let at = |threshold, seconds| found.at("m", "s", Some(threshold), seconds);
    assert_eq!(at(0.1, 30.0).share(), Some(0.5));
    assert_eq!(at(0.1, 30.0).median_s, Some(20.0));
    assert_eq!(at(0.1, 40.0).share(), Some(0.75));
    assert_eq!(at(0.1, 19.0).median_s, None);
    assert_eq!(at(0.5, 10.0).solved, 2);
    assert_eq!(at(0.1, 0.0).solved, 1);
    let none = tuning(Vec::new());
    assert_eq!(none.at("m", "s", Some(0.1), 30.0).share(), None);
}

#[test]
fn questions_may_have_thresholds_of_their_own() {
    let mut found = tuning(vec![
        vec![(0.0, 0.9), (10.0, 0.5)],
        vec![(0.0, 0.9), (10.0, 0.6)],
        vec![(0.0, 0.9)],
    ]);
    let own = |threshold| OwnSettings {
        model: "m".to_owned(),
        threshold,
        skip_after_s: 30.0,
    };
    found.models = vec![own(None)];
    assert_eq!(
        found.at("m", "s", None, 30.0).solved,
        2,
        "0.5 and 0.95 count"
    );
    assert_eq!(found.at("m", "s", None, 5.0).solved, 1);
    let rows = found.rows();
    let of_the_study: Vec<_> = rows.iter().filter(|row| row.of_the_study).collect();
    assert_eq!((rows.len(), of_the_study.len()), (2, 1));
    assert_eq!(of_the_study[0].threshold, None);
    assert_eq!(of_the_study[0].found.solved, 2);
    let summary = found.summary();
    assert_eq!(summary.rows[0][1], TableCell::number(None));
    assert_eq!(summary.notes.len(), 1);
    found.models = vec![own(Some(0.1))];
    assert_eq!(found.rows().len(), 1);
    assert!(found.summary().notes.is_empty());
}
