//! Measures that fit something tell how far they are while they do.

use crate::properties::drawn;
use measures::inputs::{Inputs, Need};
use measures::list::find;
use measures::measure::Request;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use std::sync::Mutex;

#[test]
fn progress_is_told_while_something_is_fitted() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut draw = |shape: &[usize], end| drawn(&mut rng, shape, end);
    let inputs = Inputs::default()
        .with(Need::Codes, draw(&[40, 3], None))
        .with(Need::Task, draw(&[40], Some(2)))
        .with(Need::Directions, draw(&[2, 2, 3], None))
        .with(Need::Importances, draw(&[2, 2], None))
        .with(Need::Weights, draw(&[3, 2], None))
        .with(Need::Outputs, draw(&[40, 2], None));
    for (name, estimator, epochs) in [
        ("niche", None, None),
        ("cshap", None, Some(("epochs".to_owned(), 8.0))),
        ("surf", Some("non-negative".to_owned()), None),
        ("ice", Some("non-negative".to_owned()), None),
    ] {
        let told = Mutex::new(Vec::new());
        let hear = |share: f64| told.lock().unwrap().push(share);
        let request = Request {
            parameters: epochs.into_iter().collect(),
            estimator,
            seed: 1,
            progress: Some(&hear),
            ..Request::default()
        };
        find(name).unwrap().run(&inputs, &request).unwrap();
        let told = told.into_inner().unwrap();
        let early = told.iter().filter(|&&share| share < 0.79).count();
        assert!(early >= 5, "{name}: {told:?}");
        assert!(told.windows(2).all(|pair| pair[0] <= pair[1]), "{name}");
        assert!(
            told.iter().all(|share| (0.0..=1.0).contains(share)),
            "{name}"
        );
    }
}
