//! A model's decoder, as whatever is moved with dials holds it.

use std::rc::Rc;

type Here = dyn Fn(&[f64], &mut Vec<f32>) -> bool;

/// g, a model's decoder.
#[derive(Clone)]
pub struct Decode {
    here: Rc<Here>,
    is_aside: Option<Rc<dyn Fn() -> bool>>,
}

/// The model's decoder failed on a vector that its own dials can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undecodable;

impl Decode {
    /// From a function that writes the instance of a latent vector over what the buffer holds, and
    /// says whether the vector fits the model.
    pub fn new(here: impl Fn(&[f64], &mut Vec<f32>) -> bool + 'static) -> Self {
        Self {
            here: Rc::new(here),
            is_aside: None,
        }
    }

    /// The same decoder where somebody else may decode instead: whether they do now, whoever moves the
    /// dials asks each time.
    #[must_use]
    pub fn aside(self, is_aside: impl Fn() -> bool + 'static) -> Self {
        Self {
            is_aside: Some(Rc::new(is_aside)),
            ..self
        }
    }

    /// Writes the instance at z over what the buffer holds; whether z fits the model.
    #[must_use]
    pub fn at(&self, z: &[f64], instance: &mut Vec<f32>) -> bool {
        (self.here)(z, instance)
    }

    /// Whether somebody else decodes now what is wanted
    /// ([`Aside::wanted`](super::dials::Aside::wanted)): then [`at`](Self::at) is for what cannot
    /// wait.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.is_aside.as_ref().is_some_and(|is_aside| is_aside())
    }
}
