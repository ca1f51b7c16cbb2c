//! Minimising a smooth convex function of many numbers by limited-memory BFGS.

use std::collections::VecDeque;

/// Where the search ended.
pub(super) struct Minimum {
    pub at: Vec<f64>,
    /// Whether the slope came to rest.
    pub settled: bool,
}

/// Steps that the curvature is built from.
const MEMORY: usize = 10;
/// Steps at most. Separable classes never settle; those that are not need fewer than a hundred.
const STEPS: usize = 1000;
/// The search ends when no entry of the slope is larger: losses are then right to about its square.
const SLOPE: f64 = 1e-7;
/// A value may seem to rise by this share of itself, which is rounding.
const ROUNDING: f64 = 1e-14;

/// Minimises `f`, which writes its slope, from `start` on.
pub(super) fn minimise(f: impl Fn(&[f64], &mut [f64]) -> f64, start: Vec<f64>) -> Minimum {
    let mut at = start;
    let mut slope = vec![0.0; at.len()];
    let mut value = f(&at, &mut slope);
    let mut memory: VecDeque<(Vec<f64>, Vec<f64>)> = VecDeque::new();
    for _ in 0..STEPS {
        if slope.iter().all(|s| s.abs() <= SLOPE) {
            return Minimum { at, settled: true };
        }
        let direction = descent(&slope, &memory);
        let first = if memory.is_empty() {
            1.0 / norm(&slope).max(1.0)
        } else {
            1.0
        };
        let Some(next) = along(&f, &at, value, &slope, &direction, first) else {
            // As far as rounding lets us go.
            let settled = slope.iter().all(|s| s.abs() <= SLOPE.sqrt());
            return Minimum { at, settled };
        };
        let step: Vec<f64> = next.at.iter().zip(&at).map(|(a, b)| a - b).collect();
        let bend: Vec<f64> = next.slope.iter().zip(&slope).map(|(a, b)| a - b).collect();
        if dot(&step, &bend) > f64::EPSILON * dot(&bend, &bend) {
            memory.push_back((step, bend));
            if memory.len() > MEMORY {
                memory.pop_front();
            }
        }
        (at, value, slope) = (next.at, next.value, next.slope);
    }
    Minimum { at, settled: false }
}

/// The direction of the two-loop recursion.
fn descent(slope: &[f64], memory: &VecDeque<(Vec<f64>, Vec<f64>)>) -> Vec<f64> {
    let mut q: Vec<f64> = slope.iter().map(|s| -s).collect();
    let mut weights = Vec::with_capacity(memory.len());
    for (step, bend) in memory.iter().rev() {
        let weight = dot(step, &q) / dot(step, bend);
        add(&mut q, -weight, bend);
        weights.push(weight);
    }
    if let Some((step, bend)) = memory.back() {
        let scale = dot(step, bend) / dot(bend, bend);
        q.iter_mut().for_each(|v| *v *= scale);
    }
    for ((step, bend), weight) in memory.iter().zip(weights.iter().rev()) {
        let back = dot(bend, &q) / dot(step, bend);
        add(&mut q, weight - back, step);
    }
    q
}

struct Point {
    at: Vec<f64>,
    value: f64,
    slope: Vec<f64>,
}

/// A point along a direction that meets the weak conditions of Wolfe, by bisection; none when there is none to
/// be found.
fn along(
    f: impl Fn(&[f64], &mut [f64]) -> f64,
    at: &[f64],
    value: f64,
    slope: &[f64],
    direction: &[f64],
    first: f64,
) -> Option<Point> {
    let fall = dot(slope, direction);
    if fall.is_nan() || fall >= 0.0 {
        return None;
    }
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, first);
    let mut best = None;
    for _ in 0..40 {
        let mut point = Point {
            at: at.to_vec(),
            value: 0.0,
            slope: vec![0.0; at.len()],
        };
        add(&mut point.at, length, direction);
        point.value = f(&point.at, &mut point.slope);
        let highest = value + 1e-4 * length * fall + ROUNDING * value.abs();
        if point.value.is_nan() || point.value > highest {
            high = length;
        } else if dot(&point.slope, direction) < 0.9 * fall {
            low = length;
            best = Some(point);
        } else {
            return Some(point);
        }
        length = if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * length
        };
    }
    best
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add(to: &mut [f64], weight: f64, of: &[f64]) {
    to.iter_mut()
        .zip(of)
        .for_each(|(to, of)| *to += weight * of);
}
