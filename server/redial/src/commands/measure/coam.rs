//! `redial measure coam`: concept activation maps (Aysel et al., appendix E), from feature maps and concept vectors.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use measures::alignment::activation_mapping::activation_maps;
use measures::array::Array;
use measures::upsampling::{Size, bilinear};

use super::files;
use crate::output::{Align, aligned, print};

/// `redial measure coam …`
#[derive(Debug, Clone, Args)]
pub struct CoamArgs {
    /// What the last convolution gives, before pooling: images × height × width × channels, or one image without
    /// the first axis
    #[arg(long, value_name = "FILE")]
    features: PathBuf,
    /// The vectors of concepts: concepts × channels
    #[arg(long, value_name = "FILE")]
    vectors: PathBuf,
    /// Channels come before height and width, as PyTorch has them
    #[arg(long)]
    channels_first: bool,
    /// Height of the maps that are written, in pixels; with --width. Without them maps are as large as features
    #[arg(long, value_name = "N", requires = "width", value_parser = super::subcommand::at_least_one())]
    height: Option<usize>,
    /// Width of the maps that are written, in pixels
    #[arg(long, value_name = "N", requires = "height", value_parser = super::subcommand::at_least_one())]
    width: Option<usize>,
    /// The .npy file to write maps to: images × concepts × height × width, as `clm` and `shape-coverage` take them.
    /// Without it a line for each concept is printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Runs `redial measure coam …`.
///
/// # Errors
/// When a file cannot be read, holds numbers that are not finite, or shapes do not agree; when the maps cannot be
/// written.
pub fn run(args: &CoamArgs) -> anyhow::Result<()> {
    let features = read(&args.features, "features")?;
    let vectors = read(&args.vectors, "vectors")?;
    let features = by_image(features, args.channels_first)?;
    let [images, height, width, channels] = features.shape()[..] else {
        bail!("features: no four axes");
    };
    ensure!(
        vectors.shape().len() == 2 && vectors.columns() == channels,
        "vectors are {}, and features have {channels} channels: concepts × {channels} is needed{}",
        shape(&vectors),
        if args.channels_first || height != vectors.columns() {
            ""
        } else {
            "; where features have channels first, say --channels-first"
        }
    );
    let concepts = vectors.rows();
    let mut values = Vec::with_capacity(images * concepts * height * width);
    for image in 0..images {
        let of_image = Array::new(vec![height, width, channels], features.row(image).to_vec());
        let of_image = of_image.context("features: an image is not whole")?;
        values.extend_from_slice(activation_maps(&of_image, &vectors).values());
    }
    let maps = Array::new(vec![images, concepts, height, width], values);
    let maps = maps.context("features hold no numbers")?;
    let Some(out) = &args.out else {
        return Ok(print(&table(&maps))?);
    };
    let maps = match args.height.zip(args.width) {
        Some((height, width)) => enlarged(&maps, Size { height, width })?,
        None => maps,
    };
    let numbers: Vec<f32> = maps.values().iter().map(|&value| value as f32).collect();
    super::written(out, &arrays::f32_as_npy(maps.shape(), &numbers))?;
    Ok(print(&format!("{}: {}\n", out.display(), shape(&maps)))?)
}

/// A file's array, all of whose numbers are finite.
fn read(path: &Path, name: &'static str) -> anyhow::Result<Array> {
    let array = files::array(path).with_context(|| format!("--{name}"))?;
    let problems = array.problems(name);
    if problems.is_empty() {
        Ok(array)
    } else {
        Err(super::in_words(problems))
    }
}

/// Features as images × height × width × channels.
fn by_image(features: Array, channels_first: bool) -> anyhow::Result<Array> {
    let shape = match features.shape() {
        &[a, b, c] => vec![1, a, b, c],
        four @ [_, _, _, _] => four.to_vec(),
        _ => bail!(
            "features are {}: images × height × width × channels is needed, or one image of three axes",
            shape(&features)
        ),
    };
    let whole = Array::new(shape, features.values().to_vec());
    let whole = whole.context("features hold no numbers")?;
    if !channels_first {
        return Ok(whole);
    }
    let [images, channels, height, width] = whole.shape()[..] else {
        bail!("features: no four axes");
    };
    let size = height * width;
    let values = (0..images).flat_map(|image| {
        let of_image = whole.row(image);
        (0..size)
            .flat_map(move |at| (0..channels).map(move |channel| of_image[channel * size + at]))
    });
    let turned = Array::new(vec![images, height, width, channels], values.collect());
    turned.context("features hold no numbers")
}

/// Maps of another size, by bilinear interpolation as the paper's algorithm 2 has it.
fn enlarged(maps: &Array, to: Size) -> anyhow::Result<Array> {
    let [images, concepts, height, width] = maps.shape()[..] else {
        bail!("maps have no four axes");
    };
    let from = Size { height, width };
    let each = maps.values().chunks_exact(from.area());
    let values = each.flat_map(|map| bilinear(map, from, to)).collect();
    let larger = Array::new(vec![images, concepts, to.height, to.width], values);
    larger.context("a map is not whole")
}

/// A line for each concept: its mean, and its largest value with its place.
fn table(maps: &Array) -> String {
    let [images, concepts, height, width] = maps.shape()[..] else {
        return String::new();
    };
    let head = ["concept", "mean", "largest", "image", "row", "column"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for concept in 0..concepts {
        let values = (0..images).flat_map(|image| {
            let map = maps.at(image, concept).iter().enumerate();
            map.map(move |(place, value)| (image, place, *value))
        });
        let (mut sum, mut largest) = (0.0, None::<(usize, usize, f64)>);
        for (image, place, value) in values {
            sum += value;
            if largest.is_none_or(|(.., most)| value > most) {
                largest = Some((image, place, value));
            }
        }
        let Some((image, place, most)) = largest else {
            continue;
        };
        let count = (images * height * width) as f64;
        lines.push(vec![
            concept.to_string(),
            super::shown::number(Some(sum / count)),
            super::shown::number(Some(most)),
            image.to_string(),
            (place / width).to_string(),
            (place % width).to_string(),
        ]);
    }
    format!(
        "Concept activation maps, {}: F_j = (1/d) Σ over channels of c_j E. Images, rows and columns count from 0.\n{}",
        shape(maps),
        aligned(&[Align::Right; 6], &lines)
    )
}

fn shape(array: &Array) -> String {
    let lengths: Vec<String> = array.shape().iter().map(usize::to_string).collect();
    lengths.join(" × ")
}
