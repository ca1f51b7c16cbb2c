//! ONNX files: graphs of operators, followed from the latent vector to the instance.
//!
//! Operators that exporters put around the layers are computed away with a batch of 1; values that
//! are only moved (transposes, reshapes, repeats) end up in our layers' own order.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use prost::Message as _;

use super::error::ImportError;
use super::exported::ExportedDecoder;
use super::untrusted_file as files;
use arrays::NumericArray;

mod arithmetic;
mod branches;
mod chain;
mod constant;
mod convolution;
mod fixed;
mod graph;
mod interface;
mod linear;
mod lower;
mod lowering;
mod maps;
mod node;
mod operator_table;
mod operators;
mod opsets;
pub mod proto;
mod rearranging;
mod resize;
mod rewrite;
mod scaling;
mod unsupported;

pub use constant::ExternalData;
pub use operator_table::operators;

/// Opens an ONNX file, and those beside it that hold its weights. `output` names the
/// output, if there are several.
///
/// # Errors
/// As [`read`]; also when the file cannot be read.
pub fn open(path: &Path, output: Option<&str>) -> Result<ExportedDecoder, ImportError> {
    let bytes = files::read(path, true).map_err(ImportError::file)?;
    // One file holds the weights of all layers.
    let seen: RefCell<BTreeMap<String, Rc<[u8]>>> = RefCell::default();
    let external_data = |name: &str| -> Result<Rc<[u8]>, String> {
        if let Some(bytes) = seen.borrow().get(name) {
            return Ok(Rc::clone(bytes));
        }
        let mut folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        for part in Path::new(name).components() {
            folder.push(part);
            let linked = std::fs::symlink_metadata(&folder).is_ok_and(|kind| kind.is_symlink());
            if linked {
                return Err(format!(
                    "{} is a symbolic link; put the file itself there",
                    folder.display()
                ));
            }
        }
        let bytes: Rc<[u8]> = files::read(&folder, false)?.into();
        seen.borrow_mut().insert(name.to_owned(), Rc::clone(&bytes));
        Ok(bytes)
    };
    read(&bytes, &external_data, output)
}

/// The constant of that name in an ONNX file, as a table: latents that lie inside of it.
///
/// # Errors
/// As [`open`]; also when there is no such constant, or it is no table.
pub fn initialiser(path: &Path, name: &str) -> Result<NumericArray, ImportError> {
    let bytes = files::read(path, true).map_err(ImportError::file)?;
    let model = decoded(&bytes)?;
    let constants = model
        .graph
        .map(|graph| graph.initializer)
        .unwrap_or_default();
    let Some(tensor) = constants.iter().find(|tensor| tensor.name == name) else {
        let names: Vec<&str> = constants.iter().map(|t| t.name.as_str()).take(20).collect();
        return Err(ImportError::file(format!(
            "{} holds no constant named {name:?}; it holds: {}",
            path.display(),
            names.join(", ")
        )));
    };
    let external_data = |_: &str| Err("put the latents into a file of their own".to_owned());
    let constant = constant::Constant::read(tensor, &external_data)?;
    if constant.shape.len() < 2 {
        return Err(ImportError::tensor(
            name,
            format!(
                "its shape is {:?}; latents are [rows, dimensions]",
                constant.shape
            ),
        ));
    }
    Ok(NumericArray {
        values: constant.floats().into_iter().map(f64::from).collect(),
        shape: constant.shape,
    })
}

fn decoded(bytes: &[u8]) -> Result<proto::ModelProto, ImportError> {
    proto::ModelProto::decode(bytes).map_err(|error| {
        ImportError::file(format!(
            "not an ONNX file, or cut short ({})",
            error
                .to_string()
                .trim_start_matches("failed to decode Protobuf message: ")
        ))
    })
}

/// Reads an ONNX file. `external_data` gives the bytes of a file that lies beside it, where
/// large exports keep their weights; `output` names the output, if there are several.
///
/// # Errors
/// Names the node or the tensor that cannot be read, and what can be done.
pub fn read(
    bytes: &[u8],
    external_data: ExternalData,
    output: Option<&str>,
) -> Result<ExportedDecoder, ImportError> {
    let model = decoded(bytes)?;
    lower::lower(model, external_data, output)
}
