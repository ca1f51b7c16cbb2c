//! `redial measure keep`: codes of a lab's own model beside its bundle, as those of the zoo have them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use domain::model::latent::Dimension;
use import::{NumericArray, encoder, onnx};
use measures::array::Array;
use models::Bundle;
use models::bundle::CARD_FILE;
use models::kept_codes::{
    ABOUT_CODES_FILE, AboutCodes, BEFORE_CODES_FILE, CHANGED_CODES_FILE, CHANGED_FACTOR_FILE,
    CODES_FILE, FACTORS_FILE, SMALLEST_DIFFERENCES_FILE,
};

use super::{files, in_words};
use crate::output::print;

/// `redial measure keep …`
#[derive(Debug, Clone, Args)]
pub struct KeepArgs {
    /// The model's folder
    #[arg(long, value_name = "DIR")]
    model: PathBuf,
    /// An encoder that makes the codes of --instances, as ONNX
    #[arg(
        long,
        value_name = "FILE.onnx",
        requires = "instances",
        conflicts_with = "codes"
    )]
    encoder: Option<PathBuf>,
    /// Output of the encoder that is the codes (the mean, not the variance), if there are several
    #[arg(long, value_name = "NAME", requires = "encoder")]
    encoder_node: Option<String>,
    /// Held-out instances as the encoder takes them, a row each
    #[arg(long, value_name = "FILE", requires = "encoder")]
    instances: Option<PathBuf>,
    /// Codes that are made already, in the place of an encoder: instances × codes
    #[arg(long, value_name = "FILE", required_unless_present = "encoder")]
    codes: Option<PathBuf>,
    /// What is true of each instance: instances × factors
    #[arg(long, value_name = "FILE")]
    factors: PathBuf,
    /// What the factors are called, in order [default: factor-0, factor-1, …]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Vec<String>,
    /// The factor that is the class of an instance, by its name: what `niche` and `task-auc` tell
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// Write over codes that are kept already
    #[arg(long)]
    replace: bool,
}

/// Runs `redial measure keep …`.
///
/// # Errors
/// When there is no bundle, a file cannot be read or holds numbers that are not finite, arrays do not agree, codes are
/// there already, or a file cannot be written.
pub fn run(args: &KeepArgs) -> anyhow::Result<()> {
    let folder = &args.model;
    ensure!(
        folder.join(CARD_FILE).is_file(),
        "{} is no model: it has no {CARD_FILE}; `redial models import` makes one",
        folder.display()
    );
    let bundle = Bundle::read(folder).with_context(|| folder.display().to_string())?;
    let about = folder.join(ABOUT_CODES_FILE);
    ensure!(
        args.replace || !about.exists(),
        "{} is there already; --replace writes over it",
        about.display()
    );
    let (codes, factors) = (
        codes(args)?,
        files::array(&args.factors).context("--factors")?,
    );
    let mut problems = codes.problems("codes");
    problems.extend(factors.problems("factors"));
    if !problems.is_empty() {
        return Err(in_words(problems));
    }
    agree(&bundle, &codes, &factors)?;
    let names = names(args, factors.columns())?;
    let measured = bundle.card().measured.as_ref();
    let found = AboutCodes {
        rows: codes.rows(),
        factors: names,
        task: args.class.clone(),
        weights_sha256: bundle.card().facts.weights_sha256.clone(),
        encoder_sha256: measured.and_then(|measured| measured.encoder_sha256.clone()),
    };
    if args.replace {
        forget(folder)?;
    }
    write(folder, CODES_FILE, &npy(&codes))?;
    write(folder, FACTORS_FILE, &npy(&factors))?;
    // The last: what it speaks of is there.
    let mut bytes = serde_json::to_vec_pretty(&found)?;
    bytes.push(b'\n');
    write(folder, ABOUT_CODES_FILE, &bytes)?;
    Ok(print(&format!(
        "{}: codes of {} rows, {} factors; `redial measure all --model {}` computes from them\n",
        folder.display(),
        found.rows,
        found.factors.len(),
        folder.display()
    ))?)
}

/// Removes what is kept of the codes before: pairs and smallest differences are of these alone. What speaks of the codes
/// goes first, so that nothing half replaced is read.
fn forget(folder: &Path) -> anyhow::Result<()> {
    for name in [
        ABOUT_CODES_FILE,
        SMALLEST_DIFFERENCES_FILE,
        CHANGED_CODES_FILE,
        BEFORE_CODES_FILE,
        CHANGED_FACTOR_FILE,
    ] {
        let file = folder.join(name);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| file.display().to_string());
            }
            _ => {}
        }
    }
    Ok(())
}

/// What the encoder makes of the instances, or the codes that were given.
fn codes(args: &KeepArgs) -> anyhow::Result<Array> {
    let (Some(file), Some(instances)) = (&args.encoder, &args.instances) else {
        let Some(file) = &args.codes else {
            bail!("give --encoder and --instances, or --codes");
        };
        return files::array(file).context("--codes");
    };
    let opened = onnx::open(file, args.encoder_node.as_deref())
        .with_context(|| format!("--encoder: {}", file.display()))?;
    let instances = files::array(instances).context("--instances")?;
    let problems = instances.problems("instances");
    if !problems.is_empty() {
        return Err(in_words(problems));
    }
    // One row for each instance, whatever axes it has.
    let table = NumericArray {
        shape: vec![instances.rows(), instances.columns() * instances.depth()],
        values: instances.values().to_vec(),
    };
    let NumericArray { shape, values } = encoder::encode(opened, &table)?;
    Array::new(shape, values).context("the encoder gave no numbers")
}

/// Refuses arrays that are not of the same instances, or codes that are not the model's.
fn agree(bundle: &Bundle, codes: &Array, factors: &Array) -> anyhow::Result<()> {
    let mut wrong = Vec::new();
    for (array, name) in [(codes, "codes"), (factors, "factors")] {
        if array.depth() != 1 || array.shape().len() > 2 {
            wrong.push(format!(
                "{name} have {} axes: two are needed",
                array.shape().len()
            ));
        }
    }
    if codes.rows() != factors.rows() {
        wrong.push(format!(
            "codes are of {} rows, and factors of {}",
            codes.rows(),
            factors.rows()
        ));
    }
    let dimensions = bundle.card().facts.latent.dimensions().iter();
    let dials = dimensions
        .filter(|dimension| !matches!(dimension, Dimension::Discrete { .. }))
        .count();
    if codes.columns() != dials {
        wrong.push(format!(
            "codes have {} columns, and the model has {dials} continuous dimensions",
            codes.columns()
        ));
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The names of the factors; the class must be one of them.
fn names(args: &KeepArgs, factors: usize) -> anyhow::Result<Vec<String>> {
    let names = if args.names.is_empty() {
        (0..factors).map(|at| format!("factor-{at}")).collect()
    } else {
        args.names.clone()
    };
    ensure!(
        names.len() == factors,
        "--names has {} names, and there are {factors} factors",
        names.len()
    );
    if let Some(class) = &args.class {
        ensure!(
            names.contains(class),
            "--class {class} is none of the factors: {}",
            names.join(", ")
        );
    }
    Ok(names)
}

fn npy(array: &Array) -> Vec<u8> {
    let values: Vec<f32> = array.values().iter().map(|&value| value as f32).collect();
    arrays::f32_as_npy(&[array.rows(), array.columns()], &values)
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    super::written(&folder.join(name), bytes)
}
