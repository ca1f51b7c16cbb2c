//! Batch normalisation in training (Ioffe and Szegedy 2015).

use candle_core::{CpuStorage, CustomOp3, Layout, Result, Shape, Tensor};

/// Mean and variance of every channel over a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Mean of each channel.
    pub mean: Vec<f32>,
    /// Variance of each channel, divisor n.
    pub variance: Vec<f32>,
    /// Number n of values in a channel.
    pub count: usize,
}

impl Statistics {
    /// Of a batch `[n, channels]` or `[n, channels, height, width]`.
    ///
    /// # Errors
    /// When the batch has no second dimension.
    pub fn of(batch: &Tensor) -> Result<Self> {
        let channels = batch.dim(1)?;
        let pixels: usize = batch.dims()[2..].iter().product();
        let count = batch.dim(0)? * pixels;
        // Sums in f64: the variance is a difference of two large ones.
        let mut sums = vec![(0.0_f64, 0.0_f64); channels];
        super::with_values(batch, |values| {
            for_each_channel(values, channels, pixels, |channel, values| {
                let (sum, squares) = &mut sums[channel];
                for &x in values {
                    let x = f64::from(x);
                    *sum += x;
                    *squares += x * x;
                }
            });
        })?;
        let n = count.max(1) as f64;
        Ok(Self {
            mean: sums.iter().map(|(sum, _)| (sum / n) as f32).collect(),
            variance: sums
                .iter()
                .map(|(sum, squares)| (squares / n - (sum / n).powi(2)).max(0.0) as f32)
                .collect(),
            count,
        })
    }
}

/// Calls `f` with every run of values of one channel.
fn for_each_channel(
    values: &[f32],
    channels: usize,
    pixels: usize,
    mut f: impl FnMut(usize, &[f32]),
) {
    for (i, values) in values.chunks_exact(pixels).enumerate() {
        f(i % channels, values);
    }
}

/// y = (x − mean) / √(variance + eps) · weight + bias with the batch's own mean and
/// variance, of `[n, channels]` or `[n, channels, height, width]`; weight and bias
/// `[channels]`. The gradient goes through mean and variance.
#[derive(Debug, Clone)]
pub struct BatchNorm {
    /// Mean of each channel of the batch that it is applied to.
    mean: Vec<f32>,
    /// 1 / √(variance + eps) of each channel.
    inverse: Vec<f32>,
}

impl BatchNorm {
    /// For the batch that has these statistics.
    #[must_use]
    pub fn new(statistics: &Statistics, eps: f32) -> Self {
        let variance = statistics.variance.iter();
        Self {
            mean: statistics.mean.clone(),
            inverse: variance.map(|v| 1.0 / (v + eps).sqrt()).collect(),
        }
    }
}

impl CustomOp3 for BatchNorm {
    fn name(&self) -> &'static str {
        "batch-norm"
    }

    fn cpu_fwd(
        &self,
        x: &CpuStorage,
        x_layout: &Layout,
        w: &CpuStorage,
        w_layout: &Layout,
        b: &CpuStorage,
        b_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let channels = self.mean.len();
        if x_layout.shape().dims().get(1) != Some(&channels)
            || w_layout.dims() != [channels]
            || b_layout.dims() != [channels]
        {
            candle_core::bail!(
                "batch norm of {channels} channels: {:?}, weight {:?} and bias {:?} do not fit",
                x_layout.shape(),
                w_layout.shape(),
                b_layout.shape()
            );
        }
        let pixels: usize = x_layout.dims()[2..].iter().product();
        let (x, w, b) = (
            super::values(x, x_layout)?,
            super::values(w, w_layout)?,
            super::values(b, b_layout)?,
        );
        let mut y = Vec::with_capacity(x.len());
        for_each_channel(x, channels, pixels, |c, values| {
            let scale = w[c] * self.inverse[c];
            let shift = b[c] - self.mean[c] * scale;
            y.extend(values.iter().map(|x| x * scale + shift));
        });
        Ok((CpuStorage::F32(y), x_layout.shape().clone()))
    }

    fn bwd(
        &self,
        x: &Tensor,
        w: &Tensor,
        _b: &Tensor,
        _out: &Tensor,
        grad: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>, Option<Tensor>)> {
        let channels = self.mean.len();
        let pixels: usize = x.dims()[2..].iter().product();
        let count = (x.elem_count() / channels) as f64;
        let weight = w.to_vec1::<f32>()?;
        let (grad_x, sums) = super::with_values(x, |x| {
            super::with_values(grad, |grad| {
                // Of each channel Σ g and Σ g·x̂, which are the gradients of bias and weight.
                let mut sums = vec![(0.0_f64, 0.0_f64); channels];
                let runs = || x.chunks_exact(pixels).zip(grad.chunks_exact(pixels));
                for (i, (x, grad)) in runs().enumerate() {
                    let c = i % channels;
                    for (x, &g) in x.iter().zip(grad) {
                        let normal = (x - self.mean[c]) * self.inverse[c];
                        sums[c].0 += f64::from(g);
                        sums[c].1 += f64::from(g) * f64::from(normal);
                    }
                }
                // What moving x does to y through the batch's mean and variance is taken
                // off: γ/σ · (g − mean of g − x̂ · mean of g·x̂).
                let mut grad_x = Vec::with_capacity(x.len());
                for (i, (x, grad)) in runs().enumerate() {
                    let c = i % channels;
                    let scale = weight[c] * self.inverse[c];
                    let mean_g = (sums[c].0 / count) as f32;
                    let along = (sums[c].1 / count) as f32 * self.inverse[c];
                    let mean_x = self.mean[c];
                    grad_x.extend(
                        x.iter()
                            .zip(grad)
                            .map(|(x, g)| scale * (g - mean_g - (x - mean_x) * along)),
                    );
                }
                (grad_x, sums)
            })
        })??;
        let (bias, weight): (Vec<f32>, Vec<f32>) = sums
            .into_iter()
            .map(|(bias, weight)| (bias as f32, weight as f32))
            .unzip();
        let device = x.device();
        Ok((
            Some(Tensor::from_vec(grad_x, x.shape(), device)?),
            Some(Tensor::from_vec(weight, w.shape(), device)?),
            Some(Tensor::from_vec(bias, w.shape(), device)?),
        ))
    }
}
