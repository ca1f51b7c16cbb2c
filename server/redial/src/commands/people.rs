//! People who took part in a study, how their sessions went, and what they are owed.

use std::collections::BTreeMap;

use anyhow::bail;
use domain::recruitment::pay::{Account, Entry, Pay, PayableSession, account};
use domain::recruitment::platform::Ended;
use domain::session::event::SessionId;
use serde::Deserialize;
use server::export::{ReplayedSession, ReplayedSessions, SessionSelection, Standing, Visited};
use server::storage::{Archive, Erasure, Problem, StoredArrival};

use crate::config::Config;
use crate::study_at_hand::find;

/// Somebody who took part.
pub(super) struct Person {
    pub session: SessionId,
    /// How they came from a platform.
    pub arrival: Option<StoredArrival>,
    /// Their code, if they came with a link of the researcher's.
    pub code: Option<String>,
    pub course: PayableSession,
    pub completion_code: Option<String>,
    /// The entries of the ledger that are about the session, oldest first.
    pub entries: Vec<Entry>,
    pub account: Account,
}

/// All of them.
pub(super) struct People {
    pub list: Vec<Person>,
    /// What cannot be read, and how many sessions are left out because of that.
    pub problems: Vec<Problem>,
    pub damaged: u64,
}

/// What is read of a study file here.
#[derive(Deserialize)]
struct Promise {
    #[serde(default)]
    pay: Option<Pay>,
}

/// What a study promised and decided, to work accounts out from.
struct PayRecords {
    /// By the hash of the definition that sessions were started with.
    promised: BTreeMap<String, Pay>,
    /// As the study is served now, where nothing was promised at the start.
    now: Option<Pay>,
    entries: BTreeMap<SessionId, Vec<Entry>>,
}

impl PayRecords {
    fn entries(&self, session: &SessionId) -> Vec<Entry> {
        self.entries.get(session).cloned().unwrap_or_default()
    }

    fn account(
        &self,
        session: &SessionId,
        definition: Option<&str>,
        course: PayableSession,
    ) -> Account {
        let promised = definition.and_then(|sha256| self.promised.get(sha256));
        account(
            promised.or(self.now.as_ref()),
            course,
            &self.entries(session),
        )
    }

    fn person(&self, session: ReplayedSession) -> Person {
        let standing = session.standing();
        let course = PayableSession {
            ended: Ended::of(&session.session),
            over_quota: standing == Standing::OverQuota,
            excluded: standing == Standing::Excluded,
        };
        let stored = session.stored;
        let code = stored
            .participant_code
            .filter(|_| session.arrival.is_none());
        Person {
            entries: self.entries(&stored.id),
            account: self.account(&stored.id, Some(&stored.study_sha256), course),
            session: stored.id,
            arrival: session.arrival,
            code,
            course,
            completion_code: stored.completion_code,
        }
    }

    /// Whose records cannot be read: nothing but the ledger says what they are owed.
    fn of_damaged(&self, session: SessionId) -> Person {
        Person {
            entries: self.entries(&session),
            account: self.account(&session, None, PayableSession::default()),
            session,
            arrival: None,
            code: None,
            course: PayableSession::default(),
            completion_code: None,
        }
    }

    /// Whoever took everything back may have to be paid all the same.
    fn of_erased(&self, erasure: Erasure) -> Person {
        let course = PayableSession {
            ended: Some(erasure.ended),
            ..PayableSession::default()
        };
        Person {
            entries: self.entries(&erasure.session),
            account: self.account(&erasure.session, None, course),
            session: erasure.session,
            arrival: erasure.arrival,
            code: None,
            course,
            completion_code: erasure.completion_code,
        }
    }
}

/// Reads who took part in a study. Whoever only tried it out is left out: nobody pays a pilot, a
/// preview or simulated people.
///
/// # Errors
/// When the database fails.
pub(super) async fn people(
    config: &Config,
    archive: &dyn Archive,
    study: &str,
) -> anyhow::Result<People> {
    let mut sessions =
        ReplayedSessions::open(archive, study, SessionSelection::Participants).await?;
    let (definitions, mut problems) = sessions.definitions().await?;
    let promised = definitions.into_iter().filter_map(|(sha256, json)| {
        let promise: Promise = serde_json::from_slice(&json).ok()?;
        Some((sha256, promise.pay?))
    });
    // A study whose file is gone is paid for all the same.
    let now = find(config, study).ok().and_then(|entry| entry.study.pay);
    let mut books = PayRecords {
        promised: promised.collect(),
        now,
        entries: BTreeMap::new(),
    };
    for entry in sessions.payments().await? {
        let of_session = books.entries.entry(entry.session.clone());
        of_session.or_default().push(entry);
    }
    let (mut list, mut damaged) = (Vec::new(), 0);
    while let Some(visited) = sessions.next().await? {
        match visited {
            Visited::Whole(session) => list.push(books.person(*session)),
            Visited::Damaged(session) => {
                damaged += 1;
                problems.extend(session.problems);
                // Nobody goes unpaid because of a damaged record.
                list.extend(session.id.map(|id| books.of_damaged(id)));
            }
        }
    }
    problems.extend(sessions.unlisted());
    let erasures = sessions.erasures().await?.into_iter();
    list.extend(erasures.map(|erasure| books.of_erased(erasure)));
    Ok(People {
        list,
        problems,
        damaged,
    })
}

impl Person {
    /// Platform, the platform's name for them (or their code) and for what it pays for.
    pub fn names(&self) -> [Option<&str>; 3] {
        match &self.arrival {
            Some(arrival) => [
                Some(&arrival.platform),
                arrival.participant.as_deref(),
                arrival.submission.as_deref(),
            ],
            None => [None, self.code.as_deref(), None],
        }
    }
}

impl People {
    /// The one whom a session, a claim number, a code, or a platform's name for them or their
    /// submission stands for.
    ///
    /// # Errors
    /// When it is nobody, or several.
    pub fn named(&self, name: &str) -> anyhow::Result<&Person> {
        let is = |person: &&Person| {
            person.session.0 == name
                || person.session.claim_number().eq_ignore_ascii_case(name)
                || person.names()[1..].contains(&Some(name))
        };
        let mut found = self.list.iter().filter(is);
        match (found.next(), found.next()) {
            (Some(person), None) => Ok(person),
            (Some(_), Some(_)) => bail!(
                "'{name}' stands for several sessions; give the session, as `redial pay list` names it"
            ),
            (None, _) => bail!(
                "nobody in this study is '{name}'; a session, a claim number, a code, or a \
                 platform's name for a participant or a submission is expected"
            ),
        }
    }
}
