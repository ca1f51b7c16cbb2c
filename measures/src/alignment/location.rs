//! Concept location metric (CLM): is a concept active where it is in the image?

use super::order::{Importance, by_importance};
use crate::checks::Checks;
use crate::inputs::{Inputs, Need};
use crate::measure::{Chance, Direction, Measure, Parameter, Score, Settings, Variant};
use crate::outcome::{Flag, Outcome};
use crate::problem::{Checked, Problem};
use crate::upsampling::{Size, bilinear};

/// Whether `pixel` is among the `region` largest of an image's pixels, in reading order; of equal pixels the first
/// ones count. Panics when there is no such pixel.
#[must_use]
pub fn hit(pixels: &[f64], pixel: usize, region: usize) -> bool {
    let value = pixels[pixel];
    let before = pixels[..pixel].iter().filter(|v| **v >= value).count();
    let after = pixels[pixel + 1..].iter().filter(|v| **v > value).count();
    before + after < region
}

/// How many pixels are looked at: ⌊α × pixels / parts⌋.
#[must_use]
pub fn region(image: Size, alpha: f64, parts: f64) -> usize {
    (alpha * image.area() as f64 / parts).floor() as usize
}

/// The counting rule for concepts whose place is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// The first `l` concepts that have a known place count, and images without any are left out.
    LeftOut,
    /// The first `l` concepts count, and one without a known place is a miss.
    Miss,
}

/// The share of hits of one image; none when no place is known and such images are left out.
///
/// `order` has the most important concept first, `hits` says for each concept whether its place was hit, and is
/// none where the place is not known. Panics when a concept has no entry.
#[must_use]
pub fn image_location(
    order: &[usize],
    hits: &[Option<bool>],
    first: usize,
    unknown: Unknown,
) -> Option<f64> {
    let counted: Vec<bool> = match unknown {
        Unknown::LeftOut => order.iter().filter_map(|&c| hits[c]).take(first).collect(),
        Unknown::Miss => {
            let first = order.iter().take(first);
            first.map(|&c| hits[c].unwrap_or(false)).collect()
        }
    };
    let hit = counted.iter().filter(|hit| **hit).count();
    (!counted.is_empty()).then(|| hit as f64 / counted.len() as f64)
}

/// How many concepts are looked at, as in the paper.
const FIRST: [usize; 3] = [1, 3, 5];

/// The concept location metric as a measure.
pub static CLM: Measure = Measure {
    name: "clm",
    title: "Concept location metric (CLM)",
    tells: "Whether the concepts that matter most are active where they are in the image.",
    source: "Aysel et al., Concept-Based XAI: Metrics and Benchmarks, section 3.4; upsampling and average are \
             reconstructed",
    formula: "mean over images of (first l concepts whose middle lies in the ⌊α pixels / parts⌋ most active pixels) \
              / l, for l = 1, 3, 5; maps upsampled bilinearly, concepts ordered by θ û for the predicted class",
    needs: &[
        Need::Codes,
        Need::Weights,
        Need::Predictions,
        Need::Maps,
        Need::Centres,
    ],
    takes: &[],
    parameters: &[
        Parameter {
            name: "height",
            says: "Rows of the images in pixels; 0 for as many as the maps have.",
            default: 0.0,
            range: (0.0, 8192.0),
            whole: true,
            source: "images differ",
        },
        Parameter {
            name: "width",
            says: "Columns of the images in pixels; 0 for as many as the maps have.",
            default: 0.0,
            range: (0.0, 8192.0),
            whole: true,
            source: "images differ",
        },
        Parameter {
            name: "alpha",
            says: "How large the region is: α = 1 looks at 1 / parts of the image.",
            default: 1.0,
            range: (0.0, 1000.0),
            whole: false,
            source: "Aysel et al., section 4.4.2",
        },
        Parameter {
            name: "parts",
            says: "How many parts have a place in an image.",
            default: 12.0,
            range: (1.0, 1000.0),
            whole: true,
            source: "body parts of birds in CUB, Aysel et al., section 4.4.2",
        },
    ],
    variants: &[
        Variant {
            name: "known",
            says: "the first l concepts with a known place; images without any are left out",
        },
        Variant {
            name: "zero-filled",
            says: "the first l concepts; one without a known place is a miss",
        },
    ],
    estimators: &[],
    scores: &[
        score("clm_1", "CLM, l = 1"),
        score("clm_3", "CLM, l = 3"),
        score("clm_5", "CLM, l = 5"),
    ],
    cost: "Images × concepts × pixels.",
    not_for: "Concepts without a place, such as a colour overall. A map that is active everywhere hits by chance.",
    seeded: false,
    compute: measured,
};

