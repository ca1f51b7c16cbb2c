//! What a measure is computed from on the command line.

use std::path::PathBuf;

use measures::inputs::Need;

use super::shown::Format;

/// Arrays, and what holds for every measure.
#[derive(Debug, Clone)]
pub struct OfArrays {
    /// The file of each array.
    pub files: Vec<(Need, PathBuf)>,
    /// A model whose kept codes are taken.
    pub model: Option<String>,
    /// What draws, starting weights and splits are made from.
    pub seed: u64,
    /// How many threads to use.
    pub threads: usize,
    /// How it is put out.
    pub format: Format,
    /// The file to write; absent: standard output.
    pub out: Option<PathBuf>,
}

impl OfArrays {
    /// The arrays, in words.
    pub fn names(&self) -> String {
        let names = self.files.iter().map(|(need, _)| need.name());
        let names: Vec<&str> = names.chain(self.model.as_deref()).collect();
        if names.is_empty() {
            "no arrays".to_owned()
        } else {
            names.join(", ")
        }
    }
}
