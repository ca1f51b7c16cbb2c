//! Dense layers of a graph.

use super::super::error::ImportError;
use super::arithmetic::{broadcast, stretched};
use super::constant::Constant;
use super::lowering::{Lowering, View, whole};
use super::node::{Node, name};

pub fn gemm(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    constants: &[Option<&Constant>],
) -> Result<View, ImportError> {
    let Some(weight) = constants.get(1).copied().flatten() else {
        return Err(node.error("its weight is missing"));
    };
    let ([1, inputs], [rows, columns], 0) =
        (&view.shape[..], &weight.shape[..], node.int("transA"))
    else {
        return Err(node.error(format!(
            "it is fed a value of shape {:?} with a weight of shape {:?}; a vector and a matrix are read",
            view.shape, weight.shape
        )));
    };
    let transposed = node.int("transB") == 1;
    let (takes, outputs) = if transposed {
        (*columns, *rows)
    } else {
        (*rows, *columns)
    };
    if takes != *inputs {
        return Err(node.error(format!("its weight takes {takes} values and gets {inputs}")));
    }
    let alpha = node.float("alpha");
    let beta = node.float("beta");
    let mut values = matrix(weight, transposed);
    values.iter_mut().for_each(|v| *v *= alpha);
    let bias = constants.get(2).copied().flatten().map(|bias| {
        let target = [1, outputs];
        if broadcast(&bias.shape, &target).as_deref() != Some(&target[..]) {
            return Err(node.error(format!(
                "a bias of shape {:?} for {outputs} values",
                bias.shape
            )));
        }
        let values = bias.floats();
        Ok(stretched(&bias.shape, &target)
            .into_iter()
            .map(|i| values[i] * beta)
            .collect())
    });
    dense(graph, node, view, &values, bias.transpose()?, outputs)?;
    Ok(whole(graph, vec![1, outputs]))
}

/// The weight as `[outputs, inputs]`.
fn matrix(weight: &Constant, transposed: bool) -> Vec<f32> {
    let values = weight.floats();
    match weight.shape[..] {
        [inputs, outputs] if !transposed => (0..outputs)
            .flat_map(|o| (0..inputs).map(move |i| i * outputs + o))
            .map(|at| values[at])
            .collect(),
        _ => values,
    }
}

fn dense(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    weight: &[f32],
    bias: Option<Vec<f32>>,
    outputs: usize,
) -> Result<(), ImportError> {
    if outputs == 0 {
        return Err(node.error("it gives nothing"));
    }
    let name = name(node);
    let made = graph.builder.dense(&name, weight, bias, &view.places);
    made.map_err(|problem| node.error(problem))
}

pub fn matmul(
    graph: &mut Lowering,
    node: Node,
    view: &View,
    weight: &Constant,
) -> Result<View, ImportError> {
    let (Some((&inputs, before)), [takes, outputs]) = (view.shape.split_last(), &weight.shape[..])
    else {
        return Err(node.error(format!("a weight of shape {:?} is not read", weight.shape)));
    };
    if *takes != inputs || before.iter().any(|&n| n != 1) {
        return Err(node.error(format!(
            "it is fed a value of shape {:?} with a weight of shape {:?}; a vector and a matrix are read (for a layer on every pixel use a 1×1 convolution)",
            view.shape, weight.shape
        )));
    }
    dense(graph, node, view, &matrix(weight, false), None, *outputs)?;
    let shape = before.iter().copied().chain([*outputs]).collect();
    Ok(whole(graph, shape))
}
