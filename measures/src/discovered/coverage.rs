//! Coverage of known shapes by discovered concepts (supplement of BotCL, section 3.2).

use super::matching::{Matching, Pairs, associate, completeness, distinctiveness, purity};
use crate::array::Array;
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings, Variant};
use crate::outcome::{Outcome, Table, names};
use crate::problem::Checked;
use crate::upsampling::{Size, bilinear};

/// When a concept covers a shape in an image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cover {
    /// β: a pixel belongs to a concept when its attention is larger.
    pub attention: f64,
    /// γ: a shape is covered when a larger share of its pixels belongs to the concept.
    pub share: f64,
    /// Whether the attention of each map is scaled to 0…1 first, from its smallest to its largest value. A map
    /// that does not reach 10/255, or does not vary, is then empty.
    pub scaled: bool,
}

impl Cover {
    /// As the supplement prints it. The shape is meant to be its whole block of the grid.
    pub const PRINTED: Self = Self {
        attention: 0.2,
        share: 0.9,
        scaled: false,
    };
    /// As the released code has it. The shape is meant to be the pixels that were drawn.
    pub const RELEASED: Self = Self {
        attention: 0.5,
        share: 0.2,
        scaled: true,
    };
    /// The value that a map must reach in the released code: 10 of the 255 steps of a byte.
    const FAINTEST: f64 = 10.0 / 255.0;

    /// Whether a concept covers a shape in one image. `attention` has the size of `shape`, where every number but 0
    /// is inside. A shape without pixels is covered by nothing.
    #[must_use]
    pub fn covers(&self, attention: &[f64], shape: &[f64]) -> bool {
        let (mut inside, mut covered) = (0_u32, 0_u32);
        for (&a, &s) in attention.iter().zip(shape) {
            if s != 0.0 {
                inside += 1;
                covered += u32::from(a > self.attention);
            }
        }
        inside > 0 && f64::from(covered) / f64::from(inside) > self.share
    }

    fn prepared(&self, map: &[f64]) -> Vec<f64> {
        if !self.scaled {
            return map.to_vec();
        }
        let least = map.iter().copied().fold(f64::INFINITY, f64::min);
        let most = map.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if most < Self::FAINTEST || least >= most {
            return vec![0.0; map.len()];
        }
        map.iter().map(|v| (v - least) / (most - least)).collect()
    }
}

/// Counts in how many images each concept covers each shape, image by image, so that no more than one image's maps
/// have to be in memory.
#[derive(Debug, Clone)]
pub struct CoverageCount {
    cover: Cover,
    covered: Vec<Vec<u32>>,
    images_with: Vec<u32>,
}

impl CoverageCount {
    /// No image yet.
    #[must_use]
    pub fn new(cover: Cover, shapes: usize, concepts: usize) -> Self {
        Self {
            cover,
            covered: vec![vec![0; concepts]; shapes],
            images_with: vec![0; shapes],
        }
    }

    /// Adds an image. `maps` are concepts × positions of size `map`, `masks` shapes × pixels of size `image`, 0
    /// outside a shape. Maps are upsampled to the image. A shape without pixels is not in the image.
    pub fn add(&mut self, maps: &[f64], map: Size, masks: &[f64], image: Size) {
        let attention: Vec<Vec<f64>> = maps
            .chunks(map.area())
            .map(|one| bilinear(&self.cover.prepared(one), map, image))
            .collect();
        for (shape, mask) in masks.chunks(image.area()).enumerate() {
            if mask.iter().all(|&pixel| pixel == 0.0) {
                continue;
            }
            self.images_with[shape] += 1;
            for (count, attention) in self.covered[shape].iter_mut().zip(&attention) {
                *count += u32::from(self.cover.covers(attention, mask));
            }
        }
    }

    /// For each shape the share of its images in which each concept covers it; none for a shape in no image.
    #[must_use]
    pub fn coverage(&self) -> Vec<Option<Vec<f64>>> {
        self.covered
            .iter()
            .zip(&self.images_with)
            .map(|(counts, &images)| {
                let share = |&count: &u32| f64::from(count) / f64::from(images);
                (images > 0).then(|| counts.iter().map(share).collect())
            })
            .collect()
    }
}

