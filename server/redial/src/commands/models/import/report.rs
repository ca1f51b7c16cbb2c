//! The report of `redial models import` when it is done, and numbers it rounds.

use std::path::Path;

use domain::model::latent::Dimension;
use domain::model::{InstanceShape, SeriesDisplay};
use import::assemble::{CardFacts, Decoded};
use import::latents::{FEW_ROWS, Latents};
use import::reference::ReferenceComparison;
use models::bundle::{BundleFiles, WEIGHTS_FILE};
use models::decoder::FRAME_MS;
use models::weights;
use serde_json::json;

use super::super::download::seconds;
use super::flags::distance_text;

/// Questions in the study that is proposed.
const QUESTIONS: u32 = 5;

/// Bytes of a target that are worth a word.
const LARGE: usize = 100_000;

/// More dials than these are worth a word.
const MANY_DIALS: usize = 20;

/// More pixels than these are worth a word.
const LARGE_PICTURE: usize = 256 * 256;

/// A bundle that was written.
pub struct WrittenBundle<'a> {
    /// Its folder.
    pub folder: &'a Path,
    /// The folder of models that it is in.
    pub out: &'a Path,
    pub files: &'a BundleFiles,
    pub facts: &'a CardFacts,
    pub decoded: &'a Decoded,
    pub comparison: Option<&'a ReferenceComparison>,
    pub tolerance: f64,
}

/// What was made, what was seen, and what to do next.
pub fn written(made: &WrittenBundle) -> String {
    let WrittenBundle {
        folder,
        out,
        files,
        facts,
        decoded,
        comparison,
        tolerance,
    } = made;
    let latents = decoded.latents();
    let mut lines = vec![
        folder.display().to_string(),
        format!(
            "  decoder     {} weights, {} bytes, gives {}",
            decoded.parameters(),
            files.weights.as_ref().map_or(0, Vec::len),
            instances(decoded.shape())
        ),
        format!("  download    {}", download(files, &facts.name)),
        format!("  decoding    {}", decoding(decoded)),
        format!("  dials       {}", dials(latents.space.dimensions())),
        format!(
            "  latents     {}{}, decode to {}",
            latents.rows.len(),
            match latents.outside {
                0 => String::new(),
                n => format!(" ({n} beyond the ranges left out)"),
            },
            decoded.range()
        ),
        match comparison {
            Some(found) => format!(
                "  compared    {} instances with the reference outputs: largest difference {:.2e} ({tolerance:e} is let pass)",
                found.instances, found.largest
            ),
            None => "  compared    with nothing: --outputs takes what your framework makes of the latents"
                .to_owned(),
        },
        format!(
            "  task        {}, solved at {}, skip after {} s",
            distance_text(&facts.distance),
            facts.threshold,
            facts.skip_after_s
        ),
    ];
    let bytes = decoded.shape().len() * size_of::<f32>();
    if bytes >= LARGE {
        lines.push(format!(
            "  targets     {} kB each, which participants download for each question",
            bytes / 1000
        ));
    }
    if let Some([black, white]) = facts.display.value_range {
        lines.push(format!(
            "  shown       from {black} (black) to {white} (white), compared as they are"
        ));
    }
    if latents.rows.len() < FEW_ROWS {
        lines.push(format!(
            "  CAUTION     only {} latents: questions are drawn from them, and soon repeat. Give some hundred held-out ones",
            latents.rows.len()
        ));
    }
    lines.extend(large(latents, decoded.shape()));
    if let Some(typical) = decoded.typical_distance(&facts.distance)
        && typical <= facts.threshold
    {
        lines.push(format!(
            "  CAUTION     held-out instances are mostly {typical:.2} apart: half of all questions would be solved before a dial is turned. Choose a lower threshold or another distance"
        ));
    }
    if let Some(axes) = &facts.display.series {
        lines.extend(flat_curves(axes, decoded));
    }
    let name = &facts.name;
    let title = json!(facts.title);
    let models = out.display();
    lines.push(format!(
        r#"
See what its dials do:
  redial models show {name} --models {models} --out {name}.png
A study of it, as my-studies/{name}/study.json:
{{
  "format": 2,
  "id": "{name}",
  "title": {title},
  "parts": [
    {{ "kind": "tutorial", "task": "reconstruction" }},
    {{ "kind": "stage", "id": "{name}", "task": {{ "kind": "reconstruction", "model": "{name}", "questions": {QUESTIONS} }} }},
    {{ "kind": "difficulty" }}
  ]
}}
Check it, and let people take it at /study/{name}:
  redial study check my-studies/{name}/study.json --models {models}
  redial serve --studies my-studies --models {models}
"#
    ));
    lines.join("\n")
}

