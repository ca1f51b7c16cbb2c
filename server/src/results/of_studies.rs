//! The kinds of results that the researcher's area shows, each by the function of its command.

use std::sync::Arc;

use analysis::ModelCard;
use domain::recruitment::pay::Pay;

use super::{Answer, Results, StudyMarks, Work, Workplace};
use crate::analysis::{DrawnAnalysis, cards, study_analysis_watched};
use crate::automation::{StudySigns, study_signs_watched};
use crate::catalogue::StudyEntry;
use crate::export::SessionSelection;
use crate::people::{People, people_watched};
use crate::power::{PowerReport, PowerRequest, power_of_study};
use crate::storage::{Archive, Result, Storage};
use crate::verification::{StudyVerification, study_verification_watched};
use crate::zoo::Models;

/// Results of studies.
pub struct StudyResults {
    storage: Arc<dyn Storage>,
    cards: Arc<[ModelCard]>,
    analyses: Arc<Results<DrawnAnalysis>>,
    signs: Arc<Results<StudySigns>>,
    verifications: Arc<Results<StudyVerification>>,
    powers: Arc<Results<PowerReport>>,
    people: Arc<Results<People>>,
}

impl StudyResults {
    /// None yet, over a storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, models: &Models, workplace: &Workplace) -> Self {
        Self {
            storage,
            cards: cards(models).into(),
            analyses: Arc::new(Results::new(workplace.clone())),
            signs: Arc::new(Results::new(workplace.clone())),
            verifications: Arc::new(Results::new(workplace.clone())),
            powers: Arc::new(Results::new(workplace.clone())),
            people: Arc::new(Results::new(workplace.clone())),
        }
    }

    /// Everybody who took part: what `redial platform match` reads of logs. What their platforms call them is left out,
    /// so that nothing here outlives `study participants --forget`. `now` is what the study pays as it is served now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn people(
        &self,
        study: &str,
        now: Option<Pay>,
        since_unix_ms: u64,
    ) -> Result<Answer<People>> {
        let (storage, name) = (self.storage.clone(), study.to_owned());
        let work: Work<People> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = people_watched(&*storage, &name, now, &watch).await;
                let mut found = found.map_err(|error| error.to_string())?;
                for person in &mut found.list {
                    (person.arrival, person.code) = (None, None);
                }
                Ok(found)
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let since = Some(since_unix_ms);
        Ok(self.people.ask(study, "people", marks, since, work).await)
    }

    /// The analysis of a study: what `redial analyze` and `redial report` make.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn analysis(
        &self,
        study: &str,
        whose: SessionSelection,
        since_unix_ms: Option<u64>,
    ) -> Result<Answer<DrawnAnalysis>> {
        let (storage, cards) = (self.storage.clone(), self.cards.clone());
        let name = study.to_owned();
        let work: Work<DrawnAnalysis> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = study_analysis_watched(&*storage, &name, whose, &watch).await;
                let found = found.map_err(|error| error.to_string())?;
                Ok(DrawnAnalysis::new(&name, found, cards))
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let about = whose.name();
        Ok(self
            .analyses
            .ask(study, about, marks, since_unix_ms, work)
            .await)
    }

    /// Signs that scripts took part: what `redial study automation` makes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn signs(
        &self,
        study: &str,
        whose: SessionSelection,
        since_unix_ms: Option<u64>,
    ) -> Result<Answer<StudySigns>> {
        let storage = self.storage.clone();
        let name = study.to_owned();
        let work: Work<StudySigns> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = study_signs_watched(&*storage, &name, whose, &watch).await;
                found.map_err(|error| error.to_string())
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let about = whose.name();
        Ok(self
            .signs
            .ask(study, about, marks, since_unix_ms, work)
            .await)
    }

    /// Everything decoded again: what `redial verify` makes, of some sessions.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn verification(
        &self,
        study: &str,
        whose: SessionSelection,
        since_unix_ms: Option<u64>,
    ) -> Result<Answer<StudyVerification>> {
        let storage = self.storage.clone();
        let name = study.to_owned();
        let work: Work<StudyVerification> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = study_verification_watched(&*storage, &name, whose, &watch).await;
                found.map_err(|error| error.to_string())
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let about = whose.name();
        Ok(self
            .verifications
            .ask(study, about, marks, since_unix_ms, work)
            .await)
    }

    /// The power of a study: what `redial study power` makes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn power(
        &self,
        entry: &Arc<StudyEntry>,
        request: &PowerRequest,
        since_unix_ms: Option<u64>,
    ) -> Result<Answer<PowerReport>> {
        let (storage, entry, asked) = (self.storage.clone(), entry.clone(), request.clone());
        let study = entry.study.id.clone();
        let marks = match request.from {
            Some(_) => StudyMarks::of(&*self.storage, &study).await?,
            None => StudyMarks::of_nobody(),
        };
        let about = format!("{} {request:?}", entry.sha256);
        let work: Work<PowerReport> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let archive: &dyn Archive = &*storage;
                let found = power_of_study(Some(archive), &entry, &asked, &watch).await;
                found.map_err(|error| error.to_string())
            })
        });
        Ok(self
            .powers
            .ask(&study, &about, marks, since_unix_ms, work)
            .await)
    }
}
