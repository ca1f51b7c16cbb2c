//! The subcommand of each measure, made from its declaration.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser};
use clap::{Arg, Command, value_parser};
use measures::inputs::Need;
use measures::list::{Origin, variant_of};
use measures::measure::{Measure, Parameter, Variant};

use super::shown::Format;

/// The option that names a variant by where it comes from.
pub const AS: &str = "as";

/// The option that names a model whose kept codes are taken, or the file of a network to be called.
pub const MODEL: &str = "model";

const FILE_FORMATS: &str = "a file of numpy (.npy), CSV with or without a line of names, or Parquet; for what is called, a network as ONNX";

/// The subcommand of a measure.
pub fn of(measure: &'static Measure) -> Command {
    let mut command = Command::new(measure.name)
        .about(measure.title)
        .long_about(format!(
            "{}: {}\n\n{}\n\nSource: {}\nCost: {}\nNot for: {}",
            measure.title,
            measure.tells,
            measure.formula,
            measure.source,
            measure.cost,
            measure.not_for
        ));
    command = with_files(command, measure.needs, measure.takes);
    for parameter in measure.parameters {
        command = command.arg(number(parameter));
    }
    for (name, says, variants) in [
        ("variant", "Which reading of the formula", measure.variants),
        (
            "estimator",
            "How what the formula names is estimated",
            measure.estimators,
        ),
    ] {
        if let [first, ..] = variants {
            command = command.arg(one_of(name, says, variants).default_value(first.name));
        }
    }
    let origins = [Origin::Printed, Origin::Released].into_iter();
    let origins = origins.filter_map(|origin| Some((origin, variant_of(measure, origin)?)));
    let origins: Vec<PossibleValue> = origins
        .map(|(origin, variant)| {
            PossibleValue::new(origin.name()).help(format!("The variant {variant}"))
        })
        .collect();
    if !origins.is_empty() {
        command = command.arg(
            Arg::new(AS)
                .long(AS)
                .value_name("WHERE")
                .value_parser(PossibleValuesParser::new(origins))
                .conflicts_with("variant")
                .help("The variant by where it comes from: what the paper prints, or what its authors released"),
        );
    }
    with_output(command)
}

fn number(parameter: &'static Parameter) -> Arg {
    Arg::new(parameter.name)
        .long(parameter.name)
        .value_name("NUMBER")
        .value_parser(value_parser!(f64))
        .allow_negative_numbers(true)
        .help(format!(
            "{} [default: {}, {}]",
            parameter.says.trim_end_matches('.'),
            parameter.default,
            parameter.source
        ))
}

fn one_of(name: &'static str, says: &'static str, variants: &'static [Variant]) -> Arg {
    let values = variants
        .iter()
        .map(|variant| PossibleValue::new(variant.name).help(variant.says));
    Arg::new(name)
        .long(name)
        .value_name("NAME")
        .value_parser(PossibleValuesParser::new(values))
        .help(says)
}

/// A command that takes the files of arrays: those that are needed, and those that it can do without.
pub fn with_files(command: Command, needs: &'static [Need], takes: &'static [Need]) -> Command {
    let both = needs
        .iter()
        .map(|need| (need, ""))
        .chain(takes.iter().map(|need| (need, "; it can do without")));
    let reads_codes = needs.iter().chain(takes).any(|need| *need == Need::Codes);
    let command = if reads_codes {
        command.arg(model(takes_network(needs, takes)))
    } else {
        command
    };
    // One option names both a network and a model whose codes are kept.
    let both = both.filter(|(need, _)| **need != Need::Model || !reads_codes);
    both.fold(command, |command, (need, word)| {
        let mut says = need.says().to_owned();
        if let Some(first) = says.get(..1) {
            let first = first.to_uppercase();
            says.replace_range(..1, &first);
        }
        command.arg(
            Arg::new(need.name())
                .long(need.name())
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help(format!("{says}{word}")),
        )
    })
}

fn takes_network(needs: &[Need], takes: &[Need]) -> bool {
    needs.iter().chain(takes).any(|need| *need == Need::Model)
}

/// The option of a model whose codes are kept, or of a network to be called where one is taken.
fn model(takes_network: bool) -> Arg {
    let says = "The name or folder of a model, to take the codes, true factors and classes that are kept beside it; files that are named take their place";
    let (value, says) = if takes_network {
        let network = Need::Model.says();
        ("NAME or FILE", format!("{says}. Or the file of {network}"))
    } else {
        ("NAME", says.to_owned())
    };
    Arg::new(MODEL)
        .long(MODEL)
        .value_name(value)
        .value_parser(value_parser!(PathBuf))
        .help(says)
}

/// A command with what holds for every measure: seed, threads, format, file.
pub fn with_output(command: Command) -> Command {
    let formats = Format::ALL.map(|format| PossibleValue::new(format.name()).help(format.says()));
    command
        .after_help(format!("FILE is {FILE_FORMATS}."))
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .value_parser(value_parser!(u64))
                .default_value("1")
                .help("What draws, starting weights and splits are made from: the same seed gives the same numbers"),
        )
        .arg(
            Arg::new("threads")
                .long("threads")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("How many threads to use [default: as many as the machine has]. Numbers do not depend on it"),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .value_parser(PossibleValuesParser::new(formats))
                .default_value(Format::Table.name())
                .help("How it is put out"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The file to write [default: standard output]"),
        )
}

/// A number of rows.
pub fn at_least_one() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}
