//! `redial models import`: a lab's own decoder.

use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::ValueEnum as _;
use domain::model::distance::Distance;
use domain::model::{Arrangement, Display, InstanceShape, SeriesDisplay};
use import::assemble::{CardFacts, Decoded, decode};
use import::latents::{LatentOptions, Latents};
use import::layout::{LayoutError, read_shape};
use import::reference::{OutputMapping, ReferenceComparison};
use import::suggestion::DistanceChoice;
use import::{ExportedDecoder, Layout, NumericArray, layers, onnx};
use models::Zoo;
use models::card::Provenance;

use crate::config::Config;
use crate::output;

mod args;
mod flags;
mod foreign;
mod prompts;
mod report;

pub use args::ImportArgs;
use args::{Channels, Placed};
use prompts::Prompts;

/// Folder that models are written to unless another is set.
pub const MODELS: &str = "data/models";
/// The decoder in a folder that is imported; its latents and outputs lie beside it.
const IN_FOLDER: &str = "model.onnx";

/// Runs `redial models import`.
///
/// # Errors
/// When the file cannot be read or computed, decodes to something else than the reference
/// outputs, or more has to be known.
pub fn import(config: &Config, args: &ImportArgs) -> anyhow::Result<()> {
    let out = config.models.clone().unwrap_or_else(|| MODELS.into());
    let is_here = args.architecture.is_some() || args.file.join(IN_FOLDER).is_file();
    if let Some(how) = foreign::as_onnx(&args.file).filter(|_| !is_here) {
        anyhow::bail!(how);
    }
    if !args.file.is_dir() {
        return run(&out, args, Prompts::on_terminal());
    }
    let mut args = args.clone();
    let folder = args
        .file
        .canonicalize()
        .unwrap_or_else(|_| args.file.clone());
    args.file.push(IN_FOLDER);
    if args.name.is_none() {
        args.name = Some(plain(
            &folder.file_name().unwrap_or_default().to_string_lossy(),
        ));
    }
    run(&out, &args, Prompts::on_terminal())
}

fn run<R: BufRead>(out: &Path, args: &ImportArgs, mut ask: Prompts<R>) -> anyhow::Result<()> {
    let name = name(args)?;
    let folder = out.join(&name);
    // Before anything is asked or computed.
    ensure!(
        args.replace || !folder.exists(),
        "{} is there already; --replace writes over it, --name gives the model another name",
        folder.display()
    );
    ensure!(
        args.replace || !Zoo::shipped_names().contains(&name),
        "a model that ships with Redial is called {name:?}, and studies that name it would get yours; --name gives yours another name, --replace puts it in the other's place"
    );
    let exported = decoder(args)?;
    let inputs = exported.inputs().iter();
    let inputs: Vec<String> = inputs.map(|(name, n)| format!("{name} ({n})")).collect();
    if !inputs.is_empty() {
        output::print(&format!(
            "The decoder takes {}: a row of latents holds their values in this order\n",
            inputs.join(", ")
        ))?;
    }
    let latents = match (&args.encoder, &args.instances) {
        (Some(encoder), Some(instances)) => Some(Source::Made(encoded(args, encoder, instances)?)),
        _ => {
            let latents = given_or_beside(args.latents.as_ref(), &args.file, "latents");
            let latents = ask.unless_told(latents, "--latents", LATENTS, existing)?;
            latents.map(Source::File)
        }
    };
    let layout = layout(args, &exported, &mut ask)?;
    let (Some(latents), Some(layout)) = (latents, layout) else {
        // What is missing is listed at once.
        let distance = format!("{MEASURED}: {}", flags::DISTANCES);
        for (missing, flag, what) in [
            (args.distance.is_none(), "--distance", distance.as_str()),
            (args.threshold.is_none(), "--threshold", THRESHOLD),
        ] {
            if missing {
                ask.note(flag, what);
            }
        }
        ask.all_there()?;
        anyhow::bail!("not everything was answered");
    };

    let dials = LatentOptions {
        choices: args.choice.clone(),
        ranges: args.range.clone(),
        step: args.step,
    };
    let latents = Latents::of(&latents.read(&args.file)?, exported.width(), &dials)?;
    let (black, white) = args.values.unwrap_or((0.0, 1.0));
    let mapping = match args.unclipped {
        Some(_) => OutputMapping::Unclipped,
        None if args.sigmoid => OutputMapping::Sigmoid,
        None if args.clip => OutputMapping::Clipped { black, white },
        None if args.values.is_some() => OutputMapping::Rescaled { black, white },
        None => OutputMapping::AsTheyAre,
    };
    let decoded = decode(exported, layout, mapping, latents)?;
    let comparison = compared(args, &decoded)?;
    let (distance, threshold) = measured(args, &decoded, &mut ask)?;
    let facts = CardFacts {
        title: args.title.clone().unwrap_or_else(|| name.clone()),
        name,
        display: display(args, &decoded, &distance)?,
        distance,
        threshold,
        skip_after_s: args.skip_after,
        provenance: provenance(args),
    };
    let files = decoded.files(facts.clone())?;
    let folder = files.write(out, args.replace)?;
    output::print(&report::written(&report::WrittenBundle {
        folder: &folder,
        out,
        files: &files,
        facts: &facts,
        decoded: &decoded,
        comparison: comparison.as_ref(),
        tolerance: args.tolerance,
    }))?;
    Ok(())
}

