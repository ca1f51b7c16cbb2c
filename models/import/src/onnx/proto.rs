//! The messages of an ONNX file (`onnx.proto`), as far as decoders need them.
//!
//! Written by hand, so that no protobuf compiler is needed. Field numbers and types
//! are those of the format; fields left out here are skipped when reading. The same
//! structs write files: whoever does so sets [`ModelProto::ir_version`], at least one
//! [`OperatorSetIdProto`], and an attribute's [`AttributeProto::kind`].

/// `ir_version` of files written here: the oldest that opset 13 goes with.
pub const IR_VERSION: i64 = 7;

/// A whole file.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ModelProto {
    /// Version of the format.
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    /// Program that wrote the file: `pytorch`, `tf2onnx`.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// Its version.
    #[prost(string, tag = "3")]
    pub producer_version: String,
    /// The computation.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// Versions of the operator sets used.
    #[prost(message, repeated, tag = "8")]
    pub opset_import: Vec<OperatorSetIdProto>,
}

/// Which version of an operator set is meant.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct OperatorSetIdProto {
    /// Name of the set; empty for ONNX's own.
    #[prost(string, tag = "1")]
    pub domain: String,
    /// Its version.
    #[prost(int64, tag = "2")]
    pub version: i64,
}

/// Nodes in an order in which they can be computed, with their constants.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct GraphProto {
    /// The nodes.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Name of the graph.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Named constants: the weights.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Inputs; old files list the initializers here too.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// Outputs.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
}

/// One operation.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct NodeProto {
    /// Names of the values it takes; an empty name is an input left out.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of the values it gives.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Name of the node; may be empty.
    #[prost(string, tag = "3")]
    pub name: String,
    /// Operator: `Gemm`, `Conv`.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Its parameters.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// Operator set that the operator is of; empty for ONNX's own.
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// A named parameter of a node: one of its value fields is set, as [`kind`](Self::kind) says.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct AttributeProto {
    /// Name of the parameter.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A number.
    #[prost(float, optional, tag = "2")]
    pub f: Option<f32>,
    /// A whole number.
    #[prost(int64, optional, tag = "3")]
    pub i: Option<i64>,
    /// Text, in UTF-8.
    #[prost(bytes = "vec", optional, tag = "4")]
    pub s: Option<Vec<u8>>,
    /// A tensor.
    #[prost(message, optional, tag = "5")]
    pub t: Option<TensorProto>,
    /// A graph: what a branch computes.
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<GraphProto>>,
    /// Numbers.
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub floats: Vec<f32>,
    /// Whole numbers.
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub ints: Vec<i64>,
    /// Texts, in UTF-8.
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub strings: Vec<Vec<u8>>,
    /// Which field is meant.
    #[prost(enumeration = "AttributeKind", tag = "20")]
    pub kind: i32,
}

/// Which field of an [`AttributeProto`] holds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
#[allow(missing_docs)] // each is named after the type of the field
pub enum AttributeKind {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
}

/// A constant: shape, type, and the values in one of the data fields.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TensorProto {
    /// Shape.
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub dims: Vec<i64>,
    /// Type of the values, a [`DataType`].
    #[prost(enumeration = "DataType", tag = "2")]
    pub data_type: i32,
    /// Values of type `Float`.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Values of type `Int32` and shorter; `Float16` and `Bfloat16` as their bits.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Values of type `Int64`.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// Name of the constant.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Values of any type, little endian, row by row.
    #[prost(bytes = "vec", tag = "9")]
    pub raw_data: Vec<u8>,
    /// Values of type `Double`.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// Where the values are if in another file: `location`, `offset`, `length`.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// 1 when the values are in another file.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
}

/// Type of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
#[allow(missing_docs)] // each is named after the type
pub enum DataType {
    Undefined = 0,
    Float = 1,
    Uint8 = 2,
    Int8 = 3,
    Uint16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Double = 11,
    Uint32 = 12,
    Uint64 = 13,
    Bfloat16 = 16,
}

impl DataType {
    /// Whether its values are read as float32.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Self::Float | Self::Double | Self::Float16 | Self::Bfloat16
        )
    }
}

/// A key and its value.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct StringStringEntryProto {
    /// The key.
    #[prost(string, tag = "1")]
    pub key: String,
    /// Its value.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// Name and type of an input or output.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ValueInfoProto {
    /// Name of the value.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// Type of a value; only tensors are of use here.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TypeProto {
    /// Type and shape of a tensor.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
}

/// Type and shape of a tensor.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TensorTypeProto {
    /// Type of the values.
    #[prost(enumeration = "DataType", tag = "1")]
    pub elem_type: i32,
    /// Shape, if it is known.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// Shape of a tensor.
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct TensorShapeProto {
    /// The dimensions.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// One dimension of a shape: a size, a name for a size that is not known, or neither.
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct DimensionProto {
    /// The size.
    #[prost(int64, optional, tag = "1")]
    pub dim_value: Option<i64>,
    /// Name of a size that varies: `batch`.
    #[prost(string, optional, tag = "2")]
    pub dim_param: Option<String>,
}
