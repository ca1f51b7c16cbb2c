//! How long measures take: `cargo xtask bench measures` prints it.
//!
//! Arrays are made from a seed; sizes are those that the goals name. Two threads. In unoptimised builds, too, this
//! crate is optimised.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;
use measures::random::Random;
use measures::reliability::{CardRequest, card};

/// Codes that each follow a concept, with noise and a little of the next concept; concepts of `values` labels; a task
/// of the sum of the first three concepts.
fn inputs(rows: usize, codes: usize, concepts: usize, values: usize) -> Inputs<'static> {
    let mut random = Random::new(1, 0);
    let (mut z, mut c) = (
        Vec::with_capacity(rows * codes),
        Vec::with_capacity(rows * concepts),
    );
    let mut y = Vec::with_capacity(rows);
    for _ in 0..rows {
        let row: Vec<f64> = (0..concepts).map(|_| random.below(values) as f64).collect();
        for code in 0..codes {
            let (own, next) = (row[code % concepts], row[(code + 1) % concepts]);
            z.push(own + 0.2 * next + 0.3 * random.normal());
        }
        y.push((row[..3.min(concepts)].iter().sum::<f64>()).min(4.0));
        c.extend(row);
    }
    Inputs::default()
        .with(Need::Codes, Array::new(vec![rows, codes], z).unwrap())
        .with(Need::Labels, Array::new(vec![rows, concepts], c).unwrap())
        .with(Need::Task, Array::new(vec![rows], y).unwrap())
}

/// Computes a measure and prints how long it took, in seconds.
fn timed(name: &str, inputs: &Inputs, estimator: Option<&str>) -> f64 {
    let request = Request {
        threads: 2,
        estimator: estimator.map(str::to_owned),
        ..Request::default()
    };
    let begun = Instant::now();
    let outcome = list::find(name).unwrap().run(inputs, &request).unwrap();
    let took = begun.elapsed().as_secs_f64();
    let shown: Vec<String> = outcome
        .values
        .iter()
        .filter(|value| value.of.is_none())
        .map(|value| {
            format!(
                "{} {:.3}",
                value.score.name,
                value.value.unwrap_or(f64::NAN)
            )
        })
        .collect();
    println!("{name:>16} {took:8.2} s   {}", shown.join(", "));
    took
}

#[test]
#[ignore = "takes seconds: measures that train networks, at the size that the goals name"]
fn trained_measures() {
    println!("10 codes, 10 concepts of two labels, 10,000 rows");
    let inputs = inputs(10_000, 10, 10, 2);
    assert!(timed("ois", &inputs, None) < 10.0);
    assert!(timed("niche", &inputs, None) < 10.0);
    for name in [
        "nis-released",
        "concept-auc",
        "task-auc",
        "explicitness",
        "dci",
    ] {
        timed(name, &inputs, None);
    }
}

#[test]
#[ignore = "takes seconds: measures that train nothing, at the size that the goals name"]
fn untrained_measures() {
    println!("50 codes, 10 concepts of five labels, 100,000 rows");
    let inputs = inputs(100_000, 50, 10, 5);
    for name in ["mig", "sap", "modularity", "alignment"] {
        assert!(timed(name, &inputs, None) < 2.0, "{name}");
    }
    // Fits regressions, so that it is no untrained measure.
    timed("explicitness", &inputs, None);
}

#[test]
#[ignore = "takes seconds: leakage needs as many codes as concepts"]
fn leakage() {
    println!("50 codes, 50 concepts of two labels, 100,000 rows");
    let inputs = inputs(100_000, 50, 50, 2);
    assert!(timed("leakage", &inputs, None) < 2.0);
    // Sorts codes, and looks for neighbours of every row in every pair of them.
    timed("leakage", &inputs, Some("ksg"));
}

#[test]
#[ignore = "takes a minute: InfoE is a regression, InfoM and InfoC are not"]
fn infomec() {
    println!("50 codes, 10 sources of five values, 100,000 rows");
    let inputs = inputs(100_000, 50, 10, 5);
    for estimator in ["ksg", "histogram"] {
        timed("infomec", &inputs, Some(estimator));
    }
}

#[test]
#[ignore = "takes seconds: monosemanticity at the size that the goals name"]
fn monosemanticity() {
    println!("64 codes, embeddings of 512 entries, 50,000 rows");
    let mut random = Random::new(2, 0);
    let mut array = |width: usize| {
        let values = (0..50_000 * width).map(|_| random.normal()).collect();
        Array::new(vec![50_000, width], values).unwrap()
    };
    let inputs = Inputs::default()
        .with(Need::Codes, array(64))
        .with(Need::Embeddings, array(512));
    assert!(timed("monosemanticity", &inputs, None) < 2.0);
}

#[test]
#[ignore = "takes a minute: the cards of four measures"]
fn reliability_cards() {
    println!("5 codes, 5 concepts of two labels, 2,000 rows, five repeats");
    let inputs = inputs(2_000, 5, 5, 2);
    for name in ["mig", "dci", "ois", "niche"] {
        let asked = CardRequest {
            request: Request {
                threads: 2,
                ..Request::default()
            },
            repeats: 5,
        };
        let begun = Instant::now();
        let card = card(list::find(name).unwrap(), &inputs, &asked).unwrap();
        println!("{name:>16} {:8.2} s", begun.elapsed().as_secs_f64());
        for score in card.scores {
            println!("{score:.3?}");
        }
    }
}
