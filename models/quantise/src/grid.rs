//! Numbers in fewer bits.

use decode::architecture::Units;
use decode::weights::Values;
use half::f16;
use models::card::Precision;

use crate::compensate::CholeskyFactor;

/// Values of a group in four bits, which have a step together.
pub const GROUP: usize = 32;
/// The largest magnitude in eight bits.
const MOST_8: i8 = 127;
/// The largest magnitude in four bits.
const MOST_4: i8 = 7;
/// The largest step of a group: seven of them still fit eight bits.
const LARGEST_STEP: i8 = MOST_8 / MOST_4;

/// Numbers in half precision. Nothing when a value is too large for that: a sigmoid could hide it
/// from the gate, and the file would be refused when read.
#[must_use]
pub fn to_f16(values: &[f32]) -> Option<Values> {
    let halves = values.iter().map(|&v| f16::from_f32(v));
    halves
        .map(|half| half.is_finite().then(|| half.to_bits()))
        .collect::<Option<_>>()
        .map(Values::F16)
}

/// Whole numbers in −127 … 127, the largest magnitude of each of the `units` of a tensor of this
/// shape at the end.
#[must_use]
pub fn to_int8(values: &[f32], shape: &[usize], units: Units) -> Values {
    QuantisationGrid::eight_bits(values, shape, units).nearest(values)
}

/// The numbers that a tensor's values are rounded to: whole multiples of a step each.
#[derive(Debug, Clone)]
pub struct QuantisationGrid<'a> {
    shape: &'a [usize],
    units: Units,
    /// For each output unit.
    scales: Vec<f32>,
    /// For each group, in scales; empty in eight bits.
    steps: Vec<i8>,
}

impl<'a> QuantisationGrid<'a> {
    /// The grid of whole numbers that suits a tensor of this shape with these output units. None for half precision, and for four bits where the first axis is odd
    /// (two values to a byte) or groups do not come out even.
    #[must_use]
    pub fn new(
        precision: Precision,
        values: &[f32],
        shape: &'a [usize],
        units: Units,
    ) -> Option<Self> {
        match precision {
            Precision::F16 => None,
            Precision::Int8 => Some(Self::eight_bits(values, shape, units)),
            Precision::Int4 => {
                fits_four_bits(shape, values.len()).then(|| Self::four_bits(values, shape, units))
            }
        }
    }

    fn eight_bits(values: &[f32], shape: &'a [usize], units: Units) -> Self {
        Self {
            shape,
            units,
            scales: scales(values, shape, units, MOST_8),
            steps: Vec::new(),
        }
    }

    fn four_bits(values: &[f32], shape: &'a [usize], units: Units) -> Self {
        let scales = scales(values, shape, units, MOST_4 * LARGEST_STEP);
        let groups = values.chunks(GROUP).enumerate();
        let steps = groups.map(|(group, values)| {
            let wanted = values.iter().enumerate().map(|(i, v)| {
                match scales[units.of(group * GROUP + i, shape)] {
                    0.0 => 0.0,
                    scale => v.abs() / (scale * f32::from(MOST_4)),
                }
            });
            let wanted = wanted.fold(0.0, f32::max);
            // Less a little, for what rounding adds to the unit's largest value.
            (wanted - 1e-3).ceil().clamp(1.0, f32::from(LARGEST_STEP)) as i8
        });
        Self {
            shape,
            units,
            steps: steps.collect(),
            scales,
        }
    }

    /// The step of a value.
    fn step(&self, index: usize) -> f32 {
        let group = self.steps.get(index / GROUP).copied().unwrap_or(1);
        self.scales[self.units.of(index, self.shape)] * f32::from(group)
    }

    fn most(&self) -> i8 {
        if self.steps.is_empty() {
            MOST_8
        } else {
            MOST_4
        }
    }

    /// Each value rounded on its own.
    #[must_use]
    // rounded and within i8
    pub fn nearest(self, values: &[f32]) -> Values {
        let most = f32::from(self.most());
        let multiples = values.iter().enumerate().map(|(i, v)| match self.step(i) {
            0.0 => 0,
            step => (v / step).round().clamp(-most, most) as i8,
        });
        let multiples = multiples.collect();
        self.values(multiples)
    }

    /// The values of each of these units rounded together, for inputs that vary as `factor`
    /// says.
    #[must_use]
    pub fn compensated(self, values: &[f32], units: Units, factor: &CholeskyFactor) -> Values {
        let count = units.count(self.shape);
        let mut places = vec![Vec::with_capacity(values.len() / count.max(1)); count];
        for i in 0..values.len() {
            places[units.of(i, self.shape)].push(i);
        }
        let mut multiples = vec![0; values.len()];
        for places in places {
            let weights: Vec<f32> = places.iter().map(|&i| values[i]).collect();
            let steps: Vec<f32> = places.iter().map(|&i| self.step(i)).collect();
            let rounded = factor.round(&weights, &steps, self.most());
            for (&i, rounded) in places.iter().zip(rounded) {
                multiples[i] = rounded;
            }
        }
        self.values(multiples)
    }

    fn values(self, mut multiples: Vec<i8>) -> Values {
        for (group, step) in multiples.chunks_mut(GROUP).zip(&self.steps) {
            group.iter_mut().for_each(|v| *v *= step);
        }
        Values::Int8 {
            values: multiples,
            scales: self.scales,
            steps: self.steps,
        }
    }
}

/// Whether two values go into a byte, and groups come out even.
#[must_use]
pub fn fits_four_bits(shape: &[usize], values: usize) -> bool {
    let even = shape.first().is_some_and(|first| first % 2 == 0);
    even && values.is_multiple_of(GROUP)
}

/// For each unit its largest magnitude, as a share of `most`.
fn scales(values: &[f32], shape: &[usize], units: Units, most: i8) -> Vec<f32> {
    let mut scales = vec![0.0f32; units.count(shape)];
    for (i, v) in values.iter().enumerate() {
        let scale = &mut scales[units.of(i, shape)];
        *scale = scale.max(v.abs() / f32::from(most));
    }
    scales
}
