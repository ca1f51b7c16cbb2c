//! Which sessions of a study are wanted.

use api::research::ExportOf;
use domain::recruitment::assignment::Purpose;

use super::standing::Standing;
use crate::storage::StoredSession;

/// Whose sessions are wanted. Simulated people are never among real ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionSelection {
    /// Those of people: participants, pilots and previews.
    #[default]
    People,
    /// Those of participants alone, who are paid.
    Participants,
    /// Those of pilots alone.
    Pilots,
    /// Those of simulated people.
    Simulated,
    /// All: to look after the database.
    All,
}

domain::json::named!(SessionSelection: People, Participants, Pilots, Simulated, All);

impl From<ExportOf> for SessionSelection {
    fn from(of: ExportOf) -> Self {
        match of {
            ExportOf::People => Self::People,
            ExportOf::Pilots => Self::Pilots,
            ExportOf::Simulated => Self::Simulated,
        }
    }
}

impl SessionSelection {
    pub(super) fn takes(self, purpose: Purpose) -> bool {
        match self {
            Self::People => purpose != Purpose::Simulated,
            Self::Participants => purpose.counts(),
            Self::Pilots => purpose == Purpose::Pilot,
            Self::Simulated => purpose == Purpose::Simulated,
            Self::All => true,
        }
    }
}

/// Which sessions are wanted: those that everything here is true of.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Whose.
    pub whose: SessionSelection,
    /// Beginnings of the hash of the study file that they were started with, one of which has to
    /// fit; all fit if there is none.
    pub study_versions: Vec<String>,
    /// Started then or later, in milliseconds since 1970.
    pub since_unix_ms: Option<u64>,
    /// Started before then.
    pub before_unix_ms: Option<u64>,
    /// One of these is where they stand; anywhere if there is none.
    pub standings: Vec<Standing>,
}

impl From<SessionSelection> for Selection {
    fn from(whose: SessionSelection) -> Self {
        Self {
            whose,
            ..Self::default()
        }
    }
}

impl Selection {
    /// The beginning of a study file's SHA-256, as [`Selection::study_versions`] takes it.
    ///
    /// # Errors
    /// When it is none: what is expected.
    pub fn version(text: &str) -> Result<String, String> {
        let hex = |c: char| c.is_ascii_hexdigit() && !c.is_ascii_uppercase();
        if (6..=64).contains(&text.len()) && text.chars().all(hex) {
            Ok(text.to_owned())
        } else {
            Err(format!(
                "'{text}' is no study version: 6 to 64 digits 0-9 and a-f are expected"
            ))
        }
    }

    /// Where a session stands, by its name.
    ///
    /// # Errors
    /// When there is none of this name: those that there are.
    pub fn standing(text: &str) -> Result<Standing, String> {
        let names = || Standing::ALL.map(Standing::name).join(", ");
        Standing::of_name(text)
            .ok_or_else(|| format!("'{text}' is no standing; one of {} is expected", names()))
    }

    /// Whether a session can be wanted, as far as its log is not needed to say so.
    pub(super) fn takes_stored(&self, stored: &StoredSession) -> bool {
        let created = stored.created_at_unix_ms;
        let mut versions = self.study_versions.iter();
        (self.study_versions.is_empty()
            || versions.any(|start| stored.study_sha256.starts_with(start)))
            && self.since_unix_ms.is_none_or(|since| since <= created)
            && self.before_unix_ms.is_none_or(|before| created < before)
    }

    /// Whether a session is wanted that [`Selection::takes_stored`], by its purpose and where it stands.
    pub(super) fn takes(&self, purpose: Purpose, standing: Standing) -> bool {
        self.whose.takes(purpose)
            && (self.standings.is_empty() || self.standings.contains(&standing))
    }
}
