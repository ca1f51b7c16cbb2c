//! The commands, a file each.

mod data;
mod models;
mod serve;
mod study;

pub use data::{ExportArgs, ResultsArgs, export, results};
pub use models::{ModelsCommand, models};
pub use serve::serve;
pub use study::{StudyCommand, study};
