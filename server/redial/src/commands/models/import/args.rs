//! The flags of `redial models import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use domain::model::InstanceShape;
use import::layout::read_shape;
use import::suggestion::DistanceChoice;

use super::flags;

/// Seconds after which a question can be skipped, unless others are set.
const SKIP_AFTER_S: f64 = 30.0;

/// `redial models import …`
#[derive(Debug, Clone, Args)]
pub struct ImportArgs {
    /// The decoder: an ONNX file, a folder with model.onnx and latents.npy, or a safetensors
    /// file whose metadata hold its layers, or with --architecture
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Layers of a safetensors file, as a card has them
    #[arg(long, value_name = "FILE.json")]
    pub architecture: Option<PathBuf>,
    /// Output of the ONNX graph that is the instance, if there are several
    #[arg(long, value_name = "NAME", conflicts_with = "architecture")]
    pub node: Option<String>,
    /// Name of the model in studies [default: that of FILE]
    #[arg(long)]
    pub name: Option<String>,
    /// What people call the model [default: its name]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Latent vectors of held-out instances, a row each: .npy or CSV. Questions are drawn
    /// from them. Or onnx:NAME, a constant inside FILE [default: FILE's name with .latents.npy
    /// or .latents.csv, beside FILE; latents.npy beside model.onnx]
    #[arg(long, value_name = "FILE|onnx:NAME")]
    pub latents: Option<PathBuf>,
    /// Encoder that makes the latents of --instances, as ONNX
    #[arg(
        long,
        value_name = "FILE.onnx",
        requires = "instances",
        conflicts_with = "latents"
    )]
    pub encoder: Option<PathBuf>,
    /// Output of the encoder that is the latents (the mean, not the variance), if there are
    /// several
    #[arg(long, value_name = "NAME", requires = "encoder")]
    pub encoder_node: Option<String>,
    /// Held-out instances as the encoder takes them, a row each: .npy or CSV
    #[arg(long, value_name = "FILE", requires = "encoder")]
    pub instances: Option<PathBuf>,
    /// What the decoder's own framework makes of these latents, to compare: .npy or CSV
    /// [default: FILE's name with .outputs.npy or .outputs.csv, if it is beside FILE]
    #[arg(long, value_name = "FILE")]
    pub outputs: Option<PathBuf>,
    /// Largest difference to --outputs that is let pass
    #[arg(long, value_name = "NUMBER", default_value_t = 1e-4, value_parser = flags::positive)]
    pub tolerance: f64,

    /// What the decoder's values make: HEIGHTxWIDTH (grey), HEIGHTxWIDTHx3 (colour), a
    /// number of points (a curve), or POINTSxCURVES (up to 8 curves) [default: from the
    /// output's shape, where that leaves no doubt]
    #[arg(long, value_parser = read_shape, help_heading = "Instances")]
    pub shape: Option<InstanceShape>,
    /// Whether colours, or curves, are the first axis of the decoder's output, or its last
    #[arg(long, value_enum, help_heading = "Instances")]
    pub channels: Option<Channels>,
    /// Add a sigmoid: for a decoder whose sigmoid was part of the loss
    #[arg(long, help_heading = "Instances")]
    pub sigmoid: bool,
    /// Values that are black and white, if not 0 and 1: -1:1 after a tanh
    #[arg(long, value_name = "BLACK:WHITE", value_parser = flags::ends, conflicts_with = "sigmoid", allow_hyphen_values = true, help_heading = "Instances")]
    pub values: Option<(f64, f64)>,
    /// Make black of what is below black, and white of what is above white: for a decoder that goes
    /// a little beyond
    #[arg(long, conflicts_with_all = ["sigmoid", "unclipped"], help_heading = "Instances")]
    pub clip: bool,
    /// The values of pictures may be any, as those of a heat map: compared as they are, and
    /// shown from BLACK to WHITE [default of these: what the latents decode to]
    #[arg(long, value_name = "BLACK:WHITE", value_parser = flags::ends, require_equals = true, conflicts_with_all = ["sigmoid", "values", "black_and_white"], allow_hyphen_values = true, help_heading = "Instances")]
    pub unclipped: Option<Option<(f64, f64)>>,

    /// A choice among N that the decoder takes first, as N values of which one is 1
    /// (one-hot); give it again for a second choice
    #[arg(long, value_name = "N", help_heading = "Dials")]
    pub choice: Vec<u16>,
    /// Ends of the sliders: once for all, or once for each; latents beyond are left out
    /// [default: the smallest and the largest latent]
    #[arg(long, value_name = "MIN:MAX", value_parser = flags::ends, allow_hyphen_values = true, help_heading = "Dials")]
    pub range: Vec<(f64, f64)>,
    /// Step of the sliders [default: 0.01, or what suits a very small or large range]
    #[arg(long, value_name = "NUMBER", value_parser = flags::positive, help_heading = "Dials")]
    pub step: Option<f64>,

    /// How picture and target are placed at first [default: apart; series: overlaid]
    #[arg(long, value_enum, help_heading = "The task")]
    pub display: Option<Placed>,
    /// Show pictures in black and white: white above this value
    #[arg(long, value_name = "VALUE", help_heading = "The task")]
    pub black_and_white: Option<f64>,
    /// Lower and upper end of a series' plots: once for all curves, or once for each
    /// [default: what the latents decode to]
    #[arg(long, value_name = "MIN:MAX", value_parser = flags::ends, allow_hyphen_values = true, help_heading = "The task")]
    pub plot: Vec<(f64, f64)>,
    /// What alignment is measured by: bray-curtis, iou:CUT, ssim[:SCALES], jaccard[:TOLERANCE] or
    /// mean-absolute[:RANGE]; of several curves or colours a number each, if you like
    /// (jaccard:0.5,20)
    #[arg(long, value_parser = flags::distance, help_heading = "The task")]
    pub distance: Option<DistanceChoice>,
    /// Distance at which a question is solved
    #[arg(long, value_name = "NUMBER", value_parser = flags::threshold, help_heading = "The task")]
    pub threshold: Option<f64>,
    /// Seconds after which a question can be skipped
    #[arg(long, value_name = "SECONDS", default_value_t = SKIP_AFTER_S, value_parser = flags::seconds, help_heading = "The task")]
    pub skip_after: f64,

    /// Data that the model was trained on, for its card
    #[arg(long, value_name = "TEXT", help_heading = "Origin")]
    pub dataset: Option<String>,
    /// Anything else that readers of its card should know
    #[arg(long, value_name = "TEXT", help_heading = "Origin")]
    pub note: Option<String>,
    /// Write over a model of that name
    #[arg(long)]
    pub replace: bool,
}

/// Where colours or curves are in a decoder's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Channels {
    /// The picture in red before that in green, one curve before the next, as in PyTorch
    First,
    /// The colours of a pixel side by side, or what all curves are at a point, as in Keras
    Last,
}

/// How picture and target are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Placed {
    /// One over the other
    Overlaid,
    /// Side by side
    Apart,
}
