//! Things that the parts of the page share: the client of the server, the sessions, and the one that is followed.

use std::rc::Rc;

use api::ErrorCode;
use api::lab::{ExperimenterAct, LabStudies};
use api::replay::SessionLine;
use domain::session::event::SessionId;
use frontend::replay::Replay;
use frontend::runtime::client::ClientError;
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::decoders::Decoders;
use frontend::runtime::lab_client::LabClient;
use frontend::runtime::language;
use frontend::runtime::retry::Retry;
use frontend::state::AppState;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::key;

/// How often the list of sessions is looked at.
const LIST_EVERY_MS: u32 = 2_000;

/// The session that is followed, with what the list says of it.
#[derive(Clone)]
pub struct Current {
    /// Name of its study.
    pub study: String,
    /// As the list has it.
    pub session: SessionLine,
    /// Title of its study.
    pub title: String,
    /// The marks that a moment can get.
    pub marks: Vec<String>,
    /// Its log as it comes.
    pub replay: Rc<Replay>,
}

/// The context that the parts of the page share. One for its whole life, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct LabContext {
    /// The client of the server; none before it is known who is here.
    pub client: RwSignal<Option<LabClient>>,
    /// Whether it is being asked who is signed in.
    pub entering: RwSignal<bool>,
    /// The studies and their sessions, once they are known.
    pub studies: RwSignal<Option<LabStudies>>,
    /// The problem, in a sentence.
    pub problem: RwSignal<Option<String>>,
    /// Which session is followed; counts up whenever it is another one.
    pub serial: RwSignal<u64>,
    /// The code of the participant who is waited for.
    pub awaited: RwSignal<Option<String>>,
    current: StoredValue<Option<Current>, LocalStorage>,
    decoders: StoredValue<Rc<Decoders>, LocalStorage>,
    language: AppState,
}

impl LabContext {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(decoder_loader: DecoderLoader) -> Self {
        Self {
            client: RwSignal::new(None),
            entering: RwSignal::new(true),
            studies: RwSignal::new(None),
            problem: RwSignal::new(None),
            serial: RwSignal::new(0),
            awaited: RwSignal::new(None),
            current: StoredValue::new_local(None),
            decoders: StoredValue::new_local(Decoders::of_replays(decoder_loader)),
            language: AppState::default(),
        }
    }

    /// The session that is followed.
    #[must_use]
    pub fn current(&self) -> Option<Current> {
        self.current.with_value(Clone::clone)
    }

    fn set_current(&self, current: Option<Current>) {
        self.current.set_value(current);
        self.serial.update(|serial| *serial += 1);
    }

    /// Back to the list.
    pub fn leave(&self) {
        self.set_current(None);
    }

    /// Finds out who is here: whoever is signed in, or else somebody with the key of the lab. It opens nothing where
    /// people have accounts, and a tab may have kept one from before.
    pub async fn enter(self) {
        // Also where it is not needed: it leaves the address.
        let key = key::found();
        match LabClient::of_sign_in().await {
            Ok(client) => self.client.set(Some(client)),
            Err(error) => {
                let is_out = matches!(&error, ClientError::Refused(info) if info.code == ErrorCode::Unauthorised);
                match key {
                    Some(key) => self.client.set(Some(LabClient::with_key(&key))),
                    // The page says how to sign in.
                    None if is_out => {}
                    None => self.tell(&error),
                }
            }
        }
        self.entering.set(false);
    }

