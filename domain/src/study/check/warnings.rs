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

/// A part, with its place.
struct Placed<'a> {
    place: String,
    part: &'a Part,
    /// The levels or parts that a person must be or have drawn to get it: a factor with its levels, or a group that
    /// takes one of its parts with that part.
    only_for: Vec<(String, Vec<String>)>,
}

impl Placed<'_> {
    /// Whether nobody gets both.
    fn excludes(&self, other: &Self) -> bool {
        self.only_for.iter().any(|(what, mine)| {
            let theirs = other.only_for.iter().find(|(name, _)| name == what);
            theirs.is_some_and(|(_, theirs)| mine.iter().all(|one| !theirs.contains(one)))
        })
    }
}

/// Every part, groups before what they hold, in the order of the file.
fn placed(study: &Study) -> Vec<Placed<'_>> {
    fn collect<'a>(
        parts: &'a [Part],
        holder: &str,
        only_for: &[(String, Vec<String>)],
        takes_one: bool,
        out: &mut Vec<Placed<'a>>,
    ) {
        for (index, part) in parts.iter().enumerate() {
            let place = joined(holder, &format!("parts[{index}]"));
            let mut only_for = only_for.to_vec();
            if takes_one {
                only_for.push((holder.to_owned(), vec![index.to_string()]));
            }
            if let Part::Group(group) = part {
                only_for.extend(group.only_if.clone());
            }
            out.push(Placed {
                place: place.clone(),
                part,
                only_for: only_for.clone(),
            });
            let Part::Group(group) = part else { continue };
            let takes_one = group.taken() == 1 && group.parts.len() > 1;
            collect(&group.parts, &place, &only_for, takes_one, out);
            for (index, interruptions) in group.interruptions.iter().enumerate() {
                let place = format!("{place}.interruptions[{index}]");
                collect(&interruptions.parts, &place, &only_for, false, out);
            }
        }
    }
    let mut out = Vec::new();
    collect(&study.parts, "", &[], false, &mut out);
    out
}
