//! Starting a session: drawing its plan and storing it, once for each attempt.

use std::sync::Arc;

use api::{SessionStarted, StartRequest};
use domain::recruitment::assignment::Purpose;
use domain::session::Session;
use domain::session::plan::SessionPlan;
use domain::study::SessionsPerCode;
use domain::study::draw::{DrawRequest, draw};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::receipt::Receipt;
use super::typed_text::DAY_MS;
use super::{CachedSession, SessionError, Sessions};
use crate::catalogue::StudyEntry;
use crate::monitoring;
use crate::secrets::{self, Token};
use crate::storage::{
    AssignRequest, Created, NewSession, StoredArrival, StoredAssignment, StoredInstance,
    StoredSession,
};

mod checks;

use checks::{answered, checked};

/// The values that a session is made with for somebody.
pub(super) struct Start {
    /// The attempt, as it is stored.
    pub attempt: String,
    /// The participant's code, if they have one.
    pub code: Option<String>,
    /// The language that was shown before.
    pub language: Option<String>,
    /// The purpose of the session.
    pub purpose: Purpose,
}

impl Sessions {
    /// Starts a session of a study, for a purpose that the server knows and no request says, or for pilots where the
    /// study takes pilots alone. The same
    /// attempt gives the same session with the same token; the same participant code gives the same session, too,
    /// with the token of this attempt, unless the study lets a code start many.
    ///
    /// # Errors
    /// [`SessionError::Malformed`] for a request that makes no sense; when the link lets nobody in;
    /// when drawing or storing fails.
    pub async fn start(
        &self,
        entry: &Arc<StudyEntry>,
        request: StartRequest,
        purpose: Purpose,
    ) -> Result<SessionStarted, SessionError> {
        let request = checked(request)?;
        let admits_for = self.storage.study_status(&entry.study.id).await?;
        let admits_for = admits_for.purpose(purpose);
        // A session that was begun goes on, whatever was decided since.
        let purpose = admits_for.unwrap_or(purpose);
        let arrived = self.admitted(entry, &request.link, purpose).await?;
        if arrived.preview {
            return Err(SessionError::Preview);
        }
        let start = Start {
            code: self.code_of(&arrived).await?,
            attempt: request.attempt,
            language: request.language,
            purpose,
        };
        let code = start.code.as_ref().filter(|_| purpose.counts());
        if let Some(code) = code {
            self.may_take_part(&entry.study, code).await?;
        }
        let study = &entry.study.id;
        let token = self.own_keys().await?.token_of(study, &start.attempt);
        let storage = &self.storage;
        let mut existing = storage.session_of_attempt(study, &start.attempt).await?;
        if let Some(code) = code.filter(|_| has_one_session(entry, &start))
            && existing.is_none()
        {
            existing = storage.session_of_code(study, code).await?;
        }
        let is_open = || !purpose.counts() || entry.open.is_open(self.now_unix_ms());
        if existing.is_none() && (admits_for.is_none() || !is_open()) {
            return Err(SessionError::NotOpen);
        }
        if let Some(existing) = existing {
            self.storage
                .replace_token(&existing.id, token.hash())
                .await?;
            return self.resumed(&existing, token).await;
        }
        answered(&entry.study.design, &request.answers)?;
        let assigned = self
            .storage
            .assign(AssignRequest {
                study: study.clone(),
                attempt: start.attempt.clone(),
                design: Arc::new(entry.study.design.clone()),
                rows: entry.study.rows(),
                purpose,
                condition: request.condition,
                answers: request.answers,
                study_seed: entry.study.seed,
                fresh_seed: secrets::random(&*self.system.randomness)?,
                now_unix_ms: self.now_unix_ms(),
            })
            .await?
            .map_err(SessionError::NotAssigned)?;
        let (cell, row) = (assigned.cell.name.clone(), assigned.row);
        let mut new = self.drawn(entry, &start, assigned, &token).await?;
        // Somebody who only tries a study out is sent back nowhere, and paid by nobody.
        if arrived.from.is_platform() && purpose.counts() {
            new.arrival = Some(StoredArrival {
                platform: arrived.from.facts().name.to_owned(),
                participant: arrived.participant.map(String::from),
                submission: arrived.submission,
                link: arrived.link,
            });
        }
        let receipt = Receipt::of(&new, &cell, row, purpose);
        let receipt = self.seal(&receipt).await?;
        let session = new.session.clone();
        match self.storage.create_session(new).await? {
            Created::New => {
                monitoring::session_started(purpose.name());
                let StoredSession { id, ordinal, .. } = &session;
                tracing::info!(%study, session = %id, ordinal, "session started");
                let session_in_use =
                    CachedSession::created(&session, self.processor.clone(), self.feed.clone());
                self.cache.insert(session_in_use, self.now_unix_ms());
                self.feed.ledger(study);
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
        start: &Start,
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
        let (models, entry) = (self.library.models(), entry.clone());
        // Drawing decodes.
        let drawn = self
            .processor
            .run({
                let (models, entry) = (models.clone(), entry.clone());
                let arrival = DrawRequest {
                    session: id.clone(),
                    cell,
                    row,
                    language: study_language(&entry, start),
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
            attempt: start.attempt.clone(),
            attempt_spent: false,
            token: token.hash(),
            participant_code: start.code.clone(),
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
            one_per_code: has_one_session(&entry, start),
            arrival: None,
            delete_text_at_unix_ms: entry
                .study
                .typed_text_deleted_after_days
                .map(|days| created_at_unix_ms.saturating_add(DAY_MS * u64::from(days))),
        })
    }
}

/// Whether the participant's code has one session only.
fn has_one_session(entry: &StudyEntry, start: &Start) -> bool {
    start.purpose.counts() && entry.study.sessions_per_code == SessionsPerCode::One
}

/// The language that was shown before the start, if the study comes in it.
fn study_language(entry: &StudyEntry, start: &Start) -> String {
    let asked = start.language.as_deref();
    entry.study.language_for(asked, &[]).to_owned()
}

/// The answer that a browser gets when it starts a session.
fn started(token: Token, plan: &SessionPlan, log_len: u64) -> SessionStarted {
    SessionStarted {
        token: token.reveal(),
        plan: plan.clone(),
        log_len,
        receipt: None,
    }
}
