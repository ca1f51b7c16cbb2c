//! `redial analyze`: a study's numbers, from its logs.

use std::collections::BTreeMap;

use analysis::numbers::counted;
use analysis::{Analysis, ExcludedBy, PEOPLE_WITH_PATHS, Person, analyse};
use domain::study::{AnalysisPlan, StoredDefinition};

use crate::export::{ReplayedSessions, SessionSelection, Standing, Visited, Watch, title};
use crate::storage::{self, Archive, Problem};

mod behind;
mod cards;
mod drawn;
mod folder;
pub mod page;
mod view;

pub use behind::{SessionBehind, SessionsBehind};
pub use cards::cards;
pub use drawn::DrawnAnalysis;
pub use folder::{AnalysisFile, AnalysisFileError, analysis_files, figure_files, table_files};
pub use view::shown_table;

/// A study's numbers.
#[derive(Debug, Clone, serde::Serialize)]
pub struct StudyAnalysis {
    /// The study's title, in its first language; its name where no file of it can be read.
    pub title: String,
    /// Number of sessions that were started.
    pub started: usize,
    /// Number of them that are complete.
    pub complete: usize,
    /// Number of them that are left out, because something in them cannot be read.
    pub damaged: usize,
    /// Number of sessions that are no participant's: pilots and previews.
    pub no_data: usize,
    /// Whether all of this is about simulated people. Then no real person is in it.
    pub simulated: bool,
    /// Number of sessions of the other kind: simulated ones beside people, and the reverse.
    pub of_the_other_kind: usize,
    /// The records that cannot be read.
    pub problems: Vec<Problem>,
    /// An analysis of each version of the study, by the version's hash: sessions of
    /// different versions are not put together.
    pub versions: Vec<Analysis>,
    /// Which sessions all of this is about.
    #[serde(skip)]
    pub behind: SessionsBehind,
}

/// Works out a study's numbers from its logs.
///
/// # Errors
/// When the database fails. Damage to single sessions is told in [`StudyAnalysis::problems`].
pub async fn study_analysis(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
) -> storage::Result<StudyAnalysis> {
    study_analysis_watched(archive, study, whose, &|_, _| {}).await
}

/// [`study_analysis`], which tells `watch` how far it is.
///
/// # Errors
/// As [`study_analysis`].
pub async fn study_analysis_watched(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
    watch: Watch<'_>,
) -> storage::Result<StudyAnalysis> {
    let found = Sessions::read(archive, study, whose, watch).await?;
    let Sessions {
        mut problems,
        mut behind,
        definitions,
        ..
    } = found;
    let mut versions = Vec::new();
    for (sha256, (people, of_people)) in found.versions {
        let plan = plan(&definitions, &sha256).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let mut analysis = analyse(people, &sha256, plan);
        analysis.simulated = whose == SessionSelection::Simulated;
        versions.push(analysis);
        behind.people.push(of_people);
    }
    Ok(StudyAnalysis {
        title: title(study, &definitions),
        started: found.started,
        complete: found.complete,
        damaged: found.damaged,
        no_data: found.no_data,
        simulated: whose == SessionSelection::Simulated,
        of_the_other_kind: found.of_the_other_kind,
        problems,
        versions,
        behind,
    })
}

/// The people of the version that most people took, and its plan or why that cannot be read. `watch` is told how far
/// reading is. Nobody where there is no session; damaged sessions are left out.
///
/// # Errors
/// When the database fails.
pub(crate) async fn people_of_largest_version(
    archive: &dyn Archive,
    study: &str,
    whose: SessionSelection,
    watch: Watch<'_>,
) -> storage::Result<(Vec<Person>, Result<Option<AnalysisPlan>, Problem>)> {
    let found = Sessions::read(archive, study, whose, watch).await?;
    let versions = found.versions.into_iter();
    let largest = versions.max_by_key(|(_, (people, _))| people.len());
    Ok(
        largest.map_or((Vec::new(), Ok(None)), |(sha256, (people, _))| {
            (people, plan(&found.definitions, &sha256))
        }),
    )
}

/// The plan of a version of a study.
fn plan(definitions: &[(String, Vec<u8>)], sha256: &str) -> Result<Option<AnalysisPlan>, Problem> {
    let definition = definitions.iter().find(|(hash, _)| hash == sha256);
    let plan = definition.map_or(Ok(None), |(_, bytes)| {
        StoredDefinition::read(bytes)?.analysis()
    });
    plan.map_err(|why| {
        Problem::general(
            format!("analysis plan of study file {sha256}"),
            why.to_string(),
        )
    })
}

