//! What can be trained: dataset, objective, networks and schedule of each model.

use domain::distance::Distance;
use domain::latent::{DEFAULT_STEP, Dimension};
use domain::model::{Arrangement, Display, InstanceShape, SeriesDisplay};
use models::architecture::{Activation, Layer, Padding};

use crate::data::Dataset;
use crate::dsprites::{self, DSprites};
use crate::sinelines::{self, Sinelines};

/// What the latent vector is, and what the loss adds to reconstruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// An encoder's output; reconstruction alone.
    Autoencoder,
    /// A draw from an encoder's distribution; KL divergence from N(0, I) added.
    Variational,
    /// The true factors; the decoder is trained alone.
    GroundTruth,
}

/// How a reconstruction is compared with the instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconstruction {
    /// Σ (x − x̂)².
    SquaredError,
    /// Bernoulli cross-entropy on the decoder's logits.
    Bernoulli,
}

/// Data a model is trained on, and how a participant sees and compares them.
pub struct Task {
    /// Name, as a card has it.
    pub name: &'static str,
    /// The rows.
    pub dataset: Box<dyn Dataset>,
    /// Shape of an instance.
    pub shape: InstanceShape,
    /// How it is drawn.
    pub display: Display,
    /// What alignment is measured by.
    pub distance: Distance,
    /// ε.
    pub threshold: f64,
    /// T in seconds.
    pub skip_after_s: f64,
}

/// How one model is trained.
pub struct Recipe {
    /// Name of the bundle.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its data.
    pub task: fn() -> Task,
    /// Its latent vectors.
    pub objective: Objective,
    /// Its loss on instances.
    pub reconstruction: Reconstruction,
    /// Number of latent dimensions.
    pub dimensions: usize,
    /// The dimensions where they are known beforehand (ground truth).
    pub known_dimensions: fn() -> Option<Vec<Dimension>>,
    /// Layers of the decoder.
    pub decoder: fn(usize) -> Vec<Layer>,
    /// Layers of the encoder, given the number of its outputs; none for ground truth.
    pub encoder: fn(usize) -> Vec<Layer>,
    /// Rows in a batch.
    pub batch: usize,
    /// Initial learning rate of Adam.
    pub learning_rate: f64,
    /// Batches in a full run.
    pub iterations: u64,
    /// Held-out squared error of the paper's own model.
    pub paper_squared_error: f64,
}

/// All recipes, in order of their names.
pub const RECIPES: [Recipe; 3] = [
    Recipe {
        name: "dsprites-gt5",
        title: "dSprites, ground truth, 5 dimensions",
        task: dsprites_task,
        objective: Objective::GroundTruth,
        reconstruction: Reconstruction::Bernoulli,
        dimensions: 5,
        known_dimensions: dsprites_dimensions,
        decoder: dsprites_decoder,
        encoder: |_| Vec::new(),
        batch: 128,
        learning_rate: 5e-4,
        iterations: 100_000,
        paper_squared_error: 8.90,
    },
    Recipe {
        name: "sinelines-ae5",
        title: "Sinelines, autoencoder, 5 dimensions",
        objective: Objective::Autoencoder,
        paper_squared_error: 0.59,
        ..SINELINES
    },
    Recipe {
        name: "sinelines-vae5",
        title: "Sinelines, variational autoencoder, 5 dimensions",
        objective: Objective::Variational,
        paper_squared_error: 3.28,
        ..SINELINES
    },
];

const SINELINES: Recipe = Recipe {
    name: "",
    title: "",
    task: sinelines_task,
    objective: Objective::Autoencoder,
    reconstruction: Reconstruction::SquaredError,
    dimensions: 5,
    known_dimensions: || None,
    decoder: |dimensions| perceptron("decoder", dimensions, sinelines::POINTS),
    encoder: |outputs| perceptron("encoder", sinelines::POINTS, outputs),
    batch: 128,
    learning_rate: 1e-3,
    iterations: 100_000,
    paper_squared_error: 0.0,
};

