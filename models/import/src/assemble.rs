//! From layers, latents and what a study needs to know to the files of a bundle.

use decode::architecture::Architecture;
use decode::weights;
use domain::model::distance::Distance;
use domain::model::{Display, InstanceShape, ModelFacts};
use models::bundle::{BundleFiles, WEIGHTS_FILE, held_out_file};
use models::card::{CARD_FORMAT, Card, MeasuredOn, Provenance};
use models::decoder::DecodeTiming;
use models::dials::percentiles;
use models::sampling::Sampling;

use super::error::ImportError;
use super::exported::ExportedDecoder;
use super::graph::{as_graph, parameters};
use super::latents::Latents;
use super::layout::Layout;
use super::not_finite;
use super::reference::{self, OutputMapping, ReferenceComparison};
use arrays::NumericArray;

/// Largest number of values of an instance: each of up to 1,000 held-out ones is decoded.
const LARGEST_INSTANCE: usize = 1 << 20;
/// What f32 can lose beyond [0, 1].
const ROUNDING: f32 = 1e-6;
/// Latents of which it is seen how near the sliders come to them.
const SNAPPED: usize = 50;
/// Pairs of instances whose distance is looked at.
const PAIRS: usize = 500;

/// What a card says that is in no exported file.
#[derive(Debug, Clone, PartialEq)]
pub struct CardFacts {
    /// Name of the bundle.
    pub name: String,
    /// What people call the model.
    pub title: String,
    /// How instances are shown.
    pub display: Display,
    /// What alignment is measured by.
    pub distance: Distance,
    /// Distance at which a question is solved.
    pub threshold: f64,
    /// Seconds after which a question can be skipped.
    pub skip_after_s: f64,
    /// Where the model comes from.
    pub provenance: Provenance,
}

/// A decoder that gives instances, with held-out latents decoded.
#[derive(Debug, Clone)]
pub struct Decoded {
    card: Card,
    weights: Vec<u8>,
    latents: Latents,
    /// The instances at the latents.
    pub instances: Vec<Vec<f32>>,
    /// Those at the nearest places of the sliders, of the first latents.
    nearest: Vec<Vec<f32>>,
    output: Vec<usize>,
    layout: Layout,
    mapping: OutputMapping,
    timing: DecodeTiming,
}

/// Puts a decoder together and decodes the latents. The card is not complete yet:
/// [`Decoded::files`] needs to know more.
///
/// # Errors
/// When the decoder's values come in an order that no layer can make, are not finite, or
/// leave a picture's [0, 1].
pub fn decode(
    mut exported: ExportedDecoder,
    layout: Layout,
    mapping: OutputMapping,
    latents: Latents,
) -> Result<Decoded, ImportError> {
    if layout.shape.len() > LARGEST_INSTANCE {
        return Err(ImportError::Decoded(format!(
            "an instance has {} values; at most {LARGEST_INSTANCE} are read, as a picture of 1024 by 1024 has: export a decoder of smaller pictures",
            layout.shape.len()
        )));
    }
    match mapping {
        OutputMapping::AsTheyAre | OutputMapping::Unclipped => {}
        OutputMapping::Sigmoid => exported.add_sigmoid()?,
        OutputMapping::Rescaled { black, white } => exported.rescale(black, white)?,
        OutputMapping::Clipped { black, white } => {
            exported.rescale(black, white)?;
            exported.clip()?;
        }
    }
    let output = exported.shape().to_vec();
    let (architecture, tensors) = exported.into_architecture(&layout)?;
    let weights = weights::write(WEIGHTS_FILE, &tensors)?;
    let card = Card {
        format: CARD_FORMAT,
        facts: ModelFacts {
            name: "imported".to_owned(),
            latent: latents.space.clone(),
            shape: layout.shape,
            display: Display {
                arrangement: domain::model::Arrangement::Apart,
                binarise_at: None,
                value_range: None,
                series: matches!(layout.shape, InstanceShape::Series { .. }).then_some(
                    domain::model::SeriesDisplay {
                        x_start: 0.0,
                        x_step: 1.0,
                        y_min: 0.0,
                        y_max: 1.0,
                        curve_ends: Vec::new(),
                        guide_at: None,
                        target_band: None,
                    },
                ),
            },
            distance: Distance::BrayCurtis,
            threshold: 0.0,
            skip_after_s: 0.0,
            weights_sha256: weights::sha256_hex(&weights),
            bundle_sha256: String::new(),
        },
        title: String::new(),
        architecture,
        sampling: Sampling::HeldOut,
        held_out: None,
        percentiles: percentiles(&latents.measured, &latents.space),
        measured: Some(MeasuredOn {
            rows: latents.measured.len(),
            encoder_sha256: None,
        }),
        disentanglement: None,
        categories: None,
        storage: None,
        provenance: Provenance::default(),
    };
    let decoder = models::Decoder::load(&card.decodable(), Some(&weights))?;
    let instances = decoder
        .decode_batch(&latents.wide())
        .map_err(|error| ImportError::Decoded(error.to_string()))?;
    let is_lost = |instance: &Vec<f32>| instance.iter().any(|v| !v.is_finite());
    if let Some(nth) = instances.iter().position(is_lost) {
        let input = latents.space.decoder_input(&latents.wide()[nth]);
        return Err(not_finite::refusal(
            as_graph(&card.architecture, layout.shape.len()).as_ref(),
            &tensors,
            &input.unwrap_or_default(),
            &instances[nth],
            latents.of[nth],
        ));
    }
    let near = latents.wide().into_iter().take(SNAPPED);
    let near = near
        .map(|z| latents.space.snap(&z))
        .collect::<Result<Vec<_>, _>>();
    let near = near.map_err(|error| ImportError::Decoded(error.to_string()))?;
    let nearest = decoder
        .decode_batch(&near)
        .map_err(|error| ImportError::Decoded(error.to_string()))?;
    let timing = DecodeTiming::of(&decoder, &latents.wide()[0])
        .map_err(|error| ImportError::Decoded(error.to_string()))?;
    let decoded = Decoded {
        timing,
        card,
        weights,
        latents,
        instances,
        nearest,
        output,
        layout,
        mapping,
    };
    decoded.check_values()?;
    Ok(decoded)
}

