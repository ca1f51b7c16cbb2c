//! `redial study participants`: who took part, for whoever pays them.

use clap::Args;
use domain::event::SessionId;
use domain::platform::Ended;
use serde_json::json;
use server::control::Request;
use server::export::{ReplayedSession, ReplayedSessions, Visited, Whose};
use server::storage::{Erasure, StoredArrival};

use super::super::change::change;
use super::super::data::{open, told};
use crate::config::Config;
use crate::output::{Align, aligned, print};

/// `redial study participants …`
#[derive(Debug, Clone, Args)]
pub struct ParticipantsArgs {
    /// Name of the study
    study: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Drop the platforms' names of all participants, once everybody is paid. It cannot be undone:
    /// who has not gone back to their platform by then no longer can. A server may run meanwhile
    #[arg(long, conflicts_with = "json")]
    forget: bool,
}

const COLUMNS: [&str; 7] = [
    "platform",
    "participant",
    "submission",
    "session",
    "claim number",
    "ended",
    "completion code",
];

type Line = [Option<String>; COLUMNS.len()];

/// What is known of one participant, in the order of the columns.
fn known(session: &ReplayedSession) -> Line {
    let stored = &session.stored;
    line(
        session.arrival.clone(),
        stored.participant_code.clone(),
        &stored.id,
        Ended::of(&session.session),
        stored.completion_code.clone(),
    )
}

/// What stays of one who took everything back: they may have to be paid all the same.
fn known_of_erased(erasure: Erasure) -> Line {
    let Erasure {
        session,
        arrival,
        ended,
        completion_code,
        ..
    } = erasure;
    line(arrival, None, &session, Some(ended), completion_code)
}

/// A line in the order of the columns. Without a platform, the participant's code stands for them.
fn line(
    arrival: Option<StoredArrival>,
    participant_code: Option<String>,
    session: &SessionId,
    ended: Option<Ended>,
    completion_code: Option<String>,
) -> Line {
    let (platform, participant, submission) = match arrival {
        Some(arrival) => (
            Some(arrival.platform),
            arrival.participant,
            arrival.submission,
        ),
        None => (None, participant_code, None),
    };
    [
        platform,
        participant,
        submission,
        Some(session.0.clone()),
        Some(session.claim_number()),
        ended.map(|ended| ended.name().to_owned()),
        completion_code,
    ]
}

/// Prints them, or drops what their platforms call them.
///
/// # Errors
/// When there is no such study or database; when the database cannot be changed, for `--forget`;
/// and, once the rest is printed, when something in it cannot be read.
pub async fn participants(config: &Config, args: ParticipantsArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    if args.forget {
        archive.close().await;
        return forget(config, &args.study).await;
    }
    let mut sessions = ReplayedSessions::open(&archive, &args.study, Whose::People).await?;
    let (mut lines, mut problems, mut damaged) = (Vec::new(), Vec::new(), 0);
    while let Some(visited) = sessions.next().await? {
        match visited {
            Visited::Whole(session) => lines.push(known(&session)),
            Visited::Damaged(session) => {
                damaged += 1;
                problems.extend(session.problems);
            }
        }
    }
    problems.extend(sessions.unlisted());
    let erasures = sessions.erasures().await?;
    lines.extend(erasures.into_iter().map(known_of_erased));
    // Closing waits for whoever still reads.
    drop(sessions);
    archive.close().await;
    if args.json {
        let object = |line: Line| {
            let names = COLUMNS.map(|name| name.replace(' ', "_"));
            let pairs = names.into_iter().zip(line.map(|value| json!(value)));
            pairs.collect::<serde_json::Map<_, _>>()
        };
        let list: Vec<_> = lines.into_iter().map(object).collect();
        print(&(serde_json::to_string_pretty(&list)? + "\n"))?;
    } else if lines.is_empty() {
        print("Nobody has taken part in this study.\n")?;
    } else {
        let mut table = vec![COLUMNS.map(str::to_owned).to_vec()];
        let shown = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        table.extend(lines.into_iter().map(|line| line.map(shown).to_vec()));
        print(&aligned(&[Align::Left; COLUMNS.len()], &table))?;
    }
    told(&problems, damaged)
}

async fn forget(config: &Config, study: &str) -> anyhow::Result<()> {
    let request = Request::ForgetArrivals {
        study: study.to_owned(),
    };
    let forgotten = change(config, &request).await?;
    Ok(print(&format!(
        "Dropped what platforms call the participants of '{study}': {forgotten} sessions. Backups made \
         before still have it.\n"
    ))?)
}
