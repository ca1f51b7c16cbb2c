//! An analysis as figures: those of Ross et al. (2021), for any study.
//!
//! Each figure is drawn once, as SVG, at the width of a page and at that of a phone; PNG and
//! PDF are made of that SVG by resvg and krilla. Letters are those of `DejaVu` Sans Condensed,
//! which come along. Every figure has its data as a table and a caption that says of how many
//! people it is and by which test.
//!
//! Deliberately absent: files, which the program writes; fonts of the machine, so that a figure looks
//! the same everywhere; statistics, which are those of `analysis`.

mod axis;
mod boxes;
mod canvas;
mod correct;
mod dials;
mod differences;
mod estimation;
mod figure;
mod flow;
mod funnel;
mod halves;
mod histograms;
mod incidence;
mod ink;
mod layout;
mod letters;
mod measured;
mod models_compared;
mod mutual_information;
mod naming;
mod over_time;
mod pictures;
mod ratings;
mod tuning;

use analysis::{Analysis, MetricComparison, ModelCard, Population, Sample};
use domain::study::Metric;

pub use canvas::PersonLink;
pub use figure::{Figure, RenderError};
pub use histograms::{HistogramPanel, histograms};
pub use ink::dark_style;
pub use measured::{CurvePanel, Matrix, curves, heat_maps};
pub use models_compared::models_compared;
pub use pictures::{GreyPicture, PictureRow, pictures};
pub use tuning::tuning;

/// All figures of an analysis, of the people who are included. `cards` are those of the
/// models that are at hand.
#[must_use]
pub fn figures(analysis: &Analysis, cards: &[ModelCard]) -> Vec<Figure> {
    let sample = analysis.sample(Population::Included);
    let mut all = Vec::new();
    all.extend(flow::figure(analysis));
    all.extend(funnel::figure(analysis));
    for name in comparisons(sample) {
        let of = Of {
            analysis,
            sample,
            name: &name,
        };
        all.extend(boxes::figure(of));
        all.extend(estimation::figure(of));
        all.extend(differences::figure(of));
        all.extend(correct::figure(of));
        all.extend(ratings::figure(of));
        all.extend(halves::figure(of));
        all.extend(incidence::figure(of));
        all.extend(over_time::figure(of));
        all.extend(dials::figure(of));
    }
    all.extend(naming::figures(sample));
    all.extend(mutual_information::figure(sample, cards));
    for figure in &mut all {
        figure.caption = analysis.caption(&figure.caption);
        figure.data.caption.clone_from(&figure.caption);
    }
    all
}

/// One comparison of an analysis.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    analysis: &'a Analysis,
    sample: &'a Sample,
    /// The comparison.
    name: &'a str,
}

impl<'a> Of<'a> {
    /// The metrics that figures show, in the analysis's order: as tables do.
    fn metrics(self) -> Vec<&'a MetricComparison> {
        let all = self.sample.comparisons.iter();
        all.filter(|c| c.name == self.name && self.sample.shows(c.metric))
            .collect()
    }

    /// Those of a list that are about this comparison.
    fn rows<T>(self, all: &'a [T], comparison: impl Fn(&T) -> &str) -> Vec<&'a T> {
        let all = all.iter();
        all.filter(|row| comparison(row) == self.name).collect()
    }

    /// The conditions.
    fn conditions(self) -> Vec<&'a str> {
        let first = self.sample.comparisons.iter().find(|c| c.name == self.name);
        let rows = first.map(|c| c.conditions.as_slice()).unwrap_or_default();
        rows.iter().map(|row| row.condition.as_str()).collect()
    }

    /// The conditions' names for readers.
    fn names(self) -> Vec<String> {
        self.analysis.names_of(&self.conditions())
    }

    /// The names for readers of the rows' conditions.
    fn names_of<T>(self, rows: &[&T], condition: impl Fn(&T) -> &str) -> Vec<String> {
        let conditions: Vec<&str> = rows.iter().map(|row| condition(row)).collect();
        self.analysis.names_of(&conditions)
    }

    /// Which of the conditions, from 0.
    fn place(self, condition: &str) -> usize {
        let conditions = self.conditions();
        conditions.iter().position(|c| *c == condition).unwrap_or(0)
    }

    /// A name of files: `kind-comparison`.
    fn file(self, kind: &str) -> String {
        format!("{kind}-{}", analysis::table::file_name(self.name))
    }
}

/// Names of the comparisons, each once.
fn comparisons(sample: &Sample) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for comparison in &sample.comparisons {
        if !names.contains(&comparison.name) {
            names.push(comparison.name.clone());
        }
    }
    names
}

/// How many there are, in words: `12`, or `10 to 12` where rows differ.
pub(crate) fn between_them(counts: impl Iterator<Item = usize> + Clone) -> Option<String> {
    let (fewest, most) = (counts.clone().min()?, counts.max()?);
    Some(if fewest == most {
        most.to_string()
    } else {
        format!("{fewest} to {most}")
    })
}

/// The divisor of a metric's numbers where people read them.
pub(crate) fn divisor(comparison: &MetricComparison) -> f64 {
    let means = comparison.conditions.iter();
    analysis::tables::divisor(means.filter_map(|row| Some(row.description.defined()?.mean)))
}

/// The lowest and the highest value that a metric can have, where both are known.
pub(crate) fn bounds(metric: Metric) -> Option<(f64, f64)> {
    match metric {
        Metric::CompletionRate
        | Metric::CompletionRateWithCut
        | Metric::CorrectRate
        | Metric::NamingRate => Some((0.0, 1.0)),
        Metric::MonotoneShare => Some((0.0, 1.0)),
        Metric::Score(score) => Some(score.ends().into()),
        Metric::Confidence | Metric::Understanding => Some((1.0, 5.0)),
        _ => None,
    }
}
