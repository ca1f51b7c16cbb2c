//! The settings of what the experimenter of a lab session has at hand.

use serde_json::Value;

use super::{Problems, part};
use crate::session::event::MAX_MARK;
use crate::session::lab::{LabSettings, MAX_DAYS, MAX_MARKS};
use crate::session::plan::Mode;

pub(super) fn check(study: &Value, out: &mut Problems) {
    let Some(lab) = part::<LabSettings>(study.get("lab")) else {
        return;
    };
    if part::<Mode>(study.get("mode")) != Some(Mode::Lab) {
        out.add(
            "lab",
            "settings of lab sessions in a study that has none",
            "\"mode\": \"lab\", or no 'lab'",
        );
    }
    if lab.marks.len() > MAX_MARKS {
        out.add(
            "lab.marks",
            format!("{} marks", lab.marks.len()),
            "at most 9: one for each of the keys 1 to 9",
        );
    }
    if let Some(recording) = lab.recording
        && !(1..=MAX_DAYS).contains(&recording.delete_after_days)
    {
        out.add(
            "lab.recording.delete_after_days",
            recording.delete_after_days.to_string(),
            "1 to 3650 days",
        );
    }
    for (index, mark) in lab.marks.iter().enumerate() {
        let place = format!("lab.marks[{index}]");
        if mark.trim().is_empty() || mark.chars().count() > MAX_MARK {
            out.add(place, format!("'{mark}'"), "a name of 1 to 40 characters");
        } else if lab.marks[..index].contains(mark) {
            out.add(place, format!("'{mark}' a second time"), "each mark once");
        }
    }
}
