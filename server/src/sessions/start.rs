//! Starting a session: drawing its plan and storing it, once for each attempt.

use std::sync::Arc;

use api::{SessionStarted, StartRequest};
use domain::assignment::Purpose;
use domain::draw::{Arrival, draw};
use domain::plan::SessionPlan;
use domain::platform::{MAX_PARAMETER, MAX_PARAMETERS, longest};
use domain::session::Session;
use domain::study::SessionsPerCode;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sha2::{Digest, Sha256};

use super::receipt::Receipt;
use super::typed_text::DAY_MS;
use super::{CachedSession, SessionError, Sessions};
use crate::catalogue::StudyEntry;
use crate::secrets::{self, Token, hex};
use crate::storage::{
    AssignRequest, Created, NewSession, StoredAssignment, StoredInstance, StoredSession,
};
use crate::unseen::is_unseen;

/// Longest code of a participant, in characters.
const MAX_PARTICIPANT_CODE: usize = 100;

impl Sessions {
    /// Starts a session of a study. The same attempt gives the same session, with a new token;
    /// so does the same participant code, unless the study lets a code start many.
    ///
    /// # Errors
    /// [`SessionError::Malformed`] for a request that makes no sense; when
    /// drawing or storing fails.
    pub async fn start(
        &self,
        entry: &Arc<StudyEntry>,
        request: StartRequest,
    ) -> Result<SessionStarted, SessionError> {
        let mut request = checked(request)?;
        let arrival = self.arrival(entry, &mut request).await?;
        let token = Token::new(&*self.system.randomness)?;
        let study = &entry.study.id;
        let storage = &self.storage;
        let mut existing = storage.session_of_attempt(study, &request.attempt).await?;
        if let Some(code) = &request.participant_code
            && has_one_session(entry, &request)
            && existing.is_none()
        {
            existing = storage.session_of_code(study, code).await?;
        }
        if existing.is_none()
            && request.purpose == Purpose::Participant
            && !entry.open.is_open(self.now_unix_ms())
        {
            return Err(SessionError::NotOpen);
        }
        if let Some(existing) = existing {
            self.storage
                .replace_token(&existing.id, token.hash())
                .await?;
            return self.resumed(&existing, token).await;
        }
        let assigned = self
            .storage
            .assign(AssignRequest {
                study: study.clone(),
                attempt: request.attempt.clone(),
                design: Arc::new(entry.study.design.clone()),
                rows: entry.study.rows(),
                purpose: request.purpose,
                condition: request.condition.clone(),
                study_seed: entry.study.seed,
                fresh_seed: secrets::random(&*self.system.randomness)?,
                now_unix_ms: self.now_unix_ms(),
            })
            .await?
            .map_err(SessionError::NotAssigned)?;
        let (cell, row) = (assigned.cell.name.clone(), assigned.row);
        let mut new = self.drawn(entry, &request, assigned, &token).await?;
        new.arrival = arrival;
        let receipt = Receipt::of(&new, &cell, row, request.purpose);
        let receipt = self.seal(&receipt).await?;
        let session = new.session.clone();
        match self.storage.create_session(new).await? {
            Created::New => {
                let StoredSession { id, ordinal, .. } = &session;
                tracing::info!(%study, session = %id, ordinal, "session started");
                self.cache
                    .insert(CachedSession::created(&session), self.now_unix_ms());
                Ok(SessionStarted {
                    receipt,
                    ..started(token, &session.plan, 0)
                })
            }
            Created::Existing(existing) => self.resumed(&existing, token).await,
        }
    }

    /// A session that was started before, under its new token.
    async fn resumed(
        &self,
        existing: &StoredSession,
        token: Token,
    ) -> Result<SessionStarted, SessionError> {
        if let Some(session) = self.cache.get(&existing.id, self.now_unix_ms()) {
            session.set_token(token.hash());
        }
        let plan = self.resumable_plan(existing).await?;
        Ok(started(token, &plan, existing.log_len))
    }

