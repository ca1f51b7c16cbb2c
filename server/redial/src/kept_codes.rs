//! Codes that are kept beside a model, as the arrays that measures take.

use std::borrow::Cow;

use anyhow::{Context as _, ensure};
use import::NumericArray;
use measures::array::Array;
use measures::classes::classes;
use measures::inputs::{Inputs, Need};
use measures::list::reads_values;
use measures::measure::Measure;
use models::bundle::CARD_FILE;
use models::kept_codes::{
    ABOUT_CODES_FILE, AboutCodes, BEFORE_CODES_FILE, CHANGED_CODES_FILE, CHANGED_FACTOR_FILE,
    CODES_FILE, FACTORS_FILE, SMALLEST_DIFFERENCES_FILE, SmallestDifferences,
};
use models::{Bundle, Zoo};

use crate::config::Config;

/// Codes of a model, and what is true of the same rows.
pub struct KeptCodes {
    /// The description of the codes.
    pub about: AboutCodes,
    /// Which differences of scores from them mean anything; none where that was not kept.
    pub smallest: Option<SmallestDifferences>,
    codes: Array,
    factors: Array,
    /// Codes before and after one factor changed, and the factor; none where pairs were not kept.
    pairs: Option<[Array; 3]>,
}

impl KeptCodes {
    /// Those of a model: from its folder among the models of the settings, else those that ship. None where none were
    /// kept.
    ///
    /// # Errors
    /// When a file cannot be read, they are of other weights, or rows and columns do not agree.
    pub fn of(config: &Config, bundle: &Bundle) -> anyhow::Result<Option<Self>> {
        let Some(about) = file(config, bundle, ABOUT_CODES_FILE)? else {
            return Ok(None);
        };
        let name = bundle.name();
        let about: AboutCodes = serde_json::from_slice(&about)
            .with_context(|| format!("{name}: {ABOUT_CODES_FILE}"))?;
        ensure!(
            about.is_of(bundle.card()),
            "{name}: {CODES_FILE} is of other weights than the model has now; make it again with `training codes {name}`"
        );
        let array = |file_name: &str| -> anyhow::Result<Array> {
            let place = format!("{name}: {file_name}");
            let bytes = file(config, bundle, file_name)?
                .with_context(|| format!("{place} is not there, and {ABOUT_CODES_FILE} is"))?;
            let NumericArray { shape, values } = NumericArray::read(&place, &bytes)?;
            Array::new(shape, values).with_context(|| format!("{place}: it holds no numbers"))
        };
        let (codes, factors) = (array(CODES_FILE)?, array(FACTORS_FILE)?);
        ensure!(
            codes.rows() == about.rows
                && factors.rows() == about.rows
                && factors.columns() == about.factors.len(),
            "{name}: {ABOUT_CODES_FILE} says {} rows and {} factors, but {CODES_FILE} has {} rows, and {FACTORS_FILE} {} \
             rows and {} columns",
            about.rows,
            about.factors.len(),
            codes.rows(),
            factors.rows(),
            factors.columns()
        );
        let smallest = smallest(config, bundle, &about)?;
        let pairs = if file(config, bundle, CHANGED_CODES_FILE)?.is_some() {
            let (before, after) = (array(BEFORE_CODES_FILE)?, array(CHANGED_CODES_FILE)?);
            Some([before, after, array(CHANGED_FACTOR_FILE)?])
        } else {
            None
        };
        Ok(Some(Self {
            about,
            smallest,
            codes,
            factors,
            pairs,
        }))
    }

    /// Whether codes before and after a change are kept.
    pub fn has_pairs(&self) -> bool {
        self.pairs.is_some()
    }

    /// The inputs of a measure, over the first `most` rows: codes; as labels the true factors where the
    /// measure reads numbers, else the classes that they fall into; the class of each row, where one is known.
    /// A measure of changes is computed from pairs that differ in one factor, all of them.
    pub fn inputs(&self, measure: &Measure, most: usize) -> Inputs<'static> {
        if measure.needs.contains(&Need::ChangedCodes) {
            let Some([before, after, factor]) = self.pairs.clone() else {
                return Inputs::default();
            };
            return Inputs::default()
                .with(Need::Codes, before)
                .with(Need::ChangedCodes, after)
                .with(Need::ChangedFactor, factor);
        }
        let rows: Vec<usize> = (0..self.about.rows.min(most)).collect();
        let factors = self.factors.pick(&rows);
        let of_classes = classes(&factors);
        let mut inputs = Inputs::default().with(Need::Codes, self.codes.pick(&rows));
        if let Some(column) = self.about.task_column() {
            let task = Array::new(vec![rows.len()], of_classes.column(column));
            if let Some(task) = task {
                inputs = inputs.with(Need::Task, task);
            }
        }
        let labels = if reads_values(measure) {
            factors
        } else {
            of_classes
        };
        inputs.with(Need::Labels, labels)
    }
}

/// The smallest differences that are kept beside codes; none where they are not, or are of other codes than there are now.
fn smallest(
    config: &Config,
    bundle: &Bundle,
    about: &AboutCodes,
) -> anyhow::Result<Option<SmallestDifferences>> {
    let Some(bytes) = file(config, bundle, SMALLEST_DIFFERENCES_FILE)? else {
        return Ok(None);
    };
    let found: SmallestDifferences = serde_json::from_slice(&bytes)
        .with_context(|| format!("{}: {SMALLEST_DIFFERENCES_FILE}", bundle.name()))?;
    Ok(Some(found).filter(|found| found.is_of(about)))
}

/// A file beside a bundle; none where it is not there.
fn file(
    config: &Config,
    bundle: &Bundle,
    name: &str,
) -> anyhow::Result<Option<Cow<'static, [u8]>>> {
    let folder = config.models.as_ref().map(|it| it.join(bundle.name()));
    let Some(folder) = folder.filter(|folder| folder.join(CARD_FILE).is_file()) else {
        return Ok(Zoo::shipped_file(&format!("{}/{name}", bundle.name())));
    };
    let path = folder.join(name);
    if !path.exists() {
        return Ok(None);
    }
    let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
    Ok(Some(Cow::Owned(bytes)))
}
