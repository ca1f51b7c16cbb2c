//! `redial pay …`: the ledger of payments of a study.

use anyhow::{Context as _, bail, ensure};
use clap::{Args, Subcommand};
use domain::recruitment::pay::{Account, Amount, Entry, EntryKind, MAX_TEXT};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use server::control::Request;
use server::people::{People, Person, people};

use super::change::change;
use super::data::{open, told};
use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

/// `redial pay …`
#[derive(Debug, Clone, Subcommand)]
pub enum PayCommand {
    /// Show what everybody in a study is owed and was paid
    List(PayListArgs),
    /// Decide what somebody is owed, in the place of what the study promises
    Owe(DecideArgs),
    /// Decide that a part of the pay is owed, as to somebody who timed out on the platform
    Part(DecideArgs),
    /// Give something on top
    Bonus(DecideArgs),
    /// Write down payments that were made. The money itself goes by the platform, or by hand
    Paid(PaidArgs),
    /// Decide that nothing is owed; bonuses stay
    Refuse(RefuseArgs),
}

/// `redial pay list …`
#[derive(Debug, Clone, Args)]
pub struct PayListArgs {
    /// Name of the study
    study: String,
    /// Print JSON, with the entries of the ledger
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// Only those who are still to be paid something
    #[arg(long)]
    due: bool,
}

/// What tells an entry from others.
#[derive(Debug, Clone, Args)]
struct EntryArgs {
    /// What tells the entry from others of its kind about this session, such as the number of a
    /// transfer. The same command with the same reference changes nothing
    #[arg(long, value_name = "TEXT", default_value = "")]
    reference: String,
    /// The currency, where the study declares no pay
    #[arg(long, value_name = "XXX", value_parser = currency)]
    currency: Option<String>,
}

/// Three letters.
fn currency(text: &str) -> Result<String, String> {
    if text.len() == 3 && text.bytes().all(|c| c.is_ascii_uppercase()) {
        Ok(text.to_owned())
    } else {
        Err("three letters are expected, such as GBP".to_owned())
    }
}

/// `redial pay owe …` and its like
#[derive(Debug, Clone, Args)]
pub struct DecideArgs {
    /// Name of the study
    study: String,
    /// Whom: a session, a claim number, a code, or a platform's name for a participant or a
    /// submission
    #[arg(value_name = "WHO")]
    who: String,
    /// How much, such as 3.75
    amount: Amount,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    entry: EntryArgs,
}

/// `redial pay paid …`
#[derive(Debug, Clone, Args)]
pub struct PaidArgs {
    /// Name of the study
    study: String,
    /// Whom: a session, a claim number, a code, or a platform's name for a participant or a
    /// submission
    #[arg(value_name = "WHO", required_unless_present = "all")]
    who: Vec<String>,
    /// Everybody to whom something is due
    #[arg(long, conflicts_with_all = ["who", "amount"])]
    all: bool,
    /// How much; absent: all that is due
    #[arg(long)]
    amount: Option<Amount>,
    #[command(flatten)]
    entry: EntryArgs,
}

/// `redial pay refuse …`
#[derive(Debug, Clone, Args)]
pub struct RefuseArgs {
    /// Name of the study
    study: String,
    /// Whom: a session, a claim number, a code, or a platform's name for a participant or a
    /// submission
    #[arg(value_name = "WHO")]
    who: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    because: String,
    #[command(flatten)]
    entry: EntryArgs,
}

/// Runs `redial pay …`.
///
/// # Errors
/// When there is no such study, participant or database, or an entry contradicts one that is there.
pub async fn pay(config: &Config, command: PayCommand) -> anyhow::Result<()> {
    match command {
        PayCommand::List(args) => list(config, &args).await,
        PayCommand::Owe(args) => decide(config, args, EntryKind::Owed).await,
        PayCommand::Part(args) => decide(config, args, EntryKind::Part).await,
        PayCommand::Bonus(args) => decide(config, args, EntryKind::Bonus).await,
        PayCommand::Paid(args) => paid(config, args).await,
        PayCommand::Refuse(args) => {
            let RefuseArgs {
                study,
                who,
                because,
                entry,
            } = args;
            let args = DecideArgs {
                study,
                who,
                amount: Amount::ZERO,
                because,
                entry,
            };
            decide(config, args, EntryKind::Refused).await
        }
    }
}

pub(super) async fn everybody(config: &Config, study: &str) -> anyhow::Result<People> {
    let archive = open(config, study).await?;
    // A study whose file is gone is paid for all the same.
    let file = find(config, study).await.ok();
    let now = file.and_then(|found| found.entry.study.pay.clone());
    let people = people(&*archive, study, now).await;
    // Closing waits for whoever still reads.
    archive.close().await;
    Ok(people?)
}

async fn decide(config: &Config, args: DecideArgs, kind: EntryKind) -> anyhow::Result<()> {
    let reason = checked("--because", args.because.trim())?;
    ensure!(
        !reason.is_empty(),
        "--because is empty; say why, in a few words"
    );
    let people = everybody(config, &args.study).await?;
    let person = people.named(&args.who)?;
    let entry = Entry {
        reason: Some(reason),
        ..entry(person, kind, args.amount, &args.entry)?
    };
    record(config, &args.study, vec![entry]).await
}

