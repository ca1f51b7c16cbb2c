//! Measures of a path through a latent space: a fold over its movements.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Direction, Jump, Modality, Movement};
use crate::model::latent::LatentSpace;

/// How the dials were moved in one question.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct MovementMeasures {
    /// Σ |Δz_i| / (max_i − min_i) over continuous dimensions plus 1 for each discrete
    /// change. A dimension of zero width adds nothing.
    pub slide_distance: f64,
    /// How often the dimension being moved changed.
    pub dimension_switches: u64,
    /// How often a continuous dimension turned round without another being moved in between.
    pub direction_reversals: u64,
    /// Per dimension: how many times it was taken up and slid (0 for discrete ones).
    pub slides: Vec<u64>,
    /// Per dimension: how many selections were made (0 for continuous ones).
    pub selections: Vec<u64>,
    /// Per dimension: its part of the slide distance.
    pub distance_per_dimension: Vec<f64>,
    /// Dimensions in the order they were first moved.
    pub first_touched: Vec<usize>,
    /// How often the last movement was undone.
    #[serde(default)]
    pub undos: u64,
    /// How often the dials were put to random places.
    #[serde(default)]
    pub randomisations: u64,
    /// How often a dial was taken up and moved, after another dial, a button, or nothing.
    #[serde(default)]
    pub moves: u64,
    /// How many of these moves went one way only.
    #[serde(default)]
    pub monotone_moves: u64,
    /// Passes over the dials: a pass is complete once every dial that is shown and has more than
    /// one value has been taken up since the pass before was complete.
    #[serde(default)]
    pub passes: u64,
    /// When the first dial was moved, in milliseconds since the question started.
    #[serde(default)]
    pub first_moved_ms: Option<u64>,
    /// How many stored movements were made with what, as far as that is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<Modality, u64>,
    #[serde(skip)]
    last: Option<(usize, Direction)>,
    /// Whether the move under way has turned round.
    #[serde(skip)]
    turned: bool,
    /// The dials that a pass goes over.
    #[serde(skip)]
    dials: BTreeSet<usize>,
    /// Those of them that the pass under way has been at.
    #[serde(skip)]
    in_pass: BTreeSet<usize>,
}

impl MovementMeasures {
    /// No movement yet in a space.
    #[must_use]
    pub fn new(space: &LatentSpace) -> Self {
        let dimensions = space.dimensions().iter().enumerate();
        let moves = dimensions.filter(|(_, d)| d.range().is_none_or(|range| range > 0.0));
        Self {
            dials: moves.map(|(index, _)| index).collect(),
            slides: vec![0; space.len()],
            selections: vec![0; space.len()],
            distance_per_dimension: vec![0.0; space.len()],
            ..Self::default()
        }
    }

    /// The same with dials that are not shown, which no pass goes over.
    #[must_use]
    pub fn without(mut self, hidden: &[usize]) -> Self {
        self.dials.retain(|dial| !hidden.contains(dial));
        self
    }

    /// The modality of most movements; `None` while it is known of no movement.
    #[must_use]
    pub fn mostly_by(&self) -> Option<Modality> {
        let most = self.by.iter().max_by_key(|(_, count)| **count);
        most.map(|(by, _)| *by)
    }

    /// Takes in the way from one movement to the next.
    pub fn push(&mut self, space: &LatentSpace, before: &Movement, after: &Movement) {
        if let Some(by) = after.by {
            *self.by.entry(by).or_default() += 1;
        }
        match after.jump {
            Some(Jump::Undo) => self.undos += 1,
            Some(Jump::Randomise) => self.randomisations += 1,
            None => {}
        }
        let pairs = before.z.iter().zip(&after.z).zip(space.dimensions());
        for (index, ((old, new), dimension)) in pairs.enumerate() {
            let Some(direction) = Direction::of(new - old) else {
                continue;
            };
            self.first_moved_ms.get_or_insert(after.elapsed_ms);
            if after.jump.is_some() {
                continue;
            }
            let distance = match dimension.range() {
                Some(range) if range > 0.0 => (new - old).abs() / range,
                Some(_) => 0.0,
                None => 1.0,
            };
            self.slide_distance += distance;
            self.distance_per_dimension[index] += distance;
            self.moved(index, direction, dimension.is_discrete());
        }
        if after.jump.is_some() {
            // Any dial that is moved next is taken up anew.
            self.last = None;
        }
    }

    fn moved(&mut self, index: usize, direction: Direction, discrete: bool) {
        let same = self.last.is_some_and(|(dimension, _)| dimension == index);
        if self.last.is_some() && !same {
            self.dimension_switches += 1;
        }
        if discrete {
            self.selections[index] += 1;
        } else if !same {
            self.slides[index] += 1;
        } else if self.last.is_some_and(|(_, before)| before != direction) {
            self.direction_reversals += 1;
        }
        if !self.first_touched.contains(&index) {
            self.first_touched.push(index);
        }
        if same {
            let turns = self.last.is_some_and(|(_, before)| before != direction);
            if turns && !self.turned {
                self.turned = true;
                self.monotone_moves = self.monotone_moves.saturating_sub(1);
            }
        } else {
            self.moves += 1;
            self.monotone_moves += 1;
            self.turned = false;
            self.in_pass.insert(index);
            if self.dials.is_subset(&self.in_pass) {
                self.passes += 1;
                self.in_pass.clear();
            }
        }
        self.last = Some((index, direction));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::latent::Dimension;

    fn measured(points: &[[f64; 3]], hidden: &[usize]) -> MovementMeasures {
        let dial = |max| Dimension::continuous(0.0, max, 0.01);
        // The last dial cannot be moved: no pass waits for it.
        let space = LatentSpace::new(vec![dial(1.0), dial(1.0), dial(0.0)]).unwrap();
        let mut measures = MovementMeasures::new(&space).without(hidden);
        for pair in points.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|z| Movement::start(z.into()));
            measures.push(&space, &before, &after);
        }
        measures
    }

    /// Counted by hand.
    #[test]
    fn moves_turns_and_passes_are_counted() {
        let counts = |points: &[[f64; 3]], hidden: &[usize]| {
            let found = measured(points, hidden);
            [found.moves, found.monotone_moves, found.passes]
        };
        assert_eq!(counts(&[[0.0; 3]], &[]), [0, 0, 0]);
        // One dial up in two steps, then the other: a pass.
        let there = [[0.0; 3], [0.2, 0.0, 0.0], [0.4, 0.0, 0.0], [0.4, 0.3, 0.0]];
        assert_eq!(counts(&there, &[]), [2, 2, 1]);
        // The first again, there and back twice: one move more, not monotone, half a pass.
        let again = [
            &there[..],
            &[[0.5, 0.3, 0.0], [0.1, 0.3, 0.0], [0.6, 0.3, 0.0]],
        ]
        .concat();
        assert_eq!(counts(&again, &[]), [3, 2, 1]);
        // With the second dial hidden, every move of the first is a pass.
        let alone = [[0.0; 3], [0.2, 0.0, 0.0], [0.4, 0.0, 0.0]];
        assert_eq!(counts(&alone, &[1]), [1, 1, 1]);
    }
}
