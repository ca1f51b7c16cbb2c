//! Values that are moved, and pairs of values.

use decode::architecture::graph::PairFunction;

use super::order::Steps;

/// The values that a walk meets, in its order.
pub(super) fn moved(x: &[f32], steps: &Steps) -> Vec<f32> {
    let mut out = Vec::with_capacity(steps.iter().map(|&(count, _)| count).product());
    walk(steps, 0, &mut |at, count, stride| match stride {
        1 => out.extend_from_slice(&x[at..at + count]),
        _ => out.extend(x[at..].iter().step_by(stride.max(1)).take(count)),
    });
    out
}

/// Calls `f` with every run of neighbours along the last step: where it begins, how many
/// there are and how far they are from each other.
fn walk(steps: &[(usize, usize)], at: usize, f: &mut impl FnMut(usize, usize, usize)) {
    match steps {
        [] => {}
        [(count, stride)] => f(at, *count, *stride),
        [(count, stride), rest @ ..] => {
            for i in 0..*count {
                walk(rest, at + i * stride, f);
            }
        }
    }
}

/// Changes each value of `lead` by a value of `other`, which is walked through in `steps`;
/// `turned` where `other` comes first.
pub(super) fn combine(
    function: PairFunction,
    turned: bool,
    lead: &mut [f32],
    other: &[f32],
    steps: &Steps,
) {
    let is = |truth: bool| f32::from(u8::from(truth));
    macro_rules! with {
        ($f:expr) => {
            if turned {
                let f = $f;
                each(lead, other, steps, |a, b| f(b, a));
            } else {
                each(lead, other, steps, $f);
            }
        };
    }
    match function {
        PairFunction::Add => each(lead, other, steps, |a, b| a + b),
        PairFunction::Multiply => each(lead, other, steps, |a, b| a * b),
        PairFunction::Subtract => with!(|a: f32, b: f32| a - b),
        PairFunction::Divide => with!(|a: f32, b: f32| a / b),
        PairFunction::Max => each(lead, other, steps, super::extremes::larger),
        PairFunction::Min => each(lead, other, steps, super::extremes::smaller),
        PairFunction::Power => with!(super::apply::power),
        PairFunction::Equal => with!(|a: f32, b: f32| is(a == b)),
        PairFunction::Greater => with!(|a: f32, b: f32| is(a > b)),
        PairFunction::GreaterOrEqual => with!(|a: f32, b: f32| is(a >= b)),
    }
}

fn each(lead: &mut [f32], other: &[f32], steps: &Steps, f: impl Fn(f32, f32) -> f32) {
    let mut done = 0;
    walk(steps, 0, &mut |at, count, stride| {
        let lead = &mut lead[done..done + count];
        done += count;
        match stride {
            0 => {
                let b = other[at];
                lead.iter_mut().for_each(|a| *a = f(*a, b));
            }
            1 => {
                for (a, &b) in lead.iter_mut().zip(&other[at..at + count]) {
                    *a = f(*a, b);
                }
            }
            _ => {
                for (a, &b) in lead.iter_mut().zip(other[at..].iter().step_by(stride)) {
                    *a = f(*a, b);
                }
            }
        }
    });
}
