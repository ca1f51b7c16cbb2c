//! The power of a study, in words and as JSON.

use std::fmt::Write as _;

use analysis::numbers::given;
use analysis::power::{Assumptions, Power, PowerDesign, Settings};
use domain::study::{ConditionsVary, Metric};
use serde::Serialize;

use crate::output::{Align, aligned};

/// The power of a study, with everything that was assumed.
#[derive(Debug, Clone, Serialize)]
pub struct PowerReport {
    pub(super) study: String,
    pub(super) study_sha256: String,
    pub(super) metric: Metric,
    pub(super) design: PowerDesign,
    pub(super) assumed: Assumptions,
    pub(super) settings: Settings,
    pub(super) wanted: f64,
    pub(super) people_needed: Option<usize>,
    pub(super) powers: Vec<Power>,
    pub(super) from: Option<String>,
    pub(super) declared_people: Option<usize>,
}

const COLUMNS: [(&str, Align); 5] = [
    ("people", Align::Right),
    ("power", Align::Right),
    ("Monte-Carlo SE", Align::Right),
    ("any pair", Align::Right),
    ("one t-test, closed form", Align::Right),
];

impl PowerReport {
    /// Everything, to be read.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Assumptions {
            difference,
            sd,
            within,
        } = self.assumed;
        let each = match self.design.vary {
            ConditionsVary::Within => "people",
            ConditionsVary::Between => "people in each condition",
        };
        let mut text = format!(
            "Power of '{}' to show a difference of {} in {}\n\
             SD between people {}, within people {}; α = {}; {} simulated studies for each number, seed {}.\n\
             The last condition of the first comparison differs from the others; every other declared test \
             has nothing to find, and counts in the correction.\n",
            self.study,
            given(difference),
            self.metric.label(),
            given(sd),
            given(within),
            given(self.settings.alpha),
            self.settings.simulations,
            self.settings.seed,
        );
        if let Some(from) = &self.from {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "Not all of this was given: it comes from {from}.");
        }
        let mut table = vec![COLUMNS.map(|(name, _)| name.to_owned()).to_vec()];
        for power in &self.powers {
            table.push(vec![
                power.people.to_string(),
                format!("{:.3}", power.power),
                format!("{:.3}", power.standard_error),
                format!("{:.3}", power.any_pair),
                power
                    .closed_form
                    .map_or_else(|| "–".to_owned(), |power| format!("{power:.3}")),
            ]);
        }
        text.push('\n');
        text += &aligned(&COLUMNS.map(|(_, align)| align), &table);
        match (self.people_needed, self.powers.as_slice()) {
            (Some(needed), _) => {
                let _ = writeln!(
                    text,
                    "\n{needed} {each} are needed for a power of {}.",
                    self.wanted
                );
            }
            (None, [_]) => {}
            (None, _) => {
                let _ = writeln!(
                    text,
                    "\nNone of these numbers gives a power of {}.",
                    self.wanted
                );
            }
        }
        if let (Some(needed), Some(declared)) = (self.people_needed, self.declared_people) {
            let conditions = match self.design.vary {
                ConditionsVary::Within => 1,
                ConditionsVary::Between => self.design.first(),
            };
            if needed * conditions > declared {
                let _ = writeln!(
                    text,
                    "The study declares {declared} people in all, which is fewer."
                );
            }
        }
        text
    }
}
