//! `redial measure …`: what four other papers and the literature since measure, from arrays in files.
//!
//! Each measure is a subcommand that is made from its declaration: the arrays that it takes, its parameters with their
//! defaults, its variants, and what the help says of it.

use std::path::Path;

use anyhow::{bail, ensure};
use measures::inputs::{Inputs, Need};
use measures::list::MEASURES;
use measures::measure::{Measure, Request};
use measures::outcome::Outcome;
use measures::problem::{Checked, Problem};
use measures::reliability::{self, CardRequest};
use models::bundle::CARD_FILE;

use crate::config::Config;
use crate::kept_codes::KeptCodes;
use crate::models_at_hand::models_at_hand;
use crate::output::print;
use crate::progress::Progress;

mod args;
mod botcl;
mod called;
mod cards;
mod coam;
mod compare;
mod dependence;
mod drawn;
mod files;
mod keep;
mod listed;
mod measure_output;
mod niches;
mod of_arrays;
mod of_several;
mod parquet_columns;
mod sanity;
mod schema;
mod shapes;
mod shown;
mod shown_card;
mod subcommand;
mod variants;

pub use args::MeasureArgs;
use args::Wanted;
use called::Called;
pub use compare::{CompareOptions, compared};
use of_arrays::OfArrays;

/// Computes what was asked for and prints it.
///
/// # Errors
/// All that is wrong with the arrays and what was asked for; a file that cannot be read or written.
pub async fn measure(config: &Config, args: MeasureArgs) -> anyhow::Result<()> {
    match args {
        MeasureArgs::Several(command) => command.run(config).await,
        MeasureArgs::List { form } => Ok(print(&listed::all(form)?)?),
        MeasureArgs::One {
            measure,
            arrays,
            request,
        } => {
            let called = Called::open(&arrays)?;
            let kept = Kept::open(config, &arrays)?;
            if !arrays
                .files
                .iter()
                .any(|(need, _)| *need == Need::ChangedCodes)
            {
                kept.allows(measure)?;
            }
            let read = files::arrays(&arrays.files)?;
            let inputs = files::inputs(kept.of(measure), read, &called);
            let outcome = with_request(&request, &arrays, |request| measure.run(&inputs, request))
                .map_err(in_words)?;
            called.answered()?;
            put_out(&shown::text(&[outcome], arrays.format)?, &arrays)
        }
        MeasureArgs::Reliability {
            measure,
            arrays,
            repeats,
        } => {
            let called = Called::open(&arrays)?;
            let kept = Kept::open(config, &arrays)?;
            if !arrays
                .files
                .iter()
                .any(|(need, _)| *need == Need::ChangedCodes)
            {
                kept.allows(measure)?;
            }
            let read = files::arrays(&arrays.files)?;
            let inputs = files::inputs(kept.of(measure), read, &called);
            let card = with_request(&Wanted::default(), &arrays, |request| {
                let request = request.clone();
                reliability::card(measure, &inputs, &CardRequest { request, repeats })
            })
            .map_err(in_words)?;
            called.answered()?;
            put_out(&shown_card::text(&card, arrays.format)?, &arrays)
        }
        MeasureArgs::All { arrays } => {
            let called = Called::open(&arrays)?;
            let kept = Kept::open(config, &arrays)?;
            let read = files::arrays(&arrays.files)?;
            files::finite(&read)?;
            let mut outcomes = Vec::new();
            for measure in MEASURES {
                let inputs = files::inputs(kept.of(measure), read.clone(), &called);
                if !measure.can_run(&inputs) {
                    continue;
                }
                let run = |request: &Request| measure.run(&inputs, request);
                let found = with_request(&Wanted::default(), &arrays, run);
                // What the arrays do not allow is a note beside the results.
                let noted = |problems: Vec<Problem>| Outcome::not_computed(measure, &problems);
                outcomes.push(found.unwrap_or_else(noted));
            }
            called.answered()?;
            ensure!(
                !outcomes.is_empty(),
                "no measure can be computed from {}; `redial measure list` says what each one needs",
                arrays.names()
            );
            ensure!(
                outcomes.iter().any(|outcome| !outcome.values.is_empty()),
                "no measure can be computed from these arrays:\n{}",
                shown::reasons(&outcomes)
            );
            put_out(&shown::text(&outcomes, arrays.format)?, &arrays)
        }
    }
}