const LATENTS: &str = "Latent vectors of held-out instances, a row each: an .npy or CSV file";
const MEASURED: &str = "What alignment is measured by";
const THRESHOLD: &str = "Distance at which a question is solved, 0 to less than 1";

/// The distance and the threshold: told, or asked with what would suit this output.
fn measured<R: BufRead>(
    args: &ImportArgs,
    decoded: &Decoded,
    ask: &mut Prompts<R>,
) -> anyhow::Result<(Distance, f64)> {
    let suited = decoded.suggested_distance(args.black_and_white);
    let question = format!(
        "{MEASURED}: {}. {} suits this output{}",
        flags::DISTANCES,
        flags::distance_text(&suited),
        ask.taken_by_enter()
    );
    let choice = ask.unless_told(
        args.distance.clone(),
        "--distance",
        &question,
        |text| match text {
            "" => Ok(DistanceChoice::Given(suited.clone())),
            _ => flags::distance(text),
        },
    )?;
    let distance = choice.map_or(suited, |choice| decoded.distance(&choice));
    let mut question = THRESHOLD.to_owned();
    if let Some(typical) = decoded.typical_distance(&distance) {
        question += &format!("; held-out instances are mostly {typical:.2} apart");
    }
    let suited = decoded.suggested_threshold(&distance);
    if let Some(suited) = suited {
        question += &format!(". {suited} is a good beginning{}", ask.taken_by_enter());
    }
    let threshold = ask.unless_told(args.threshold, "--threshold", &question, |text| {
        match (text, suited) {
            ("", Some(suited)) => Ok(suited),
            _ => flags::threshold(text),
        }
    })?;
    ask.all_there()?;
    Ok((
        distance,
        threshold.context("the threshold was not answered")?,
    ))
}

/// Where latents come from.
enum Source {
    /// A file, or `onnx:NAME`.
    File(PathBuf),
    /// An encoder.
    Made(NumericArray),
}

impl Source {
    fn read(self, decoder: &Path) -> anyhow::Result<NumericArray> {
        match self {
            Self::Made(table) => Ok(table),
            Self::File(path) => match path.to_str().and_then(|path| path.strip_prefix("onnx:")) {
                Some(name) => Ok(onnx::initialiser(decoder, name)?),
                None => table(&path),
            },
        }
    }
}

/// What an encoder makes of instances.
fn encoded(args: &ImportArgs, encoder: &Path, instances: &Path) -> anyhow::Result<NumericArray> {
    let opened = onnx::open(encoder, args.encoder_node.as_deref())
        .with_context(|| format!("the encoder {} cannot be imported", encoder.display()))?;
    Ok(import::encoder::encode(opened, &table(instances)?)?)
}

