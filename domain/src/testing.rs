//! Small stand-ins for tests: a model one can compute in one's head.

use crate::distance::Distance;
use crate::draw::ModelSource;
use crate::event::{EVENT_FORMAT, Envelope, Event, SessionId};
use crate::latent::{DEFAULT_STEP, Dimension, LatentSpace};
use crate::model::{Arrangement, Display, InstanceShape, ModelFacts};

/// A model with two dials from 0 to 1 whose instance is z itself.
pub fn two_dials(name: &str) -> ModelFacts {
    let dial = Dimension::Continuous {
        min: 0.0,
        max: 1.0,
        step: DEFAULT_STEP,
    };
    ModelFacts {
        name: name.into(),
        latent: LatentSpace::new(vec![dial.clone(), dial]).unwrap(),
        shape: InstanceShape::Image {
            height: 1,
            width: 2,
            channels: 1,
        },
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.1,
        skip_after_s: 30.0,
        weights_sha256: String::new(),
    }
}

/// The only model there is.
pub struct OneModel(pub ModelFacts);

impl ModelSource for OneModel {
    fn facts(&self, model: &str) -> Option<&ModelFacts> {
        (model == self.0.name).then_some(&self.0)
    }
    fn sample(&self, _: &str, rng: &mut dyn rand::Rng) -> Option<Vec<f64>> {
        let mut unit = || f64::from(rng.next_u32()) / f64::from(u32::MAX);
        Some(vec![unit(), unit()])
    }
    #[allow(clippy::cast_possible_truncation)]
    fn decode(&self, _: &str, z: &[f64]) -> Option<Vec<f32>> {
        Some(z.iter().map(|v| *v as f32).collect())
    }
}

/// Numbers events as a browser would.
pub struct Log {
    pub session: SessionId,
    pub events: Vec<Envelope>,
}

impl Log {
    pub fn next(&self, at_ms: u64, event: Event) -> Envelope {
        let seq = self.events.len() as u64;
        Envelope {
            format: EVENT_FORMAT,
            session: self.session.clone(),
            seq,
            at_ms,
            event,
        }
    }
}