/// The kept codes of a model that was named.
struct Kept(Option<KeptCodes>);

impl Kept {
    fn open(config: &Config, arrays: &OfArrays) -> anyhow::Result<Self> {
        let Some(named) = &arrays.model else {
            return Ok(Self(None));
        };
        let (config, name) = &at_hand(config, named);
        let models = models_at_hand(config)?;
        let Some(bundle) = models.get(name) else {
            let names: Vec<&str> = models.names().collect();
            bail!(
                "there is no model '{name}', and no such file; there are: {}",
                names.join(", ")
            );
        };
        let kept = KeptCodes::of(config, bundle)?;
        ensure!(
            kept.is_some(),
            "no codes are kept beside {name}; `training codes {name}` keeps those of a model with an encoder, and `redial \
             measure keep` those of a model of yours"
        );
        Ok(Self(kept))
    }

    /// Refuses a measure that reads what is not kept of the model.
    fn allows(&self, measure: &Measure) -> anyhow::Result<()> {
        let reads_pairs = measure.needs.contains(&Need::ChangedCodes);
        ensure!(
            !reads_pairs || self.0.as_ref().is_none_or(KeptCodes::has_pairs),
            "{} reads changed-codes, and none are kept of this model; `training pairs` keeps those of models whose data are \
             drawn from factors",
            measure.name
        );
        Ok(())
    }

    /// The arrays for a measure; none where no model was named.
    fn of(&self, measure: &Measure) -> Inputs<'static> {
        self.first(measure, usize::MAX)
    }

    /// The same, of the first rows alone.
    fn first(&self, measure: &Measure, rows: usize) -> Inputs<'static> {
        let kept = self.0.as_ref();
        kept.map_or_else(Inputs::default, |kept| kept.inputs(measure, rows))
    }
}

/// The settings that have a model, and its name: a folder with a card stands among the models of its parent folder.
fn at_hand(config: &Config, named: &str) -> (Config, String) {
    let folder = Path::new(named);
    let mut config = config.clone();
    if folder.join(CARD_FILE).is_file()
        && let Ok(folder) = folder.canonicalize()
        && let Some((parent, name)) = folder.parent().zip(folder.file_name())
    {
        config.models = Some(parent.to_owned());
        return (config, name.to_string_lossy().into_owned());
    }
    (config, named.to_owned())
}

/// Everything that is wrong, in one error.
fn in_words(problems: Vec<Problem>) -> anyhow::Error {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    anyhow::anyhow!("{}", lines.join("\n"))
}

/// Does something as it was asked for, and shows how far it is.
fn with_request<T>(
    wanted: &Wanted,
    arrays: &OfArrays,
    work: impl FnOnce(&Request) -> Checked<T>,
) -> Checked<T> {
    let progress = Progress::counting("percent", Some(100));
    let told = |share: f64| progress.tell((share * 100.0) as u64, 100);
    let request = Request {
        parameters: wanted.parameters.clone(),
        variant: wanted.variant.clone(),
        estimator: wanted.estimator.clone(),
        seed: arrays.seed,
        threads: arrays.threads,
        progress: Some(&told),
    };
    work(&request)
}

fn put_out(text: &str, arrays: &OfArrays) -> anyhow::Result<()> {
    match &arrays.out {
        None => Ok(print(text)?),
        Some(path) => written(path, text.as_bytes()),
    }
}

/// The whole file or none of it: one that is half written would be read as if it were all. Nobody else may read it
/// (mode 0600), as with every file that Redial writes.
fn written(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    Ok(server::folder::write_file(path, bytes)?)
}
