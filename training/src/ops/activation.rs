//! The leaky rectifier in one pass each way.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};

/// x above zero, slope·x below; a slope of zero makes it the plain rectifier. Its
/// gradient at zero is the slope.
#[derive(Debug, Clone, Copy)]
pub struct LeakyRelu {
    /// Slope below zero.
    pub slope: f32,
}

impl CustomOp1 for LeakyRelu {
    fn name(&self) -> &'static str {
        "leaky-relu"
    }

    fn cpu_fwd(&self, x: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let slope = self.slope;
        let y = super::values(x, layout)?
            .iter()
            .map(|&x| if x > 0.0 { x } else { slope * x })
            .collect();
        Ok((CpuStorage::F32(y), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _y: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let slope = self.slope;
        let grad = super::with_values(x, |x| {
            super::with_values(grad, |grad| {
                let pairs = x.iter().zip(grad);
                pairs
                    .map(|(&x, &g)| if x > 0.0 { g } else { slope * g })
                    .collect::<Vec<f32>>()
            })
        })??;
        Ok(Some(Tensor::from_vec(grad, x.shape(), x.device())?))
    }
}
