//! `redial platform match`: a platform's own list of submissions beside the sessions that are here.

use std::collections::{BTreeMap, HashMap};

use api::research::{MatchCount, MatchLine, PlatformMatch};
use domain::recruitment::matching::{Finding, KnownSession, Stands, matched};
use domain::recruitment::outbox::{DeedKind, approval};
use domain::recruitment::pay::{Account, Entry, account};
use domain::recruitment::platform::{ALL, Departure, Recruitment};
use domain::session::event::SessionId;
use domain::study::Study;

use crate::people::{People, Person, Remains};
use crate::platforms::PlatformList;
use crate::storage::{Archive, Problem, StorageError, StoredArrival, StoredDecision};

/// Why a list cannot be put beside a study's sessions.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The study has nothing to do with the platform.
    #[error(
        "this is a list of {platform}, and the study takes nobody from there ('recruitment' in its file)"
    )]
    OtherPlatform {
        /// Title of the platform.
        platform: &'static str,
    },
    /// The database failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Somebody from the platform, with what the ledger says now.
struct Here<'a> {
    person: &'a Person,
    account: Account,
    known: KnownSession,
}

/// Puts a platform's list beside the sessions of a study. `people` are its participants, whose logs were read at
/// `read_at_unix_ms`; what platforms call them, and what was paid and decided, is read anew. `file` is the study as it is
/// served now.
///
/// # Errors
/// [`MatchError`].
pub async fn match_list(
    archive: &dyn Archive,
    study: &str,
    file: Option<&Study>,
    people: &People,
    read_at_unix_ms: u64,
    list: &PlatformList,
) -> Result<PlatformMatch, MatchError> {
    let facts = ALL.iter().find(|facts| facts.name == list.platform);
    let title = facts.map_or(list.platform, |facts| facts.title);
    let mut recruitment = file.iter().flat_map(|file| &file.recruitment);
    let settings = recruitment.find(|from| from.facts().name == list.platform);
    let mut snapshot = archive.study_snapshot(study).await?;
    let mut entries: HashMap<SessionId, Vec<Entry>> = HashMap::new();
    for entry in snapshot.payments().await? {
        let of_session = entries.entry(entry.session.clone());
        of_session.or_default().push(entry);
    }
    let decisions = snapshot.decisions().await?;
    let mut of_erased: HashMap<SessionId, StoredArrival> = HashMap::new();
    for erasure in snapshot.erasures().await? {
        of_erased.extend(erasure.arrival.map(|arrival| (erasure.session, arrival)));
    }
    let mut here = Vec::new();
    for person in &people.list {
        let arrival = match person.there {
            Remains::Erased => of_erased.remove(&person.session),
            Remains::Whole | Remains::Damaged => match snapshot.arrival(&person.session).await {
                Err(error) if error.is_damage() => None,
                arrival => arrival?,
            },
        };
        if let Some(arrival) = arrival.filter(|arrival| arrival.platform == list.platform) {
            let entries = entries.get(&person.session).map_or(&[][..], Vec::as_slice);
            here.push(known_of(person, &arrival, settings, entries, &decisions));
        }
    }
    drop(snapshot);
    if here.is_empty() && file.is_some() && settings.is_none() {
        return Err(MatchError::OtherPlatform { platform: title });
    }
    let known: Vec<KnownSession> = here.iter().map(|here| here.known.clone()).collect();
    let findings = matched(&list.rows, &known);
    let mut counts = BTreeMap::new();
    for finding in &findings {
        *counts.entry((finding.kind, finding.to_do)).or_insert(0) += 1;
    }
    let nameless = known
        .iter()
        .filter(|it| it.submission.is_none() && it.participant.is_none());
    Ok(PlatformMatch {
        platform: list.platform.to_owned(),
        title: title.to_owned(),
        listed: list.rows.len() as u64,
        repeated: list.repeated,
        known: here.len() as u64,
        nameless: nameless.count() as u64,
        counts: counts
            .into_iter()
            .map(|((kind, to_do), number)| MatchCount {
                kind,
                to_do,
                number,
            })
            .collect(),
        lines: findings.iter().map(|it| line(it, list, &here)).collect(),
        problems: people.problems.iter().map(Problem::to_string).collect(),
        at_unix_ms: read_at_unix_ms,
    })
}

fn known_of<'a>(
    person: &'a Person,
    arrival: &StoredArrival,
    settings: Option<&Recruitment>,
    entries: &[Entry],
    decisions: &[StoredDecision],
) -> Here<'a> {
    let account = account(person.promised.as_ref(), person.course, entries);
    let decided = decisions.iter().find(|it| {
        it.session == person.session
            && it.course.state.is_open()
            && it.deed.kind() != DeedKind::Bonus
    });
    let stands = match (person.there, person.course.ended) {
        (Remains::Damaged, _) => Stands::Damaged,
        (_, Some(ended)) => Stands::Ended(ended),
        (_, None) => Stands::UnderWay,
    };
    let known = KnownSession {
        session: person.session.clone(),
        participant: arrival.participant.clone(),
        submission: arrival.submission.clone(),
        stands,
        code: settings.and_then(|settings| code_of(person, arrival, settings)),
        approval: approval(&arrival.platform, entries),
        refused: account.refused,
        due: account.due(),
        decided: decided.map(|it| it.deed.kind()),
    };
    Here {
        person,
        account,
        known,
    }
}

/// The code that somebody was told to hand in at their platform, or that was handed in for them.
fn code_of(person: &Person, arrival: &StoredArrival, settings: &Recruitment) -> Option<String> {
    let way_back = settings.way_back(&Departure {
        link: &arrival.link,
        ended: person.course.ended?,
        code: person.completion_code.as_deref(),
        summary: &[],
    })?;
    let in_form = || way_back.form.get("completionCode").cloned();
    way_back.code.clone().or_else(in_form)
}

fn line(finding: &Finding, list: &PlatformList, all: &[Here<'_>]) -> MatchLine {
    let row = finding.row.and_then(|place| list.rows.get(place));
    let here = finding.session.and_then(|place| all.get(place));
    let known = here.map(|here| &here.known);
    let account = here.map(|here| &here.account);
    let currency = account.and_then(|account| account.currency.clone());
    let in_row =
        |name: fn(&domain::recruitment::matching::ListedRow) -> &String| row.map(name).cloned();
    MatchLine {
        row: row.map(|row| row.number),
        participant: in_row(|row| &row.participant).or_else(|| known?.participant.clone()),
        submission: in_row(|row| &row.submission).or_else(|| known?.submission.clone()),
        there: in_row(|row| &row.words),
        session: known.map(|known| known.session.clone()),
        here: known.map(|known| known.stands.name().to_owned()),
        erased: here.is_some_and(|here| here.person.there == Remains::Erased),
        approval: known.and_then(|known| Some(known.approval?.name().to_owned())),
        due: account.and_then(|account| Some(account.due()).filter(|_| currency.is_some())),
        currency,
        kind: finding.kind,
        to_do: finding.to_do,
        why: finding.why.to_owned(),
    }
}
