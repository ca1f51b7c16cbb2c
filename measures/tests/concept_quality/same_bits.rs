//! The same seed gives the same bits: in two runs, and with one thread and two.

use crate::toy::Toy;
use measures::inputs::{Inputs, Need};
use measures::list::MEASURES;
use measures::measure::{Measure, Request};
use measures::outcome::Outcome;

/// All numbers of an outcome, as bits.
fn bits(outcome: &Outcome) -> Vec<Option<u64>> {
    let values = outcome.values.iter().map(|value| value.value);
    let tables = outcome
        .tables
        .iter()
        .flat_map(|table| table.rows.iter().flatten().copied());
    values
        .chain(tables)
        .map(|number| number.map(f64::to_bits))
        .collect()
}

fn run(measure: &'static Measure, inputs: &Inputs, seed: u64, threads: usize) -> Outcome {
    let request = Request {
        seed,
        threads,
        ..Request::default()
    };
    measure.run(inputs, &request).unwrap()
}

#[test]
fn every_measure_gives_the_same_bits_again_and_with_two_threads() {
    let toy = Toy::new(700, 3, 0.3, 4);
    let inputs = toy
        .inputs()
        .with(Need::Embeddings, toy.codes.clone())
        .with(Need::ChangedCodes, toy.concepts.clone())
        .with(Need::ChangedFactor, toy.task.clone());
    let mut seeded = 0;
    for measure in MEASURES
        .iter()
        .copied()
        .filter(|measure| measure.can_run(&inputs))
    {
        let once = run(measure, &inputs, 7, 1);
        for (what, other) in [
            ("again", run(measure, &inputs, 7, 1)),
            ("two threads", run(measure, &inputs, 7, 2)),
        ] {
            assert_eq!(bits(&once), bits(&other), "{}, {what}", measure.name);
            assert_eq!(once.flags, other.flags, "{}, {what}", measure.name);
        }
        if measure.seeded {
            let other = run(measure, &inputs, 8, 1);
            assert_ne!(bits(&once), bits(&other), "{} reads its seed", measure.name);
            assert_eq!(once.seed, Some(7));
            seeded += 1;
        } else {
            assert_eq!(
                bits(&once),
                bits(&run(measure, &inputs, 8, 1)),
                "{}",
                measure.name
            );
            assert_eq!(once.seed, None);
        }
    }
    assert!(seeded >= 7, "{seeded}");
}

/// The bits of a machine at hand, so that another one shows when it has others.
#[test]
fn oracle_impurity_and_niches_have_the_bits_written_here() {
    let toy = Toy::new(700, 3, 0.3, 4);
    let found = |name: &str, score: &str| {
        let outcome = run(measures::list::find(name).unwrap(), &toy.inputs(), 7, 2);
        outcome.value(score).unwrap().to_bits()
    };
    assert_eq!(found("ois", "ois"), 4596111366661226805);
    assert_eq!(found("niche", "nis"), 4602912041687494284);
}