const fn score(name: &'static str, title: &'static str) -> Score {
    Score {
        name,
        title,
        direction: Direction::Higher,
        range: (Some(0.0), Some(1.0)),
        chance: Chance::Depends("α / parts"),
    }
}

fn measured(inputs: &Inputs, settings: &Settings) -> Checked<Outcome> {
    let mut checks = Checks::of(settings);
    let arrays = super::order::gathered(inputs, &mut checks);
    let (maps, centres) = (inputs.needed(Need::Maps), inputs.needed(Need::Centres));
    checks.axes(maps, "maps", &[4], "images × concepts × height × width");
    checks.axes(centres, "centres", &[3], "images × concepts × 2");
    for array in [(maps, "maps"), (centres, "centres")] {
        checks.rows(array, (arrays.codes, "codes"));
        checks.columns(array, (arrays.codes, "codes"));
    }
    let map = Size {
        height: maps.shape().get(2).copied().unwrap_or(0),
        width: maps.shape().get(3).copied().unwrap_or(0),
    };
    let or = |name, own| match settings.parameter(name) as usize {
        0 => own,
        given => given,
    };
    let image = Size {
        height: or("height", map.height),
        width: or("width", map.width),
    };
    // Of maps without height and width nothing can be said of places.
    let places = if image.height > 0 && image.width > 0 && centres.depth() == 2 {
        checks.found(places(centres, image)).unwrap_or_default()
    } else {
        Vec::new()
    };
    checks.done()?;
    let region = region(
        image,
        settings.parameter("alpha"),
        settings.parameter("parts"),
    );
    let unknown = match settings.variant {
        "zero-filled" => Unknown::Miss,
        _ => Unknown::LeftOut,
    };
    let each: Vec<[Option<f64>; 3]> = (0..maps.rows())
        .map(|row| {
            let predicted = arrays.predicted[row];
            let importance = Importance::Contribution;
            let order = by_importance(arrays.codes, arrays.weights, row, predicted, importance);
            let of_row = &places[row * maps.columns()..][..maps.columns()];
            let counts = |c: &&usize| unknown == Unknown::Miss || of_row[**c].is_some();
            let mut hits = vec![None; maps.columns()];
            // Only these are upsampled: the others are never looked at.
            for &concept in order.iter().filter(counts).take(FIRST[FIRST.len() - 1]) {
                let pixels = || bilinear(maps.at(row, concept), map, image);
                hits[concept] = of_row[concept].map(|pixel| hit(&pixels(), pixel, region));
            }
            settings.progress((row + 1) as f64 / maps.rows() as f64);
            FIRST.map(|first| image_location(&order, &hits, first, unknown))
        })
        .collect();
    Ok(told(&each, maps.columns(), settings))
}

/// How many places outside of their image are named.
const NAMED: usize = 10;

/// The pixel of each concept's middle in each image; none where it is not known.
fn places(centres: &crate::array::Array, image: Size) -> Checked<Vec<Option<usize>>> {
    let mut problems = Vec::new();
    let mut places = Vec::new();
    for row in 0..centres.rows() {
        for column in 0..centres.columns() {
            let &[down, right] = centres.at(row, column) else {
                return Err(vec![Problem::Shape {
                    array: Need::Centres.name(),
                    found: centres.shape().to_vec(),
                    wanted: "images × concepts × 2".to_owned(),
                }]);
            };
            let inside = |value: f64, end: usize| value >= 0.0 && value < end as f64;
            if inside(down, image.height) && inside(right, image.width) {
                places.push(Some(down as usize * image.width + right as usize));
            } else {
                places.push(None);
                if down >= 0.0 && right >= 0.0 {
                    problems.push(Problem::Outside {
                        row,
                        column,
                        at: [down, right],
                        height: image.height,
                        width: image.width,
                    });
                }
            }
        }
    }
    if problems.is_empty() {
        return Ok(places);
    }
    let more = problems.len().saturating_sub(NAMED);
    problems.truncate(NAMED);
    problems.extend((more > 0).then_some(Problem::More {
        array: Need::Centres.name(),
        count: more,
    }));
    Err(problems)
}

fn told(each: &[[Option<f64>; 3]], concepts: usize, settings: &Settings) -> Outcome {
    let mut outcome = Outcome::new(&CLM, settings, each.len());
    for (place, asked) in FIRST.into_iter().enumerate() {
        let score = CLM.scores[place].name;
        let of_place: Vec<Option<f64>> = each.iter().map(|image| image[place]).collect();
        outcome.push_mean(score, &of_place, "images", "no place of a concept is known");
        if asked > concepts {
            let (of, there) = ("concepts", concepts);
            outcome.flags.push(Flag::Fewer { of, asked, there });
        }
    }
    outcome
}
