//! Reliability cards: what is constant has no spread, floors are floors, and mixtures come in their order.

use crate::toy::{Toy, array};
use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::list;
use measures::measure::Request;
use measures::reliability::{CardRequest, ScoreCard, card};
use std::sync::Mutex;

fn of(name: &str, toy: &Toy) -> Vec<ScoreCard> {
    let asked = CardRequest {
        request: Request {
            threads: 2,
            ..Request::default()
        },
        repeats: 3,
    };
    let card = card(list::find(name).unwrap(), &toy.inputs(), &asked).unwrap();
    assert_eq!((card.measure, card.repeats), (name, 3));
    card.scores
}

#[test]
fn a_card_of_a_measure_that_draws_nothing() {
    let toy = Toy::new(1000, 3, 0.2, 1);
    let [mig] = &of("mig", &toy)[..] else {
        panic!("MIG has one score");
    };
    assert_eq!(mig.reseed_sd, Some(0.0));
    assert!(mig.resample_sd.unwrap() > 0.001 && mig.resample_sd.unwrap() < 0.1);
    let limit = 1.96 * 2.0_f64.sqrt() * mig.resample_sd.unwrap();
    assert!((mig.smallest_difference.unwrap() - limit).abs() < 1e-3);
    assert!(mig.value.unwrap() > 0.4, "{mig:?}");
    assert!(mig.floor_permuted.unwrap() < 0.05, "{mig:?}");
    assert!(mig.floor_random.unwrap() < 0.05, "{mig:?}");
    assert_eq!(mig.mixing_curve.len(), 6);
    assert!(mig.mixing_correlation.unwrap() > 0.8, "{mig:?}");
}

#[test]
fn a_card_of_a_measure_that_trains() {
    let toy = Toy::new(1200, 3, 0.2, 1);
    let [ois] = &of("ois", &toy)[..] else {
        panic!("OIS has one score");
    };
    assert!(ois.reseed_sd.unwrap() > 0.0);
    let both = ois.reseed_sd.unwrap().hypot(ois.resample_sd.unwrap());
    let limit = 1.96 * 2.0_f64.sqrt() * both;
    assert!((ois.smallest_difference.unwrap() - limit).abs() < 1e-3);
    // Lower is better; codes that know nothing score near 1/√3.
    assert!(
        ois.floor_permuted.unwrap() > ois.value.unwrap() + 0.2,
        "{ois:?}"
    );
    assert!(
        ois.floor_random.unwrap() > ois.value.unwrap() + 0.2,
        "{ois:?}"
    );
    assert!(ois.mixing_correlation.unwrap() > 0.8, "{ois:?}");
    assert_eq!(
        of("ois", &toy)[0],
        *ois,
        "the same seeds give the same card"
    );
}

#[test]
fn what_a_measure_does_not_read_makes_no_floor() {
    let toy = Toy::new(600, 3, 0.2, 1);
    let scores = of("niche", &toy);
    assert_eq!(scores.len(), 3);
    for score in scores {
        // The task is permuted, and the labels that lie beside it are mixed.
        assert!(score.floor_permuted.is_some(), "{score:?}");
        assert!(score.mixing_curve.iter().all(Option::is_some), "{score:?}");
    }
    let asked = CardRequest {
        request: Request::default(),
        repeats: 2,
    };
    let inputs = Inputs::default()
        .with(Need::Codes, toy.codes.clone())
        .with(Need::Embeddings, toy.codes.clone());
    let card = card(list::find("monosemanticity").unwrap(), &inputs, &asked).unwrap();
    let score = &card.scores[0];
    assert_eq!(
        (score.floor_permuted, score.mixing_correlation),
        (None, None)
    );
    assert!(score.floor_random.is_some() && score.smallest_difference.is_some());
}

#[test]
fn progress_ends_at_one_and_bad_input_is_refused() {
    let toy = Toy::new(100, 3, 0.2, 1);
    let told = Mutex::new(Vec::new());
    let tell = |share: f64| told.lock().unwrap().push(share);
    let asked = CardRequest {
        request: Request {
            progress: Some(&tell),
            ..Request::default()
        },
        repeats: 2,
    };
    card(list::find("explicitness").unwrap(), &toy.inputs(), &asked).unwrap();
    assert_eq!(told.lock().unwrap().last(), Some(&1.0));
    let nothing = Inputs::default();
    assert!(card(list::find("mig").unwrap(), &nothing, &asked).is_err());
}

/// One concept with all of each output's weights, which its importance scales to what the output is.
#[test]
fn a_card_of_surf_mixes_importances() {
    let codes = array(200, 3, |row, code| {
        ((row * 7 + code * 5) as f64).sin() + 0.3
    });
    let outputs = array(200, 2, |row, output| {
        let code = |code| codes.at(row, code)[0];
        if output == 0 {
            2.0 * code(0)
        } else {
            5.0 * code(1)
        }
    });
    let directions = Array::new(vec![2, 1, 3], vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0]).unwrap();
    let importances = Array::new(vec![2, 1], vec![2.0, 5.0]).unwrap();
    let inputs = Inputs::default()
        .with(Need::Codes, codes.clone())
        .with(Need::Outputs, outputs.clone())
        .with(Need::Directions, directions)
        .with(Need::Importances, importances);
    let asked = CardRequest {
        request: Request::default(),
        repeats: 3,
    };
    let card = card(list::find("surf").unwrap(), &inputs, &asked).unwrap();
    let mae = &card.scores[0];
    assert!(
        mae.value.unwrap().abs() < 1e-12,
        "a perfect explanation: {mae:?}"
    );
    assert!(
        mae.floor_permuted.unwrap() > 0.5 && mae.floor_random.unwrap() > 0.5,
        "{mae:?}"
    );
    assert!(
        mae.mixing_curve[5].unwrap() > mae.mixing_curve[0].unwrap(),
        "{mae:?}"
    );
    assert!(mae.mixing_correlation.unwrap() > 0.9, "{mae:?}");
}
