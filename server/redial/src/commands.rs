//! The commands, a file each.

mod data;
mod database;
mod models;
mod serve;
mod study;

pub use data::{ExportArgs, ResultsArgs, export, results};
pub use database::{DatabaseCommand, database};
pub use models::{ModelsCommand, models};
pub use serve::serve;
pub use study::{StudyCommand, study};
