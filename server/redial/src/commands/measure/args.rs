//! The command line of measures, made from their declarations.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Subcommand, value_parser};
use measures::inputs::Need;
use measures::list::{MEASURES, Origin, find, variant_of};
use measures::measure::{Measure, Parameter, Variant};

use super::of_arrays::OfArrays;
use super::of_several::SeveralCommand;
use super::shown::Format;
use super::subcommand::{AS, MODEL, of, with_files, with_output};

/// `redial measure …`
#[derive(Debug, Clone)]
pub enum MeasureArgs {
    /// What there is, and what it needs.
    List {
        /// For whom.
        form: ListForm,
    },
    /// One measure.
    One {
        /// Which.
        measure: &'static Measure,
        /// What it is computed from.
        arrays: OfArrays,
        /// What differs from its defaults.
        request: Wanted,
    },
    /// How far one measure can be relied on.
    Reliability {
        /// Which.
        measure: &'static Measure,
        /// What its card is made on.
        arrays: OfArrays,
        /// How often each thing is done.
        repeats: usize,
    },
    /// Every measure that the arrays allow.
    All {
        /// What they are computed from.
        arrays: OfArrays,
    },
    /// Tables of several measures.
    Several(Box<SeveralCommand>),
}

/// How the list of measures is put out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListForm {
    /// A line for each, for people.
    Table,
    /// Every word of the declarations.
    Json,
    /// A page of the documentation.
    Markdown,
    /// The JSON Schema of results.
    Schema,
}

/// What differs from a measure's defaults.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Parameters by name.
    pub parameters: Vec<(String, f64)>,
    /// The variant.
    pub variant: Option<String>,
    /// The estimator.
    pub estimator: Option<String>,
}

const LIST: &str = "list";
const ALL: &str = "all";
const RELIABILITY: &str = "reliability";

impl Subcommand for MeasureArgs {
    fn augment_subcommands(command: Command) -> Command {
        let list = Command::new(LIST)
            .about("Say what there is, and what each measure needs")
            .arg(
                Arg::new("json")
                    .long("json")
                    .action(ArgAction::SetTrue)
                    .help("As JSON, with every word of the declarations"),
            )
            .arg(
                Arg::new("markdown")
                    .long("markdown")
                    .action(ArgAction::SetTrue)
                    .conflicts_with("json")
                    .help("As the page of the documentation that describes each measure"),
            )
            .arg(
                Arg::new("schema")
                    .long("schema")
                    .action(ArgAction::SetTrue)
                    .conflicts_with_all(["json", "markdown"])
                    .help("The JSON Schema of what `--format json` prints, made from the declarations"),
            );
        let all = with_files(
            Command::new(ALL)
                .long_flag(ALL)
                .about("Compute every measure that the arrays allow; what they do not allow is noted beside the results"),
            Need::ALL,
            &[],
        );
        let names: Vec<&str> = MEASURES.iter().map(|measure| measure.name).collect();
        let reliability = with_files(
            Command::new(RELIABILITY)
                .about("Say how far a measure can be relied on, on these arrays")
                .long_about("Say how far a measure can be relied on, on these arrays: its spread over seeds and over halves of the samples, what it gives where there is nothing to find, whether it puts known mixtures of the true factors into the right order, and the smallest difference that means anything.")
                .arg(
                    Arg::new("measure")
                        .required(true)
                        .value_name("NAME")
                        .value_parser(PossibleValuesParser::new(names))
                        .hide_possible_values(true)
                        .help("The measure, as `redial measure list` names it"),
                )
                .arg(
                    Arg::new("repeats")
                        .long("repeats")
                        .value_name("N")
                        .value_parser(value_parser!(u16).range(2..))
                        .default_value("10")
                        .help("How often each thing is done"),
                ),
            Need::ALL,
            &[],
        );
        let command = command
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommand(list)
            .subcommand(with_output(all))
            .subcommand(with_output(reliability));
        let command = MEASURES
            .iter()
            .fold(command, |command, measure| command.subcommand(of(measure)));
        SeveralCommand::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        [LIST, ALL, RELIABILITY].contains(&name)
            || find(name).is_some()
            || SeveralCommand::has_subcommand(name)
    }
}

