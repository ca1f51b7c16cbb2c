//! Instances: what a model decodes, as numbers, and the names they go by.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// An instance x: its values row by row, channels last.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Instance(pub Vec<f32>);

/// The name of an instance: SHA-256, in hex, of its values as little-endian 32-bit floats.
///
/// Equal instances have one name, so each is stored and fetched once. The name
/// says nothing about the latent vector that the instance was decoded from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct InstanceId(pub String);

impl std::fmt::Display for InstanceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// These bytes are no instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes are no row of 32-bit floats")]
pub struct NotAnInstance {
    /// Number of bytes found.
    pub bytes: usize,
}

impl Instance {
    /// Its values as little-endian 32-bit floats: how it is stored and sent.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, to the bit.
    ///
    /// # Errors
    /// When the number of bytes is no multiple of four.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NotAnInstance> {
        let (values, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(NotAnInstance { bytes: bytes.len() });
        }
        Ok(Self(
            values.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        ))
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> InstanceId {
        let digest = Sha256::digest(self.to_bytes());
        InstanceId(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_give_back_the_instance_to_the_bit() {
        let instance = Instance(vec![0.1, -3.5, f32::MIN_POSITIVE, 1.0]);
        assert_eq!(Instance::from_bytes(&instance.to_bytes()), Ok(instance));
        assert_eq!(
            Instance::from_bytes(&[0; 3]),
            Err(NotAnInstance { bytes: 3 })
        );
    }

    /// `python3 -c "import hashlib, struct; print(hashlib.sha256(struct.pack('<2f', 0.5, 1)).hexdigest())"`
    #[test]
    fn the_name_is_the_hash_of_the_bytes() {
        assert_eq!(
            Instance(vec![0.5, 1.0]).id().0,
            "9612447463caefad31915f64e51022988711393baf3f6c81ed61c38a46e24351"
        );
    }
}