/// A name of lower-case letters, digits and hyphens, as like as can be.
fn plain(name: &str) -> String {
    let plain = name.to_lowercase().replace(['_', ' ', '.'], "-");
    plain.trim_matches('-').to_owned()
}

/// The name told, or made of the file's.
fn name(args: &ImportArgs) -> anyhow::Result<String> {
    let given = args.name.clone().unwrap_or_else(|| {
        let stem = args.file.file_stem().unwrap_or_default().to_string_lossy();
        plain(&stem)
    });
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    ensure!(
        !given.is_empty() && given.chars().all(fits),
        "--name {given:?} must be of lower-case letters, digits and hyphens"
    );
    Ok(given)
}

fn decoder(args: &ImportArgs) -> anyhow::Result<ExportedDecoder> {
    let path = &args.file;
    let ending = path.extension().and_then(std::ffi::OsStr::to_str);
    match (&args.architecture, ending) {
        (Some(architecture), _) => {
            let whence = format!(
                "{} with the layers of {}",
                path.display(),
                architecture.display()
            );
            layered(&whence, &file(architecture)?, &file(path)?)
        }
        (None, Some("safetensors")) => {
            let bytes = file(path)?;
            let unread = || format!("{} cannot be imported", path.display());
            let Some(json) = layers::within(&bytes).with_context(unread)? else {
                anyhow::bail!(
                    "{} holds tensors, but not which layers they are for: save it with metadata={{\"{}\": redial.layers(decoder)}}, describe the layers in JSON and name that file with --architecture (docs/bring-your-own-model.md), or export ONNX",
                    path.display(),
                    layers::METADATA
                );
            };
            let whence = format!("{} with the layers in its metadata", path.display());
            layered(&whence, &json, &bytes)
        }
        _ => onnx::open(path, args.node.as_deref())
            .with_context(|| format!("{} cannot be imported", path.display())),
    }
}

/// A decoder of layers in JSON and their tensors; `whence` for messages.
fn layered(whence: &str, json: &[u8], tensors: &[u8]) -> anyhow::Result<ExportedDecoder> {
    let (decoder, unread) =
        layers::read(json, tensors).with_context(|| format!("{whence} cannot be imported"))?;
    if !unread.is_empty() {
        output::print(&format!(
            "Tensors that no layer reads: {}\n",
            unread.join(", ")
        ))?;
    }
    Ok(decoder)
}

fn file(path: &Path) -> anyhow::Result<Vec<u8>> {
    import::untrusted_file::read(path, true).map_err(anyhow::Error::msg)
}

fn table(path: &Path) -> anyhow::Result<NumericArray> {
    Ok(NumericArray::read(
        &path.display().to_string(),
        &file(path)?,
    )?)
}

fn existing(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("there is no file {text}"))
    }
}

/// The file told, or `NAME.KIND.npy` or `.csv` beside `NAME.onnx`, or `KIND.npy` beside
/// `model.onnx`.
fn given_or_beside(given: Option<&PathBuf>, file: &Path, kind: &str) -> Option<PathBuf> {
    let candidates = ["npy", "csv"].into_iter();
    let mut candidates = candidates.map(|ending| file.with_extension(format!("{kind}.{ending}")));
    let in_folder = file.ends_with(IN_FOLDER);
    let in_folder = in_folder.then(|| file.with_file_name(format!("{kind}.npy")));
    given
        .cloned()
        .or_else(|| candidates.find(|path| path.is_file()))
        .or(in_folder.filter(|path| path.is_file()))
}

fn layout<R: BufRead>(
    args: &ImportArgs,
    exported: &ExportedDecoder,
    ask: &mut Prompts<R>,
) -> anyhow::Result<Option<Layout>> {
    let mut shape = args.shape;
    let mut channels = args.channels;
    loop {
        let last = channels.map(|channels| channels == Channels::Last);
        match exported.layout(shape, last) {
            Ok(layout) => return Ok(Some(layout)),
            Err(LayoutError::Shape(question)) => {
                shape = ask.unless_told(None, "--shape", &question, read_shape)?;
                if shape.is_none() {
                    return Ok(None);
                }
            }
            Err(LayoutError::Channels(question)) => {
                let read = |text: &str| Channels::from_str(text, true);
                channels = ask.unless_told(None, "--channels", &question, read)?;
                if channels.is_none() {
                    return Ok(None);
                }
            }
            Err(LayoutError::Wrong(problem)) => anyhow::bail!(problem),
        }
    }
}

