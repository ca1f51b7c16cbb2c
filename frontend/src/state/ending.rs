//! The content of the last screen, kept when the session's log is no longer.

use domain::recruitment::platform::WayBack;
use domain::session::Session;
use domain::session::event::QuestionRef;
use domain::session::plan::{AtEnd, Mode, SessionPlan};
use domain::task::{Metric, Outcome, QuestionRecord};
use serde::{Deserialize, Deserializer, Serialize};

/// The part of a question's record that the last screen shows. It is kept when the log is no longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownRecord {
    pub(crate) at: QuestionRef,
    /// As the participant counts stages and questions; a stage of practice has no number.
    pub(crate) stage_number: Option<usize>,
    pub(crate) question_number: usize,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) right: Option<bool>,
    pub(crate) response_time_s: f64,
    pub(crate) active_time_s: f64,
    pub(crate) away_s: f64,
    pub(crate) slide_distance: Option<f64>,
    pub(crate) error_auc: Option<f64>,
}

impl ShownRecord {
    fn of(session: &Session, record: &QuestionRecord) -> Self {
        let place = session.place_of(record.at.stage);
        Self {
            stage_number: place.filter(|_| !record.practice).map(|place| place.number),
            question_number: session.number_of(record.at),
            right: record.is_right(),
            slide_distance: record.measures.movement().map(|moved| moved.slide_distance),
            error_auc: record
                .measures
                .metric(Metric::ErrorAuc, record.active_time_s),
            at: record.at,
            outcome: record.outcome,
            response_time_s: record.response_time_s,
            active_time_s: record.active_time_s,
            away_s: record.away_s,
        }
    }
}

/// The content of the last screen beside the code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ending {
    /// How much of the records.
    pub at_end: AtEnd,
    /// In the lab, the next person starts on the same device.
    pub mode: Mode,
    /// How the participant goes back to their platform, if they came from one.
    pub way_back: Option<WayBack>,
    /// Records of the questions, in order; empty where an older version wrote them.
    #[serde(deserialize_with = "readable_records")]
    pub records: Vec<ShownRecord>,
}

impl Ending {
    /// The ending of a session, as its plan asks for it.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let SessionPlan { at_end, mode, .. } = *session.plan();
        let records = match at_end {
            AtEnd::Nothing => Vec::new(),
            AtEnd::Summary | AtEnd::Everything => {
                let records = session.ended();
                records
                    .iter()
                    .map(|record| ShownRecord::of(session, record))
                    .collect()
            }
        };
        Self {
            at_end,
            mode,
            way_back: None,
            records,
        }
    }
}

/// The end of a session is shown even where an older version kept its records in another form.
fn readable_records<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<ShownRecord>, D::Error> {
    let records = Vec::<serde_json::Value>::deserialize(deserializer)?;
    let readable = records.into_iter().map(domain::json::from_tree);
    Ok(readable.collect::<Result<_, _>>().unwrap_or_default())
}
