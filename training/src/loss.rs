//! Losses, each a mean over the batch of an undivided sum per instance.

use candle_core::{Result, Tensor};
use candle_layers::network::softplus;

/// Σ (x − x̂)², for instances of any values: `predicted`, `target` `[n, values]`.
///
/// # Errors
/// When the shapes differ.
pub fn squared_error(predicted: &Tensor, target: &Tensor) -> Result<Tensor> {
    (predicted - target)?.sqr()?.sum(1)?.mean(0)
}

/// −Σ x ln x̂ + (1 − x) ln(1 − x̂) with x̂ = sigmoid(logit): the Bernoulli
/// cross-entropy, written as Σ softplus(logit) − x·logit so that it cannot
/// overflow. `logits`, `target` `[n, values]`, targets in [0, 1].
///
/// # Errors
/// When the shapes differ.
pub fn bernoulli(logits: &Tensor, target: &Tensor) -> Result<Tensor> {
    (softplus(logits)? - (target * logits)?)?.sum(1)?.mean(0)
}

/// KL divergence of N(mean, e^log_variance) from N(0, I):
/// ½ Σ mean² + e^log_variance − 1 − log_variance. Both `[n, dimensions]`.
///
/// # Errors
/// When the shapes differ.
pub fn kl_to_standard_normal(mean: &Tensor, log_variance: &Tensor) -> Result<Tensor> {
    let per_value = ((mean.sqr()? + log_variance.exp()?)? - (log_variance + 1.0)?)?;
    (per_value.sum(1)?.mean(0)? * 0.5)?.contiguous()
}

/// Minibatch-weighted estimate of the total correlation KL(q(z) ‖ Π q(z_j)) of the
/// aggregate posterior (Chen et al. 2018): the mean over rows i of
/// ln Σ_k q(z_i|k) − Σ_j ln Σ_k q(z_ij|k), each sum over the batch divided by
/// n·`rows`. `z`, `mean`, `log_variance` `[n, dimensions]`; `rows` is how many rows
/// the batch was drawn from.
///
/// # Errors
/// When the shapes differ.
pub fn total_correlation(
    z: &Tensor,
    mean: &Tensor,
    log_variance: &Tensor,
    rows: usize,
) -> Result<Tensor> {
    let (n, dimensions) = z.dims2()?;
    let difference = z.unsqueeze(1)?.broadcast_sub(&mean.unsqueeze(0)?)?;
    let squares = difference
        .sqr()?
        .broadcast_mul(&log_variance.neg()?.exp()?.unsqueeze(0)?)?;
    // ln q(z_ij | k) without ½ ln 2π, at [i, k, j].
    let density = (squares.broadcast_add(&log_variance.unsqueeze(0)?)? * -0.5)?;
    let joint = log_sum_exp(&density.sum(2)?)?;
    let marginals = log_sum_exp(&density)?.sum(1)?;
    // ½ ln 2π comes as often in the joint as in the marginals; the weight does not.
    let weight = (n as f64 * rows as f64).ln();
    (joint - marginals)?.mean(0)? + weight * (dimensions as f64 - 1.0)
}

/// ln Σ e^x over the second dimension.
fn log_sum_exp(x: &Tensor) -> Result<Tensor> {
    // Whatever is taken off and put back has no gradient.
    let largest = x.max_keepdim(1)?.detach();
    let sum = x.broadcast_sub(&largest)?.exp()?.sum(1)?;
    sum.log()? + largest.squeeze(1)?
}

/// −ln of the share that softmax(logits) gives the right class. `logits`
/// `[n, classes]`, `one_hot` the same shape.
///
/// # Errors
/// When the shapes differ.
pub fn cross_entropy(logits: &Tensor, one_hot: &Tensor) -> Result<Tensor> {
    (log_sum_exp(logits)? - (logits * one_hot)?.sum(1)?)?.mean(0)
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Var};

    use super::*;

    fn value(loss: &Tensor) -> f64 {
        loss.to_scalar::<f64>().unwrap()
    }

    fn tensor(values: &[f64], columns: usize) -> Tensor {
        Tensor::from_slice(values, (values.len() / columns, columns), &Device::Cpu).unwrap()
    }

    #[test]
    fn values_agree_with_numpy() {
        // import numpy as np
        // a = np.array([[.5, -1, 2], [0, 3, -2]]); x = np.array([[0, 1, .25], [1, 0, 1]])
        // print(((a-x)**2).sum(1).mean())
        // p = 1/(1+np.exp(-a)); print(-(x*np.log(p)+(1-x)*np.log(1-p)).sum(1).mean())
        // print((.5*(a**2+np.exp(x)-1-x)).sum(1).mean())
        let a = tensor(&[0.5, -1.0, 2.0, 0.0, 3.0, -2.0], 3);
        let x = tensor(&[0.0, 1.0, 0.25, 1.0, 0.0, 1.0], 3);
        for (found, expected) in [
            (squared_error(&a, &x), 13.156_25),
            (bernoulli(&a, &x), 4.891_464_612_958_982),
            (kl_to_standard_normal(&a, &x), 5.109_717_725_516_219),
        ] {
            let found = value(&found.unwrap());
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }

    /// Gradients against central differences.
    #[test]
    fn gradients_agree_with_differences() {
        type Loss = fn(&Tensor, &Tensor) -> Result<Tensor>;
        let losses: [(&str, Loss); 5] = [
            ("squared error", squared_error),
            ("bernoulli", bernoulli),
            ("kl", kl_to_standard_normal),
            ("cross-entropy", cross_entropy),
            // Mean and variance both from the second argument, so that the gradients of
            // all three are checked.
            ("total correlation", |z, b| {
                total_correlation(z, b, &(b * 0.5)?, 100)
            }),
        ];
        let second = Tensor::rand(0.05, 0.95, (4, 6), &Device::Cpu)
            .unwrap()
            .to_dtype(DType::F64)
            .unwrap();
        for (name, loss) in losses {
            for (which, start) in [
                (0, Tensor::randn(0.0, 2.0, (4, 6), &Device::Cpu).unwrap()),
                (1, second.clone()),
            ] {
                let start = start.to_dtype(DType::F64).unwrap();
                let other = Tensor::rand(0.05, 0.95, (4, 6), &Device::Cpu)
                    .unwrap()
                    .to_dtype(DType::F64)
                    .unwrap();
                let of = |t: &Tensor| {
                    let result = if which == 0 {
                        loss(t, &other)
                    } else {
                        loss(&other, t)
                    };
                    result.unwrap()
                };
                let var = Var::from_tensor(&start).unwrap();
                let grads = of(&var).backward().unwrap();
                let grad = grads
                    .get(&var)
                    .unwrap()
                    .flatten_all()
                    .unwrap()
                    .to_vec1::<f64>()
                    .unwrap();
                let values = start.flatten_all().unwrap().to_vec1::<f64>().unwrap();
                let step = 1e-5;
                for i in 0..values.len() {
                    let moved = |by: f64| {
                        let mut values = values.clone();
                        values[i] += by;
                        value(&of(&tensor(&values, 6)))
                    };
                    let numeric = (moved(step) - moved(-step)) / (2.0 * step);
                    assert!(
                        (numeric - grad[i]).abs() < 1e-6,
                        "{name}, argument {which}, {i}: {numeric}, {}",
                        grad[i]
                    );
                }
            }
        }
    }
}
