//! `redial platform …`: what a requester does by hand on Prolific and Mechanical Turk.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use clap::{Args, Subcommand};
use domain::recruitment::pay::{Amount, Entry, EntryKind};
use domain::recruitment::platform::{Ended, Recruitment};
use domain::study::Study;
use server::export::{ReplayedSessions, Visited, Whose};
use server::storage;

use super::pay::{everybody, now_unix_ms, record};
use super::people::{People, Person};
use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

mod mturk;
mod prolific;
mod secret;
mod speaker;

use mturk::{MturkApi, PRODUCTION, SANDBOX};
use prolific::ProlificApi;
use secret::Secret;
use speaker::{Advert, Speaker, Work};

/// Prolific's API.
const PROLIFIC: &str = "https://api.prolific.com";

/// `redial platform …`
#[derive(Debug, Clone, Subcommand)]
pub enum PlatformCommand {
    /// Prolific; its token is in PROLIFIC_API_TOKEN
    Prolific(ProlificArgs),
    /// Mechanical Turk, its sandbox unless you say --production; its keys are in AWS_ACCESS_KEY_ID
    /// and AWS_SECRET_ACCESS_KEY
    Mturk(MturkArgs),
}

/// What every command needs to reach a platform.
#[derive(Debug, Clone, Args)]
struct Reaching {
    /// File with the credentials, a line NAME=value each, in the place of the environment
    #[arg(long, global = true, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// For tests: a server that stands for the platform
    #[arg(long, global = true, hide = true, value_name = "ORIGIN")]
    stand_in: Option<String>,
}

/// `redial platform prolific …`
#[derive(Debug, Clone, Args)]
pub struct ProlificArgs {
    #[command(flatten)]
    reaching: Reaching,
    #[command(subcommand)]
    step: Step,
}

/// `redial platform mturk …`
#[derive(Debug, Clone, Args)]
pub struct MturkArgs {
    /// The site where people work and money flows, not the sandbox
    #[arg(long, global = true)]
    production: bool,
    #[command(flatten)]
    reaching: Reaching,
    #[command(subcommand)]
    step: Step,
}

#[derive(Debug, Clone, Subcommand)]
enum Step {
    /// Make the study there, with the title, description, pay, duration and quota of its file. What
    /// it pays an hour is shown first, by the times of the pilot
    Create(CreateArgs),
    /// List what was handed in there, beside what is known here
    Submissions(SubmissionsArgs),
    /// Approve work, so that it is paid, and note the payment in the ledger
    Approve(ApproveArgs),
    /// Reject work, and note that in the ledger. The participant reads the reason
    Reject(RejectArgs),
    /// Pay a bonus, and note it in the ledger
    Bonus(BonusArgs),
}

#[derive(Debug, Clone, Args)]
struct CreateArgs {
    /// Name of the study, or its file
    study: String,
    /// Where participants reach this server: https://study.example.org
    #[arg(long, value_name = "ORIGIN")]
    server: String,
    /// For how many people; absent: the sum of the study's caps
    #[arg(long)]
    places: Option<u64>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Clone, Args)]
struct SubmissionsArgs {
    /// Name of the study
    study: String,
    /// The platform's name for it: the study's number at Prolific, or the HIT
    #[arg(long, value_name = "ID")]
    id: String,
}

#[derive(Debug, Clone, Args)]
struct ApproveArgs {
    /// Name of the study
    study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    #[arg(value_name = "WHO", required_unless_present = "completed")]
    who: Vec<String>,
    /// Everybody from this platform who answered everything
    #[arg(long, conflicts_with = "who")]
    completed: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Clone, Args)]
struct RejectArgs {
    /// Name of the study
    study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    who: String,
    /// Why. The participant reads it
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// The category at Prolific: TOO_QUICKLY, FAILED_INSTRUCTIONS, FAILED_CHECK, LOW_EFFORT, NO_CODE,
    /// BAD_CODE, NO_DATA, OTHER …
    #[arg(long, default_value = "OTHER")]
    category: String,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Clone, Args)]
