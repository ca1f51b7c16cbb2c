//! Operations with gradients that candle has no fast version of.

pub mod activation;
pub mod batch_norm;
pub mod dense;

use candle_core::{CpuStorage, Layout, Result, Storage, Tensor, bail};

/// The values of a contiguous f32 tensor, as a custom operation gets it.
pub(crate) fn values<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice::<f32>()?[start..end]),
        None => bail!("a tensor is not contiguous"),
    }
}

/// Calls `f` with the values of an f32 tensor on the CPU, without copying them if
/// they are contiguous.
fn with_values<R>(tensor: &Tensor, f: impl FnOnce(&[f32]) -> R) -> Result<R> {
    let tensor = tensor.contiguous()?;
    let (storage, layout) = tensor.storage_and_layout();
    match &*storage {
        Storage::Cpu(storage) => Ok(f(values(storage, layout)?)),
        Storage::Cuda(_) | Storage::Metal(_) => bail!("a tensor is not on the CPU"),
    }
}