async fn paid(config: &Config, args: PaidArgs) -> anyhow::Result<()> {
    let people = everybody(config, &args.study).await?;
    let mut paid: Vec<&Person> = people.list.iter().filter(|_| args.all).collect();
    for who in &args.who {
        paid.push(people.named(who)?);
    }
    let mut entries = Vec::new();
    for person in paid {
        let amount = args.amount.unwrap_or_else(|| person.account.due());
        // An amount that is given may be one that was noted before.
        if !amount.is_zero() {
            entries.push(entry(person, EntryKind::Paid, amount, &args.entry)?);
        }
    }
    if entries.is_empty() {
        return Ok(print("Nothing is due.\n")?);
    }
    record(config, &args.study, entries).await
}

fn checked(option: &str, text: &str) -> anyhow::Result<String> {
    let length = text.chars().count();
    ensure!(
        length <= MAX_TEXT,
        "{option} has {length} characters; at most {MAX_TEXT} are kept"
    );
    Ok(text.to_owned())
}

fn entry(
    person: &Person,
    kind: EntryKind,
    amount: Amount,
    args: &EntryArgs,
) -> anyhow::Result<Entry> {
    let currency = args.currency.as_ref().or(person.account.currency.as_ref());
    Ok(Entry {
        session: person.session.clone(),
        kind,
        reference: checked("--reference", &args.reference)?,
        amount,
        currency: currency
            .context("the study declares no pay; name the currency, as in --currency GBP")?
            .clone(),
        reason: None,
        at_unix_ms: now_unix_ms(),
    })
}

/// Most entries in one request to a server. If one of several requests fails, the same command
/// again goes on: what was added before changes nothing.
const ENTRIES_PER_REQUEST: usize = 500;

/// Adds entries, and says what is due after them.
pub(super) async fn record(
    config: &Config,
    study: &str,
    entries: Vec<Entry>,
) -> anyhow::Result<()> {
    let sessions: Vec<_> = entries.iter().map(|entry| entry.session.clone()).collect();
    let mut added = 0;
    for entries in entries.chunks(ENTRIES_PER_REQUEST) {
        let request = Request::Pay {
            study: study.to_owned(),
            entries: entries.to_vec(),
        };
        added += change(config, &request).await?.changed;
    }
    let mut text = match added {
        0 => {
            "Nothing changed: this was in the ledger before. Another entry of the same kind needs \
              another --reference.\n"
                .to_owned()
        }
        added => format!("{added} entries added to the ledger.\n"),
    };
    let people = everybody(config, study).await?;
    for person in &people.list {
        if sessions.contains(&person.session) {
            let Account { currency, .. } = &person.account;
            text += &format!(
                "  session {}: due {} {}\n",
                person.session,
                person.account.due(),
                currency.as_deref().unwrap_or_default()
            );
        }
    }
    Ok(print(&text)?)
}

const COLUMNS: [(&str, Align); 13] = [
    ("platform", Align::Left),
    ("participant", Align::Left),
    ("submission", Align::Left),
    ("session", Align::Left),
    ("claim number", Align::Left),
    ("ended", Align::Left),
    ("currency", Align::Left),
    ("owed", Align::Right),
    ("bonus", Align::Right),
    ("paid", Align::Right),
    ("due", Align::Right),
    ("overpaid", Align::Right),
    ("because", Align::Left),
];

/// The values of one participant, in the order of the columns. Without a currency nothing was
/// promised or decided.
fn known(person: &Person) -> [Option<String>; COLUMNS.len()] {
    let [platform, participant, submission] = person.names().map(|name| name.map(str::to_owned));
    let account = &person.account;
    let amount = |amount: Amount| account.currency.as_ref().map(|_| amount.to_string());
    [
        platform,
        participant,
        submission,
        Some(person.session.0.clone()),
        Some(person.session.claim_number()),
        person.course.ended.map(|ended| ended.name().to_owned()),
        account.currency.clone(),
        amount(account.owed),
        amount(account.bonus),
        amount(account.paid),
        amount(account.due()),
        amount(account.overpaid()),
        Some(account.because.clone()).filter(|because| !because.is_empty()),
    ]
}

async fn list(config: &Config, args: &PayListArgs) -> anyhow::Result<()> {
    let people = everybody(config, &args.study).await?;
    let shown = |person: &&Person| !args.due || !person.account.due().is_zero();
    let list: Vec<&Person> = people.list.iter().filter(shown).collect();
    if args.json {
        let object = |person: &&Person| {
            let names = COLUMNS.map(|(name, _)| name.replace(' ', "_"));
            let values = known(person).map(Value::from);
            let mut object: Map<_, _> = names.into_iter().zip(values).collect();
            object.insert("refused".to_owned(), json!(person.account.refused));
            object.insert("entries".to_owned(), json!(person.entries));
            object
        };
        let objects: Vec<_> = list.iter().map(object).collect();
        print(&(serde_json::to_string_pretty(&objects)? + "\n"))?;
    } else if args.csv {
        let mut csv = csv::Writer::from_writer(Vec::new());
        csv.write_record(COLUMNS.map(|(name, _)| name.replace(' ', "_")))?;
        for person in &list {
            csv.write_record(known(person).map(Option::unwrap_or_default))?;
        }
        let Ok(bytes) = csv.into_inner() else {
            bail!("the table cannot be written");
        };
        print(&String::from_utf8(bytes)?)?;
    } else if list.is_empty() {
        print("Nobody is in this list.\n")?;
    } else {
        let mut table = vec![COLUMNS.map(|(name, _)| name.to_owned()).to_vec()];
        let cell = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        table.extend(list.iter().map(|person| known(person).map(cell).to_vec()));
        print(&aligned(&COLUMNS.map(|(_, align)| align), &table))?;
    }
    told(&people.problems, people.damaged)
}

pub(super) fn now_unix_ms() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}
