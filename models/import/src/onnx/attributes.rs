//! The attributes that are read, operator by operator: one that is not known could mean
//! anything, so it is refused.

use super::super::error::ImportError;
use super::node::Node;

/// Refuses a node with an attribute that is not read. Nodes of unknown operators pass:
/// they are refused as such.
pub fn check(node: Node) -> Result<(), ImportError> {
    let Some(known) = known(&node.0.op_type) else {
        return Ok(());
    };
    let unknown = node
        .0
        .attribute
        .iter()
        .find(|attribute| !known.contains(&attribute.name.as_str()));
    match unknown {
        None => Ok(()),
        Some(attribute) => Err(node.error(format!(
            "its attribute {:?} is not read; {}export with opset 13 to 20",
            attribute.name,
            match known {
                [] => "none is known of this operator; ".to_owned(),
                known => format!("known are {}; ", known.join(", ")),
            }
        ))),
    }
}

fn known(operator: &str) -> Option<&'static [&'static str]> {
    Some(match operator {
        "Abs" | "Add" | "And" | "Ceil" | "Cos" | "Div" | "Equal" | "Erf" | "Erfc" | "Exp"
        | "Expand" | "Floor" | "GlobalAveragePool" | "GlobalMaxPool" | "Greater"
        | "GreaterOrEqual" | "HardSwish" | "Identity" | "Less" | "LessOrEqual" | "Log"
        | "MatMul" | "Max" | "Mean" | "Min" | "Mish" | "Mul" | "Neg" | "Not" | "Or" | "PRelu"
        | "Pow" | "Range" | "Reciprocal" | "Relu" | "Round" | "Sigmoid" | "Sign" | "Sin"
        | "Size" | "Softplus" | "Softsign" | "Sqrt" | "Sub" | "Sum" | "Tan" | "Tanh" | "Tile"
        | "Where" | "Xor" => &[],
        // What they say concerns training, precision that is checked, or signs that sizes have not.
        "Dropout" => &["ratio", "seed", "is_test"],
        "Cast" => &["to", "saturate", "round_mode"],
        "Mod" => &["fmod"],
        "Constant" => &[
            "value",
            "value_float",
            "value_floats",
            "value_int",
            "value_ints",
        ],
        "ConstantOfShape" => &["value"],
        "Shape" => &["start", "end"],
        "Reshape" => &["allowzero", "shape"],
        "Flatten" | "Gather" | "GatherElements" | "Concat" => &["axis"],
        "Squeeze" | "Unsqueeze" => &["axes"],
        "Transpose" => &["perm"],
        "Pad" => &["mode", "pads", "value"],
        "Split" => &["axis", "num_outputs", "split"],
        "Slice" => &["starts", "ends", "axes"],
        "LeakyRelu" | "Elu" | "Celu" | "Swish" | "ThresholdedRelu" => &["alpha"],
        "HardSigmoid" => &["alpha", "beta"],
        "Selu" => &["alpha", "gamma"],
        "Gelu" => &["approximate"],
        "Einsum" => &["equation"],
        "Softmax" | "LogSoftmax" => &["axis"],
        "DepthToSpace" | "SpaceToDepth" => &["blocksize", "mode"],
        "GatherND" => &["batch_dims"],
        "ScatterND" => &["reduction"],
        "ScatterElements" => &["axis", "reduction"],
        "Trilu" => &["upper"],
        "ArgMax" | "ArgMin" => &["axis", "keepdims", "select_last_index"],
        // stash_type is the precision of training.
        "LayerNormalization" | "RMSNormalization" => &["axis", "epsilon", "stash_type"],
        "InstanceNormalization" => &["epsilon"],
        "GroupNormalization" => &["epsilon", "num_groups", "stash_type"],
        "LpNormalization" => &["axis", "p"],
        "LSTM" => &[
            "activations",
            "direction",
            "hidden_size",
            "input_forget",
            "layout",
            "clip",
        ],
        "GRU" => &[
            "activations",
            "direction",
            "hidden_size",
            "layout",
            "linear_before_reset",
            "clip",
        ],
        "MaxPool" | "AveragePool" => &[
            "auto_pad",
            "ceil_mode",
            "count_include_pad",
            "dilations",
            "kernel_shape",
            "pads",
            "storage_order",
            "strides",
        ],
        "Clip" => &["min", "max"],
        "Gemm" => &["alpha", "beta", "transA", "transB"],
        "Conv" => &[
            "auto_pad",
            "dilations",
            "group",
            "kernel_shape",
            "pads",
            "strides",
        ],
        "ConvTranspose" => &[
            "auto_pad",
            "dilations",
            "group",
            "kernel_shape",
            "output_padding",
            "output_shape",
            "pads",
            "strides",
        ],
        "BatchNormalization" => &["epsilon", "momentum", "training_mode", "is_test"],
        "Upsample" => &["mode", "scales"],
        "Resize" => &[
            "mode",
            "coordinate_transformation_mode",
            "nearest_mode",
            "keep_aspect_ratio_policy",
            "antialias",
            "cubic_coeff_a",
            "exclude_outside",
            "extrapolation_value",
            "axes",
            "scales",
        ],
        _ => return None,
    })
}
