//! The sessions that an analysis is about, so that a number leads to them.

use api::research::Filter;
use domain::session::event::SessionId;

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionBehind {
    /// Its number within the study, from 1.
    pub ordinal: u64,
    /// Its name.
    pub session: SessionId,
}

/// The sessions of an analysis, by their ordinals.
#[derive(Debug, Clone, Default)]
pub struct SessionsBehind {
    /// Of each version of the study, in the order of the analyses: the session of person 1, 2 and so on.
    pub people: Vec<Vec<SessionBehind>>,
    /// Those that are complete.
    pub complete: Vec<u64>,
    /// Those in which something cannot be read.
    pub damaged: Vec<u64>,
    /// Pilots and previews, which are left out.
    pub no_data: Vec<u64>,
}

impl SessionsBehind {
    /// The session of a person of a version, by the person's number from 1.
    #[must_use]
    pub fn person(&self, version: usize, number: usize) -> Option<&SessionBehind> {
        self.people.get(version)?.get(number.checked_sub(1)?)
    }

    /// The condition that selects some people of a version in the table of sessions; none for nobody.
    #[must_use]
    pub fn of_people(&self, version: usize, numbers: &[usize]) -> Option<String> {
        let people = numbers
            .iter()
            .filter_map(|number| self.person(version, *number));
        Filter::of_ordinals(people.map(|it| it.ordinal))
    }

    /// The condition that selects all who started and are no pilots.
    #[must_use]
    pub fn of_started(&self) -> Option<String> {
        let people = self.people.iter().flatten().map(|it| it.ordinal);
        Filter::of_ordinals(people.chain(self.damaged.iter().copied()))
    }
}
