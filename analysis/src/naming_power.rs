//! How many people a study needs to tell bundles of concepts apart by their names: power by drawing studies from a
//! pilot.
//!
//! A study of n people is n people of the pilot, drawn with replacement. It tells two bundles apart where the
//! interval of the difference, the very one that an analysis shows, does not hold 0. Somebody who is drawn twice is
//! two people here, who agree: in a study drawn from a pilot of m people, one pair in m is such a pair, and CC is
//! that much higher. That is so in both bundles, but a pilot of few people says little.

use domain::study::{AnalysisPlan, NamingMeasure};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::details::{Bundle, Gathered, Sampling, naming_difference};
use crate::left_out::left_out;
use crate::person::Person;
use crate::power::{NoPower, Settings, smallest};

/// Samples of people that a bootstrap interval is made from. An analysis takes more of them: its ends are steadier, and lie at the same place on average.
const REPLICATES: usize = 400;

/// The names that people of a pilot gave to the concepts.
pub struct NamingPilot {
    people: usize,
    vocabularies: Vec<Gathered>,
}

/// A difference between bundles that is to be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamingQuestion {
    /// The measure that bundles are to differ in.
    pub measure: NamingMeasure,
    /// Names of the bundles that are to be told apart, each from each; empty: all.
    pub bundles: Vec<String>,
}

/// The power of a naming study with so many people.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamingPower {
    /// People in all.
    pub people: usize,
    /// Every two bundles.
    pub pairs: Vec<PairPower>,
}

/// How often two bundles are told apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairPower {
    /// Names of the bundles.
    pub bundles: [String; 2],
    /// Mean of the first minus mean of the second in the pilot.
    pub difference: f64,
    /// Share of the drawn studies whose interval of the difference does not hold 0. A study whose interval is not
    /// defined tells nothing apart.
    pub power: f64,
    /// Its Monte-Carlo standard error, √(power (1 − power) / simulations).
    pub standard_error: f64,
}

impl NamingPower {
    /// The smallest power of all pairs.
    #[must_use]
    pub fn least(&self) -> f64 {
        let powers = self.pairs.iter().map(|pair| pair.power);
        powers.fold(1.0, f64::min)
    }
}

impl NamingPilot {
    /// The people whom the plan includes; without a plan, those who took the study to its end.
    #[must_use]
    pub fn of(people: Vec<Person>, plan: Option<&AnalysisPlan>) -> Self {
        let (_, people) = left_out(people, plan);
        let included = people.iter().filter(|(_, included)| *included);
        let included: Vec<(usize, &Person)> = (1..).zip(included.map(|(it, _)| it)).collect();
        Self {
            people: included.len(),
            vocabularies: Gathered::of(&included),
        }
    }

    /// How many people there are.
    #[must_use]
    pub const fn people(&self) -> usize {
        self.people
    }

    /// The power of a study with `people` people who all do what people of the pilot did.
    ///
    /// # Errors
    /// [`NoPower::NoNames`] where no two of the bundles have a difference in the pilot, and [`NoPower::Number`] for
    /// fewer than two people and settings that make no sense.
    pub fn power(
        &self,
        question: &NamingQuestion,
        settings: Settings,
        people: usize,
    ) -> Result<NamingPower, NoPower> {
        settings.check()?;
        if people < 2 {
            let why = "at least two people are needed to tell bundles apart";
            return Err(NoPower::Number(why.to_owned()));
        }
        let mut pairs = Vec::new();
        for vocabulary in &self.vocabularies {
            let mut bundles = vocabulary.bundles();
            bundles.retain(|it| question.bundles.is_empty() || question.bundles.contains(&it.name));
            for (at, first) in bundles.iter().enumerate() {
                for second in &bundles[at + 1..] {
                    let both = [first, second];
                    pairs.extend(pair(vocabulary, both, question.measure, settings, people));
                }
            }
        }
        if pairs.is_empty() {
            return Err(NoPower::NoNames(question.bundles.clone()));
        }
        Ok(NamingPower { people, pairs })
    }

    /// The smallest number of people, up to `most`, that tells every two bundles apart with at least this power, and
    /// every number that was looked at; no number if even `most` are too few.
    ///
    /// # Errors
    /// As [`power`](Self::power).
    pub fn people_needed(
        &self,
        question: &NamingQuestion,
        settings: Settings,
        wanted: f64,
        most: usize,
    ) -> Result<(Option<usize>, Vec<NamingPower>), NoPower> {
        let at = |people: usize| self.power(question, settings, people);
        smallest(wanted, most, at, NamingPower::least)
    }
}

/// How often studies drawn from these people tell two bundles apart; nothing where these people themselves show no
/// difference that is a number.
fn pair(
    pilot: &Gathered,
    bundles: [&Bundle; 2],
    measure: NamingMeasure,
    settings: Settings,
    people: usize,
) -> Option<PairPower> {
    let of_pilot = naming_difference(pilot, bundles, measure, None)?.difference?;
    let tells_apart = |simulation: u32| {
        let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
        // The same people come first whatever the number: powers of two numbers go together.
        rng.set_stream(u64::from(simulation));
        let drawn = pilot.drawn(people, &mut rng);
        let sampling = Sampling {
            seed: rng.random(),
            replicates: REPLICATES,
            level: 1.0 - settings.alpha,
        };
        let found = naming_difference(&drawn, bundles, measure, Some(sampling))?.interval?;
        let interval = found.defined()?;
        Some(interval.low > 0.0 || interval.high < 0.0)
    };
    let simulations = 0..settings.simulations;
    let count = simulations
        .filter(|it| tells_apart(*it) == Some(true))
        .count();
    let (power, standard_error) = settings.share(count);
    Some(PairPower {
        bundles: bundles.map(|bundle| bundle.name.clone()),
        difference: of_pilot,
        power,
        standard_error,
    })
}
