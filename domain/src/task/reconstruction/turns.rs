//! The path of each dial between its turning points, and where it passed its target.

use crate::movement::{Direction, Movement, Overshoot};

/// A stretch of a path in which one dimension went one way.
#[derive(Debug, Clone, PartialEq)]
struct Run {
    dimension: usize,
    from: f64,
    to: f64,
    /// Number of the slide it belongs to: a dial that is taken up anew begins another.
    slide: usize,
}

/// The path of each dial as runs between its turning points: all that is needed to
/// say, once z′ is known, how often it was passed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Turns {
    runs: Vec<Run>,
    slides: usize,
    /// The last run was made by a button, so the next one begins a slide.
    jumped: bool,
}

impl Turns {
    pub(super) fn push(&mut self, before: &Movement, after: &Movement) {
        for (dimension, (&from, &to)) in before.z.iter().zip(&after.z).enumerate() {
            let Some(direction) = Direction::of(to - from) else {
                continue;
            };
            match self.runs.last_mut() {
                Some(last)
                    if after.jump.is_none() && !self.jumped && last.dimension == dimension =>
                {
                    if Direction::of(last.to - last.from) == Some(direction) {
                        last.to = to;
                        continue;
                    }
                }
                _ => self.slides += 1,
            }
            self.runs.push(Run {
                dimension,
                from,
                to,
                slide: self.slides,
            });
        }
        self.jumped = after.jump.is_some();
    }

    /// Per dimension: changes of sign of z_i − z′_i within one slide, summed over slides.
    pub(super) fn overshoots(&self, target: &[f64]) -> Vec<u64> {
        self.sign_changes(target, |run| run.slide)
    }

    /// Leaves the runs of the last slide alone: slides count apart.
    fn keep_last_slide(&mut self) {
        let last = self.slides;
        self.runs.retain(|run| run.slide == last);
    }

    /// Per dimension: changes of sign of z_i − z′_i over the whole question.
    pub(super) fn zero_crossings(&self, target: &[f64]) -> Vec<u64> {
        self.sign_changes(target, |_| 0)
    }

    /// A value that lies on z′_i has no sign and changes none.
    fn sign_changes(&self, target: &[f64], group: fn(&Run) -> usize) -> Vec<u64> {
        let changes = |(dimension, target): (usize, &f64)| {
            let mut changes = 0;
            let mut last: Option<(usize, Direction)> = None;
            for run in self.runs.iter().filter(|run| run.dimension == dimension) {
                for value in [run.from, run.to] {
                    let Some(sign) = Direction::of(value - target) else {
                        continue;
                    };
                    let group = group(run);
                    changes += u64::from(
                        last.is_some_and(|(before, side)| before == group && side != sign),
                    );
                    last = Some((group, sign));
                }
            }
            changes
        };
        target.iter().enumerate().map(changes).collect()
    }
}

