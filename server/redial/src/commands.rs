//! The commands, a file each.

mod analysis;
mod change;
mod concepts;
mod data;
mod database;
mod init;
mod measure;
mod models;
mod pay;
mod platform;
mod serve;
mod session;
mod shell;
mod simulate;
mod simulated_arg;
mod study;
mod user;
mod verify;

pub use analysis::{AnalyzeArgs, ReportArgs, analyze, report};
pub use concepts::{ConceptsCommand, concepts};
pub use data::{ExportArgs, export};
pub use database::{DatabaseCommand, database};
pub use init::{InitArgs, init};
pub use measure::{MeasureArgs, measure};
pub use models::{ModelsCommand, models};
pub use pay::{PayCommand, pay};
pub use platform::{PlatformCommand, platform};
pub use serve::serve;
pub use session::{SessionCommand, session};
pub use shell::{CompletionsArgs, ManualArgs, completions, manual};
pub use simulate::{DemoArgs, SimulateArgs, demo, simulate_study};
pub use study::{StudyCommand, study};
pub use user::{UserCommand, user};
pub use verify::{VerifyArgs, verify};