    /// Follows a session from its beginning. Nobody's session that is under way is one's own from then on.
    pub fn follow(self, study: String, line: SessionLine) {
        spawn_local(async move {
            let Some(client) = self.client.get_untracked() else {
                return;
            };
            let id = line.session.clone();
            if line.experimenter.is_none()
                && !line.ended
                && let Err(error) = client.take(&study, &id).await
            {
                return self.tell(&error);
            }
            match client.session(&study, &id).await {
                Ok(state) => {
                    self.problem.set(None);
                    language::speak(self.language, &state.plan.language).await;
                    let current = Current {
                        study: study.clone(),
                        session: state.session,
                        title: state.title,
                        marks: state.marks,
                        replay: Replay::open(state.plan, self.decoders.with_value(Rc::clone)),
                    };
                    let replay = Rc::clone(&current.replay);
                    self.set_current(Some(current));
                    self.keep_following(client, study, id, replay).await;
                }
                Err(error) => self.tell(&error),
            }
        });
    }

    async fn keep_following(
        self,
        client: LabClient,
        study: String,
        id: SessionId,
        replay: Rc<Replay>,
    ) {
        let retry = Retry::default();
        let mine = self.serial.get_untracked();
        while self.serial.get_untracked() == mine {
            match client.events(&study, &id, replay.ends()).await {
                Ok(new) => {
                    retry.succeeded();
                    self.problem.set(None);
                    replay.take(new);
                    replay.tell();
                    if replay.shown.broken.get_untracked().is_some() {
                        return;
                    }
                }
                Err(error) => {
                    self.tell(&error);
                    if is_final(&error) {
                        return;
                    }
                    retry.pause().await;
                }
            }
        }
    }

    /// Does something as the experimenter; `done` is called once it is in the log.
    pub fn act(self, act: ExperimenterAct, done: impl FnOnce() + 'static) {
        spawn_local(async move {
            let (Some(client), Some(current)) = (self.client.get_untracked(), self.current())
            else {
                return;
            };
            let (study, session) = (&current.study, &current.session.session);
            match client.act(study, session, &act).await {
                Ok(_) => {
                    self.problem.set(None);
                    done();
                }
                Err(error) => self.tell(&error),
            }
        });
    }

    fn tell(self, error: &ClientError) {
        let message = match error {
            ClientError::Unreachable => {
                "The server cannot be reached. This page tries again by itself; the participant's page goes on without it.".to_owned()
            }
            ClientError::Refused(info) if info.code == ErrorCode::Unauthorised => {
                let had_key = matches!(self.client.get_untracked(), Some(LabClient::Key(_)));
                self.client.set(None);
                if had_key {
                    "This key does not open the lab. The server prints the right one when it starts; where people have accounts, they sign in.".to_owned()
                } else {
                    "You are not signed in any more.".to_owned()
                }
            }
            ClientError::Refused(info) if info.code == ErrorCode::Erased => {
                "The participant took everything back: there is nothing left of this session.".to_owned()
            }
            other => other.to_string(),
        };
        self.problem.set(Some(message));
    }

    /// Looks at the list for as long as the page is open. A participant who is waited for is
    /// followed once they have started.
    pub async fn keep_listing(self) {
        loop {
            if let Some(client) = self.client.get_untracked() {
                match client.studies().await {
                    Ok(studies) => {
                        if self.current().is_none() {
                            self.problem.set(None);
                        }
                        self.notice(&studies);
                        if self.studies.get_untracked().as_ref() != Some(&studies) {
                            self.studies.set(Some(studies));
                        }
                    }
                    Err(error) => self.tell(&error),
                }
            }
            TimeoutFuture::new(LIST_EVERY_MS).await;
        }
    }

    fn notice(self, studies: &LabStudies) {
        let awaited = self.awaited.get_untracked();
        let sessions = studies.studies.iter().flat_map(|study| {
            let lines = study.sessions.iter();
            lines.map(|line| (study.id.clone(), line))
        });
        let come = |(_, line): &(String, &SessionLine)| {
            awaited.is_some() && line.participant_code == awaited
        };
        if let Some((study, line)) = sessions.into_iter().find(come) {
            self.awaited.set(None);
            self.follow(study, line.clone());
        }
    }
}

fn is_final(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(info) if matches!(info.code, ErrorCode::Erased | ErrorCode::Unauthorised | ErrorCode::Forbidden))
}