impl Recipe {
    /// The recipe of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    /// The loss in words, as a card has it.
    #[must_use]
    pub fn loss(&self) -> String {
        let reconstruction = match self.reconstruction {
            Reconstruction::SquaredError => "squared error, summed over the instance",
            Reconstruction::Bernoulli => "Bernoulli cross-entropy, summed over the instance",
        };
        match self.objective {
            Objective::Variational => format!("{reconstruction}, plus KL divergence from N(0, I)"),
            Objective::Autoencoder => reconstruction.to_owned(),
            Objective::GroundTruth => {
                format!("{reconstruction}; decoder alone, on the true factors")
            }
        }
    }
}

fn relu() -> Layer {
    Layer::Activation {
        function: Activation::Relu,
    }
}

fn dense(name: String, inputs: usize, outputs: usize) -> Layer {
    Layer::Dense {
        name,
        inputs,
        outputs,
    }
}

/// Two hidden layers of 256 and a linear output.
fn perceptron(prefix: &str, inputs: usize, outputs: usize) -> Vec<Layer> {
    const HIDDEN: usize = 256;
    vec![
        dense(format!("{prefix}.dense1"), inputs, HIDDEN),
        relu(),
        dense(format!("{prefix}.dense2"), HIDDEN, HIDDEN),
        relu(),
        dense(format!("{prefix}.dense3"), HIDDEN, outputs),
    ]
}

/// The decoder of Burgess et al. (2018).
fn dsprites_decoder(dimensions: usize) -> Vec<Layer> {
    const MAPS: usize = 32;
    let up = |index: usize, outputs: usize| Layer::ConvTranspose {
        name: format!("decoder.up{index}"),
        inputs: MAPS,
        outputs,
        kernel: 4,
        stride: 2,
        padding: Padding::all(1),
    };
    vec![
        dense("decoder.dense1".to_owned(), dimensions, 256),
        relu(),
        dense("decoder.dense2".to_owned(), 256, 16 * MAPS),
        relu(),
        Layer::Reshape {
            channels: MAPS,
            height: 4,
            width: 4,
            channels_last: false,
        },
        up(1, MAPS),
        relu(),
        up(2, MAPS),
        relu(),
        up(3, MAPS),
        relu(),
        up(4, 1),
        Layer::Activation {
            function: Activation::Sigmoid,
        },
    ]
}

fn dsprites_dimensions() -> Option<Vec<Dimension>> {
    Some(
        dsprites::RANGES
            .iter()
            .map(|&(min, max)| Dimension::Continuous {
                min,
                max,
                step: DEFAULT_STEP,
            })
            .collect(),
    )
}

fn dsprites_task() -> Task {
    Task {
        name: "dSprites, rendered",
        dataset: Box::new(DSprites),
        shape: InstanceShape::Image {
            height: dsprites::SIDE,
            width: dsprites::SIDE,
            channels: 1,
        },
        display: Display {
            arrangement: Arrangement::Overlaid,
            binarise_at: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.1,
        skip_after_s: 30.0,
    }
}

fn sinelines_task() -> Task {
    // Far more than any network here can learn by heart.
    const ROWS: usize = 500_000;
    Task {
        name: "Sinelines",
        dataset: Box::new(Sinelines::new(ROWS)),
        shape: InstanceShape::Series {
            points: sinelines::POINTS,
        },
        display: Display {
            arrangement: Arrangement::Overlaid,
            binarise_at: None,
            series: Some(SeriesDisplay {
                x_start: sinelines::X_START,
                x_step: sinelines::X_STEP,
                y_min: -10.0,
                y_max: 10.0,
                guide_at: Some(0.0),
                target_band: Some(0.5),
            }),
        },
        distance: Distance::Jaccard { tolerance: 0.5 },
        threshold: 0.1,
        skip_after_s: 30.0,
    }
}
