//! The command line.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::commands::{
    self, AnalyzeArgs, CompletionsArgs, ConceptsCommand, DatabaseCommand, DemoArgs, ExportArgs,
    InitArgs, ManualArgs, MeasureArgs, ModelsCommand, PayCommand, PlatformCommand, ReportArgs,
    SessionCommand, SimulateArgs, StudyCommand, UserCommand, VerifyArgs,
};
use crate::config::{CommonSettings, Config, ServeSettings};
use crate::{logging, progress};

/// The version, with the commit where `cargo xtask build` knows it.
const VERSION: &str = match option_env!("REDIAL_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Studies of interactive reconstruction: participants turn the dials of a
/// generative model until its picture matches a target.
#[derive(Debug, Parser)]
#[command(name = "redial", version = VERSION, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    shared: CommonSettings,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a folder with a study, its consent form and settings, to begin with
    Init(InitArgs),
    /// Let participants take studies: serve pages and collect sessions
    Serve(Box<ServeSettings>),
    /// Write a study's data to a folder: CSV (as Psych-DS), Parquet and JSON Lines, with a data
    /// dictionary
    Export(ExportArgs),
    /// Print a study's numbers: who took part, means and intervals, and the tests that it
    /// declares; with --out, write a folder of tables, figures, numbers and methods
    Analyze(AnalyzeArgs),
    /// Write a study's results as one HTML file to be read, printed and sent
    Report(ReportArgs),
    /// Let simulated people take a study. They are kept apart from people everywhere
    Simulate(SimulateArgs),
    /// Make a folder with a finished study of simulated people, to try every command on
    Demo(DemoArgs),
    /// Decode again what participants' pages reported, and say which numbers do not follow
    Verify(VerifyArgs),
    /// Look after the database: check it, back it up, bring a backup back
    #[command(subcommand)]
    Database(DatabaseCommand),
    /// Leave a session out, or take that back
    #[command(subcommand)]
    Session(SessionCommand),
    /// Keep the ledger of payments: what each participant is owed, and what was paid
    #[command(subcommand)]
    Pay(PayCommand),
    /// Check study files, simulate their assignment, look after their quotas
    #[command(subcommand)]
    Study(StudyCommand),
    /// Speak to a recruitment platform: make the study there, approve, reject, pay bonuses
    #[command(subcommand)]
    Platform(PlatformCommand),
    /// Say who may enter the researcher's area, and what they may do there
    #[command(subcommand)]
    User(UserCommand),
    /// Measure a representation or an explanation from arrays in files
    #[command(subcommand)]
    Measure(MeasureArgs),
    /// Look at the models that studies can use
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Make and look at bundles of concepts, which people name in a study
    #[command(subcommand)]
    Concepts(ConceptsCommand),
    /// Print the script that completes commands in your shell
    Completions(CompletionsArgs),
    /// Write manual pages, for man
    Manual(ManualArgs),
}

impl Cli {
    /// Does what was asked for.
    ///
    /// # Errors
    /// When it could not be done.
    pub async fn run(self) -> anyhow::Result<()> {
        let Self {
            command,
            mut shared,
        } = self;
        if matches!(
            command,
            Command::Simulate(_) | Command::Demo(_) | Command::Measure(_) | Command::Report(_)
        ) {
            // Every start of a simulated session would be told.
            shared.log.get_or_insert_with(|| "warn".to_owned());
        }
        let serving = match &command {
            Command::Serve(serving) => ServeSettings::clone(serving),
            Command::Init(_)
            | Command::Completions(_)
            | Command::Manual(_)
            | Command::Export(_)
            | Command::Analyze(_)
            | Command::Report(_)
            | Command::Simulate(_)
            | Command::Demo(_)
            | Command::Verify(_)
            | Command::Database(_)
            | Command::Session(_)
            | Command::Pay(_)
            | Command::Platform(_)
            | Command::Study(_)
            | Command::User(_)
            | Command::Measure(_)
            | Command::Models(_)
            | Command::Concepts(_) => ServeSettings::default(),
        };
        if shared.quiet {
            progress::silence();
        }
        let config = Config::load(shared, serving)?;
        let _logging = logging::start(&config.log, config.log_format)?;
        match command {
            Command::Init(args) => commands::init(&args),
            Command::Completions(args) => commands::completions(Self::command(), &args),
            Command::Manual(args) => commands::manual(Self::command(), &args),
            Command::Serve(_) => commands::serve(config).await,
            Command::Export(args) => commands::export(&config, args).await,
            Command::Analyze(args) => commands::analyze(&config, args).await,
            Command::Report(args) => commands::report(&config, args).await,
            Command::Simulate(args) => commands::simulate_study(&config, &args).await,
            Command::Demo(args) => commands::demo(&config, &args).await,
            Command::Verify(args) => commands::verify(&config, args).await,
            Command::Database(command) => commands::database(&config, command).await,
            Command::Session(command) => commands::session(&config, command).await,
            Command::Platform(command) => commands::platform(&config, command).await,
            Command::Pay(command) => commands::pay(&config, command).await,
            Command::Study(command) => commands::study(&config, command).await,
            Command::User(command) => commands::user(&config, command).await,
            Command::Measure(args) => commands::measure(&config, args).await,
            Command::Models(command) => commands::models(&config, command),
            Command::Concepts(command) => commands::concepts(&config, &command),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// The pages for users and developers, from the repository's root.
    fn pages() -> Vec<std::path::PathBuf> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut pages: Vec<_> = ["README.md", "CONTRIBUTING.md", "python/README.md"]
            .map(|page| root.join(page))
            .into();
        for folder in ["docs", "docs/walkthroughs", "docs/decisions"] {
            let entries = std::fs::read_dir(root.join(folder)).unwrap();
            let entries = entries.map(|entry| entry.unwrap().path());
            pages.extend(entries.filter(|path| path.extension().is_some_and(|it| it == "md")));
        }
        pages
    }

    /// The commands of a page's blocks for a shell, each in its words; `a | b` and `a && b` are two.
    fn commands(page: &str) -> Vec<Vec<String>> {
        let blocks = page.split("```sh\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("\n```").next());
        let lines = blocks.map(|block| block.replace("\\\n", " "));
        let mut commands = Vec::new();
        for line in lines.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>()) {
            let Some(words) = shlex::split(&line) else {
                // A here-document has quotes of its own.
                continue;
            };
            let parts = words.split(|word| matches!(word.as_str(), "|" | "&&" | ";"));
            commands.extend(parts.map(<[String]>::to_vec));
        }
        commands
    }

    #[test]
    fn every_command_of_the_guide_is_one() {
        let mut known = 0;
        for page in pages() {
            let text = std::fs::read_to_string(&page).unwrap();
            for words in commands(&text) {
                let words = match words.as_slice() {
                    [sudo, user, _, command @ ..] if sudo == "sudo" && user == "-u" => command,
                    command => command,
                };
                if words.first().is_some_and(|word| word == "redial") {
                    let parsed = Cli::try_parse_from(words);
                    let asks_for_help =
                        |error: &clap::Error| error.kind() == clap::error::ErrorKind::DisplayHelp;
                    if let Err(error) = parsed.map(drop)
                        && !asks_for_help(&error)
                    {
                        panic!("{}: {}\n{error}", page.display(), words.join(" "));
                    }
                    known += 1;
                }
            }
        }
        assert!(known > 90, "{known}");
    }
}
