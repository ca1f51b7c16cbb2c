//! `redial platform …`: what a requester does by hand on Prolific and Mechanical Turk.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::{Context as _, bail, ensure};
use domain::recruitment::pay::{Amount, Entry, EntryKind};
use domain::recruitment::platform::{Ended, Recruitment};
use domain::study::Study;
use server::storage;

use super::pay::{everybody, now_unix_ms};
use super::people::{People, Person};
use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

mod args;
mod create;
mod decisions;
mod mturk;
mod prolific;
mod secret;
mod speaker;

pub use args::PlatformCommand;
use args::{Step, SubmissionsArgs};
use mturk::{MturkApi, PRODUCTION, SANDBOX};
use prolific::ProlificApi;
use secret::Secret;
use speaker::{Speaker, SubmissionNames};

/// Prolific's API.
const PROLIFIC: &str = "https://api.prolific.com";

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
    async fn submissions(&self, args: &SubmissionsArgs) -> anyhow::Result<()> {
        let there = self.speaker.submissions(&args.id)?;
        let participants = self.people().await?;
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
            let known = participants
                .as_ref()
                .and_then(|participants| participants.named(&submission.id).ok());
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
    fn names_of<'p>(&self, person: &'p Person) -> anyhow::Result<SubmissionNames<'p>> {
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
        Ok(SubmissionNames {
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
}