struct BonusArgs {
    /// Name of the study
    study: String,
    /// Whom: a session, a claim number, or the platform's name for a participant or a submission
    who: String,
    /// How much, such as 0.50
    amount: Amount,
    /// Why. The participant may read it
    #[arg(long, value_name = "TEXT")]
    because: String,
    /// What tells the bonus from others of the same person
    #[arg(long, value_name = "TEXT", default_value = "1")]
    reference: String,
    /// Pay it although it was begun before, and nobody knows whether it was paid
    #[arg(long)]
    again: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Runs `redial platform …`.
///
/// # Errors
/// When there is no such study or person, credentials are missing, or the platform says no.
pub async fn platform(config: &Config, command: PlatformCommand) -> anyhow::Result<()> {
    let (name, reaching, step) = match &command {
        PlatformCommand::Prolific(args) => ("prolific", &args.reaching, &args.step),
        PlatformCommand::Mturk(args) => ("mturk", &args.reaching, &args.step),
    };
    let study = find(config, step.study())?.study;
    let from = study
        .recruitment
        .iter()
        .find(|from| from.facts().name == name);
    let from = from.with_context(|| {
        format!(
            "'{}' takes nobody from there: its 'recruitment' does not name {name}",
            study.id
        )
    })?;
    let secret = |name| Secret::named(name, reaching.credentials.as_deref());
    let origin = |usual: &str| {
        let origin = reaching.stand_in.as_deref().unwrap_or(usual);
        origin.trim_end_matches('/').to_owned()
    };
    let speaker: Box<dyn Speaker> = match (&command, from) {
        (PlatformCommand::Prolific(_), Recruitment::Prolific(settings)) => Box::new(ProlificApi {
            origin: origin(PROLIFIC),
            token: secret("PROLIFIC_API_TOKEN")?,
            settings: settings.clone(),
            category: match step {
                Step::Reject(args) => args.category.clone(),
                _ => String::new(),
            },
        }),
        (PlatformCommand::Mturk(args), _) => Box::new(MturkApi {
            origin: origin(if args.production { PRODUCTION } else { SANDBOX }),
            key_id: secret("AWS_ACCESS_KEY_ID")?,
            key: secret("AWS_SECRET_ACCESS_KEY")?,
        }),
        (PlatformCommand::Prolific(_), _) => bail!("the study's settings are not Prolific's"),
    };
    // It waits as a whole, and nothing else is to be done meanwhile.
    let asked = PlatformStudy {
        config,
        study: &study,
        speaker: &*speaker,
    };
    match step {
        Step::Create(args) => asked.create(args).await,
        Step::Submissions(args) => asked.submissions(args).await,
        Step::Approve(args) => asked.approve(args).await,
        Step::Reject(args) => asked.reject(args).await,
        Step::Bonus(args) => asked.bonus(args).await,
    }
}

impl Step {
    fn study(&self) -> &str {
        match self {
            Self::Create(args) => &args.study,
            Self::Submissions(args) => &args.study,
            Self::Approve(args) => &args.study,
            Self::Reject(args) => &args.study,
            Self::Bonus(args) => &args.study,
        }
    }
}

/// Asks before something that cannot be taken back.
fn confirmed(what: &str, yes: bool) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    let stdin = std::io::stdin();
    ensure!(
        stdin.is_terminal(),
        "{what}\nNothing was done: say --yes, where nobody can be asked"
    );
    print(&format!("{what}\nType yes to go on: "))?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    ensure!(answer.trim() == "yes", "nothing was done");
    Ok(())
}

/// A study, and the platform that is asked about it.
struct PlatformStudy<'a> {
    config: &'a Config,
    study: &'a Study,
    speaker: &'a dyn Speaker,
}

