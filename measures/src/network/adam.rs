//! Adam (Kingma and Ba 2015).

/// Decay of the mean slope.
const BETA_1: f64 = 0.9;
/// Decay of the mean squared slope.
const BETA_2: f64 = 0.999;
/// Keeps the division finite.
const EPSILON: f64 = 1e-8;

/// Means of slopes and of their squares.
pub(crate) struct Adam {
    /// How far a step goes. It may change between steps.
    pub learning_rate: f64,
    /// β₁ and β₂ to the number of steps taken.
    decayed: (f64, f64),
    means: Vec<(f64, f64)>,
}

impl Adam {
    pub fn new(learning_rate: f64, parameters: usize) -> Self {
        Self {
            learning_rate,
            decayed: (1.0, 1.0),
            means: vec![(0.0, 0.0); parameters],
        }
    }

    /// Moves parameters against their slopes. Both come in the same order in every step.
    pub fn step<'a>(&mut self, parameters: impl Iterator<Item = (&'a mut f64, f64)>) {
        self.decayed.0 *= BETA_1;
        self.decayed.1 *= BETA_2;
        let rate = self.learning_rate * (1.0 - self.decayed.1).sqrt() / (1.0 - self.decayed.0);
        for ((parameter, slope), (mean, square)) in parameters.zip(&mut self.means) {
            *mean = BETA_1 * *mean + (1.0 - BETA_1) * slope;
            *square = BETA_2 * *square + (1.0 - BETA_2) * (slope * slope);
            *parameter -= rate * *mean / (square.sqrt() + EPSILON);
        }
    }
}
