//! Mean 0 and variance 1, of rows and of groups of maps whose channels come last.

/// A norm of so many neighbouring values at a time, or of groups of channels.
#[derive(Debug, Clone)]
pub(super) struct Norm {
    /// What a mean is taken of.
    pub over: NormAxes,
    /// Added to the variance.
    pub eps: f64,
    /// What follows, for each place of a row or for each channel: factors and terms.
    pub affine: [Option<Vec<f32>>; 2],
}

#[derive(Debug, Clone, Copy)]
pub(super) enum NormAxes {
    /// Rows of so many values.
    Rows(usize),
    /// Channels of every pixel, in groups.
    Groups { channels: usize, groups: usize },
}

/// Sums in single precision of at most so many values go into one in double precision.
const BLOCK: usize = 64;

impl Norm {
    /// Values that an affine map must have: one for each place of a row, or for each channel.
    pub(super) fn places(&self) -> usize {
        match self.over {
            NormAxes::Rows(count) => count,
            NormAxes::Groups { channels, .. } => channels,
        }
    }

    pub(super) fn apply(&self, values: &mut [f32]) {
        match self.over {
            NormAxes::Rows(count) => self.rows(values, count),
            NormAxes::Groups { channels, groups } => self.groups(values, channels, groups),
        }
    }

    fn rows(&self, values: &mut [f32], count: usize) {
        for row in values.chunks_exact_mut(count) {
            let mean = total(row, |v| v) / count as f64;
            let middle = mean as f32;
            // What rounding the mean leaves is taken off the variance.
            let left = mean - f64::from(middle);
            let squares = total(row, |v| (v - middle) * (v - middle)) / count as f64;
            let scale = 1.0 / (squares - left * left + self.eps).sqrt();
            let shift = (-left * scale) as f32;
            let scale = scale as f32;
            match [&self.affine[0], &self.affine[1]] {
                [None, None] => row
                    .iter_mut()
                    .for_each(|v| *v = (*v - middle) * scale + shift),
                [Some(by), None] => {
                    for (v, by) in row.iter_mut().zip(by) {
                        *v = ((*v - middle) * scale + shift) * by;
                    }
                }
                [None, Some(plus)] => {
                    for (v, plus) in row.iter_mut().zip(plus) {
                        *v = (*v - middle) * scale + shift + plus;
                    }
                }
                [Some(by), Some(plus)] => {
                    for ((v, by), plus) in row.iter_mut().zip(by).zip(plus) {
                        *v = ((*v - middle) * scale + shift) * by + plus;
                    }
                }
            }
        }
    }

    fn groups(&self, values: &mut [f32], channels: usize, groups: usize) {
        let width = channels / groups;
        let count = (values.len() / groups) as f64;
        let of_groups = |of_channels: &[f64]| -> Vec<f64> {
            let groups = of_channels.chunks_exact(width);
            groups
                .map(|group| group.iter().sum::<f64>() / count)
                .collect()
        };
        let means = of_groups(&totals(values, channels, |sum, v, _| *sum += v, &[]));
        let middles: Vec<f32> = (0..channels).map(|c| means[c / width] as f32).collect();
        let squares = |sum: &mut f32, v: f32, middle: f32| *sum += (v - middle) * (v - middle);
        let variances = of_groups(&totals(values, channels, squares, &middles));
        let of = |channel: usize| -> (f32, f32) {
            let (group, middle) = (channel / width, middles[channel]);
            let left = means[group] - f64::from(middle);
            let scale = 1.0 / (variances[group] - left * left + self.eps).sqrt();
            let [by, plus] =
                [0, 1].map(|i| self.affine[i].as_ref().map(|all| f64::from(all[channel])));
            let scale = scale * by.unwrap_or(1.0);
            (scale as f32, (plus.unwrap_or(0.0) - left * scale) as f32)
        };
        let (scales, shifts): (Vec<f32>, Vec<f32>) = (0..channels).map(of).unzip();
        for pixel in values.chunks_exact_mut(channels) {
            let all = pixel.iter_mut().zip(&middles).zip(&scales).zip(&shifts);
            for (((v, middle), scale), shift) in all {
                *v = (*v - middle) * scale + shift;
            }
        }
    }
}

/// The sum of what `f` makes of each value.
fn total(values: &[f32], f: impl Fn(f32) -> f32) -> f64 {
    let block = |values: &[f32]| {
        let (chunks, rest) = values.as_chunks::<8>();
        let mut sums = [0.0f32; 8];
        for chunk in chunks {
            for (sum, &v) in sums.iter_mut().zip(chunk) {
                *sum += f(v);
            }
        }
        let rest = rest.iter().map(|&v| f64::from(f(v)));
        sums.iter().map(|&v| f64::from(v)).chain(rest).sum::<f64>()
    };
    values.chunks(8 * BLOCK).map(block).sum()
}

/// For each channel the sum of what `add` adds of all pixels; `per_channel` has a value for each
/// channel that it looks at, if any.
fn totals(
    values: &[f32],
    channels: usize,
    add: impl Fn(&mut f32, f32, f32),
    per_channel: &[f32],
) -> Vec<f64> {
    let mut sums = vec![0.0; channels];
    let mut of_block = vec![0.0f32; channels];
    let zeros = vec![0.0; channels];
    let per_channel = if per_channel.is_empty() {
        &zeros
    } else {
        per_channel
    };
    for block in values.chunks(BLOCK * channels) {
        of_block.fill(0.0);
        for pixel in block.chunks_exact(channels) {
            for ((sum, &v), &per_channel) in of_block.iter_mut().zip(pixel).zip(per_channel) {
                add(sum, v, per_channel);
            }
        }
        for (sum, &block) in sums.iter_mut().zip(&of_block) {
            *sum += f64::from(block);
        }
    }
    sums
}