/// Words of caution about dials that are too many or never have to be moved, and large pictures.
fn large(latents: &Latents, shape: InstanceShape) -> Vec<String> {
    let mut said = Vec::new();
    let dials = latents.space.len();
    if dials > MANY_DIALS {
        said.push(format!(
            "  CAUTION     {dials} dials: nobody finds a target with so many. Train a decoder of fewer dimensions, or let some be chosen by others in a module around it"
        ));
    }
    for dial in latents.unvaried() {
        said.push(format!(
            "  CAUTION     dial {} is {} in all latents: no question ever asks for it to be moved. Give latents in which it varies, or fix it in a module around the decoder",
            dial + 1,
            latents.rows[0][dial]
        ));
    }
    if let InstanceShape::Image { height, width, .. } = shape
        && height * width > LARGE_PICTURE
    {
        said.push(format!(
            "  CAUTION     pictures of {height} rows and {width} columns take long to decode, to compare and to download; 256 by 256 is the most that was tried with participants' machines in mind"
        ));
    }
    said
}

/// How long participants wait for it, and what `compress` could make of it.
fn download(files: &BundleFiles, name: &str) -> String {
    let bytes = files.weights.as_deref().unwrap_or_default();
    let now = seconds(bytes.len());
    match weights::read_stored(WEIGHTS_FILE, bytes) {
        Ok(stored) => {
            let (least, most) = quantise::sizes(&stored);
            format!(
                "{now}; `redial models compress {name}` makes {least} to {most} bytes of it ({})",
                seconds(least)
            )
        }
        Err(_) => now,
    }
}

/// Curves that are hard to see: they take less than this part of their plot's height.
const FLAT: f64 = 0.1;

/// A word of caution for each curve that takes little of its plot's height.
fn flat_curves(axes: &SeriesDisplay, decoded: &Decoded) -> Vec<String> {
    let channels = decoded.shape().channels();
    let flat = (0..channels).filter_map(|curve| {
        let (low, high) = decoded.ends_of(curve);
        let [bottom, top] = axes.ends(curve);
        let takes = f64::from(high - low) / (top - bottom);
        (takes < FLAT).then(|| {
            format!(
                "  CAUTION     curve {} of {channels} is {low:.3} … {high:.3} on a plot of {bottom} … {top}: hardly to be seen. Give --plot once for each curve, and a tolerance each (jaccard:A,B,…)",
                curve + 1
            )
        })
    });
    flat.collect()
}

/// What runs the decoder, and how long it takes here.
fn decoding(decoded: &Decoded) -> String {
    let timing = decoded.timing();
    let said = timing.to_string();
    if timing.ms > FRAME_MS {
        format!(
            "{said}\n  CAUTION     a decode takes longer than a frame of {FRAME_MS} ms: while a dial moves, pictures will lag behind the hand, on participants' machines perhaps more than here. Use fewer or smaller maps"
        )
    } else {
        said
    }
}

fn instances(shape: InstanceShape) -> String {
    match shape {
        InstanceShape::Image {
            height,
            width,
            channels: 1,
        } => format!("grey pictures of {height} rows and {width} columns"),
        InstanceShape::Image { height, width, .. } => {
            format!("colour pictures of {height} rows and {width} columns")
        }
        InstanceShape::Series {
            points,
            channels: 1,
        } => format!("series of {points} points"),
        InstanceShape::Series { points, channels } => {
            format!("series of {channels} curves of {points} points each")
        }
    }
}

fn dials(dimensions: &[Dimension]) -> String {
    let each: Vec<String> = dimensions
        .iter()
        .map(|dimension| match dimension {
            Dimension::Discrete { values } => format!("one of {values}"),
            Dimension::Continuous { min, max, .. } => format!("{min} … {max}"),
        })
        .collect();
    each.join(", ")
}

/// Ends of a plot that holds these values: rounded outwards to two digits or so.
pub fn plot((low, high): (f32, f32)) -> (f64, f64) {
    let (low, high) = (f64::from(low), f64::from(high));
    let range = (high - low).max(f64::MIN_POSITIVE);
    // As it is written, since a power of ten that is computed is off by a little.
    let power = (range.log10().floor() as i32 - 1).max(-30);
    let digits = usize::try_from(-power).unwrap_or(0);
    let unit = 10_f64.powi(power);
    let written = |value: f64| -> f64 {
        let text = format!("{value:.digits$}");
        text.parse().unwrap_or(value)
    };
    (
        written((low / unit).floor() * unit),
        written((high / unit).ceil() * unit),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_end_on_short_numbers() {
        for (ends, expected) in [
            ((-3.014_f32, 2.77), (-3.1, 2.8)),
            ((0.0123, 0.0456), (0.012, 0.046)),
            ((-812.0, 1240.0), (-900.0, 1300.0)),
            ((0.1, 0.9), (0.1, 0.9)),
        ] {
            let (low, high) = plot(ends);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs();
            // An f32 a little above 0.9 may take the next short number.
            let next = |a: f64, b: f64| near(a, b) || (a - b).abs() < 0.011;
            assert!(
                next(low, expected.0) && next(high, expected.1),
                "{low} {high}"
            );
        }
        let (low, high) = plot((1.0, 1.0));
        assert!(low <= 1.0 && high >= 1.0);
    }
}
