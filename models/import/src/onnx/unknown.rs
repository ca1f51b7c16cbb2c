//! Operators that cannot be computed here.

use super::super::error::ImportError;
use super::node::Node;

/// What is said of an operator that no layer here can compute.
pub fn unknown(node: Node) -> ImportError {
    let advice = match node.0.op_type.as_str() {
        "RandomNormal" | "RandomNormalLike" | "RandomUniform" | "RandomUniformLike"
        | "Bernoulli" | "Multinomial" => {
            "it draws random numbers, and the same dials must always give the same instance; export the decoder alone, without the sampling of z, with noise as fixed buffers"
        }
        "Loop" | "Scan" | "If" => {
            "its steps are not fixed; export with fixed shapes (dynamo=True, without dynamic axes but the batch), so that loops are written out"
        }
        "NonZero" | "Unique" | "TopK" | "NonMaxSuppression" | "Compress" => {
            "the size of what it gives depends on values, and an instance has one shape; decode to all values, without picking some"
        }
        "Attention" | "MultiHeadAttention" | "RotaryEmbedding" => {
            "export with an opset of 18 to 22, which write it as products of matrices"
        }
        "QuantizeLinear" | "DequantizeLinear" | "QLinearConv" | "QLinearMatMul" => {
            "export the decoder before it is quantised; `redial models compress` makes it smaller afterwards"
        }
        "GridSample" | "AffineGrid" => {
            "sample at fixed places with interpolate, or with a product with a fixed matrix"
        }
        "RNN" => "use a GRU or an LSTM",
        _ if !node.0.domain.is_empty() => {
            "it is no operator of ONNX itself; export with dynamo=False, or with optimisation"
        }
        _ => {
            "docs/bring-your-own-model.md lists the operators that are read; write it with these, or with an older opset (18), and export again"
        }
    };
    node.error(format!("this operator cannot be computed here: {advice}"))
}
