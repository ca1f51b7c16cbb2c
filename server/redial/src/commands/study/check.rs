//! `redial study check`: what is wrong with study files, what their authors most likely did not mean, and how long they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use analysis::tuning::OwnSettings;
use anyhow::{Context, ensure};
use clap::Args;
use domain::simulate::Strategy;
use domain::study::length::Length;
use models::decoder::{DecodeTiming, FRAME_MS};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use server::catalogue::{STUDY_FILE, StudyEntry, StudyFault, study_files};
use server::tuning::{TuningError, TuningRequest};
use server::zoo::Models;

use crate::config::Config;
use crate::models_at_hand::models_at_hand;
use crate::output::print;
use crate::tuning::tuned;

/// Questions of each model that simulated people try.
const TRIED: usize = 5;

/// `redial study check …`
#[derive(Debug, Clone, Args)]
pub struct CheckArgs {
    /// Study files, or folders with studies
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Take warnings for mistakes
    #[arg(long)]
    strict: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The result of the check of one file.
#[derive(Debug, Serialize)]
struct Checked {
    file: PathBuf,
    /// Whether it can be used as it is.
    good: bool,
    errors: Vec<StudyFault>,
    warnings: Vec<StudyFault>,
    /// Stages, questions and minutes; absent where it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<String>,
}

impl Checked {
    fn of(file: PathBuf, models: &Arc<Models>) -> anyhow::Result<Self> {
        let entry = match StudyEntry::read(&file, models) {
            Ok(entry) => entry,
            Err(errors) => {
                return Ok(Self {
                    file,
                    good: false,
                    errors,
                    warnings: Vec::new(),
                    length: None,
                });
            }
        };
        let codes = entry.codes.as_ref().map_or_else(String::new, |codes| {
            format!(" {} participant codes.", codes.len())
        });
        let mut warnings = entry.warnings.clone();
        warnings.extend(slow_decoders(&entry, models).into_iter().map(Into::into));
        warnings.extend(out_of_reach(&entry, models)?.into_iter().map(Into::into));
        Ok(Self {
            good: true,
            errors: Vec::new(),
            warnings,
            length: Some(format!("{}{codes}", how_long(&entry, models))),
            file,
        })
    }