/// Where dials passed the target's values while they were slid, in order: what [`Measures::overshoots`](super::Measures::overshoots) counts.
pub(super) fn overshoots<'a>(
    movements: impl IntoIterator<Item = &'a Movement>,
    target: &[f64],
) -> Vec<Overshoot> {
    let mut found = Vec::new();
    let mut turns = Turns::default();
    let mut known = vec![0; target.len()];
    let mut before: Option<&Movement> = None;
    for movement in movements {
        let Some(before) = before.replace(movement) else {
            continue;
        };
        turns.push(before, movement);
        let counts = turns.overshoots(target);
        for (dimension, (count, known)) in counts.iter().zip(&known).enumerate() {
            found.extend((count > known).then_some(Overshoot {
                dimension,
                elapsed_ms: movement.elapsed_ms,
            }));
        }
        turns.keep_last_slide();
        known = turns.overshoots(target);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movement::Jump;
    use proptest::prelude::*;

    fn path(points: &[[f64; 2]]) -> Turns {
        let mut turns = Turns::default();
        for pair in points.windows(2) {
            let [before, after] = [pair[0], pair[1]].map(|z| Movement::start(z.into()));
            turns.push(&before, &after);
        }
        turns
    }

    /// Counted by hand; the target is (0.5, 0.5).
    #[test]
    fn overshoots_are_counted_within_a_slide_and_crossings_over_the_question() {
        let check = |points: &[[f64; 2]], overshoots: [u64; 2], crossings: [u64; 2]| {
            let turns = path(points);
            assert_eq!(turns.overshoots(&[0.5, 0.5]), overshoots, "{points:?}");
            assert_eq!(turns.zero_crossings(&[0.5, 0.5]), crossings, "{points:?}");
        };
        check(&[[0.0, 0.0], [0.4, 0.0]], [0, 0], [0, 0]);
        // There and back, in one slide.
        check(
            &[[0.0, 0.0], [0.4, 0.0], [0.7, 0.0], [0.3, 0.0]],
            [2, 0],
            [2, 0],
        );
        // Onto the target and off again on the same side.
        check(&[[0.0, 0.0], [0.5, 0.0], [0.4, 0.0]], [0, 0], [0, 0]);
        // Onto the target and through.
        check(&[[0.0, 0.0], [0.5, 0.0], [0.6, 0.0]], [1, 0], [1, 0]);
        // Past it, another dial, and back: the second slide passes it once more.
        check(
            &[[0.0, 0.0], [0.6, 0.0], [0.6, 0.1], [0.4, 0.1]],
            [2, 0],
            [2, 0],
        );
        // It stops on the target; the next slide leaves it on the other side.
        check(
            &[[0.0, 0.0], [0.5, 0.0], [0.5, 0.1], [0.6, 0.1]],
            [0, 0],
            [1, 0],
        );
    }

    /// The third movement passes the target, the fourth comes back over it; a dial beside it does not.
    #[test]
    fn overshoots_have_the_time_of_the_movement_that_passed_the_target() {
        let z = [[0.0, 0.0], [0.4, 0.0], [0.7, 0.0], [0.3, 0.0], [0.3, 0.2]];
        let movements = z.iter().zip(0..).map(|(z, at)| Movement {
            elapsed_ms: 100 * at,
            ..Movement::start((*z).into())
        });
        let movements: Vec<Movement> = movements.collect();
        let found = overshoots(&movements, &[0.5, 0.5]);
        let at = |elapsed_ms| Overshoot {
            dimension: 0,
            elapsed_ms,
        };
        assert_eq!(found, [at(200), at(300)]);
        assert_eq!(overshoots(&[], &[0.5]), []);
    }

    proptest! {
        /// Each movement changes one dial or two, so that it passes a target at most once.
        #[test]
        fn there_are_as_many_overshoots_as_are_counted(
            steps in proptest::collection::vec((0..3_usize, -4..=4_i8, 0..3_usize, -4..=4_i8), 0..60),
        ) {
            let mut z = vec![0.0; 3];
            let mut movements = vec![Movement::start(z.clone())];
            for (first, one, second, other) in steps {
                z[first] += 0.25 * f64::from(one);
                if other > 2 {
                    z[second] = 0.25 * f64::from(other);
                }
                movements.push(Movement::start(z.clone()));
            }
            let target = [0.5, 0.1, -0.5];
            let mut turns = Turns::default();
            for pair in movements.windows(2) {
                turns.push(&pair[0], &pair[1]);
            }
            let mut counts = vec![0; 3];
            for overshoot in overshoots(&movements, &target) {
                counts[overshoot.dimension] += 1;
            }
            prop_assert_eq!(counts, turns.overshoots(&target));
        }
    }

    #[test]
    fn a_jump_begins_a_slide_of_its_own() {
        let mut turns = path(&[[0.0, 0.0], [0.5, 0.0]]);
        let before = Movement::start(vec![0.5, 0.0]);
        let after = Movement {
            jump: Some(Jump::Undo),
            ..Movement::start(vec![0.6, 0.0])
        };
        turns.push(&before, &after);
        assert_eq!(turns.overshoots(&[0.5, 0.5]), [0, 0]);
    }
}
