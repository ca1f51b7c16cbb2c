//! The z that the undo button goes back to: a fold over the movements of a question as they are stored,
//! so that page and log agree.

use super::{Jump, Movement};

/// A dial that has rested for longer is taken up anew: what follows is another movement to undo.
pub const TAKEN_UP_ANEW_MS: u64 = 1_000;

/// Longest way back, in movements.
const MOST: usize = 50;

/// The places that the undo button goes back to. One movement is everything that is done to one
/// dial without resting for longer than [`TAKEN_UP_ANEW_MS`], or one press of the button that
/// puts the dials to random places.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    before: Vec<Vec<f64>>,
    last: Option<Movement>,
    /// The last movement may still go on.
    open: bool,
}

impl History {
    /// Takes in the next movement that is stored.
    pub fn push(&mut self, movement: &Movement) {
        let Some(last) = self.last.replace(movement.clone()) else {
            return;
        };
        match movement.jump {
            Some(Jump::Undo) => {
                self.before.pop();
                self.open = false;
            }
            Some(Jump::Randomise) => {
                self.keep(last.z);
                self.open = false;
            }
            None if movement.z == last.z => {}
            None => {
                let rested_ms = movement.elapsed_ms.saturating_sub(last.elapsed_ms);
                let goes_on = self.open
                    && last.dimension == movement.dimension
                    && rested_ms <= TAKEN_UP_ANEW_MS;
                if !goes_on {
                    self.keep(last.z);
                }
                self.open = true;
            }
        }
    }

    fn keep(&mut self, z: Vec<f64>) {
        if self.before.len() == MOST {
            self.before.remove(0);
        }
        self.before.push(z);
    }

    /// Where the undo button leads; `None` while there is nothing to undo.
    #[must_use]
    pub fn undone(&self) -> Option<&[f64]> {
        self.before.last().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(elapsed_ms: u64, dimension: usize, z: [f64; 2]) -> Movement {
        Movement {
            elapsed_ms,
            dimension: Some(dimension),
            ..Movement::start(z.into())
        }
    }

    #[test]
    fn one_press_takes_back_what_was_done_to_one_dial_without_a_rest() {
        let mut history = History::default();
        history.push(&Movement::start(vec![0.0, 0.0]));
        assert_eq!(history.undone(), None);
        history.push(&to(100, 0, [0.1, 0.0]));
        history.push(&to(900, 0, [0.4, 0.0]));
        assert_eq!(history.undone(), Some(&[0.0, 0.0][..]));
        // After a rest, and with another dial.
        history.push(&to(1_901, 0, [0.5, 0.0]));
        assert_eq!(history.undone(), Some(&[0.4, 0.0][..]));
        history.push(&to(2_000, 1, [0.5, 0.7]));
        assert_eq!(history.undone(), Some(&[0.5, 0.0][..]));
        let back = |elapsed_ms, z: [f64; 2]| Movement {
            elapsed_ms,
            jump: Some(Jump::Undo),
            ..Movement::start(z.into())
        };
        history.push(&back(2_100, [0.5, 0.0]));
        assert_eq!(history.undone(), Some(&[0.4, 0.0][..]));
        // A movement after a button begins anew, even if it is of the same dial.
        history.push(&to(2_200, 1, [0.5, 0.2]));
        assert_eq!(history.undone(), Some(&[0.5, 0.0][..]));
        let random = Movement {
            elapsed_ms: 2_300,
            jump: Some(Jump::Randomise),
            ..Movement::start(vec![0.9, 0.9])
        };
        history.push(&random);
        assert_eq!(history.undone(), Some(&[0.5, 0.2][..]));
    }
}