fn compared(args: &ImportArgs, decoded: &Decoded) -> anyhow::Result<Option<ReferenceComparison>> {
    let Some(path) = given_or_beside(args.outputs.as_ref(), &args.file, "outputs") else {
        return Ok(None);
    };
    let outputs = table(&path)?;
    let found = decoded.compare(&outputs)?;
    ensure!(
        found.largest <= args.tolerance,
        "what is decoded here differs by {:.2e} from {} (row {}); {:e} is let pass, --tolerance sets another. {}",
        found.largest,
        path.display(),
        found.row + 1,
        args.tolerance,
        match decoded.fitting(&outputs, args.tolerance) {
            Some(option) => format!("With {option} the two agree: add it"),
            None => "They do not agree with --sigmoid or --values -1:1 or 0:255 either. Are these the outputs of this decoder in evaluation mode, for these latents?".to_owned(),
        }
    );
    Ok(Some(found))
}

fn display(args: &ImportArgs, decoded: &Decoded, distance: &Distance) -> anyhow::Result<Display> {
    let series = matches!(decoded.shape(), InstanceShape::Series { .. });
    ensure!(
        !series || args.black_and_white.is_none(),
        "--black-and-white is for pictures"
    );
    ensure!(
        !series || args.unclipped.is_none(),
        "--unclipped is for pictures: the values of series may be any"
    );
    ensure!(series || args.plot.is_empty(), "--plot is for series");
    let arrangement = match args.display {
        Some(Placed::Overlaid) => Arrangement::Overlaid,
        Some(Placed::Apart) => Arrangement::Apart,
        None if series => Arrangement::Overlaid,
        None => Arrangement::Apart,
    };
    let whole = || report::plot(decoded.ends());
    let value_range = args.unclipped.map(|told| told.unwrap_or_else(whole));
    let display = Display {
        arrangement,
        binarise_at: args.black_and_white,
        value_range: value_range.map(|(black, white)| [black, white]),
        series: series.then(|| axes(&args.plot, whole, distance)),
    };
    match display.problem(decoded.shape()) {
        Some(problem) => anyhow::bail!("how instances are shown: {problem}"),
        None => Ok(display),
    }
}

/// The axes of a series: `plots` are the ends told, once for all curves or once for each.
fn axes(
    plots: &[(f64, f64)],
    whole: impl Fn() -> (f64, f64),
    distance: &Distance,
) -> SeriesDisplay {
    let lowest = plots.iter().map(|plot| plot.0).reduce(f64::min);
    let highest = plots.iter().map(|plot| plot.1).reduce(f64::max);
    let (y_min, y_max) = lowest.zip(highest).unwrap_or_else(whole);
    SeriesDisplay {
        x_start: 0.0,
        x_step: 1.0,
        y_min,
        y_max,
        curve_ends: match plots {
            [] | [_] => Vec::new(),
            each => each.iter().map(|&(low, high)| [low, high]).collect(),
        },
        guide_at: (y_min < 0.0 && y_max > 0.0).then_some(0.0),
        target_band: match distance {
            Distance::Jaccard { tolerance } => Some(tolerance.clone()),
            _ => None,
        },
    }
}

fn provenance(args: &ImportArgs) -> Provenance {
    let from = args.file.file_name().unwrap_or_default().to_string_lossy();
    Provenance {
        dataset: args
            .dataset
            .clone()
            .unwrap_or_else(|| "data not named".to_owned()),
        trained_with: Some(format!("imported from {from}")),
        date: Some(jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()),
        note: args.note.clone(),
        ..Provenance::default()
    }
}
