//! The data sets as tasks: how a participant sees and compares what models make of them.

use std::path::Path;

use anyhow::Result;
use domain::model::distance::Distance;
use domain::model::latent::{DEFAULT_STEP, Dimension};
use domain::model::{Arrangement, Display, InstanceShape, SeriesDisplay};
use models::card::Card;
use quantise::Gate;

use crate::data::Dataset;
use crate::dsprites::{self, DSprites};
use crate::mnist;
use crate::sinelines::{self, Sinelines};

/// Data a model is trained on, and how a participant sees and compares them.
pub struct TrainingTask {
    /// Name, as a card has it.
    pub name: &'static str,
    /// The rows.
    pub dataset: Box<dyn Dataset>,
    /// Number of held-out rows that a model is measured on, if there are as many.
    pub measured_rows: usize,
    /// How far storing weights in fewer bits may move what they decode.
    pub gate: fn(&Card) -> Gate,
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

/// dSprites; needs no files.
pub(super) fn dsprites(_data: &Path) -> Result<TrainingTask> {
    Ok(TrainingTask {
        name: "dSprites, rendered",
        dataset: Box::new(DSprites),
        measured_rows: 10_000,
        gate: |_| Gate::HALF_BY_DISTANCE,
        shape: InstanceShape::image(dsprites::SIDE, dsprites::SIDE, 1),
        display: Display {
            arrangement: Arrangement::Overlaid,
            binarise_at: None,
            value_range: None,
            series: None,
        },
        distance: Distance::BrayCurtis,
        threshold: 0.1,
        skip_after_s: 30.0,
    })
}

/// The true factors of dSprites as dials.
pub(super) fn dsprites_dimensions() -> Option<Vec<Dimension>> {
    Some(
        dsprites::RANGES
            .iter()
            .map(|&(min, max)| Dimension::continuous(min, max, DEFAULT_STEP))
            .collect(),
    )
}

/// Sinelines; needs no files.
pub(crate) fn sinelines(_data: &Path) -> Result<TrainingTask> {
    // Far more than any network here can learn by heart.
    const ROWS: usize = 500_000;
    Ok(TrainingTask {
        name: "Sinelines",
        dataset: Box::new(Sinelines::new(ROWS)),
        measured_rows: usize::MAX,
        gate: Gate::of,
        shape: InstanceShape::series(sinelines::POINTS, 1),
        display: Display {
            arrangement: Arrangement::Overlaid,
            binarise_at: None,
            value_range: None,
            series: Some(SeriesDisplay {
                x_start: sinelines::X_START,
                x_step: sinelines::X_STEP,
                y_min: -10.0,
                y_max: 10.0,
                curve_ends: Vec::new(),
                guide_at: Some(0.0),
                target_band: Some(0.5.into()),
            }),
        },
        distance: Distance::Jaccard {
            tolerance: 0.5.into(),
        },
        threshold: 0.1,
        skip_after_s: 30.0,
    })
}

/// MNIST, from the folder `mnist` in `data`; fetched if it is not there.
pub(super) fn mnist(data: &Path) -> Result<TrainingTask> {
    Ok(TrainingTask {
        name: "MNIST",
        dataset: Box::new(mnist::fetch::found_or_fetched(&data.join("mnist"))?),
        measured_rows: usize::MAX,
        gate: Gate::of,
        shape: InstanceShape::image(mnist::SIDE, mnist::SIDE, 1),
        display: Display {
            arrangement: Arrangement::Apart,
            binarise_at: Some(0.5),
            value_range: None,
            series: None,
        },
        distance: Distance::Iou { binarise_at: 0.5 },
        threshold: 0.25,
        skip_after_s: 45.0,
    })
}

/// Activations of BotCL's concepts as dials: 0 where a concept is not, 1 where it is.
pub(super) fn concept_dimensions() -> Option<Vec<Dimension>> {
    const CONCEPTS: usize = 20;
    Some(vec![
        Dimension::continuous(0.0, 1.0, DEFAULT_STEP);
        CONCEPTS
    ])
}

/// InfoGAN's codes as dials: a category, and numbers from −1 to 1.
pub(super) fn code_dimensions() -> Option<Vec<Dimension>> {
    const CODES: usize = 5;
    let category = Dimension::Discrete { values: 10 };
    let code = Dimension::continuous(-1.0, 1.0, DEFAULT_STEP);
    Some(
        std::iter::once(category)
            .chain(std::iter::repeat_n(code, CODES))
            .collect(),
    )
}
