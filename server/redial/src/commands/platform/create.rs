//! `redial platform … create`: a study is made on the platform, after a look at what it pays an hour.

use anyhow::{Context as _, ensure};
use server::export::{ReplayedSessions, SessionSelection, Visited};
use server::hourly_pay::hourly_pay;
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
        if let Some(currency) = self.speaker()?.currency() {
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
        let pilots = hourly_pay(pay.amount, &self.times_of_pilots().await?);
        let mut text = format!(
            "{}: {places} people, {} {} each, {} minutes by the consent form: {} {} an hour.\n",
            advert.title,
            pay.amount,
            pay.currency,
            advert.minutes,
            an_hour(pay.amount.an_hour(f64::from(advert.minutes))),
            pay.currency,
        );
        text += &match pilots {
            None => "Nobody has completed a pilot (`redial serve --pilot`), so how long it really takes is not known.".to_owned(),
            Some(found) => format!(
                "By the pilot it takes {:.1} minutes from opening to end (median of {}): {} {} an hour.",
                found.median_minutes,
                found.people,
                an_hour(found.hourly),
                pay.currency
            ),
        };
        confirmed(&text, args.yes)?;
        let (id, next) = self.speaker()?.create(&advert)?;
        Ok(print(&format!("{text}\nMade: {id}. {next}\n"))?)
    }

    /// How long those took who completed a pilot, in milliseconds.
    async fn times_of_pilots(&self) -> anyhow::Result<Vec<u64>> {
        let mut times = Vec::new();
        if storage::path(&self.config.database)?.is_some_and(|file| !file.exists()) {
            return Ok(times);
        }
        let archive = storage::open_archive(self.config.address()).await?;
        if archive.studies().await?.contains(&self.study.id) {
            let mut sessions =
                ReplayedSessions::open(&*archive, &self.study.id, SessionSelection::Pilots).await?;
            while let Some(visited) = sessions.next().await? {
                if let Visited::Whole(session) = visited
                    && session.is_complete()
                {
                    times.push(session.session.last_ms());
                }
            }
            drop(sessions);
        }
        archive.close().await;
        Ok(times)
    }
}

/// The hourly pay, in words.
fn an_hour(hourly: Option<f64>) -> String {
    hourly.map_or_else(|| "an unknown amount".to_owned(), |it| format!("{it:.2}"))
}