/// The sessions of a study.
#[derive(Default)]
struct Sessions {
    started: usize,
    complete: usize,
    damaged: usize,
    no_data: usize,
    of_the_other_kind: usize,
    problems: Vec<Problem>,
    /// Those whose logs can be read, by the hash of the study's version.
    versions: BTreeMap<String, (Vec<Person>, Vec<SessionBehind>)>,
    behind: SessionsBehind,
    /// Study files by their hashes.
    definitions: Vec<(String, Vec<u8>)>,
}

impl Sessions {
    async fn read(
        archive: &dyn Archive,
        study: &str,
        whose: SessionSelection,
        watch: Watch<'_>,
    ) -> storage::Result<Self> {
        let mut sessions = ReplayedSessions::open(archive, study, whose).await?;
        let mut found = Self {
            problems: Vec::from_iter(sessions.unlisted()),
            ..Self::default()
        };
        let listed = sessions.left() as u64;
        watch(0, listed);
        while let Some(visited) = sessions.next().await? {
            watch(listed - sessions.left() as u64, listed);
            let ordinal = sessions.ordinal().unwrap_or_default();
            found.started += 1;
            match visited {
                Visited::Whole(replayed) => {
                    let standing = replayed.standing();
                    if standing == Standing::NoData && whose != SessionSelection::Pilots {
                        found.started -= 1;
                        found.no_data += 1;
                        found.behind.no_data.push(ordinal);
                        continue;
                    }
                    let mut person = Person::of(&replayed.session);
                    if standing == Standing::Excluded && person.excluded.is_none() {
                        let unmet = replayed.exclusions.iter().flatten();
                        person.excluded = Some(ExcludedBy::Rules {
                            unmet: unmet.map(|rule| rule.rule.to_owned()).collect(),
                        });
                    }
                    person.over_quota = standing == Standing::OverQuota;
                    found.complete += usize::from(person.complete);
                    if person.complete {
                        found.behind.complete.push(ordinal);
                    }
                    let (version, of_version) = found
                        .versions
                        .entry(person.study_sha256.clone())
                        .or_default();
                    of_version.push(SessionBehind {
                        ordinal,
                        session: replayed.stored.id.clone(),
                    });
                    if version.len() < PEOPLE_WITH_PATHS {
                        let envelopes = sessions.envelopes().await?;
                        person.add_paths(&replayed.session, envelopes.iter());
                    }
                    version.push(person);
                }
                Visited::Damaged(session) => {
                    found.damaged += 1;
                    found.behind.damaged.push(ordinal);
                    found.problems.extend(session.problems);
                }
            }
        }
        let (definitions, of_definitions) = sessions.definitions().await?;
        found.definitions = definitions;
        found.problems.extend(of_definitions);
        found.of_the_other_kind = sessions.passed_over();
        // Statistics take a while: meanwhile nothing holds the database's log of changes, or a server that is to stop.
        drop(sessions);
        Ok(found)
    }
}

impl StudyAnalysis {
    /// Every number, not rounded, as JSON.
    ///
    /// # Errors
    /// When a number cannot be written.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Takes out the words that participants typed; whether there were any.
    pub fn hide_typed_words(&mut self) -> bool {
        let mut found = false;
        for version in &mut self.versions {
            found |= version.hide_typed_words();
        }
        found
    }

    /// Everything, to be read at a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        if self.simulated {
            text += "Simulated people: nothing here says anything about real ones.\n";
        }
        text += &format!(
            "{}\n{} started, {} complete",
            self.title,
            counted(self.started, "session", "sessions"),
            self.complete
        );
        if self.damaged > 0 {
            text += &format!(", {} damaged and left out", self.damaged);
        }
        if self.no_data > 0 {
            text += &format!(
                ", {} left out",
                counted(self.no_data, "pilot or preview", "pilots or previews")
            );
        }
        if !self.simulated && self.of_the_other_kind > 0 {
            text += &format!(
                ", {} left out (--simulated shows them)",
                counted(
                    self.of_the_other_kind,
                    "simulated person",
                    "simulated people"
                )
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
