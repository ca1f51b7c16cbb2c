//! Adam (Kingma and Ba 2015), with weight decay apart from the gradient (Loshchilov and Hutter 2019) where it is not 0.

use std::cell::RefCell;
use std::collections::BTreeMap;

use candle_core::backprop::GradStore;
use candle_core::{CpuStorage, InplaceOp2, Layout, Result, Var, bail};

const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// Running means of a parameter's gradient and its square.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moments {
    /// Mean of the gradient.
    pub first: Vec<f32>,
    /// Mean of the squared gradient.
    pub second: Vec<f32>,
}

/// How far one update goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Number of the update, from 1.
    pub iteration: u64,
    /// Learning rate.
    pub learning_rate: f64,
    /// How much of the mean gradient stays at each.
    pub beta_1: f64,
    /// What the update takes from the parameter itself, as a share of the learning rate.
    pub weight_decay: f64,
}

/// One update of `parameter`, in place. A parameter that the loss does not depend on
/// stays as it is.
///
/// # Errors
/// When candle cannot read or write the parameter.
pub fn step(parameter: &Var, moments: &mut Moments, grads: &GradStore, step: &Step) -> Result<()> {
    let Some(grad) = grads.get(parameter) else {
        return Ok(());
    };
    moments.first.resize(parameter.elem_count(), 0.0);
    moments.second.resize(parameter.elem_count(), 0.0);
    let Step {
        iteration,
        learning_rate,
        beta_1,
        weight_decay,
    } = *step;
    let bias = |beta: f64| 1.0 - beta.powf(iteration as f64);
    // The two bias corrections folded into the step and into epsilon.
    let correction = bias(BETA_2).sqrt();
    let update = Update {
        moments: RefCell::new(moments),
        rate: (learning_rate * correction / bias(beta_1)) as f32,
        epsilon: (EPSILON * correction) as f32,
        beta_1: beta_1 as f32,
        stays: (1.0 - learning_rate * weight_decay) as f32,
    };
    parameter.inplace_op2(&grad.contiguous()?, &update)
}

/// One update of every parameter with a name that is `wanted`.
///
/// # Errors
/// When candle cannot read or write a parameter.
pub(crate) fn step_all(
    parameters: &BTreeMap<String, Var>,
    moments: &mut BTreeMap<String, Moments>,
    grads: &GradStore,
    one: &Step,
    wanted: impl Fn(&str) -> bool,
) -> Result<()> {
    for (name, parameter) in parameters {
        if wanted(name) {
            step(
                parameter,
                moments.entry(name.clone()).or_default(),
                grads,
                one,
            )?;
        }
    }
    Ok(())
}

struct Update<'a> {
    moments: RefCell<&'a mut Moments>,
    rate: f32,
    epsilon: f32,
    beta_1: f32,
    /// Which share of a parameter weight decay leaves.
    stays: f32,
}

impl InplaceOp2 for Update<'_> {
    fn name(&self) -> &'static str {
        "adam"
    }

    fn cpu_fwd(
        &self,
        parameter: &mut CpuStorage,
        layout: &Layout,
        grad: &CpuStorage,
        grad_layout: &Layout,
    ) -> Result<()> {
        let (CpuStorage::F32(values), Some((from, to))) = (parameter, layout.contiguous_offsets())
        else {
            bail!("adam: a parameter is not contiguous f32");
        };
        let grad = crate::ops::values(grad, grad_layout)?;
        let mut moments = self.moments.borrow_mut();
        let Moments { first, second } = &mut **moments;
        let (beta_1, beta_2) = (self.beta_1, BETA_2 as f32);
        for (((value, g), m), v) in values[from..to].iter_mut().zip(grad).zip(first).zip(second) {
            *m = beta_1 * *m + (1.0 - beta_1) * g;
            *v = beta_2 * *v + (1.0 - beta_2) * g * g;
            *value = self.stays * *value - self.rate * *m / (v.sqrt() + self.epsilon);
        }
        Ok(())
    }
}

/// How the learning rate falls over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateSchedule {
    /// Constant over the first half, then a cosine down to 5 %; see [`learning_rate`].
    CosineTail,
    /// Constant over the first three fifths, then a tenth.
    StepDown,
}

impl RateSchedule {
    /// The rate after `iteration` of `iterations` batches.
    #[must_use]
    pub fn at(self, initial: f64, iteration: u64, iterations: u64) -> f64 {
        match self {
            Self::CosineTail => learning_rate(initial, iteration, iterations),
            Self::StepDown if 5 * iteration < 3 * iterations => initial,
            Self::StepDown => 0.1 * initial,
        }
    }

    /// For how long the initial rate holds, and what follows, as a card has it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::CosineTail => "for the first half, then a cosine to 5 %",
            Self::StepDown => "for the first three fifths, then a tenth of it",
        }
    }
}

/// Constant over the first half of a run, then a cosine down to 5 %.
#[must_use]
pub fn learning_rate(initial: f64, iteration: u64, iterations: u64) -> f64 {
    const FLOOR: f64 = 0.05;
    let progress = iteration as f64 / iterations.max(1) as f64;
    let fall = ((progress - 0.5) * 2.0).clamp(0.0, 1.0);
    let cosine = 0.5 * (1.0 + (std::f64::consts::PI * fall).cos());
    initial * (FLOOR + (1.0 - FLOOR) * cosine)
}

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    #[test]
    fn agrees_with_the_published_update() {
        // p, m, v = 1.0, 0.0, 0.0
        // for t in range(1, 4):
        //     g = 2*p; m = .9*m + .1*g; v = .999*v + .001*g*g
        //     p -= .1 * (m/(1-.9**t)) / ((v/(1-.999**t))**.5 + 1e-8); print(p)
        // and with p *= 1 - .1*.5 before the last line
        for (weight_decay, expected) in [(0.0, [0.9, 0.800_412_2, 0.701_586_3]), (0.5, DECAYED)] {
            let p = Var::new(&[1f32], &Device::Cpu).unwrap();
            let mut moments = Moments::default();
            for (iteration, expected) in (1..).zip(expected) {
                let grads = p.sqr().unwrap().sum_all().unwrap().backward().unwrap();
                let one = Step {
                    iteration,
                    learning_rate: 0.1,
                    beta_1: 0.9,
                    weight_decay,
                };
                step(&p, &mut moments, &grads, &one).unwrap();
                let found = p.to_vec1::<f32>().unwrap()[0];
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{weight_decay}, {iteration}: {found} is not {expected}"
                );
            }
        }
    }

    const DECAYED: [f32; 3] = [0.85, 0.708_248_4, 0.574_973_9];

    #[test]
    fn the_rate_falls_in_the_second_half() {
        let rate = |i| learning_rate(1.0, i, 100);
        assert_eq!((rate(0), rate(50)), (1.0, 1.0));
        assert!((rate(75) - 0.525).abs() < 1e-12);
        assert!((rate(100) - 0.05).abs() < 1e-12);
        let step = |i| RateSchedule::StepDown.at(1.0, i, 50);
        assert_eq!(
            [step(0), step(29), step(30), step(50)],
            [1.0, 1.0, 0.1, 0.1]
        );
        assert_eq!(RateSchedule::CosineTail.at(1.0, 75, 100), rate(75));
    }
}
