//! Tables that numpy wrote.

use std::path::Path;

use anyhow::Result;

/// The numbers of a `.npy` file of version 1 in single precision.
pub fn npy(path: &Path) -> Result<Vec<f32>> {
    let bytes = std::fs::read(path)?;
    let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let (values, _) = bytes[header..].as_chunks::<4>();
    Ok(values
        .iter()
        .map(|value| f32::from_le_bytes(*value))
        .collect())
}
