//! The options of `redial platform …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use domain::recruitment::outbox::{RejectionCategory, Settlement};
use domain::recruitment::pay::Amount;

/// `redial platform …`
#[derive(Debug, Clone, Subcommand)]
pub enum PlatformCommand {
    /// Prolific; its token is in PROLIFIC_API_TOKEN
    Prolific(ProlificArgs),
    /// Mechanical Turk, its sandbox unless you say --production; its keys are in AWS_ACCESS_KEY_ID
    /// and AWS_SECRET_ACCESS_KEY
    Mturk(MturkArgs),
    /// Decisions that the server sends to platforms: what waits, was sent, failed or is uncertain. With
    /// an option, take one back or settle it
    Outbox(OutboxArgs),
    /// Put a platform's own list of submissions, as its page gives it to download, beside the sessions that are here:
    /// who is in one alone, where they differ, and what is to be done
    Match(MatchArgs),
}

/// `redial platform match …`
#[derive(Debug, Clone, Args)]
pub struct MatchArgs {
    /// Name of the study
    pub(super) study: String,
    /// The list, as CSV: Prolific's list of submissions, or the results of a batch of Mechanical Turk; - for the
    /// standard input
    pub(super) file: PathBuf,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub(super) json: bool,
    /// Print CSV
    #[arg(long)]
    pub(super) csv: bool,
    /// List those, too, for whom nothing is to be done; JSON and CSV have everybody
    #[arg(long)]
    pub(super) all: bool,
}

/// `redial platform outbox …`
#[derive(Debug, Clone, Args)]
pub struct OutboxArgs {
    /// Name of the study
    pub(super) study: String,
    /// Take a decision back, by its number, as long as it has not been sent
    #[arg(long, value_name = "N", conflicts_with = "settle")]
    pub(super) take_back: Option<u64>,
    /// Settle a decision, by its number, that was refused or that may have been done; look at the platform
    /// before
    #[arg(long, value_name = "N", requires = "as_what")]
    pub(super) settle: Option<u64>,
    /// With --settle: done (the platform has done it), again (it has not; send it again), dropped (it is
    /// not to be done any more)
    #[arg(long = "as", value_name = "HOW", requires = "settle", value_parser = settlement)]
    pub(super) as_what: Option<Settlement>,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["take_back", "settle"])]
    pub(super) json: bool,
}

/// How a decision is settled.
fn settlement(text: &str) -> Result<Settlement, String> {
    Settlement::of_name(text).ok_or_else(|| "done, again or dropped is expected".to_owned())
}

/// The category of a rejection, by Prolific's name.
fn category(text: &str) -> Result<RejectionCategory, String> {
    let mut all = RejectionCategory::ALL.into_iter();
    all.find(|it| it.code() == text).ok_or_else(|| {
        let codes = RejectionCategory::ALL.map(RejectionCategory::code);
        format!("one of these is expected: {}", codes.join(", "))
    })
}

/// When a decision is sent.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct WhenArgs {
    /// Send it at once, also where a server has the database and would let it wait; then nobody can take it back
    #[arg(long)]
    pub(super) now: bool,
    /// Do not ask
    #[arg(long)]
    pub(super) yes: bool,
}

/// What every command needs to reach a platform.
#[derive(Debug, Clone, Args)]
pub(super) struct PlatformAccess {
    /// File with the credentials, a line NAME=value each, in the place of the environment
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) credentials: Option<PathBuf>,
    /// For tests: a server that stands for the platform
    #[arg(long, global = true, hide = true, value_name = "ORIGIN")]
    pub(super) stand_in: Option<String>,
}

/// `redial platform prolific …`
#[derive(Debug, Clone, Args)]
pub struct ProlificArgs {
    #[command(flatten)]
    pub(super) reaching: PlatformAccess,
    #[command(subcommand)]
    pub(super) step: Step,
}

/// `redial platform mturk …`
#[derive(Debug, Clone, Args)]
pub struct MturkArgs {
    /// The site where people work and money flows, not the sandbox
    #[arg(long, global = true)]
    pub(super) production: bool,
    #[command(flatten)]
    pub(super) reaching: PlatformAccess,
    #[command(subcommand)]
    pub(super) step: Step,
}

