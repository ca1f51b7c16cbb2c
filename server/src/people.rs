//! People who took part in a study, how their sessions went, and what they are owed.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;
use domain::recruitment::pay::{Account, Entry, Pay, PayableSession, account};
use domain::session::event::SessionId;

use crate::export::{ReplayedSession, ReplayedSessions, SessionSelection, Visited, Watch};
use crate::storage::{Archive, Erasure, Problem, Result, StoredArrival};

/// Somebody who took part.
pub struct Person {
    /// The session.
    pub session: SessionId,
    /// How they came from a platform.
    pub arrival: Option<StoredArrival>,
    /// Their code, if they came with a link of the researcher's.
    pub code: Option<String>,
    /// How it went, as far as pay goes.
    pub course: PayableSession,
    /// Whether anything of it is there to be looked at.
    pub there: Remains,
    /// The code that its participant was given at the end.
    pub completion_code: Option<String>,
    /// Its pay: what the study promised when it was started, or else as the study is served now.
    pub promised: Option<Pay>,
    /// The entries of the ledger that are about the session, oldest first.
    pub entries: Vec<Entry>,
    /// The account that follows from these.
    pub account: Account,
}

/// The remains of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remains {
    /// All of it.
    Whole,
    /// Records of it cannot be read.
    Damaged,
    /// The records needed to pay its participant, who has taken everything back.
    Erased,
}

/// All of them.
pub struct People {
    /// They, those who were erased last.
    pub list: Vec<Person>,
    /// The records that cannot be read, and how many sessions are left out because of that.
    pub problems: Vec<Problem>,
    /// As above.
    pub damaged: u64,
}

/// The records of a study's decisions, to work accounts out from.
struct PayRecords {
    /// The pay of the study as it is served now, where nothing was promised at the start.
    now: Option<Pay>,
    entries: BTreeMap<SessionId, Vec<Entry>>,
}

impl PayRecords {
    fn entries(&self, session: &SessionId) -> Vec<Entry> {
        self.entries.get(session).cloned().unwrap_or_default()
    }

    /// Somebody of whom nothing else is known.
    fn of(
        &self,
        session: SessionId,
        there: Remains,
        course: PayableSession,
        promised: Option<Pay>,
    ) -> Person {
        let entries = self.entries(&session);
        let promised = promised.or_else(|| self.now.clone());
        Person {
            account: account(promised.as_ref(), course, &entries),
            entries,
            session,
            arrival: None,
            code: None,
            course,
            there,
            completion_code: None,
            promised,
        }
    }

    fn person(&self, session: ReplayedSession) -> Person {
        let course = session.payable();
        let stored = session.stored;
        let code = stored
            .participant_code
            .filter(|_| session.arrival.is_none());
        Person {
            arrival: session.arrival,
            code,
            completion_code: stored.completion_code,
            ..self.of(stored.id, Remains::Whole, course, session.pay)
        }
    }

    /// Whose records cannot be read: nothing but the ledger says what they are owed.
    fn of_damaged(&self, session: SessionId, arrival: Option<StoredArrival>) -> Person {
        Person {
            arrival,
            ..self.of(session, Remains::Damaged, PayableSession::default(), None)
        }
    }

    /// A person who took everything back may have to be paid all the same.
    fn of_erased(&self, erasure: Erasure) -> Person {
        let course = PayableSession {
            ended: Some(erasure.ended),
            ..PayableSession::default()
        };
        Person {
            arrival: erasure.arrival,
            completion_code: erasure.completion_code,
            ..self.of(erasure.session, Remains::Erased, course, None)
        }
    }
}

/// Reads who took part in a study. People who only tried it out are left out: nobody pays a pilot, a
/// preview or simulated people. `now` is what the study pays as it is served now, for sessions that were started with
/// a file that declares no pay.
///
/// # Errors
/// When the database fails.
pub async fn people(archive: &dyn Archive, study: &str, now: Option<Pay>) -> Result<People> {
    people_watched(archive, study, now, &|_, _| {}).await
}

/// [`people`], which tells `watch` how far it is.
///
/// # Errors
/// As [`people`].
pub async fn people_watched(
    archive: &dyn Archive,
    study: &str,
    now: Option<Pay>,
    watch: Watch<'_>,
) -> Result<People> {
    read(archive, study, now, None, watch).await
}

/// The same for one session alone, if it is of a participant of the study.
///
/// # Errors
/// When the database fails.
pub async fn person(
    archive: &dyn Archive,
    study: &str,
    now: Option<Pay>,
    session: &SessionId,
    ordinal: u64,
) -> Result<Option<Person>> {
    let people = read(archive, study, now, Some(ordinal), &|_, _| {}).await?;
    let mut list = people.list.into_iter();
    Ok(list.find(|person| person.session == *session))
}

async fn read(
    archive: &dyn Archive,
    study: &str,
    now: Option<Pay>,
    only: Option<u64>,
    watch: Watch<'_>,
) -> Result<People> {
    let mut sessions =
        ReplayedSessions::open(archive, study, SessionSelection::Participants).await?;
    // Problems with study files are said with the sessions.
    let (_, mut problems) = sessions.definitions().await?;
    if let Some(ordinal) = only {
        sessions.only(&BTreeSet::from([ordinal]));
    }
    let mut books = PayRecords {
        now,
        entries: BTreeMap::new(),
    };
    for entry in sessions.payments().await? {
        let of_session = books.entries.entry(entry.session.clone());
        of_session.or_default().push(entry);
    }
    let (mut list, mut damaged) = (Vec::new(), 0);
    let listed = sessions.left() as u64;
    watch(0, listed);
    while let Some(visited) = sessions.next().await? {
        match visited {
            Visited::Whole(session) => list.push(books.person(*session)),
            Visited::Damaged(session) => {
                damaged += 1;
                problems.extend(session.problems);
                // Nobody goes unpaid because of a damaged record.
                if let Some(id) = session.id {
                    let arrival = sessions.arrival(&id).await?;
                    list.push(books.of_damaged(id, arrival));
                }
            }
        }
        watch(listed - sessions.left() as u64, listed);
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
    #[must_use]
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
