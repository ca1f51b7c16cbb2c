//! Credit at SONA: asked for once a session has ended and is on disk, and again with growing pauses
//! until SONA has answered. The credits to ask for are read from the database each time, so that a
//! restart forgets nothing.

use std::sync::Arc;

use domain::recruitment::platform::{Ended, Recruitment, Sona};
use domain::session::event::SessionId;

use super::{SessionError, Sessions};
use crate::catalogue::StudyEntry;
use crate::outbound::{self, HttpResponse, PATIENCE};
use crate::storage::{Credit, CreditDue, CreditState};

/// The first pause before SONA is asked again, in milliseconds; it doubles each time.
const FIRST_PAUSE_MS: u64 = 10_000;

/// The longest pause, in milliseconds.
const LONGEST_PAUSE_MS: u64 = 6 * 60 * 60 * 1_000;

impl Sessions {
    /// Asks SONA for the credit of everybody who is to get some now. Gives how often it was asked.
    ///
    /// # Errors
    /// When storage fails. What SONA answers is none.
    pub async fn ask_for_credit(&self) -> Result<u64, SessionError> {
        let mut asked = 0;
        for (entry, sona) in self.with_sona() {
            let study = &entry.study.id;
            for due in self.storage.credits_due(study, self.now_unix_ms()).await? {
                let ended = match self.ended(&due).await {
                    Ok(Some(ended)) => ended,
                    Ok(None) => continue,
                    Err(SessionError::Storage(error)) if !error.is_damage() => {
                        return Err(error.into());
                    }
                    // Its damage must not cost the others their credit.
                    Err(error) => {
                        let session = &due.session;
                        tracing::warn!(%session, %study, %error, "a damaged session gets no credit by itself");
                        continue;
                    }
                };
                if sona.credit_for.contains(&ended) {
                    self.ask_for(&entry, &sona, due).await?;
                    asked += 1;
                } else {
                    let why = format!("no credit for who ended as {}", ended.name());
                    self.note(&entry, due.session, CreditState::NotDue, 0, why)
                        .await?;
                }
            }
        }
        Ok(asked)
    }

    /// Whether SONA is to be asked for credit now.
    ///
    /// # Errors
    /// When storage fails.
    pub async fn credit_is_due(&self) -> Result<bool, SessionError> {
        for (entry, _) in self.with_sona() {
            let due = self
                .storage
                .credits_due(&entry.study.id, self.now_unix_ms());
            if !due.await?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The studies that people come to from SONA.
    fn with_sona(&self) -> Vec<(Arc<StudyEntry>, Sona)> {
        let collection = self.library.now();
        let studies = collection.catalogue.iter().filter_map(|entry| {
            let mut platforms = entry.study.recruitment.iter();
            let sona = platforms.find_map(|from| match from {
                Recruitment::Sona(sona) => Some(sona.clone()),
                _ => None,
            })?;
            Some((Arc::clone(entry), sona))
        });
        studies.collect()
    }

    /// How a session ended, if it has.
    async fn ended(&self, due: &CreditDue) -> Result<Option<Ended>, SessionError> {
        if due.ended_when_erased.is_some() {
            return Ok(due.ended_when_erased);
        }
        let Some(stored) = self.storage.session(&due.session).await? else {
            return Ok(None);
        };
        let session = self.cached(&stored);
        let mut machine = session.machine(&*self.storage).await?;
        Ok(Ended::of(machine.get()))
    }

    async fn ask_for(
        &self,
        entry: &StudyEntry,
        sona: &Sona,
        due: CreditDue,
    ) -> Result<(), SessionError> {
        let token = entry.sona_token.as_deref().unwrap_or_default();
        let path = sona.credit_path(token, &due.survey_code);
        let url = match self.library.stand_ins().first() {
            Some(stand_in) => [stand_in, &*path].concat(),
            None => ["https://", &sona.site, &path].concat(),
        };
        let answer = tokio::task::spawn_blocking(move || outbound::fetch(&url, PATIENCE)).await?;
        let (state, answer) = match answer {
            Ok(answer) => what_it_says(&answer),
            Err(error) => (CreditState::Waiting, error.to_string()),
        };
        let attempts = due.attempts + 1;
        if state != CreditState::Given {
            tracing::warn!(session = %due.session, study = %entry.study.id, attempts, %answer,
                state = state.name(), "SONA has not given credit");
        }
        self.note(entry, due.session, state, attempts, answer).await
    }

    async fn note(
        &self,
        entry: &StudyEntry,
        session: SessionId,
        state: CreditState,
        attempts: u64,
        answer: String,
    ) -> Result<(), SessionError> {
        let now_unix_ms = self.now_unix_ms();
        let credit = Credit {
            session,
            study: entry.study.id.clone(),
            state,
            attempts,
            next_at_unix_ms: now_unix_ms
                + outbound::pause_ms(attempts, FIRST_PAUSE_MS, LONGEST_PAUSE_MS),
            answer,
            asked_at_unix_ms: now_unix_ms,
        };
        Ok(self.storage.note_credit(credit).await?)
    }
}

/// Reads an answer of SONA: whether credit was given, and in which words. Only what SONA itself says is
/// an answer: a page of an error in between is none.
fn what_it_says(answer: &HttpResponse) -> (CreditState, String) {
    let nothing = |why: String| (CreditState::Waiting, why);
    if answer.status != 200 {
        return nothing(format!("the answer has the status {}", answer.status));
    }
    let document = match roxmltree::Document::parse(&answer.body) {
        Ok(document) => document,
        Err(error) => return nothing(format!("the answer is no XML: {error}")),
    };
    let named = |name: &'static str| {
        let mut nodes = document.descendants();
        nodes.find(move |node| node.is_element() && node.tag_name().name() == name)
    };
    if let Some(status) = named("credit_status").and_then(|node| node.text()) {
        let said = format!("credit_status {status}");
        return if status.trim() == "G" {
            (CreditState::Given, said)
        } else {
            (CreditState::Refused, said)
        };
    }
    let errors = named("Errors").map(|node| {
        let texts = node
            .descendants()
            .filter(roxmltree::Node::is_text)
            .filter_map(|node| node.text());
        let texts: Vec<&str> = texts
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .collect();
        texts.join(" ").chars().take(300).collect::<String>()
    });
    match errors.filter(|text| !text.is_empty()) {
        Some(text) => (CreditState::Refused, text),
        None => nothing("the answer has neither a result nor errors".to_owned()),
    }
}
