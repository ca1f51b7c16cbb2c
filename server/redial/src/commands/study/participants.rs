//! `redial study participants`: who took part, for whoever pays them.

use anyhow::ensure;
use clap::Args;
use serde_json::json;
use server::control::Request;
use server::people::{People, Person};

use super::super::change::change;
use super::super::data::told;
use super::super::pay::everybody;
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
    /// Drop them although something is due to somebody by the ledger of payments
    #[arg(long, requires = "forget")]
    although_due: bool,
}

const COLUMNS: [&str; 8] = [
    "platform",
    "participant",
    "submission",
    "session",
    "claim number",
    "ended",
    "completion code",
    "due",
];

type Line = [Option<String>; COLUMNS.len()];

/// The values of one participant, in the order of the columns. Without a platform, the
/// participant's code stands for them.
fn known(person: &Person) -> Line {
    let [platform, participant, submission] = person.names().map(|name| name.map(str::to_owned));
    let account = &person.account;
    let due = |currency| format!("{} {currency}", account.due());
    [
        platform,
        participant,
        submission,
        Some(person.session.0.clone()),
        Some(person.session.claim_number()),
        person.course.ended.map(|ended| ended.name().to_owned()),
        person.completion_code.clone(),
        account.currency.as_ref().map(due),
    ]
}

/// Prints them, or drops what their platforms call them.
///
/// # Errors
/// When there is no such study or database; when the database cannot be changed or somebody is to be
/// paid, for `--forget`; and, once the rest is printed, when something in it cannot be read.
pub async fn participants(config: &Config, args: ParticipantsArgs) -> anyhow::Result<()> {
    let everybody = everybody(config, &args.study).await?;
    if args.forget {
        return forget(config, &args, &everybody).await;
    }
    let lines: Vec<Line> = everybody.list.iter().map(known).collect();
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
    told(&everybody.problems, everybody.damaged)
}

async fn forget(
    config: &Config,
    args: &ParticipantsArgs,
    everybody: &People,
) -> anyhow::Result<()> {
    let from_platforms = everybody.list.iter().filter(|it| it.arrival.is_some());
    let due = from_platforms.filter(|it| !it.account.due().is_zero());
    let due = due.count();
    ensure!(
        due == 0 || args.although_due,
        "by the ledger of payments something is due to {due} participants, whom nobody could pay any \
         more; see `redial pay list {study} --due`, note payments with `redial pay paid`, or add \
         --although-due",
        study = args.study
    );
    let request = Request::ForgetArrivals {
        study: args.study.clone(),
    };
    let forgotten = change(config, &request).await?.changed;
    Ok(print(&format!(
        "Dropped what platforms call the participants of '{}': {forgotten} sessions. Backups made \
         before still have it.\n",
        args.study
    ))?)
}
