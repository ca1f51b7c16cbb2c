//! Which question it is, as far as everybody who is asked it can know: so that those can be found who were asked the same.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::model::ModelFacts;
use crate::model::instance::InstanceId;

/// Letters of a question's name.
const NAME_LETTERS: usize = 16;

/// A question as it is put: the same start and target on the same decoder is the same question, whatever the stage, the
/// threshold or the order of the dials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Posed<'a> {
    /// The model that is turned at.
    pub model: &'a ModelFacts,
    /// The latent vector that the dials start at.
    pub start: &'a [f64],
    /// The picture to match.
    pub target: &'a InstanceId,
}

impl Posed<'_> {
    /// A short name that says nothing about the answer: 16 hex digits of a SHA-256 over model, weights, start and the
    /// target's own name.
    #[must_use]
    pub fn name(&self) -> String {
        let mut hash = Sha256::new();
        for text in [&self.model.name, &self.model.weights_sha256, &self.target.0] {
            // Nothing else can come to the same bytes.
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        for value in self.start {
            hash.update(value.to_le_bytes());
        }
        let mut name = String::with_capacity(NAME_LETTERS);
        for byte in hash.finalize().iter().take(NAME_LETTERS / 2) {
            // Writing to a String cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        name
    }

    /// Whether a text can be a question's name.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == NAME_LETTERS && text.bytes().all(hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn model(name: &str) -> ModelFacts {
        let dial = json!({"kind": "continuous", "min": 0.0, "max": 1.0, "step": 0.01});
        crate::json::from_tree(json!({
            "name": name, "latent": [dial, dial],
            "shape": {"kind": "image", "height": 1, "width": 2, "channels": 1},
            "display": {"arrangement": "apart", "binarise_at": null, "value_range": null},
            "distance": {"kind": "bray_curtis"}, "threshold": 0.1, "skip_after_s": 30.0,
            "weights_sha256": "ab", "bundle_sha256": "",
        }))
        .unwrap()
    }

    #[test]
    fn the_same_start_and_target_have_the_same_name() {
        let (one, other) = (model("lines"), model("line"));
        let mut easier = one.clone();
        easier.threshold = 0.5;
        let (near, far) = (InstanceId("near".to_owned()), InstanceId("far".to_owned()));
        let name = |model, start: &[f64], target| {
            let posed = Posed {
                model,
                start,
                target,
            };
            posed.name()
        };
        let first = name(&one, &[0.5, 0.25], &near);
        assert!(Posed::is_name(&first), "{first}");
        assert_eq!(name(&easier, &[0.5, 0.25], &near), first);
        for another in [
            name(&other, &[0.5, 0.25], &near),
            name(&one, &[0.25, 0.5], &near),
            name(&one, &[0.5], &near),
            name(&one, &[0.5, 0.25], &far),
        ] {
            assert_ne!(another, first);
        }
        for odd in [
            "",
            "0123",
            "0123456789ABCDEF",
            "0123456789abcdeg",
            "../../../../../..",
        ] {
            assert!(!Posed::is_name(odd), "{odd}");
        }
    }
}
