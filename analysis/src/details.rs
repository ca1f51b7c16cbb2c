//! Results that figures and tables show beside the tests: ends of learning, single dimensions,
//! ratings, labels, paths, and how far people came.

mod dial_use;
mod dimensions;
mod funnel;
mod halves;
mod incidence;
mod labels;
mod naming;
mod paths;
mod ratings;

use measures::statistics::describe;
use serde::Serialize;

pub use dial_use::DialUseRow;
pub use dimensions::DimensionRow;
pub use funnel::FunnelStep;
pub use halves::HalvesRow;
pub use incidence::IncidenceRow;
pub use labels::LabelRow;
pub use naming::{
    ConceptNames, NamingDifference, NamingOmnibus, NamingResults, NamingRow, NamingScore,
    TermAgreement, TermCounts,
};
pub use paths::{DistanceOverTime, TypicalPath};
pub use ratings::{RatingModel, RatingRow};

pub(crate) use dial_use::dial_use;
pub(crate) use dimensions::dimensions;
pub(crate) use funnel::funnel;
pub(crate) use halves::halves;
pub(crate) use incidence::incidence_row;
pub(crate) use labels::labels;
pub(crate) use naming::{Bundle, Gathered, Sampling, difference as naming_difference, naming};
pub(crate) use paths::{over_time, typical};
pub(crate) use ratings::{rating_models, ratings};

use crate::model::Cases;

/// One condition of a comparison, with everybody's stages in it.
#[derive(Clone, Copy)]
pub(crate) struct ConditionCases<'a> {
    pub comparison: &'a str,
    pub condition: &'a str,
    /// Which of the comparison's conditions it is.
    pub index: usize,
    pub cases: &'a Cases<'a>,
    /// Each person's number among all who started.
    pub numbers: &'a [usize],
}

impl<'a> ConditionCases<'a> {
    /// The stages of each person who was to do the condition, with the person's number.
    fn people(&self) -> impl Iterator<Item = (usize, &'a [&'a crate::person::StageData])> {
        let index = self.index;
        let people = self.numbers.iter().zip(self.cases);
        people
            .map(move |(number, conditions)| (*number, conditions[index].as_slice()))
            .filter(|(_, stages)| !stages.is_empty())
    }
}

/// A mean over people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanOfPeople {
    /// People.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard deviation, divisor n.
    pub sd_population: f64,
    /// Standard error: standard deviation with divisor n − 1, over √n; absent for one person.
    pub standard_error: Option<f64>,
}

impl MeanOfPeople {
    /// Of some values, one a person; `None` without any, or with one that is not finite.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let found = describe(values).ok()?;
        let root = (found.n as f64).sqrt();
        Some(Self {
            n: found.n,
            mean: found.mean,
            sd_population: found.sd_population,
            standard_error: found.sd_sample.map(|sd| sd / root),
        })
    }
}
