//! Fitting a decoder to rows, by Adam with a rate that is halved where the loss stands still.

use super::{Decoder, LastLayer, Loss};
use crate::array::Array;
use crate::network::adam::Adam;
use crate::random::Random;

/// How the network is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// Hidden units: 500 in the paper.
    pub hidden: usize,
    /// Passes at most: 100 in the paper.
    pub epochs: usize,
    /// The loss that is made small.
    pub loss: Loss,
}

/// Where the learning rate begins, as printed.
const RATE: f64 = 0.1;
/// Where training ends, as printed.
const LOWEST_RATE: f64 = 1e-7;
/// The factor that the rate is multiplied by when the loss stands still, as printed.
const FACTOR: f64 = 0.5;
/// Passes without a fall before that; not printed, the default of PyTorch's `ReduceLROnPlateau`.
const PATIENCE: usize = 10;
/// The share that the loss must fall by to have fallen; not printed, the same default.
const FALL: f64 = 1e-4;
/// Rows of a batch; not printed.
const BATCH: usize = 512;
/// The stream of random numbers that starting weights are drawn from.
const WEIGHTS: u64 = 0x64_65_63_6f_64_65;
/// The stream of random numbers that orders of rows are drawn from.
const ORDERS: u64 = 0x64_65_63_6f_64_6f;

impl Training {
    /// Trains a decoder on some rows of `projections`, inputs × outputs × concepts, and the model's `outputs`, inputs
    /// × outputs. `told` hears after each pass how many of the passes that it may take are done, as a share. The same
    /// seed gives the same bits. Panics when arrays do not agree or a row is not there.
    #[must_use]
    pub fn fit(
        &self,
        projections: &Array,
        outputs: &Array,
        layer: LastLayer,
        rows: &[usize],
        seed: u64,
        told: impl Fn(f64),
    ) -> Decoder {
        let (concepts, codes) = (projections.depth(), layer.weights.rows());
        let mut decoder = Decoder::glorot(
            concepts,
            codes,
            self.hidden,
            &mut Random::new(seed, WEIGHTS),
        );
        let mut random = Random::new(seed, ORDERS);
        let mut adam = Adam::new(RATE, decoder.parameters.len());
        let mut order = rows.to_vec();
        let (mut lowest, mut still) = (f64::INFINITY, 0);
        for epoch in 1..=self.epochs {
            random.shuffle(&mut order);
            let mut loss = 0.0;
            for batch in order.chunks(BATCH) {
                let (of_batch, slopes) =
                    decoder.slopes(projections, outputs, layer, batch, self.loss);
                loss += of_batch * batch.len() as f64;
                adam.step(decoder.parameters.iter_mut().zip(slopes));
            }
            told(epoch as f64 / self.epochs as f64);
            loss /= rows.len() as f64;
            if loss < lowest * (1.0 - FALL) {
                (lowest, still) = (loss, 0);
            } else {
                still += 1;
            }
            if still > PATIENCE {
                adam.learning_rate *= FACTOR;
                still = 0;
            }
            if adam.learning_rate < LOWEST_RATE {
                break;
            }
        }
        decoder
    }
}
