//! `redial analyze`: a study's numbers, from its logs.

use std::collections::BTreeMap;

use analysis::{Analysis, PEOPLE_WITH_PATHS, Person, analyse};
use domain::study::AnalysisPlan;
use serde_json::Value;

use crate::export::{ReplayedSessions, Standing, Visited};
use crate::storage::{self, Archive, Problem};

/// A study's numbers.
#[derive(Debug, Clone, serde::Serialize)]
pub struct StudyAnalysis {
    /// Number of sessions that were started.
    pub started: usize,
    /// Number of them that are complete.
    pub complete: usize,
    /// Number of them that are left out, because something in them cannot be read.
    pub damaged: usize,
    /// Number of sessions that are no participant's: pilots, previews, simulations.
    pub no_data: usize,
    /// What cannot be read.
    pub problems: Vec<Problem>,
    /// An analysis of each version of the study, by the version's hash: sessions of
    /// different versions are not put together.
    pub versions: Vec<Analysis>,
}

/// Works out a study's numbers from its logs.
///
/// # Errors
/// When the database fails. Damage to single sessions is told in [`StudyAnalysis::problems`].
pub async fn study_analysis(archive: &dyn Archive, study: &str) -> storage::Result<StudyAnalysis> {
    let mut sessions = ReplayedSessions::open(archive, study).await?;
    let mut problems = Vec::from_iter(sessions.unlisted());
    let (mut started, mut damaged, mut complete, mut no_data) = (0, 0, 0, 0);
    let mut versions: BTreeMap<String, Vec<Person>> = BTreeMap::new();
    while let Some(visited) = sessions.next().await? {
        started += 1;
        match visited {
            Visited::Whole(replayed) => {
                let standing = replayed.standing();
                if standing == Standing::NoData {
                    started -= 1;
                    no_data += 1;
                    continue;
                }
                let mut person = Person::of(&replayed.session);
                person.excluded = standing == Standing::Excluded;
                person.over_quota = standing == Standing::OverQuota;
                complete += usize::from(person.complete);
                let version = versions.entry(person.study_sha256.clone()).or_default();
                if version.len() < PEOPLE_WITH_PATHS {
                    let envelopes = replayed.events.iter().map(|event| &event.envelope);
                    person.add_paths(&replayed.session, envelopes);
                }
                version.push(person);
            }
            Visited::Damaged(session) => {
                damaged += 1;
                problems.extend(session.problems);
            }
        }
    }
    let (definitions, of_definitions) = sessions.definitions().await?;
    problems.extend(of_definitions);
    let mut analyses = Vec::new();
    for (sha256, people) in versions {
        let definition = definitions.iter().find(|(hash, _)| *hash == sha256);
        let plan = definition.map_or(Ok(None), |(_, bytes)| plan_of(bytes));
        let plan = plan.unwrap_or_else(|why| {
            problems.push(Problem::general(
                format!("analysis plan of study file {sha256}"),
                why.to_string(),
            ));
            None
        });
        analyses.push(analyse(people, &sha256, plan));
    }
    Ok(StudyAnalysis {
        started,
        complete,
        damaged,
        no_data,
        problems,
        versions: analyses,
    })
}

/// The plan in a study file, if it declares one.
fn plan_of(bytes: &[u8]) -> serde_json::Result<Option<AnalysisPlan>> {
    let study: Value = serde_json::from_slice(bytes)?;
    match study.get("analysis") {
        None | Some(Value::Null) => Ok(None),
        Some(plan) => serde_json::from_value(plan.clone()).map(Some),
    }
}

impl StudyAnalysis {
    /// Everything, to be read at a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{} sessions started, {} complete",
            self.started, self.complete
        );
        if self.damaged > 0 {
            text += &format!(", {} damaged and left out", self.damaged);
        }
        if self.no_data > 0 {
            text += &format!(
                ", {} pilots, previews or simulations left out",
                self.no_data
            );
        }
        text += ".\n";
        for version in &self.versions {
            text.push('\n');
            text += &version.to_text();
        }
        text
    }
}
