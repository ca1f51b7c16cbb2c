//! How long a decoder takes on this machine, and what runs it.

use super::{Backend, DecodeError, Decoder, TimedStep};

/// Milliseconds that a frame takes on most screens: a decode that takes longer is seen as lag.
pub const FRAME_MS: f64 = 16.0;
/// Times that a decode is taken; the least counts, which other work on the machine adds to.
const TIMES: usize = 7;

/// How long a decode takes on this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecodeTiming {
    /// A whole decode, in milliseconds: the least of several.
    pub ms: f64,
    /// Number of runs of layers that are plans, and milliseconds spent in them.
    pub plan: (usize, f64),
    /// Number of operations between them that kernels do, and milliseconds spent in them.
    pub kernel: (usize, f64),
    /// Number of operations on candle, and milliseconds spent in them.
    pub candle: (usize, f64),
}

impl DecodeTiming {
    /// Decodes at `z` a few times.
    ///
    /// # Errors
    /// When `z` is not in the latent space.
    pub fn of(decoder: &Decoder, z: &[f64]) -> Result<Self, DecodeError> {
        decoder.decode(z)?;
        let mut runs: Vec<Vec<TimedStep>> = (0..TIMES)
            .map(|_| decoder.parts(z))
            .collect::<Result<_, _>>()?;
        let whole = |parts: &Vec<TimedStep>| parts.iter().map(|part| part.ms).sum::<f64>();
        runs.sort_by(|a, b| whole(a).total_cmp(&whole(b)));
        let least = &runs[0];
        let of = |backend: Backend| {
            let parts = least.iter().filter(|part| part.backend == backend);
            (parts.clone().count(), parts.map(|part| part.ms).sum())
        };
        Ok(Self {
            ms: whole(least),
            plan: of(Backend::Plan),
            kernel: of(Backend::Kernel),
            candle: of(Backend::Candle),
        })
    }
}

impl std::fmt::Display for DecodeTiming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ms here", self.ms)?;
        if (self.kernel.0, self.candle.0) == (0, 0) {
            return write!(f, ", as plan");
        }
        let parts = [
            (self.plan, "run of layers as plan", "runs of layers as plan"),
            (self.kernel, "operation by kernels", "operations by kernels"),
            (self.candle, "operation on candle", "operations on candle"),
        ];
        let parts = parts.iter().filter(|((count, _), ..)| *count > 0);
        for (nth, ((count, ms), one, several)) in parts.enumerate() {
            let before = if nth == 0 { ":" } else { "," };
            let words = if *count == 1 { one } else { several };
            write!(f, "{before} {count} {words} ({ms:.2} ms)")?;
        }
        Ok(())
    }
}