    pub(super) async fn drawn(
        &self,
        entry: &Arc<StudyEntry>,
        request: &StartRequest,
        assigned: StoredAssignment,
        token: &Token,
    ) -> Result<NewSession, SessionError> {
        let StoredAssignment {
            ordinal,
            seed,
            cell,
            row,
        } = assigned;
        let id = secrets::session_id(&*self.system.randomness)?;
        // The semaphore is never closed; without a permit there would merely be more draws at once.
        let permit = self.draws.acquire().await.ok();
        let (models, entry) = (self.models.clone(), entry.clone());
        let drawn = tokio::task::spawn_blocking({
            let (models, entry) = (models.clone(), entry.clone());
            let arrival = Arrival {
                session: id.clone(),
                cell,
                row,
                language: study_language(&entry, request),
            };
            move || {
                let mut rng = ChaCha20Rng::from_seed(seed);
                let StudyEntry {
                    study,
                    sha256,
                    texts,
                    ..
                } = &*entry;
                draw(study, sha256, arrival, &*models, texts, &mut rng)
            }
        })
        .await??;
        drop(permit);
        let plan = Arc::new(drawn.plan);
        let bundles = plan
            .models()
            .into_iter()
            .filter_map(|model| models.files(&model.bundle_sha256).cloned())
            .collect();
        let instances = drawn
            .instances
            .into_iter()
            .map(|(id, instance)| StoredInstance {
                sha256: id.0,
                bytes: instance.to_bytes().into(),
            })
            .collect();
        let created_at_unix_ms = self.now_unix_ms();
        let session = StoredSession {
            id,
            study: entry.study.id.clone(),
            study_sha256: entry.sha256.clone(),
            ordinal,
            seed,
            attempt: request.attempt.clone(),
            attempt_spent: false,
            token: token.hash(),
            participant_code: request.participant_code.clone(),
            created_at_unix_ms,
            phase: Session::new(plan.clone()).phase().name().to_owned(),
            plan,
            embedded: Vec::new(),
            keys: Arc::new(drawn.keys),
            log_len: 0,
            completed_at_unix_ms: None,
            completion_code: None,
        };
        Ok(NewSession {
            session,
            study_json: entry.json.clone(),
            texts: entry.texts.stored(),
            instances,
            bundles,
            one_per_code: has_one_session(&entry, request),
            arrival: None,
            delete_text_at_unix_ms: entry
                .study
                .typed_text_deleted_after_days
                .map(|days| created_at_unix_ms.saturating_add(DAY_MS * u64::from(days))),
        })
    }
}

/// Whether the participant's code has one session only.
fn has_one_session(entry: &StudyEntry, request: &StartRequest) -> bool {
    request.purpose == Purpose::Participant && entry.study.sessions_per_code == SessionsPerCode::One
}

/// The language that was shown before the start, if the study comes in it.
fn study_language(entry: &StudyEntry, request: &StartRequest) -> String {
    let asked = request.language.as_deref();
    entry.study.language_for(asked, &[]).to_owned()
}

fn checked(request: StartRequest) -> Result<StartRequest, SessionError> {
    let StartRequest {
        attempt,
        participant_code,
        condition,
        language,
        purpose,
        link,
    } = request;
    let fits = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
    if !(16..=64).contains(&attempt.len()) || !attempt.bytes().all(fits) {
        return Err(SessionError::Malformed(
            "attempt: 16 to 64 letters, digits and '-'".into(),
        ));
    }
    let participant_code = participant_code
        .or_else(|| link.get("participant").cloned())
        .map(|code| code.trim().to_owned())
        .filter(|code| !code.is_empty());
    if let Some(code) = &participant_code
        && !is_code(code)
    {
        return Err(SessionError::Malformed(format!(
            "participant_code: at most {MAX_PARTICIPANT_CODE} characters, the first a letter or \
             digit, none of them a control character or one that turns the direction of writing"
        )));
    }
    let fits = |(name, value): (&String, &String)| {
        name.chars().count() <= MAX_PARAMETER && value.chars().count() <= longest(name)
    };
    if link.len() > MAX_PARAMETERS || !link.iter().all(fits) {
        return Err(SessionError::Malformed(format!(
            "link: at most {MAX_PARAMETERS} parameters of at most {MAX_PARAMETER} characters"
        )));
    }
    Ok(StartRequest {
        // What is stored of it opens nothing.
        attempt: hex(&Sha256::digest(&attempt)),
        participant_code,
        condition,
        language,
        purpose,
        link,
    })
}

/// Whether a text can be a participant's code. What spreadsheets take for a formula, and what is
/// not seen, would come out of an export as something else than it is.
fn is_code(text: &str) -> bool {
    text.chars().count() <= MAX_PARTICIPANT_CODE
        && text.chars().next().is_some_and(char::is_alphanumeric)
        && !text.chars().any(is_unseen)
}

/// What a browser gets when it starts a session.
fn started(token: Token, plan: &SessionPlan, log_len: u64) -> SessionStarted {
    SessionStarted {
        token: token.reveal(),
        plan: plan.clone(),
        log_len,
        receipt: None,
    }
}
