//! Warnings about a study that can be used as it is: what its author most likely did not mean.

use super::{CheckContext, StudyWarning, joined};
use crate::study::{Part, Study};

mod course;
mod people;
mod plan;

/// The warnings found so far.
#[derive(Default)]
pub(super) struct Warnings(pub(super) Vec<StudyWarning>);

impl Warnings {
    fn add(&mut self, path: impl Into<String>, said: impl Into<String>) {
        self.0.push(StudyWarning {
            path: path.into(),
            said: said.into(),
        });
    }
}

/// Warnings about a study as a whole; those of its tasks come with their check.
pub(super) fn of_study(study: &Study, context: &dyn CheckContext) -> Vec<StudyWarning> {
    let mut out = Warnings::default();
    people::look(study, context, &mut out);
    course::look(study, &mut out);
    plan::look(study, &mut out);
    out.0
}

/// Every part with its place, groups before what they hold, in the order of the file.
fn placed(study: &Study) -> Vec<(String, &Part)> {
    fn collect<'a>(parts: &'a [Part], holder: &str, out: &mut Vec<(String, &'a Part)>) {
        for (index, part) in parts.iter().enumerate() {
            let place = joined(holder, &format!("parts[{index}]"));
            out.push((place.clone(), part));
            let Part::Group(group) = part else { continue };
            collect(&group.parts, &place, out);
            for (index, interruptions) in group.interruptions.iter().enumerate() {
                let place = format!("{place}.interruptions[{index}]");
                collect(&interruptions.parts, &place, out);
            }
        }
    }
    let mut out = Vec::new();
    collect(&study.parts, "", &mut out);
    out
}
