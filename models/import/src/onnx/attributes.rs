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
        "Add" | "Sub" | "Mul" | "Div" | "MatMul" | "Relu" | "Sigmoid" | "Tanh" | "Softplus"
        | "PRelu" | "Identity" | "Tile" | "Sqrt" | "Reciprocal" | "Floor" | "Ceil" | "Neg"
        | "Max" | "Min" => &[],
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
        "Flatten" | "Gather" | "Concat" => &["axis"],
        "Squeeze" | "Unsqueeze" => &["axes"],
        "Transpose" => &["perm"],
        // Only zero rows of padding are read, in whatever mode.
        "Pad" => &["mode", "pads", "value"],
        "Split" => &["axis", "num_outputs", "split"],
        "Slice" => &["starts", "ends", "axes"],
        "LeakyRelu" | "Elu" => &["alpha"],
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
        // The last four are of other modes than nearest, which alone is read.
        "Resize" => &[
            "mode",
            "coordinate_transformation_mode",
            "nearest_mode",
            "keep_aspect_ratio_policy",
            "antialias",
            "cubic_coeff_a",
            "exclude_outside",
            "extrapolation_value",
        ],
        _ => return None,
    })
}