impl FromArgMatches for MeasureArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(ErrorKind::MissingSubcommand);
        let whole = matches;
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        match name {
            name if SeveralCommand::has_subcommand(name) => {
                let command = SeveralCommand::from_arg_matches(whole)?;
                Ok(Self::Several(Box::new(command)))
            }
            LIST => Ok(Self::List {
                form: match ["json", "markdown", "schema"].map(|name| matches.get_flag(name)) {
                    [true, ..] => ListForm::Json,
                    [_, true, _] => ListForm::Markdown,
                    [_, _, true] => ListForm::Schema,
                    _ => ListForm::Table,
                },
            }),
            ALL => Ok(Self::All {
                arrays: arrays(matches, Need::ALL.iter()),
            }),
            RELIABILITY => {
                let name = matches.get_one::<String>("measure");
                let measure = name.and_then(|name| find(name)).ok_or_else(missing)?;
                Ok(Self::Reliability {
                    measure,
                    arrays: arrays(matches, Need::ALL.iter()),
                    repeats: matches.get_one::<u16>("repeats").map_or(10, |&n| n.into()),
                })
            }
            name => {
                let measure = find(name).ok_or_else(missing)?;
                Ok(Self::One {
                    measure,
                    arrays: arrays(matches, measure.needs.iter().chain(measure.takes)),
                    request: wanted(matches, measure),
                })
            }
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn arrays<'a>(matches: &ArgMatches, needs: impl Iterator<Item = &'a Need>) -> OfArrays {
    let needs: Vec<Need> = needs.copied().collect();
    let path = |name: &str| matches.try_get_one::<PathBuf>(name).ok().flatten().cloned();
    // A file is a network to be called. What is none names a model whose codes are kept, where codes are read.
    let takes_network = needs.contains(&Need::Model);
    let is_network =
        |path: &PathBuf| takes_network && (path.is_file() || !needs.contains(&Need::Codes));
    let named = path(MODEL);
    let file = |need: &Need| Some((*need, path(need.name())?));
    let files = needs.iter().filter_map(file);
    let files = files.filter(|(need, path)| *need != Need::Model || is_network(path));
    let model = named.filter(|path| !is_network(path));
    let format = matches.get_one::<String>("format");
    let machine = || std::thread::available_parallelism().map_or(1, usize::from);
    OfArrays {
        files: files.collect(),
        model: model.map(|path| path.to_string_lossy().into_owned()),
        seed: matches.get_one::<u64>("seed").copied().unwrap_or(1),
        threads: matches
            .get_one::<u16>("threads")
            .map_or_else(machine, |&threads| threads.into()),
        format: format
            .and_then(|name| Format::ALL.into_iter().find(|it| it.name() == name))
            .unwrap_or(Format::Table),
        out: matches.get_one::<PathBuf>("out").cloned(),
    }
}

fn wanted(matches: &ArgMatches, measure: &Measure) -> Wanted {
    let parameter = |parameter: &Parameter| {
        let value = matches.get_one::<f64>(parameter.name)?;
        Some((parameter.name.to_owned(), *value))
    };
    let chosen = |name: &str, of: &[Variant]| {
        if of.is_empty() {
            None
        } else {
            matches.get_one::<String>(name).cloned()
        }
    };
    let origin = matches.try_get_one::<String>(AS).ok().flatten();
    let origin = origin.and_then(|name| {
        let mut all = [Origin::Printed, Origin::Released].into_iter();
        all.find(|origin| origin.name() == name)
    });
    let by_origin = origin.and_then(|origin| variant_of(measure, origin));
    Wanted {
        parameters: measure.parameters.iter().filter_map(parameter).collect(),
        variant: by_origin
            .map(str::to_owned)
            .or_else(|| chosen("variant", measure.variants)),
        estimator: chosen("estimator", measure.estimators),
    }
}