/// Completeness, purity and distinctiveness as a measure.
pub static SHAPE_COVERAGE: Measure = Measure {
    name: "shape-coverage",
    title: "Completeness, purity, distinctiveness",
    tells: "Whether discovered concepts cover known shapes, each one shape, and each another.",
    source: "BotCL (Wang et al., CVPR 2023), supplement, section 3.2",
    formula: "coverage(s, κ) = share of images with s in which |s ∩ (upsampled attention of κ > β)| / |s| > γ; \
              completeness = mean coverage of matches; purity = mean of coverage / Σ over shapes; distinctiveness = \
              mean over pairs of matched concepts of the mean |coverage difference| over shapes",
    needs: &[Need::Maps, Need::Masks],
    takes: &[],
    parameters: &[
        Parameter {
            name: "beta",
            says: "A pixel belongs to a concept when its attention is above this; `released` has 0.5.",
            default: Cover::PRINTED.attention,
            range: (0.0, 1.0),
            whole: false,
            source: "BotCL, supplement, section 3.2",
        },
        Parameter {
            name: "gamma",
            says: "A shape is covered when a larger share of its pixels is; `released` has 0.2.",
            default: Cover::PRINTED.share,
            range: (0.0, 1.0),
            whole: false,
            source: "BotCL, supplement, section 3.2",
        },
    ],
    variants: &[
        Variant {
            name: "printed",
            says: "each shape has its best concept, and pairs are of different concepts",
        },
        Variant {
            name: "one-to-one",
            says: "no concept serves two shapes: the assignment with the largest sum",
        },
        Variant {
            name: "pairs-of-matches",
            says: "as printed, but a concept that serves two shapes makes a pair with itself, of 0",
        },
        Variant {
            name: "released",
            says: "as printed, with each map scaled to 0…1, β = 0.5 and γ = 0.2, whatever is set",
        },
    ],
    estimators: &[],
    scores: &[
        score(
            "completeness",
            "Completeness",
            "grows with the area that attention covers",
        ),
        score(
            "purity",
            "Purity",
            "1 / shapes when each concept covers all shapes alike",
        ),
        score(
            "distinctiveness",
            "Distinctiveness",
            "0 when all concepts cover the same",
        ),
    ],
    cost: "Images × concepts × shapes × pixels.",
    not_for: "Concepts that are not places in an image. A concept that covers everything is complete: read it \
              beside purity.",
    seeded: false,
    compute: measured,
};

const fn score(name: &'static str, title: &'static str, chance: &'static str) -> Score {
    Score {
        name,
        title,
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends(chance),
    }
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let (maps, masks) = (inputs.needed(Need::Maps), inputs.needed(Need::Masks));
    let mut checks = Checks::of(settings);
    checks.axes(maps, "maps", &[4], "images × concepts × height × width");
    checks.axes(masks, "masks", &[4], "images × shapes × height × width");
    checks.as_many("images", (masks.rows(), "masks"), (maps.rows(), "maps"));
    checks.done()?;

    let cover = if settings.variant == "released" {
        Cover::RELEASED
    } else {
        Cover {
            attention: settings.parameter("beta"),
            share: settings.parameter("gamma"),
            scaled: false,
        }
    };
    let size = |array: &Array| Size {
        height: array.shape()[2],
        width: array.shape()[3],
    };
    let mut count = CoverageCount::new(cover, masks.columns(), maps.columns());
    for image in 0..maps.rows() {
        count.add(maps.row(image), size(maps), masks.row(image), size(masks));
        settings.progress((image + 1) as f64 / maps.rows() as f64);
    }
    Ok(told(&count.coverage(), settings, maps))
}

fn told(coverage: &[Option<Vec<f64>>], settings: &Settings, maps: &Array) -> Outcome {
    let mut outcome = Outcome::new(&SHAPE_COVERAGE, settings, maps.rows());
    let there: Vec<Vec<f64>> = coverage.iter().flatten().cloned().collect();
    let matching = match settings.variant {
        "one-to-one" => Matching::OneToOne,
        _ => Matching::BestPerShape,
    };
    let pairs = match settings.variant {
        "pairs-of-matches" => Pairs::Matches,
        _ => Pairs::DistinctConcepts,
    };
    let association = associate(&there, matching);
    let purity = purity(&there, &association);
    let distinctiveness = distinctiveness(&there, &association, pairs);
    outcome.push("completeness", completeness(&there, &association));
    outcome.push("purity", purity.mean);
    outcome.push("distinctiveness", distinctiveness);
    outcome.left_out(
        "completeness",
        coverage.len() - there.len(),
        "shapes",
        "they are in no image",
    );
    let alone = association
        .iter()
        .filter(|concept| concept.is_none())
        .count();
    outcome.left_out(
        "completeness",
        alone,
        "shapes",
        "there are fewer concepts than shapes",
    );
    outcome.left_out(
        "purity",
        purity.left_out,
        "matches",
        "the concept covers no shape at all",
    );
    if distinctiveness.is_none() {
        outcome.undefined("distinctiveness", "there are no two matched concepts");
    }
    outcome.tables.push(Table {
        title: "Coverage of shapes by concepts",
        columns: names("concept", maps.columns()),
        row_names: names("shape", coverage.len()),
        rows: coverage
            .iter()
            .map(|row| match row {
                Some(row) => row.iter().map(|&v| Some(v)).collect(),
                None => vec![None; maps.columns()],
            })
            .collect(),
    });
    outcome
}