    fn words(&self) -> String {
        let mut said = String::new();
        if let Some(length) = &self.length {
            said += &format!("{}: good. {length}\n", self.file.display());
        }
        for error in &self.errors {
            said += &format!("{}\n", error.in_file(&self.file));
        }
        for warning in &self.warnings {
            let warning = StudyFault {
                message: format!("WARNING: {}", warning.message),
                ..warning.clone()
            };
            said += &format!("{}\n", warning.in_file(&self.file));
        }
        said
    }
}

/// Checks files and prints what is to be said of them.
///
/// # Errors
/// When one cannot be used, or has a warning where these count; that has then been printed. When a folder or a model
/// cannot be read.
pub fn check(config: &Config, args: &CheckArgs) -> anyhow::Result<()> {
    let models = Arc::new(models_at_hand(config)?);
    let mut checked = Vec::new();
    for path in &args.paths {
        for file in files_of(path)? {
            let of_file = Checked::of(file, &models)?;
            if !args.json {
                print(&of_file.words())?;
            }
            checked.push(of_file);
        }
    }
    if args.json {
        print(&(serde_json::to_string_pretty(&checked)? + "\n"))?;
    }
    let files = checked.len();
    let bad = checked.iter().filter(|it| !it.good).count();
    ensure!(
        bad == 0,
        "{bad} of {files} files cannot be used as they are"
    );
    let warned = checked.iter().filter(|it| !it.warnings.is_empty()).count();
    ensure!(
        !args.strict || warned == 0,
        "{warned} of {files} files have warnings, which count with --strict"
    );
    Ok(())
}

/// A file; of a folder the study in it, or all that lie in it.
fn files_of(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let inside = path.join(STUDY_FILE);
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    if inside.is_file() {
        return Ok(vec![inside]);
    }
    let files = study_files(path)
        .with_context(|| format!("the folder {} cannot be read", path.display()))?;
    ensure!(
        !files.is_empty(),
        "there is no study in {}: a study is a file {STUDY_FILE} in a folder of its own",
        path.display()
    );
    Ok(files)
}

/// How long a study is; cell by cell where cells differ.
fn how_long(entry: &StudyEntry, models: &Models) -> String {
    let Length {
        minutes,
        screens_out,
        ..
    } = entry.length;
    let mut said = entry.length.to_string();
    if let Some(minutes) = minutes {
        let unit = if minutes == 1 { "minute" } else { "minutes" };
        said += &format!(", about {minutes} {unit} by its consent form");
    }
    said.push('.');
    if screens_out {
        said += " Fewer for those who are screened out.";
    }
    let cells = entry.study.design.cells();
    let lengths = cells
        .iter()
        .map(|cell| (cell, Length::of_cell(&entry.study, cell, models)));
    let lengths: Vec<_> = lengths.collect();
    let differ = lengths.iter().any(|(_, length)| {
        (length.stages, length.questions) != (entry.length.stages, entry.length.questions)
    });
    for (cell, length) in lengths.iter().filter(|_| differ) {
        let name = match cell.name.as_str() {
            "" => "(link without a condition)",
            name => name,
        };
        said += &format!("\n  {name}: {length}");
    }
    said
}

/// Warnings about the study's decoders that take longer on this machine than a frame, or than
/// pictures are kept back.
fn slow_decoders(entry: &StudyEntry, models: &Models) -> Vec<String> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let latencies = entry.study.minimum_latencies();
    let mut said = Vec::new();
    for name in entry.study.models() {
        let timing = models
            .get(name)
            .and_then(|bundle| DecodeTiming::of(bundle.decoder(), &bundle.sample(&mut rng)).ok());
        let Some(timing) = timing else { continue };
        if timing.ms > FRAME_MS {
            said.push(format!(
                "{name} takes {timing}, longer than a frame of {FRAME_MS} ms: pictures lag behind the hand, and a comparison with a quicker model compares waiting times, too"
            ));
        }
        let kept_back = latencies.iter().find(|(model, _)| *model == name);
        if let Some((_, minimum_ms)) = kept_back.filter(|(_, ms)| timing.ms > to_f64(*ms)) {
            said.push(format!(
                "{name} takes {timing}, longer than 'minimum_latency_ms': {minimum_ms}: its pictures come later than those of quicker models all the same. Set it above what the slowest model takes on participants' devices"
            ));
        }
    }
    said
}

fn to_f64(ms: u64) -> f64 {
    ms as f64
}

/// Models of which simulated people who know what each dial does solve nothing.
fn out_of_reach(entry: &StudyEntry, models: &Arc<Models>) -> anyhow::Result<Vec<String>> {
    // One question is most often enough to see that a model can be solved.
    if unsolved(entry, models, 1)?.is_empty() {
        return Ok(Vec::new());
    }
    let unsolved = unsolved(entry, models, TRIED)?.into_iter();
    let said = unsolved.map(|model| {
        format!(
            "{}: simulated people who know what each dial does solve none of {TRIED} questions in {} active seconds. Look at `redial study tune {}`: take a higher threshold, more time, or fewer dials",
            model.model, model.skip_after_s, entry.study.id
        )
    });
    Ok(said.collect())
}

/// Models of which none of so many questions is solved.
fn unsolved(
    entry: &StudyEntry,
    models: &Arc<Models>,
    questions: usize,
) -> anyhow::Result<Vec<OwnSettings>> {
    let request = TuningRequest {
        questions,
        thresholds: Vec::new(),
        times: Vec::new(),
        strategies: vec![Strategy::KnowsDimensions],
        seed: 1,
    };
    let found = match tuned(entry, models, &request) {
        Ok(found) => found.tuning,
        Err(TuningError::NothingToTune(_)) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let strategy = Strategy::KnowsDimensions.label();
    let mut models = found.models.clone();
    models.retain(|model| {
        let found = found.at(&model.model, strategy, model.threshold, model.skip_after_s);
        found.share() == Some(0.0)
    });
    Ok(models)
}
