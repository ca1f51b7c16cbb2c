//! `redial verify`: every session of a study.

use std::collections::{BTreeMap, BTreeSet};

use domain::session::event::Author;
use domain::verify::{Contradiction, Depth, VerificationReport};

use super::Verifier;
use crate::export::{ReplayedSessions, SessionSelection, Visited, Watch};
use crate::storage::{Archive, Problem, Result};

/// The findings in one session.
#[derive(Debug, Clone, serde::Serialize)]
pub struct SessionReport {
    /// The session.
    pub session: String,
    /// Number of the session within its study, from 1.
    pub ordinal: u64,
    /// The findings.
    #[serde(flatten)]
    pub report: VerificationReport,
    /// When the event of each contradiction was, in milliseconds since the session's start; none where it is no
    /// event's fault.
    #[serde(skip)]
    pub moments_ms: Vec<Option<u64>>,
}

/// The findings in a study.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct StudyVerification {
    /// The sessions, in order of their ordinals.
    pub sessions: Vec<SessionReport>,
    /// The records that cannot be read; nothing of these sessions was verified.
    pub problems: Vec<Problem>,
}

impl StudyVerification {
    /// Sessions whose numbers do not follow from their inputs.
    pub fn contradicting(&self) -> impl Iterator<Item = &SessionReport> {
        let sessions = self.sessions.iter();
        sessions.filter(|session| !session.report.contradictions.is_empty())
    }

    /// Everything, to be read at a terminal: of each session the first contradiction, and how
    /// many there are.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut missing = BTreeSet::new();
        let (mut questions, mut decoded) = (0, 0);
        for SessionReport {
            session,
            ordinal,
            report,
            ..
        } in &self.sessions
        {
            questions += report.questions;
            decoded += report.decoded;
            missing.extend(&report.missing);
            if let Some(first) = report.contradictions.first() {
                let others = others(&report.contradictions);
                text += &format!("session {ordinal} ({session}): {first}{others}\n");
            }
        }
        text += &format!(
            "Sessions: {}. Questions: {questions}. Pictures decoded again: {decoded}.\n",
            self.sessions.len()
        );
        text += &match self.contradicting().count() {
            0 => "No number contradicts its inputs.\n".to_owned(),
            count => {
                format!("Sessions with numbers that do not follow from their inputs: {count}.\n")
            }
        };
        for what in missing {
            text += &format!("Not verified, since it is not stored: {what}.\n");
        }
        text
    }
}

fn others(contradictions: &[Contradiction]) -> String {
    match contradictions.len() {
        0 | 1 => String::new(),
        2 => " (and one more)".into(),
        count => format!(" (and {} more)", count - 1),
    }
}

/// Decodes again all that the pages of a study reported.
///
/// # Errors
/// When the database fails. Damage to single sessions is told in
/// [`StudyVerification::problems`].
pub async fn study_verification(archive: &dyn Archive, study: &str) -> Result<StudyVerification> {
    study_verification_watched(archive, study, SessionSelection::All, &|_, _| {}).await
}

/// [`study_verification`] of some sessions, which tells `watch` how far it is.
///
/// # Errors
/// As [`study_verification`].
pub async fn study_verification_watched(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
    watch: Watch<'_>,
) -> Result<StudyVerification> {
    let mut sessions = ReplayedSessions::open(archive, study, whose).await?;
    let listed = sessions.left() as u64;
    watch(0, listed);
    let mut found = StudyVerification {
        problems: Vec::from_iter(sessions.unlisted()),
        ..StudyVerification::default()
    };
    let mut verifier = Verifier::default();
    while let Some(visited) = sessions.next().await? {
        let replayed = match visited {
            Visited::Whole(replayed) => replayed,
            Visited::Damaged(damaged) => {
                found.problems.extend(damaged.problems);
                continue;
            }
        };
        let log = sessions.envelopes().await?;
        let of_page = log.iter().filter(|it| it.author == Author::Participant);
        let times: BTreeMap<u64, u64> = of_page.map(|it| (it.seq, it.at_ms)).collect();
        let report = verifier
            .session(archive, &replayed.stored, log, Depth::All)
            .await?;
        found.sessions.push(SessionReport {
            session: replayed.stored.id.to_string(),
            ordinal: replayed.stored.ordinal,
            moments_ms: moments(&report, &times),
            report,
        });
        watch(listed - sessions.left() as u64, listed);
    }
    Ok(found)
}

fn moments(report: &VerificationReport, times: &BTreeMap<u64, u64>) -> Vec<Option<u64>> {
    let found = report.contradictions.iter();
    found.map(|it| times.get(&it.seq?).copied()).collect()
}
