//! Why a bundle of concepts is refused, or cannot be made.

use models::ordinary_file::FileFault;

/// At most so many problems of one array are told; the rest is counted.
pub const MOST_PROBLEMS: usize = 20;

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum ConceptError {
    /// Everything that is wrong with files, card or arrays, a line each.
    #[error("{}", .0.join("\n"))]
    Problems(Vec<String>),
    /// A file cannot be read.
    #[error("{path}: {fault}")]
    File {
        /// Where it is.
        path: String,
        /// Why.
        #[source]
        fault: FileFault,
    },
    /// A file or folder cannot be written or listed.
    #[error("{path}: {error}")]
    Io {
        /// Where it is.
        path: String,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// Something is where the bundle should be written.
    #[error("{0} is there already; name another folder")]
    Exists(String),
}

impl ConceptError {
    /// A single problem.
    pub(crate) fn problem(said: impl Into<String>) -> Self {
        Self::Problems(vec![said.into()])
    }
}

/// Problems that are gathered; of one array no more than [`MOST_PROBLEMS`].
#[derive(Default)]
pub(crate) struct Problems(Vec<String>);

impl Problems {
    pub(crate) fn add(&mut self, said: impl Into<String>) {
        self.0.push(said.into());
    }

    /// The problems of one array.
    pub(crate) fn of_array(&mut self, found: impl Iterator<Item = String>) {
        let all: Vec<String> = found.collect();
        let more = all.len().saturating_sub(MOST_PROBLEMS);
        self.0.extend(all.into_iter().take(MOST_PROBLEMS));
        if more > 0 {
            self.0
                .push(format!("and {more} more problems of this kind"));
        }
    }

    /// Nothing, if nothing is wrong.
    pub(crate) fn done(self) -> Result<(), ConceptError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(ConceptError::Problems(self.0))
        }
    }
}
