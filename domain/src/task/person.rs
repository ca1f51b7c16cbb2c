//! Simulated people: how they go about a task, and what they see.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rand::{Rng, RngExt};

use crate::model::ModelFacts;
use crate::model::evidence::Evidence;
use crate::movement::Decode;
use crate::questionnaire::AnswerCondition;

pub(crate) mod timing;

pub use timing::Timing;
use timing::log_normal;

macro_rules! strategies {
    ($($(#[$doc:meta])* $variant:ident $name:literal $label:literal,)*) => {
        /// How somebody goes about a task.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Strategy {
            $($(#[$doc])* $variant,)*
        }

        impl Strategy {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name on the command line and in the data.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The name for readers of tables.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self { $(Self::$variant => $label,)* }
            }
        }
    };
}

strategies! {
    /// Knows where each dial has to stand, up to an error of the eye: sets one after the other,
    /// and again more exactly where that was not enough. Of a single dimension, the right answer.
    KnowsDimensions "knows_dimensions" "Knows the dimensions",
    /// Watches the alignment, turns one dial to its local best, then the next, until a round of
    /// all dials brings nothing; then begins again from elsewhere. Learns a single dimension
    /// from its examples.
    CoordinateAscent "coordinate_ascent" "Coordinate ascent",
    /// Puts a dial at random somewhere at random, and back where that is no better. Learns a
    /// single dimension from its examples.
    RandomTrial "random_trial" "Random trial",
    /// Does the same, and skips as soon as that is allowed. Guesses what a single dimension is.
    GivesUp "gives_up" "Gives up",
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|strategy| strategy.name() == text);
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|strategy| strategy.name()).collect();
            format!("'{text}' is no strategy; there are {}", known.join(", "))
        })
    }
}

/// Strategies with their shares: of each person one is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Mixture(Vec<(Strategy, f64)>);

impl Default for Mixture {
    /// People of every kind. The shares are Redial's own, and not fitted to anything.
    fn default() -> Self {
        Self(vec![
            (Strategy::KnowsDimensions, 0.2),
            (Strategy::CoordinateAscent, 0.5),
            (Strategy::RandomTrial, 0.2),
            (Strategy::GivesUp, 0.1),
        ])
    }
}

impl From<Strategy> for Mixture {
    fn from(strategy: Strategy) -> Self {
        Self(vec![(strategy, 1.0)])
    }
}

impl FromStr for Mixture {
    type Err = String;

    /// `coordinate_ascent`, or `coordinate_ascent=0.7,gives_up=0.3`: shares of any sum.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut shares: Vec<(Strategy, f64)> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (name, share) = match part.split_once('=') {
                Some((name, share)) => (name.trim(), share.trim().parse::<f64>().ok()),
                None => (part, Some(1.0)),
            };
            let share = share.filter(|share| share.is_finite() && *share > 0.0);
            let Some(share) = share else {
                return Err(format!(
                    "'{part}': a share is a number above 0, as in {name}=0.5"
                ));
            };
            let strategy = name.parse()?;
            if shares.iter().any(|(known, _)| *known == strategy) {
                return Err(format!("'{name}' is there twice"));
            }
            shares.push((strategy, share));
        }
        Ok(Self(shares))
    }
}

impl fmt::Display for Mixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [(only, _)] = self.0.as_slice() {
            return f.write_str(only.name());
        }
        for (index, (strategy, share)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}={share}", strategy.name())?;
        }
        Ok(())
    }
}

impl Mixture {
    /// One of them, by their shares.
    #[must_use]
    pub fn draw(&self, rng: &mut dyn Rng) -> Strategy {
        let whole: f64 = self.0.iter().map(|(_, share)| share).sum();
        let mut left = rng.random::<f64>() * whole;
        for (strategy, share) in &self.0 {
            left -= share;
            if left < 0.0 {
                return *strategy;
            }
        }
        self.0
            .last()
            .map_or(Strategy::CoordinateAscent, |last| last.0)
    }
}

/// The decoders and pictures that people look at, which threads may share.
pub type Sight = Arc<dyn Evidence + Send + Sync>;

/// A simulated person.
#[derive(Clone)]
pub struct SimulatedPerson {
    /// How they go about a task.
    pub strategy: Strategy,
    /// How long they take for what.
    pub timing: Timing,
    /// How long they try before they skip, in units of the time before which nobody can; at
    /// least 1.
    pub patience: f64,
    /// The decoders and pictures that they see.
    pub sight: Sight,
    /// The answers that the study's attention checks want. The person gives them.
    pub attention_checks: Vec<AnswerCondition>,
}

/// Spread of patience from person to person: SD of its logarithm.
const PATIENCE_SD: f64 = 0.5;
/// Half of all people try for so many times the time before which nobody can skip.
const PATIENCE: f64 = 2.0;

impl SimulatedPerson {
    /// A person with a strategy; everything else is drawn.
    #[must_use]
    pub fn draw(
        strategy: Strategy,
        sight: Sight,
        attention_checks: Vec<AnswerCondition>,
        rng: &mut dyn Rng,
    ) -> Self {
        let patience = match strategy {
            Strategy::GivesUp => 1.0,
            _ => log_normal(PATIENCE, PATIENCE_SD, rng).max(1.0),
        };
        Self {
            strategy,
            timing: Timing::of_person(rng),
            patience,
            sight,
            attention_checks,
        }
    }

    /// The decoder of a model, as questions take it.
    pub(crate) fn decoder(&self, model: &Arc<ModelFacts>) -> Decode {
        let (sight, model) = (self.sight.clone(), model.clone());
        Decode::new(
            move |z: &[f64], picture: &mut Vec<f32>| match sight.decode(&model, z) {
                Some(decoded) => {
                    *picture = decoded;
                    true
                }
                None => false,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn mixtures_are_read_written_and_drawn_by_their_shares() {
        let mixture: Mixture = "coordinate_ascent=3, gives_up=1".parse().unwrap();
        assert_eq!(mixture.to_string(), "coordinate_ascent=3,gives_up=1");
        assert_eq!(mixture.to_string().parse::<Mixture>().unwrap(), mixture);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let drawn = (0..4_000).map(|_| mixture.draw(&mut rng));
        let gave_up = drawn
            .filter(|strategy| *strategy == Strategy::GivesUp)
            .count();
        // 1,000 expected; the SD is 27.
        assert!((880..1_120).contains(&gave_up), "{gave_up}");
        let one: Mixture = "random_trial".parse().unwrap();
        assert_eq!(one, Strategy::RandomTrial.into());
        for (wrong, says) in [
            ("", "is no strategy"),
            ("clever", "'clever' is no strategy"),
            ("gives_up=0", "above 0"),
            ("gives_up=x", "above 0"),
            ("gives_up,gives_up", "twice"),
        ] {
            let error = wrong.parse::<Mixture>().unwrap_err();
            assert!(error.contains(says), "{wrong:?}: {error}");
        }
    }
}
