//! `redial platform … create`: a study is made on the platform, after a look at what it pays an hour.

use anyhow::{Context as _, ensure};
use domain::recruitment::pay::Amount;
use domain::recruitment::platform::Ended;
use server::export::{ReplayedSessions, SessionSelection, Visited};
use server::platforms::Advert;
use server::storage;

use super::args::CreateArgs;
use super::{PlatformStudy, confirmed};
use crate::output::print;

impl PlatformStudy<'_> {
    pub(super) async fn create(&self, args: &CreateArgs) -> anyhow::Result<()> {
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
            settings: self.from,
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
                ReplayedSessions::open(&*archive, &self.study.id, SessionSelection::Pilots).await?;
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