#[derive(Debug, Clone, Subcommand)]
pub(super) enum Step {
    /// Make the study there, with the title, description, pay, duration and quota of its file. What
    /// it pays an hour is shown first, by the times of the pilot
    Create(CreateArgs),
    /// List what was handed in there, beside what is known here
    Submissions(SubmissionsArgs),
    /// Approve work, so that it is paid, and note the payment in the ledger. A server that has the database and the
    /// platform's credentials does it, after the time in which it can be taken back
    Approve(ApproveArgs),
    /// Reject work, and note that in the ledger, as with approve. The participant reads the reason
    Reject(RejectArgs),
    /// Ask a participant of Prolific to return their work, which costs them less than a rejection, as with approve. They
    /// read the reason; nothing is noted in the ledger
    AskReturn(AskReturnArgs),
    /// Pay a bonus, and note it in the ledger, as with approve
    Bonus(BonusArgs),
}

#[derive(Debug, Clone, Args)]
pub(super) struct CreateArgs {
    /// Name of the study, or its file
    pub(super) study: String,
    /// Where participants reach this server: https://study.example.org
    #[arg(long, value_name = "ORIGIN")]
    pub(super) server: String,
    /// For how many people; absent: the sum of the study's caps
    #[arg(long)]
    pub(super) places: Option<u64>,
    /// Do not ask
    #[arg(long)]
    pub(super) yes: bool,
}

#[derive(Debug, Clone, Args)]
pub(super) struct SubmissionsArgs {
    /// Name of the study
    pub(super) study: String,
    /// The platform's name for it: the study's number at Prolific, or the HIT
    #[arg(long, value_name = "ID")]
    pub(super) id: String,
}

#[derive(Debug, Clone, Args)]
pub(super) struct ApproveArgs {
    /// Name of the study
    pub(super) study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    #[arg(value_name = "WHO", required_unless_present = "completed")]
    pub(super) who: Vec<String>,
    /// Everybody from this platform who answered everything
    #[arg(long, conflicts_with = "who")]
    pub(super) completed: bool,
    #[command(flatten)]
    pub(super) when: WhenArgs,
}

#[derive(Debug, Clone, Args)]
pub(super) struct RejectArgs {
    /// Name of the study
    pub(super) study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    pub(super) who: String,
    /// Why. The participant reads it
    #[arg(long, value_name = "TEXT")]
    pub(super) because: String,
    /// The category at Prolific: TOO_QUICKLY, FAILED_INSTRUCTIONS, FAILED_CHECK, LOW_EFFORT, NO_CODE,
    /// BAD_CODE, NO_DATA, OTHER …
    #[arg(long, default_value = "OTHER", value_parser = category)]
    pub(super) category: RejectionCategory,
    #[command(flatten)]
    pub(super) when: WhenArgs,
}

#[derive(Debug, Clone, Args)]
pub(super) struct AskReturnArgs {
    /// Name of the study
    pub(super) study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    pub(super) who: String,
    /// Why. The participant reads it
    #[arg(long, value_name = "TEXT")]
    pub(super) because: String,
    #[command(flatten)]
    pub(super) when: WhenArgs,
}

#[derive(Debug, Clone, Args)]
pub(super) struct BonusArgs {
    /// Name of the study
    pub(super) study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    pub(super) who: String,
    /// How much, such as 0.50
    pub(super) amount: Amount,
    /// Why. The participant may read it
    #[arg(long, value_name = "TEXT")]
    pub(super) because: String,
    /// What tells the bonus from others of the same person
    #[arg(long, value_name = "TEXT", default_value = "1")]
    pub(super) reference: String,
    /// Pay it although it was begun before, and nobody knows whether it was paid. A server with the platform's
    /// credentials looks by itself
    #[arg(long)]
    pub(super) again: bool,
    #[command(flatten)]
    pub(super) when: WhenArgs,
}

impl Step {
    /// Whether it is a decision about somebody's work.
    pub(super) fn decides(&self) -> bool {
        matches!(
            self,
            Self::Approve(_) | Self::Reject(_) | Self::AskReturn(_) | Self::Bonus(_)
        )
    }

    pub(super) fn study(&self) -> &str {
        match self {
            Self::Create(args) => &args.study,
            Self::Submissions(args) => &args.study,
            Self::Approve(args) => &args.study,
            Self::Reject(args) => &args.study,
            Self::AskReturn(args) => &args.study,
            Self::Bonus(args) => &args.study,
        }
    }
}
