//! Starting a session: drawing its plan and storing it, once for each attempt.

use std::sync::Arc;

use api::{SessionStarted, StartRequest};
use domain::draw::draw;
use domain::plan::Instance;
use domain::session::Session;
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sha2::{Digest, Sha256};

use super::{CachedSession, SessionError, Sessions, started};
use crate::catalogue::StudyEntry;
use crate::secrets::{self, Token, hex};
use crate::storage::{Created, NewSession, StoredInstance, StoredSession};
use crate::system::{NoRandomness, Randomness};

/// Longest code of a participant, in characters.
const MAX_PARTICIPANT_CODE: usize = 100;

/// Times another number is tried when someone else took ours.
const TRIES: usize = 8;

impl Sessions {
    /// Starts a session of a study. The same attempt gives the same session, with a new token.
    ///
    /// # Errors
    /// [`SessionError::Malformed`] for a request that makes no sense; when
    /// drawing or storing fails.
    pub async fn start(
        &self,
        entry: &Arc<StudyEntry>,
        request: StartRequest,
    ) -> Result<SessionStarted, SessionError> {
        let request = checked(request)?;
        let token = Token::new(&*self.system.randomness)?;
        let study = &entry.study.id;
        if let Some(existing) = self
            .storage
            .session_of_attempt(study, &request.attempt)
            .await?
        {
            self.storage
                .replace_token(&existing.id, token.hash())
                .await?;
            return Ok(self.resumed(&existing, token));
        }
        for _ in 0..TRIES {
            let ordinal = self.next_ordinal(study).await?;
            let new = self.drawn(entry, &request, ordinal, &token).await?;
            let session = new.session.clone();
            match self.storage.create_session(new).await? {
                Created::New => {
                    tracing::info!(%study, session = %session.id, ordinal, "session started");
                    self.cache
                        .insert(CachedSession::created(&session), self.now_unix_ms());
                    return Ok(started(token, &session.plan));
                }
                Created::Existing(existing) => return Ok(self.resumed(&existing, token)),
                Created::OrdinalTaken => {
                    self.ordinals().remove(study);
                }
            }
        }
        Err(SessionError::NoOrdinal)
    }

    /// A session that was started before, under its new token.
    fn resumed(&self, existing: &StoredSession, token: Token) -> SessionStarted {
        if let Some(session) = self.cache.get(&existing.id, self.now_unix_ms()) {
            session.set_token(token.hash());
        }
        started(token, &existing.plan)
    }

    /// Hands out the numbers 1, 2, … of a study, going on from what is stored.
    async fn next_ordinal(&self, study: &str) -> Result<u64, SessionError> {
        let known = self.ordinals().contains_key(study);
        let first = if known {
            1
        } else {
            self.storage.next_ordinal(study).await?
        };
        let mut ordinals = self.ordinals();
        // Should the study have been taken out since the first line, 1 will be found taken.
        let next = ordinals.entry(study.to_owned()).or_insert(first);
        *next += 1;
        Ok(*next - 1)
    }

    async fn drawn(
        &self,
        entry: &Arc<StudyEntry>,
        request: &StartRequest,
        ordinal: u64,
        token: &Token,
    ) -> Result<NewSession, SessionError> {
        let randomness = &*self.system.randomness;
        let seed = seed(entry.study.seed, ordinal, randomness)?;
        let id = secrets::session_id(randomness)?;
        // The semaphore is never closed; without a permit there would merely be more draws at once.
        let permit = self.draws.acquire().await.ok();
        let (models, entry) = (self.models.clone(), entry.clone());
        let drawn = tokio::task::spawn_blocking({
            let (models, entry, id) = (models.clone(), entry.clone(), id.clone());
            move || {
                let mut rng = ChaCha20Rng::from_seed(seed);
                draw(&entry.study, &entry.sha256, id, &*models, &mut rng)
            }
        })
        .await??;
        drop(permit);
        let pinned = models.pin(&drawn.plan);
        let plan = Arc::new(drawn.plan);
        let bundles = pinned
            .iter()
            .filter_map(|model| models.files(&model.fingerprint).cloned())
            .collect();
        let questions = plan.stages.iter().flat_map(|stage| &stage.questions);
        let instances = questions.map(|question| stored(&question.target)).collect();
        let session = StoredSession {
            id,
            study: entry.study.id.clone(),
            study_sha256: entry.sha256.clone(),
            ordinal,
            seed,
            attempt: request.attempt.clone(),
            token: token.hash(),
            participant_code: request.participant_code.clone(),
            created_at_unix_ms: self.now_unix_ms(),
            targets: drawn.targets,
            models: pinned,
            phase: Session::new(plan.clone()).phase(),
            plan,
            log_len: 0,
            completed_at_unix_ms: None,
            completion_code: None,
        };
        Ok(NewSession {
            session,
            study_json: entry.json.clone(),
            instances,
            bundles,
        })
    }
}

fn stored(instance: &Instance) -> StoredInstance {
    let bytes: Vec<u8> = instance.0.iter().flat_map(|v| v.to_le_bytes()).collect();
    StoredInstance {
        sha256: hex(&Sha256::digest(&bytes)),
        bytes: bytes.into(),
    }
}

fn checked(request: StartRequest) -> Result<StartRequest, SessionError> {
    let StartRequest {
        attempt,
        participant_code,
    } = request;
    let fits = |c: u8| c.is_ascii_alphanumeric() || c == b'-';
    if !(16..=64).contains(&attempt.len()) || !attempt.bytes().all(fits) {
        return Err(SessionError::Malformed(
            "attempt: 16 to 64 letters, digits and '-'".into(),
        ));
    }
    let participant_code = participant_code
        .map(|code| code.trim().to_owned())
        .filter(|code| !code.is_empty());
    if let Some(code) = &participant_code
        && (code.chars().count() > MAX_PARTICIPANT_CODE || code.chars().any(char::is_control))
    {
        return Err(SessionError::Malformed(format!(
            "participant_code: at most {MAX_PARTICIPANT_CODE} characters, none of them control characters"
        )));
    }
    Ok(StartRequest {
        attempt,
        participant_code,
    })
}

/// Seed of a session: its own share of the study's seed, or else a random one.
fn seed(
    study: Option<u64>,
    ordinal: u64,
    randomness: &dyn Randomness,
) -> Result<[u8; 32], NoRandomness> {
    match study {
        None => secrets::random(randomness),
        Some(study) => {
            let mut hash = Sha256::new_with_prefix(b"redial session");
            hash.update(study.to_le_bytes());
            hash.update(ordinal.to_le_bytes());
            Ok(hash.finalize().into())
        }
    }
}
