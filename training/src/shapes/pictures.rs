//! Pictures of shapes, and their labels, as tensors.

use candle_core::{Device, Result, Tensor};
use measures::data::shapes::labels::{LABELS, LabelTable, labels};
use measures::data::shapes::{OF_INTEREST, ShapePictures};

/// The pictures that everything here is of.
pub const DATA: ShapePictures = ShapePictures { seed: 1, cell: 12 };

/// How much ink each pixel of some pictures has: 1 minus red, green and blue, so that what lies around a picture is
/// white `[n, pixels, 3]`.
pub(crate) fn ink(numbers: &[usize]) -> Result<Tensor> {
    let pixels = DATA.side() * DATA.side();
    let mut ink = Vec::with_capacity(numbers.len() * pixels * 3);
    for &number in numbers {
        let picture = DATA.draw(&DATA.scene(number));
        ink.extend(picture.iter().map(|&v| 1.0 - f32::from(v) / 255.0));
    }
    Tensor::from_vec(ink, (numbers.len(), pixels, 3), &Device::Cpu)
}

/// The labels of some pictures.
pub(crate) struct Labels {
    /// The 15 labels as 0 and 1 `[n, 15]`.
    pub labels: Tensor,
    /// For each picture a number that says which labels it has: equal for equal labels.
    pub kinds: Vec<u8>,
}

impl Labels {
    /// Those of the pictures with these numbers.
    pub fn of(numbers: &[usize]) -> Result<Self> {
        let mut all = Vec::with_capacity(numbers.len() * LABELS);
        let mut kinds = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let present = DATA.scene(number).of_interest();
            let labels = labels(present, LabelTable::Printed);
            all.extend(labels.map(|is| f32::from(u8::from(is))));
            kinds.push(kind(present));
        }
        Ok(Self {
            labels: Tensor::from_vec(all, (numbers.len(), LABELS), &Device::Cpu)?,
            kinds,
        })
    }
}

/// The first combination of shapes, counted in binary, that has the same labels as this one. In print two pairs of the
/// 32 combinations have the same.
fn kind(present: [bool; OF_INTEREST]) -> u8 {
    let combination = |number: u8| std::array::from_fn(|shape| number >> (4 - shape) & 1 == 1);
    let own = labels(present, LabelTable::Printed);
    let same = |number: &u8| labels(combination(*number), LabelTable::Printed) == own;
    // The combination itself is among them.
    (0..1 << OF_INTEREST).find(same).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    // printed = the 32 rows of botcl_labels in concept.json; print(len(set(map(tuple, printed))))
    #[test]
    fn kinds_are_sets_of_labels() {
        let all: BTreeSet<u8> = (0..32_u8)
            .map(|number| kind(std::array::from_fn(|shape| number >> (4 - shape) & 1 == 1)))
            .collect();
        assert_eq!(all.len(), KINDS);
        let numbers = [0, 1, 2, 3];
        let batch = Labels::of(&numbers).unwrap();
        let labels: Vec<Vec<f32>> = batch.labels.to_vec2().unwrap();
        for (a, kind_a) in labels.iter().zip(&batch.kinds) {
            for (b, kind_b) in labels.iter().zip(&batch.kinds) {
                assert_eq!(a == b, kind_a == kind_b);
            }
        }
        // A corner is white, unless a shape reaches it, which none does.
        let ink = ink(&numbers).unwrap();
        assert_eq!(ink.dims(), [4, 84 * 84, 3]);
        let ink: Vec<f32> = ink.flatten_all().unwrap().to_vec1().unwrap();
        assert_eq!(ink[..3], [0.0; 3]);
        assert!(ink.iter().any(|&v| v > 0.9) && ink.iter().all(|v| (0.0..=1.0).contains(v)));
    }

    const KINDS: usize = 30;
}
