use serde::Deserialize;

use super::*;

/// A climb of PsychoPy's StairHandler; psychopy.py beside this file makes them.
#[derive(Deserialize)]
struct Expected {
    levels: usize,
    start: usize,
    up_after: u32,
    down_after: u32,
    right: Vec<u8>,
    asked: Vec<usize>,
    reversals: Vec<usize>,
}

fn staircase(levels: usize, up_after: u32, down_after: u32) -> Staircase {
    Staircase {
        from: 0,
        to: levels,
        stages: (0..levels).collect(),
        start: 0,
        up_after,
        down_after,
        questions: 1_000,
        reversals: None,
    }
}

#[test]
fn climbs_are_those_of_psychopy() {
    let expected: Vec<Expected> = serde_json::from_str(include_str!("psychopy.json")).unwrap();
    assert!(expected.len() >= 24);
    for case in expected {
        let staircase = Staircase {
            start: case.start,
            ..staircase(case.levels, case.up_after, case.down_after)
        };
        let (climb, _) = staircase.walk(case.right.iter().map(|right| *right == 1));
        let found = (climb.levels, climb.reversals);
        assert_eq!(found, (case.asked, case.reversals), "{:?}", case.right);
    }
}

#[test]
fn the_threshold_is_of_an_even_number_of_reversals_after_the_first() {
    let threshold = |reversals: &[usize]| {
        let climb = Climb {
            levels: Vec::new(),
            reversals: reversals.to_vec(),
        };
        climb.threshold()
    };
    for too_few in [&[][..], &[4], &[4, 1]] {
        assert_eq!(threshold(too_few), None, "{too_few:?}");
    }
    assert_eq!(threshold(&[4, 1, 2]), Some(1.5));
    // The second one goes, too.
    assert_eq!(threshold(&[4, 1, 2, 1]), Some(1.5));
    assert_eq!(threshold(&[4, 0, 3, 1, 2]), Some(1.5));
}

/// No staircase gets to its reversals sooner, whatever the answers, and the best answers get there just then.
#[test]
fn reversals_take_as_many_questions_as_said() {
    for (up, down, reversals) in [(1, 1, 1), (2, 1, 3), (1, 3, 4), (2, 2, 2), (3, 1, 2)] {
        let staircase = Staircase {
            reversals: Some(reversals),
            ..staircase(3, up, down)
        };
        let soonest = staircase.soonest_reversed().unwrap();
        let turned = |answers: u32, count: usize| {
            let answers = (0..count).map(|bit| answers >> bit & 1 == 1);
            staircase.walk(answers).0.reversals.len()
        };
        let most = |count: usize| (0..1_u32 << count).map(|it| turned(it, count)).max();
        assert_eq!(most(soonest), Some(reversals as usize), "{up} {down}");
        assert!(most(soonest - 1) < Some(reversals as usize), "{up} {down}");
        let span = staircase.asked(|_| 1_000);
        assert_eq!((span.least, span.most), (soonest, 1_000));
    }
}
