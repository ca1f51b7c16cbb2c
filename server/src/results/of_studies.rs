//! The kinds of results that the researcher's area shows, each by the function of its command.

use std::sync::Arc;

use api::research::{QuestionLines, QuestionsSeen, StudyBalance};
use domain::recruitment::pay::Pay;

use super::{Answer, Calculation, Results, StudyMarks, Workplace};
use crate::analysis::{DrawnAnalysis, cards, study_analysis_watched};
use crate::automation::{StudySigns, study_signs_watched};
use crate::balance::{BalanceRequest, balance_of_study};
use crate::catalogue::StudyEntry;
use crate::export::SessionSelection;
use crate::library::Library;
use crate::people::{People, people_watched};
use crate::power::{PowerReport, PowerRequest, power_of_study};
use crate::questions::{question_lines, questions_seen};
use crate::storage::{Archive, Result, Storage};
use crate::tuning::{TunedStudy, TuningRequest, tuned_study};
use crate::verification::{StudyVerification, study_verification_watched};

/// Results of studies.
pub struct StudyResults {
    storage: Arc<dyn Storage>,
    analyses: Arc<Results<DrawnAnalysis>>,
    signs: Arc<Results<StudySigns>>,
    verifications: Arc<Results<StudyVerification>>,
    powers: Arc<Results<PowerReport>>,
    people: Arc<Results<People>>,
    questions: Arc<Results<QuestionsSeen>>,
    lines: Arc<Results<QuestionLines>>,
    library: Arc<Library>,
    tunings: Arc<Results<TunedStudy>>,
    balances: Arc<Results<StudyBalance>>,
}

impl StudyResults {
    /// None yet, over a storage.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, library: &Arc<Library>, workplace: &Workplace) -> Self {
        Self {
            storage,
            analyses: Arc::new(Results::new(workplace.clone())),
            signs: Arc::new(Results::new(workplace.clone())),
            verifications: Arc::new(Results::new(workplace.clone())),
            powers: Arc::new(Results::new(workplace.clone())),
            people: Arc::new(Results::new(workplace.clone())),
            questions: Arc::new(Results::new(workplace.clone())),
            lines: Arc::new(Results::new(workplace.clone())),
            library: library.clone(),
            tunings: Arc::new(Results::new(workplace.clone())),
            balances: Arc::new(Results::new(workplace.clone())),
        }
    }

    /// Everybody who took part: what `redial platform match` reads of logs. Platforms' names for them are left out, so
    /// that nothing here outlives `study participants --forget`. `now` is what the study pays as it is served now.
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
        let calculation: Calculation<People> = Box::new(move |progress| {
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
        Ok(self
            .people
            .ask(study, "people", marks, since, calculation)
            .await)
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
        let (storage, models) = (self.storage.clone(), self.library.models());
        let name = study.to_owned();
        let calculation: Calculation<DrawnAnalysis> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = study_analysis_watched(&*storage, &name, whose, &watch).await;
                let found = found.map_err(|error| error.to_string())?;
                Ok(DrawnAnalysis::new(&name, found, cards(&models).into()))
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let about = whose.name();
        Ok(self
            .analyses
            .ask(study, about, marks, since_unix_ms, calculation)
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
        let calculation: Calculation<StudySigns> = Box::new(move |progress| {
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
            .ask(study, about, marks, since_unix_ms, calculation)
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
        let calculation: Calculation<StudyVerification> = Box::new(move |progress| {
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
            .ask(study, about, marks, since_unix_ms, calculation)
            .await)
    }

    /// The questions that several sessions have begun.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn questions(
        &self,
        study: &str,
        whose: SessionSelection,
        since_unix_ms: Option<u64>,
    ) -> Result<Answer<QuestionsSeen>> {
        let (storage, name) = (self.storage.clone(), study.to_owned());
        let calculation: Calculation<QuestionsSeen> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = questions_seen(&*storage, &name, whose, &watch).await;
                found.map_err(|error| error.to_string())
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let about = whose.name();
        Ok(self
            .questions
            .ask(study, about, marks, since_unix_ms, calculation)
            .await)
    }

    /// Everybody's alignment over time on a question.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn lines(
        &self,
        study: &str,
        question: &str,
        whose: SessionSelection,
        since_unix_ms: Option<u64>,
    ) -> Result<Answer<QuestionLines>> {
        let (storage, name) = (self.storage.clone(), study.to_owned());
        let wanted = question.to_owned();
        let calculation: Calculation<QuestionLines> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let found = question_lines(&*storage, &name, &wanted, whose, &watch).await;
                found.map_err(|error| error.to_string())
            })
        });
        let marks = StudyMarks::of(&*self.storage, study).await?;
        let about = format!("{} {question}", whose.name());
        Ok(self
            .lines
            .ask(study, &about, marks, since_unix_ms, calculation)
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
        let about = format!("{} {request:?}", entry.version());
        let calculation: Calculation<PowerReport> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                let archive: &dyn Archive = &*storage;
                let found = power_of_study(Some(archive), &entry, &asked, &watch).await;
                found.map_err(|error| error.to_string())
            })
        });
        Ok(self
            .powers
            .ask(&study, &about, marks, since_unix_ms, calculation)
            .await)
    }

    /// The tuning of a study by simulated people, as `redial study tune` makes it. No log is read for it.
    pub async fn tuning(
        &self,
        entry: &Arc<StudyEntry>,
        request: &TuningRequest,
        since_unix_ms: Option<u64>,
    ) -> Answer<TunedStudy> {
        let (models, entry, asked) = (self.library.models(), entry.clone(), request.clone());
        let study = entry.study.id.clone();
        let about = format!("{} {request:?}", entry.version());
        let calculation: Calculation<TunedStudy> = Box::new(move |progress| {
            Box::pin(async move {
                let watch = |done, of| progress.tell(done, of);
                // One thread: the others serve requests.
                let found = tuned_study(&entry, &models, &asked, 1, &watch);
                found.map_err(|error| error.to_string())
            })
        });
        let marks = StudyMarks::of_nobody();
        self.tunings
            .ask(&study, &about, marks, since_unix_ms, calculation)
            .await
    }

    /// The balance of a study's design: what `redial study simulate-assignment` makes. No log is read for it.
    pub async fn balance(
        &self,
        entry: &Arc<StudyEntry>,
        request: &BalanceRequest,
        since_unix_ms: Option<u64>,
    ) -> Answer<StudyBalance> {
        let (entry, asked) = (entry.clone(), *request);
        let study = entry.study.id.clone();
        let about = format!("{} {request:?}", entry.version());
        let calculation: Calculation<StudyBalance> = Box::new(move |_| {
            Box::pin(
                async move { balance_of_study(&entry, &asked).map_err(|error| error.to_string()) },
            )
        });
        let marks = StudyMarks::of_nobody();
        self.balances
            .ask(&study, &about, marks, since_unix_ms, calculation)
            .await
    }
}
