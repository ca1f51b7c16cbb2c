//! Operators that cannot be computed here.

use super::super::error::ImportError;
use super::node::{Node, at};
use super::proto::NodeProto;

/// What to do about operators of other sets than ONNX's own, by how their domain begins.
const OF_DOMAINS: [(&str, &str); 7] = [
    (
        "com.microsoft",
        "ONNX Runtime's optimiser writes it; take the file as it was exported, before it was optimised",
    ),
    (
        "ai.onnx.ml",
        "it is of models that are no networks, such as trees; export the network alone",
    ),
    (
        "ai.onnx.contrib",
        "it is of ONNX Runtime's extensions; export the network alone, without what prepares its input or output",
    ),
    (
        "org.pytorch",
        "PyTorch found no operator of ONNX for it; export with dynamo=True, or write it with other operations",
    ),
    (
        "pkg.",
        "it is a function that the file brings along; export with optimize=True, which writes functions out",
    ),
    (
        "local",
        "it is a function that the file brings along; export with export_modules_as_functions=False",
    ),
    (
        "ai.onnx.converters",
        "tf2onnx found no operator of ONNX for it; write it with other operations",
    ),
];

/// What to do about operators of ONNX itself.
fn advice(operator: &str) -> &'static str {
    match operator {
        "RandomNormal" | "RandomNormalLike" | "RandomUniform" | "RandomUniformLike"
        | "Bernoulli" | "Multinomial" => {
            "it draws random numbers, and the same dials must always give the same instance; export the decoder alone, without the sampling of z, with noise as fixed buffers"
        }
        "Loop" | "Scan" => {
            "its steps are not fixed; export with fixed shapes (dynamo=True, without dynamic axes but the batch), so that loops are written out"
        }
        "Unique" | "NonMaxSuppression" | "Compress" => {
            "the size of what it gives depends on values, and an instance has one shape; decode to all values, without picking some"
        }
        "RotaryEmbedding" => "export with an opset of 18 to 22, which writes it as products",
        "QuantizeLinear" | "DequantizeLinear" | "QLinearConv" | "QLinearMatMul" => {
            "export the decoder before it is quantised; `redial models compress` makes it smaller afterwards"
        }
        "GridSample" | "AffineGrid" => {
            "sample at fixed places with interpolate, or with a product with a fixed matrix"
        }
        "RNN" => "use a GRU or an LSTM",
        _ => {
            "docs/bring-your-own-model.md lists the operators that are read; write it with these, or with an older opset (18), and export again"
        }
    }
}

/// What is said of an operator that is not read: `version` is that of its set in the file, `known`
/// the versions in which it is.
pub fn unknown(
    node: &NodeProto,
    domain: &str,
    version: Option<i64>,
    known: Option<String>,
) -> ImportError {
    let of_domain = OF_DOMAINS
        .iter()
        .find(|(begins, _)| domain.starts_with(begins));
    let problem = match (version, known, of_domain) {
        (None, ..) => format!(
            "the file does not say which version of the operator set {domain:?} it is of{}",
            of_domain.map_or_else(String::new, |(_, advice)| format!("; {advice}"))
        ),
        (Some(version), Some(known), _) => format!(
            "the file has operators of version {version}, in which there is none of that name that is read (it is read as of version {known}); export with opset 13 to 23"
        ),
        (_, None, Some((_, advice))) => format!(
            "this operator cannot be computed here: it is no operator of ONNX itself but of {domain:?}: {advice}"
        ),
        (_, None, None) if domain != "ai.onnx" => format!(
            "this operator cannot be computed here: it is no operator of ONNX itself but of {domain:?}, which is not known; export with operators of ONNX alone"
        ),
        (_, None, None) => format!(
            "this operator cannot be computed here: {}",
            advice(&node.op_type)
        ),
    };
    at(node, problem)
}

/// What is said of an operator that is read where it is fed constants, and is fed what flows.
pub fn flowing(node: Node) -> ImportError {
    node.error(match node.operator() {
        "NonZero" => {
            "which places it gives depends on the latent vector, and an instance has one shape; choose by a fixed mask, or multiply by it"
        }
        "Range" => {
            "its ends depend on the latent vector; a decoder's shapes must be fixed"
        }
        _ => "it is computed of what is fixed alone, and here it depends on the latent vector",
    })
}
