//! `redial platform …`: what a requester does by hand on Prolific and Mechanical Turk.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::{Context as _, bail, ensure};
use domain::recruitment::outbox::Deed;
use domain::recruitment::pay::Entry;
use domain::recruitment::platform::{Ended, Recruitment};
use domain::study::Study;
use server::people::{People, Person};
use server::platforms::{
    MTURK_KEY, MTURK_KEY_ID, MturkApi, PRODUCTION, PROLIFIC, PROLIFIC_TOKEN, ProlificApi, SANDBOX,
    Secret, Speaker, SubmissionNames,
};
use server::storage;

use super::pay::{everybody, now_unix_ms};
use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

mod args;
mod by_server;
mod create;
mod decisions;
mod matching;
mod outbox;

pub use args::PlatformCommand;
use args::{Step, SubmissionsArgs};

/// Runs `redial platform …`.
///
/// # Errors
/// When there is no such study or person, credentials are missing, or the platform says no.
pub async fn platform(config: &Config, command: PlatformCommand) -> anyhow::Result<()> {
    let (name, reaching, step) = match &command {
        PlatformCommand::Prolific(args) => ("prolific", &args.reaching, &args.step),
        PlatformCommand::Mturk(args) => ("mturk", &args.reaching, &args.step),
        PlatformCommand::Outbox(args) => return outbox::outbox(config, args).await,
        PlatformCommand::Match(args) => return matching::match_with_list(config, args).await,
    };
    let entry = find(config, step.study()).await?.entry;
    let study = &entry.study;
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
    let make_speaker = || -> anyhow::Result<Box<dyn Speaker>> {
        Ok(match &command {
            PlatformCommand::Mturk(args) => Box::new(MturkApi {
                origin: origin(if args.production { PRODUCTION } else { SANDBOX }),
                key_id: secret(MTURK_KEY_ID)?,
                key: secret(MTURK_KEY)?,
            }),
            _ => Box::new(ProlificApi {
                origin: origin(PROLIFIC),
                token: secret(PROLIFIC_TOKEN)?,
            }),
        })
    };
    let waits_ms = if step.decides() {
        by_server::waits_ms(config, name).await?
    } else {
        None
    };
    let speaker = match waits_ms {
        Some(_) => None,
        None => Some(make_speaker()?),
    };
    // It waits as a whole, and nothing else is to be done meanwhile.
    let asked = PlatformStudy {
        config,
        study,
        from,
        platform: from.facts().name,
        sender: match (&speaker, waits_ms) {
            (None, Some(waits_ms)) => Sender::Server { waits_ms },
            (Some(speaker), _) => Sender::Here(&**speaker),
            (None, None) => bail!("nobody can ask {name}"),
        },
    };
    match step {
        Step::Create(args) => asked.create(args).await,
        Step::Submissions(args) => asked.submissions(args).await,
        Step::Approve(args) => asked.approve(args).await,
        Step::Reject(args) => asked.reject(args).await,
        Step::AskReturn(args) => asked.ask_return(args).await,
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
    /// The study's settings for the platform.
    from: &'a Recruitment,
    /// Name of the platform.
    platform: &'static str,
    sender: Sender<'a>,
}

/// The program that asks the platform.
#[derive(Clone, Copy)]
enum Sender<'a> {
    /// This command does, at once.
    Here(&'a dyn Speaker),
    /// The server that has the database, and credentials of the platform.
    Server {
        /// How long a decision waits there before it is sent.
        waits_ms: u64,
    },
}

impl PlatformStudy<'_> {
    /// The speaker to the platform, where this command asks it.
    fn speaker(&self) -> anyhow::Result<&dyn Speaker> {
        match self.sender {
            Sender::Here(speaker) => Ok(speaker),
            Sender::Server { .. } => bail!("the server asks {}", self.platform),
        }
    }

    async fn submissions(&self, args: &SubmissionsArgs) -> anyhow::Result<()> {
        let there = self.speaker()?.submissions(&args.id)?;
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
        if storage::path(&self.config.database)?.is_some_and(|file| !file.exists()) {
            return Ok(None);
        }
        Ok(Some(everybody(self.config, &self.study.id).await?))
    }

    /// The platform's names for somebody's work.
    fn names_of(&self, person: &Person) -> anyhow::Result<SubmissionNames> {
        let arrival = person.arrival.as_ref();
        let arrival = arrival.filter(|arrival| arrival.platform == self.platform);
        arrival.and_then(SubmissionNames::of).with_context(|| {
            format!(
                "session {} did not come from {}, or what it calls its participant was dropped",
                person.session, self.platform
            )
        })
    }

    /// The currency of somebody's ledger.
    fn currency_of(&self, person: &Person) -> anyhow::Result<String> {
        let pay = self.study.pay.as_ref().map(|pay| &pay.currency);
        let currency = person.account.currency.as_ref().or(pay);
        let currency = currency.context("the study declares no pay ('pay' in study.json)")?;
        Ok(currency.clone())
    }

    /// The ledger's entries about somebody once the platform has done this.
    fn entries(&self, person: &Person, deed: &Deed) -> Vec<Entry> {
        deed.entries(&person.session, self.platform, now_unix_ms())
    }
}

/// Whether somebody's ledger has an entry already.
fn has(person: &Person, entry: &Entry) -> bool {
    let mut there = person.entries.iter();
    there.any(|it| it.kind == entry.kind && it.reference == entry.reference)
}