impl Decoded {
    /// The smallest and the largest value decoded.
    #[must_use]
    pub fn ends(&self) -> (f32, f32) {
        let values = self.instances.iter().flatten();
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        })
    }

    /// The smallest and the largest value of a colour or a curve.
    #[must_use]
    pub fn ends_of(&self, channel: usize) -> (f32, f32) {
        let channels = self.layout.shape.channels();
        let values = self
            .instances
            .iter()
            .flat_map(|x| x.iter().skip(channel).step_by(channels));
        values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        })
    }

    /// The smallest and the largest value as the decoder itself gives them, before black and white
    /// became 0 and 1.
    #[must_use]
    pub fn range(&self) -> String {
        let (low, high) = self.ends();
        let [low, high] = [low, high].map(|v| self.mapping.before(f64::from(v)));
        format!("{low:.3} … {high:.3}")
    }

    /// How near the sliders come to nine in ten held-out instances: no threshold below can be
    /// reached with them.
    #[must_use]
    pub fn reachable(&self, distance: &Distance) -> f64 {
        let pairs = self.instances.iter().zip(&self.nearest);
        let found = pairs.filter_map(|(a, b)| distance.between(self.shape(), a, b).ok());
        let mut found: Vec<f64> = found.collect();
        found.sort_by(f64::total_cmp);
        found.get(found.len() * 9 / 10).copied().unwrap_or(0.0)
    }

    /// Whether the values of a picture may lie beyond 0 and 1.
    #[must_use]
    pub fn is_unclipped(&self) -> bool {
        self.mapping == OutputMapping::Unclipped
    }

    /// Whether nearly all values are black or white: shapes, where shades are edges.
    #[must_use]
    pub fn is_black_and_white(&self) -> bool {
        let values = || self.instances.iter().flatten();
        let shades = values().filter(|&&v| v > 0.1 && v < 0.9).count();
        shades.saturating_mul(20) < values().count()
    }

    /// The latents, and how many were left out.
    #[must_use]
    pub fn latents(&self) -> &Latents {
        &self.latents
    }

    /// What the values make.
    #[must_use]
    pub fn shape(&self) -> InstanceShape {
        self.layout.shape
    }

    /// How long a decode takes on this machine, and what runs it.
    #[must_use]
    pub fn timing(&self) -> DecodeTiming {
        self.timing
    }

    /// How it decodes.
    #[must_use]
    pub fn architecture(&self) -> &Architecture {
        &self.card.architecture
    }

    /// Number of weights.
    #[must_use]
    pub fn parameters(&self) -> usize {
        parameters(&self.card.architecture)
    }

    fn check_values(&self) -> Result<(), ImportError> {
        let (low, high) = self.ends();
        let picture = matches!(self.layout.shape, InstanceShape::Image { .. });
        let clipped = picture && !self.is_unclipped();
        if clipped && (low < -ROUNDING || high > 1.0 + ROUNDING) {
            return Err(ImportError::Decoded(format!(
                "the latents decode to {}, and a picture's values are in 0 … 1; if the sigmoid was part of the loss, add --sigmoid; if black is -1 and white 1, --values -1:1 (at 255, --values 0:255); if they go a little beyond these, --clip as well; if the values may be any, as those of a heat map, --unclipped",
                self.range()
            )));
        }
        if self.instances.len() > 1 && self.instances.iter().all(|x| *x == self.instances[0]) {
            return Err(ImportError::Decoded(
                "all latents decode to the same; are they those of this decoder?".to_owned(),
            ));
        }
        Ok(())
    }

    /// Compares what was decoded with the framework's own outputs, a row for each row of
    /// the latents.
    ///
    /// # Errors
    /// When the table's rows are no instances, or too few.
    pub fn compare(&self, outputs: &NumericArray) -> Result<ReferenceComparison, ImportError> {
        let (found, given) = (outputs.rows(), self.latents.given);
        if found != given {
            return Err(ImportError::file(format!(
                "the reference outputs have {found} rows, the latents {given}; they must be of the same instances, row by row"
            )));
        }
        // The outputs may be those before, or those after what was added here.
        let before = self.compared(&self.instances, outputs, self.mapping)?;
        let after = self.compared(&self.instances, outputs, OutputMapping::AsTheyAre)?;
        Ok(if after.largest < before.largest {
            after
        } else {
            before
        })
    }

    /// The option with which outputs fit that do not fit without.
    #[must_use]
    pub fn fitting(&self, outputs: &NumericArray, tolerance: f64) -> Option<&'static str> {
        let rescaled = |black, white| OutputMapping::Rescaled { black, white };
        let options = [
            ("--sigmoid", OutputMapping::Sigmoid),
            ("--values -1:1", rescaled(-1.0, 1.0)),
            ("--values 0:255", rescaled(0.0, 255.0)),
        ];
        let fits = |mapping: OutputMapping| {
            let mapped = |values: &Vec<f32>| -> Vec<f32> {
                let of = |&v: &f32| mapping.of(f64::from(v)) as f32;
                values.iter().map(of).collect()
            };
            let instances: Vec<Vec<f32>> = self.instances.iter().map(mapped).collect();
            let found = self.compared(&instances, outputs, OutputMapping::AsTheyAre);
            found.is_ok_and(|found| found.largest <= tolerance)
        };
        let mut fitting = options.into_iter().filter(|&(_, mapping)| fits(mapping));
        fitting.next().map(|(option, _)| option)
    }

    fn compared(
        &self,
        instances: &[Vec<f32>],
        outputs: &NumericArray,
        mapping: OutputMapping,
    ) -> Result<ReferenceComparison, ImportError> {
        let (of, layout) = (&self.latents.of, &self.layout);
        reference::compare(instances, of, outputs, &self.output, layout, mapping)
    }

    /// The median distance between held-out instances: a threshold has to be well below,
    /// or questions are solved before a dial is turned. `None` for a single instance.
    #[must_use]
    pub fn typical_distance(&self, distance: &Distance) -> Option<f64> {
        let n = self.instances.len();
        // Neighbours may be alike in a file, so each is paired with one far away.
        let pairs = (0..n.min(PAIRS)).map(|i| (i, (i + n / 2) % n));
        let mut found: Vec<f64> = pairs
            .filter(|(a, b)| a != b)
            .filter_map(|(a, b)| {
                distance
                    .between(self.shape(), &self.instances[a], &self.instances[b])
                    .ok()
            })
            .collect();
        found.sort_by(f64::total_cmp);
        found.get(found.len() / 2).copied()
    }

    /// Refuses a distance by which no question could be drawn: one that finds no two held-out
    /// instances further apart than the threshold.
    ///
    /// # Errors
    /// Says what the distance finds.
    pub fn check_distance(&self, distance: &Distance, threshold: f64) -> Result<(), ImportError> {
        let n = self.instances.len();
        let pairs =
            (0..n.min(PAIRS)).flat_map(|a| (1..=8).map(move |k| (a, (a + k * n / 9 + 1) % n)));
        let largest = pairs
            .filter_map(|(a, b)| {
                distance
                    .between(self.shape(), &self.instances[a], &self.instances[b])
                    .ok()
            })
            .fold(0.0, f64::max);
        if domain::model::distance::reaches(largest, threshold) {
            let (low, high) = self.ends();
            return Err(ImportError::Wishes(vec![format!(
                "by this distance no two held-out instances are further apart than {largest:.5}, and questions are solved at {threshold}: none could be asked. The values are {low:.3} … {high:.3}: choose a cut or a tolerance that lies among them, or a lower --threshold"
            )]));
        }
        Ok(())
    }

    /// The bundle's files.
    ///
    /// # Errors
    /// When the bundle would be refused when read, or no question could be asked about it.
    pub fn files(&self, facts: CardFacts) -> Result<BundleFiles, ImportError> {
        self.check_distance(&facts.distance, facts.threshold)?;
        let mut card = self.card.clone();
        card.title = facts.title;
        card.provenance = facts.provenance;
        card.facts.name = facts.name;
        card.facts.display = facts.display;
        card.facts.distance = facts.distance;
        card.facts.threshold = facts.threshold;
        card.facts.skip_after_s = facts.skip_after_s;
        let held_out = held_out_file(&self.latents.rows)?;
        Ok(BundleFiles::new(
            &card,
            Some(self.weights.clone()),
            Some(held_out),
        )?)
    }
}
