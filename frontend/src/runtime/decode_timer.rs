//! How long a question's pictures take to be decoded here.

use std::cell::RefCell;
use std::rc::Rc;

use domain::movement::Decode;
use domain::movement::decode_times::{DecodeTimer, DecodeTimes};

use super::clock::monotonic_ms;

/// The times of one question's decodes.
#[derive(Clone, Default)]
pub struct Timer(Rc<RefCell<DecodeTimer>>);

impl Timer {
    /// The same decoder, whose times are kept.
    #[must_use]
    pub fn around(&self, decode: Decode) -> Decode {
        let timer = Rc::clone(&self.0);
        Decode::new(move |z: &[f64], instance: &mut Vec<f32>| {
            let before_ms = monotonic_ms();
            let done = decode.at(z, instance);
            timer.borrow_mut().add(monotonic_ms() - before_ms);
            done
        })
    }

    /// A picture that was decoded beside the page took so long, in milliseconds.
    pub fn add(&self, ms: f64) {
        self.0.borrow_mut().add(ms);
    }

    /// Their number and quantiles; `None` if nothing was decoded.
    #[must_use]
    pub fn times(&self) -> Option<DecodeTimes> {
        self.0.borrow().times()
    }
}
