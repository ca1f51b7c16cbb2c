//! A model's decoder, for what is moved with dials.

use std::rc::Rc;

type DecodeInto = dyn Fn(&[f64], &mut Vec<f32>) -> bool;

/// g, a model's decoder.
#[derive(Clone)]
pub struct Decode {
    decode: Rc<DecodeInto>,
    in_background: Option<Rc<dyn Fn() -> bool>>,
}

/// The model's decoder failed on a vector that its own dials can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable;

impl Decode {
    /// From a function that writes the instance of a latent vector over what the buffer holds, and
    /// says whether the vector fits the model.
    pub fn new(decode: impl Fn(&[f64], &mut Vec<f32>) -> bool + 'static) -> Self {
        Self {
            decode: Rc::new(decode),
            in_background: None,
        }
    }

    /// The same decoder where pictures may be decoded in the background instead, as by a worker. The
    /// dials ask each time whether they are now.
    #[must_use]
    pub fn in_background_when(self, in_background: impl Fn() -> bool + 'static) -> Self {
        Self {
            in_background: Some(Rc::new(in_background)),
            ..self
        }
    }

    /// Writes the instance at z over what the buffer holds; whether z fits the model.
    #[must_use]
    pub fn at(&self, z: &[f64], instance: &mut Vec<f32>) -> bool {
        (self.decode)(z, instance)
    }

    /// Whether pictures are decoded in the background now
    /// ([`BackgroundDecoding::wanted`](super::dials::BackgroundDecoding::wanted)): then [`at`](Self::at)
    /// is only for a picture that cannot wait.
    #[must_use]
    pub fn in_background(&self) -> bool {
        self.in_background
            .as_ref()
            .is_some_and(|in_background| in_background())
    }
}
