//! Matrix products.

use std::collections::BTreeMap;

use decode::architecture::graph::GraphNode;
use decode::kernels::matrix::Panels;

use super::super::computation::{Computation, Product, Right};
use super::super::order::{Order, Steps, merged};
use super::{Compiler, Value};

/// Matrices are packed, and their places listed, one by one: no more than so many.
pub(super) const MOST_PRODUCTS: usize = 1 << 12;

impl Compiler<'_> {
    pub(super) fn product(&mut self, node: &GraphNode, of: [Value; 2], shape: Vec<usize>) -> Value {
        let rank = shape.len();
        let [a, b] = of.map(|value| {
            let order = value.order.padded(rank);
            self.direct(Value { order, ..value })
        });
        let (inner, columns) = (a.order.shape()[rank - 1], shape[rank - 1]);
        let a = if a.order.strides()[rank - 1] == 1 || inner == 1 {
            a
        } else {
            self.natural(a)
        };
        let steps = |order: &Order| -> Steps {
            let strides = order.strides().into_iter();
            order.shape().iter().copied().zip(strides).collect()
        };
        let (of_a, of_b) = (steps(&a.order), steps(&b.order));
        let right = [of_b[rank - 2].1, of_b[rank - 1].1];
        let one_matrix = of_b[..rank - 2].iter().all(|&(n, _)| n == 1);
        let all_rows = merged(of_a[..rank - 1].iter().copied());
        let (rows, row_step, matrices) = match all_rows[..] {
            // All rows at once.
            [(rows, step)] if one_matrix => (rows, step, vec![[0, 0]]),
            _ => {
                let (rows, step) = of_a[rank - 2];
                (rows, step, starts(&shape[..rank - 2], &of_a, &of_b))
            }
        };
        let mut product = Product {
            matrices,
            rows,
            row_step,
            sizes: [inner, columns],
            right: Right::Lies(right),
        };
        let order = Order::natural(shape);
        let Some(fixed) = self.fixed[b.slot].clone() else {
            return self.step(node, &[&a, &b], Computation::Product(product), order);
        };
        let mut packed: BTreeMap<usize, usize> = BTreeMap::new();
        let mut panels = Vec::new();
        for [_, at] in &mut product.matrices {
            let number = *packed.entry(*at).or_insert_with(|| {
                panels.push(Panels::pack(&fixed[*at..], [inner, columns], right));
                panels.len() - 1
            });
            *at = number;
        }
        product.right = Right::Packed(panels);
        self.step(node, &[&a], Computation::Product(product), order)
    }
}

/// Number of products of matrices that give an array of this shape.
pub(super) fn batch(shape: &[usize]) -> usize {
    shape.iter().rev().skip(2).product()
}

/// Where each of a batch of products begins on the left and on the right; `shape` is that of
/// the batch.
fn starts(shape: &[usize], of_a: &Steps, of_b: &Steps) -> Vec<[usize; 2]> {
    let mut starts = vec![[0, 0]];
    for (axis, &count) in shape.iter().enumerate() {
        let [a, b] = [of_a[axis], of_b[axis]].map(|(n, stride)| if n == 1 { 0 } else { stride });
        let next = |&[i, j]: &[usize; 2]| (0..count).map(move |n| [i + n * a, j + n * b]);
        starts = starts.iter().flat_map(next).collect();
    }
    starts
}