impl PlatformStudy<'_> {
    async fn create(&self, args: &CreateArgs) -> anyhow::Result<()> {
        let study = self.study;
        let pay = study.pay.as_ref();
        let pay = pay.context("the study declares no pay ('pay' in study.json)")?;
        if let Some(currency) = self.speaker.currency() {
            ensure!(
                pay.currency == currency,
                "the study pays in {}; this platform pays in {currency}",
                pay.currency
            );
        }
        let consent = study.consent();
        let consent =
            consent.context("the study has no consent form, which says how long it takes")?;
        let design = &study.design;
        let caps = design.cells();
        let caps = caps.iter().map(|cell| design.assignment.cap_of(&cell.name));
        let places = args.places.or_else(|| caps.sum::<Option<u64>>());
        let places = places.context("the study has no caps; say --places")?;
        let origin = args.server.trim_end_matches('/');
        ensure!(
            origin.starts_with("https://"),
            "--server is '{origin}'; platforms want an address that begins with https://"
        );
        let spoken = study.spoken(study.first_language());
        let title = study.title.spoken(spoken);
        let advert = Advert {
            description: study
                .summary
                .as_ref()
                .map_or_else(|| title.clone(), |text| text.spoken(spoken)),
            title,
            url: format!("{origin}/study/{}", study.id),
            amount: pay.amount,
            minutes: consent.duration_minutes,
            limit_minutes: study.time_limit.map(|limit| limit.minutes),
            places,
        };
        let pilots = self.pilot_minutes().await?;
        let mut text = format!(
            "{}: {places} people, {} {} each, {} minutes by the consent form: {} {} an hour.\n",
            advert.title,
            pay.amount,
            pay.currency,
            advert.minutes,
            per_hour(pay.amount, f64::from(advert.minutes)),
            pay.currency,
        );
        text += &match pilots {
            None => "Nobody has completed a pilot (`redial serve --pilot`), so how long it really takes is not known.".to_owned(),
            Some((minutes, people)) => format!(
                "By the pilot it takes {minutes:.1} minutes from opening to end (median of {people}): {} {} an hour.",
                per_hour(pay.amount, minutes),
                pay.currency
            ),
        };
        confirmed(&text, args.yes)?;
        let (id, next) = self.speaker.create(&advert)?;
        Ok(print(&format!("{text}\nMade: {id}. {next}\n"))?)
    }

    /// The median time of those who completed a pilot, in minutes, and their number.
    async fn pilot_minutes(&self) -> anyhow::Result<Option<(f64, usize)>> {
        if !storage::file(&self.config.database)?.path().exists() {
            return Ok(None);
        }
        let archive = storage::open_archive(&self.config.database).await?;
        let mut minutes = Vec::new();
        if archive.studies().await?.contains(&self.study.id) {
            let mut sessions =
                ReplayedSessions::open(&*archive, &self.study.id, Whose::Pilots).await?;
            while let Some(visited) = sessions.next().await? {
                if let Visited::Whole(session) = visited
                    && Ended::of(&session.session) == Some(Ended::Completed)
                {
                    minutes.push(session.session.last_ms() as f64 / 60_000.0);
                }
            }
            drop(sessions);
        }
        archive.close().await;
        minutes.sort_by(f64::total_cmp);
        let people = minutes.len();
        let middle = |index: usize| minutes.get(index).copied();
        let median = match (middle(people / 2), people % 2) {
            (Some(upper), 0) => middle(people / 2 - 1).map(|lower| f64::midpoint(lower, upper)),
            (median, _) => median,
        };
        Ok(median.map(|median| (median, people)))
    }

    async fn submissions(&self, args: &SubmissionsArgs) -> anyhow::Result<()> {
        let there = self.speaker.submissions(&args.id)?;
        let here = self.people().await?;
        let columns = [
            "submission",
            "participant",
            "there",
            "session",
            "here",
            "due",
        ];
        let mut table = vec![columns.map(str::to_owned).to_vec()];
        for submission in there {
            let known = here
                .as_ref()
                .and_then(|here| here.named(&submission.id).ok());
            let session = known.map_or("–".into(), |person| person.session.0.clone());
            let ended = known.map_or("never started", |person| {
                person.course.ended.map_or("unfinished", Ended::name)
            });
            let due = known.map_or("–".into(), |person| person.account.due().to_string());
            table.push(vec![
                submission.id,
                submission.participant,
                submission.status,
                session,
                ended.to_owned(),
                due,
            ]);
        }
        Ok(print(&aligned(&[Align::Left; 6], &table))?)
    }

    async fn people(&self) -> anyhow::Result<Option<People>> {
        if !storage::file(&self.config.database)?.path().exists() {
            return Ok(None);
        }
        Ok(Some(everybody(self.config, &self.study.id).await?))
    }

    /// What the platform calls somebody's work.
    fn work<'p>(&self, person: &'p Person) -> anyhow::Result<Work<'p>> {
        let arrival = person.arrival.as_ref();
        let arrival = arrival.filter(|arrival| arrival.platform == self.speaker.name());
        let names = arrival.and_then(|arrival| {
            Some((
                arrival.submission.as_deref()?,
                arrival.participant.as_deref()?,
                arrival,
            ))
        });
        let (submission, participant, arrival) = names.with_context(|| {
            format!(
                "session {} did not come from {}, or what it calls its participant was dropped",
                person.session,
                self.speaker.name()
            )
        })?;
        Ok(Work {
            submission,
            participant,
            study: arrival.link.get("STUDY_ID").map(String::as_str),
        })
    }

    fn entry(
        &self,
        person: &Person,
        kind: EntryKind,
        amount: Amount,
        reference: &str,
    ) -> anyhow::Result<Entry> {
        let pay = self.study.pay.as_ref().map(|pay| &pay.currency);
        let currency = person.account.currency.as_ref().or(pay);
        Ok(Entry {
            session: person.session.clone(),
            kind,
            reference: reference.to_owned(),
            amount,
            currency: currency
                .context("the study declares no pay ('pay' in study.json)")?
                .clone(),
            reason: None,
            at_unix_ms: now_unix_ms(),
        })
    }

    async fn approve(&self, args: &ApproveArgs) -> anyhow::Result<()> {
        let here = everybody(self.config, &self.study.id).await?;
        let pay = self.study.pay.as_ref();
        let amount = pay
            .context("the study declares no pay ('pay' in study.json)")?
            .amount;
        let named: Vec<&Person> = if args.completed {
            let from_here = |person: &&Person| {
                let arrival = person.arrival.as_ref();
                arrival.is_some_and(|arrival| arrival.platform == self.speaker.name())
                    && person.course.ended == Some(Ended::Completed)
                    && !person.account.refused
            };
            here.list.iter().filter(from_here).collect()
        } else {
            let named = args.who.iter().map(|name| here.named(name));
            named.collect::<anyhow::Result<_>>()?
        };
        let mut open = Vec::new();
        for person in named {
            self.work(person)?;
            // Not the platform's name for the work: it would outlive `participants --forget`.
            let reference = self.speaker.name();
            let entry = self.entry(person, EntryKind::Paid, amount, reference)?;
            let is_this = |it: &Entry| it.kind == EntryKind::Paid && it.reference == reference;
            if !person.entries.iter().any(is_this) {
                open.push((person, entry));
            }
        }
        if open.is_empty() {
            return Ok(print(
                "Nothing to do: by the ledger all of them are approved.\n",
            )?);
        }
        let text = format!("{} submissions are approved, {amount} each.", open.len());
        confirmed(&text, args.yes)?;
        for (person, entry) in open {
            self.speaker.approve(&self.work(person)?)?;
            // One by one: what the platform has done is noted before the next is asked for.
            record(self.config, &self.study.id, vec![entry]).await?;
        }
        Ok(())
    }

    async fn reject(&self, args: &RejectArgs) -> anyhow::Result<()> {
        let because = args.because.trim();
        ensure!(
            !because.is_empty(),
            "--because is empty; the participant reads it"
        );
        if let Some(fault) = self.speaker.rejection_fault(because) {
            bail!("{fault}");
        }
        let here = everybody(self.config, &self.study.id).await?;
        let person = here.named(&args.who)?;
        let work = self.work(person)?;
        let reference = self.speaker.name();
        let is_this = |it: &Entry| it.kind == EntryKind::Refused && it.reference == reference;
        if person.entries.iter().any(is_this) {
            return Ok(print("Nothing to do: by the ledger it is rejected.\n")?);
        }
        confirmed(
            &format!("Submission {} is rejected: {because}", work.submission),
            args.yes,
        )?;
        self.speaker.reject(&work, because)?;
        let entry = Entry {
            reason: Some(
                because
                    .chars()
                    .take(domain::recruitment::pay::MAX_TEXT)
                    .collect(),
            ),
            ..self.entry(person, EntryKind::Refused, Amount::ZERO, reference)?
        };
        record(self.config, &self.study.id, vec![entry]).await
    }

    async fn bonus(&self, args: &BonusArgs) -> anyhow::Result<()> {
        let because = args.because.trim();
        ensure!(
            !because.is_empty(),
            "--because is empty; say why, in a few words"
        );
        let here = everybody(self.config, &self.study.id).await?;
        let person = here.named(&args.who)?;
        let work = self.work(person)?;
        let name = self.speaker.name();
        let reference = format!("{name} bonus {}", args.reference);
        let there = |kind: EntryKind| {
            let mut entries = person.entries.iter();
            entries.find(|it| it.kind == kind && it.reference == reference)
        };
        if there(EntryKind::Paid).is_some() {
            return Ok(print("Nothing to do: by the ledger this bonus is paid.\n")?);
        }
        ensure!(
            there(EntryKind::Bonus).is_none() || args.again,
            "a bonus with this reference was begun before, and nobody noted that it was paid. Look on \
             the platform. If it was paid, say so: redial pay paid {} {} --amount {} --reference \
             '{reference}'. If not, repeat this with --again",
            self.study.id,
            person.session,
            args.amount
        );
        let text = format!(
            "A bonus of {} for submission {}.",
            args.amount, work.submission
        );
        confirmed(&text, args.yes)?;
        let begun = Entry {
            reason: Some(because.to_owned()),
            ..self.entry(person, EntryKind::Bonus, args.amount, &reference)?
        };
        // First, so that a bonus that may have been paid is never paid again unseen.
        record(self.config, &self.study.id, vec![begun]).await?;
        self.speaker
            .bonus(&work, args.amount, because, &reference)?;
        let paid = self.entry(person, EntryKind::Paid, args.amount, &reference)?;
        record(self.config, &self.study.id, vec![paid]).await
    }
}

/// What an amount for a number of minutes is for an hour.
fn per_hour(amount: Amount, minutes: f64) -> String {
    if minutes > 0.0 {
        format!(
            "{:.2}",
            f64::from(amount.hundredths()) / 100.0 * 60.0 / minutes
        )
    } else {
        "an unknown amount".to_owned()
    }
}
