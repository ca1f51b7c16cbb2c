//! The checklist to go through before a study takes participants.

use api::research::{CheckState, ChecklistItem};
use domain::recruitment::assignment::Purpose;
use domain::recruitment::pay::Pay;
use domain::recruitment::platform::Recruitment;
use domain::session::Phase;
use domain::study::Study;

use crate::catalogue::{StudyEntry, StudyFault};
use crate::hourly_pay::{hourly_pay, median_minutes};
use crate::summaries::Rows;

/// The checklist of a study, in the order in which it is done. `rows` are its sessions; `secure` says that the server
/// is reached over HTTPS, `with_codes` that whoever reads it may know the platform's codes.
#[must_use]
pub fn checklist(
    entry: &StudyEntry,
    rows: &Rows,
    secure: bool,
    with_codes: bool,
) -> Vec<ChecklistItem> {
    let study = &entry.study;
    let pilots = times_of_pilots(rows);
    let median = median_minutes(&pilots);
    vec![
        checked(&entry.warnings),
        looked_at(study, pilots.len()),
        piloted(pilots.len(), median),
        preregistered(study),
        codes(study, with_codes),
        paid(study.pay.as_ref(), &pilots),
        encrypted(secure),
    ]
}

/// How long those took who finished a pilot, in milliseconds.
fn times_of_pilots(rows: &Rows) -> Vec<u64> {
    let done = rows.cells(["purpose", "phase", "last_event_at_ms"]);
    let done = done.filter(|[purpose, phase, _]| {
        *purpose == Purpose::Pilot.name() && *phase == Phase::Complete.name()
    });
    done.filter_map(|[_, _, ms]| ms.parse().ok()).collect()
}

fn item(what: &str, state: CheckState, about: Vec<String>) -> ChecklistItem {
    ChecklistItem {
        what: what.to_owned(),
        state,
        about,
    }
}

fn checked(warnings: &[StudyFault]) -> ChecklistItem {
    let found: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    if found.is_empty() {
        let about = "The study's file has no mistakes, and there is nothing to warn of.";
        item("Checked", CheckState::Done, vec![about.to_owned()])
    } else {
        item("Checked", CheckState::Open, found)
    }
}

fn looked_at(study: &Study, pilots: usize) -> ChecklistItem {
    if pilots > 0 {
        let about = "Pilots have seen all of it.";
        return item("Looked at", CheckState::Done, vec![about.to_owned()]);
    }
    let about = format!(
        "`redial serve --preview` shows any part of the study at /preview/{}; what is done there is not kept.",
        study.id
    );
    item("Looked at", CheckState::Unknown, vec![about])
}

fn piloted(pilots: usize, median: Option<f64>) -> ChecklistItem {
    match median {
        Some(median) => {
            let people = if pilots == 1 {
                "pilot has"
            } else {
                "pilots have"
            };
            let about = format!("{pilots} {people} finished; the median took {median:.0} minutes.");
            item("Piloted", CheckState::Done, vec![about])
        }
        None => {
            let about = "Nobody has finished a pilot. Set the study to pilot, and take it once from beginning to end.";
            item("Piloted", CheckState::Open, vec![about.to_owned()])
        }
    }
}

fn preregistered(study: &Study) -> ChecklistItem {
    if study.analysis.is_none() {
        let about = "The study declares no analysis, so all of it will be exploratory. Declare one ('analysis' in study.json) before you deposit it.";
        return item("Preregistered", CheckState::Open, vec![about.to_owned()]);
    }
    let about = format!(
        "`redial study preregister {}` writes what to deposit. Whether you have, the server cannot know.",
        study.id
    );
    item("Preregistered", CheckState::Unknown, vec![about])
}

fn codes(study: &Study, with_codes: bool) -> ChecklistItem {
    let what = "Codes of the platform";
    let platforms = study.recruitment.iter().filter(|from| from.is_platform());
    let about = platforms.map(|from| codes_of(from, with_codes));
    let about: Vec<String> = about.collect();
    if about.is_empty() {
        let about = "People come by links of your own, not from a platform.";
        return item(what, CheckState::None, vec![about.to_owned()]);
    }
    // A file without them is refused; whether they are those of the platform is for somebody to compare.
    item(what, CheckState::Unknown, about)
}

/// A note on a platform's codes. A person who knows one can be paid for nothing, so codes are for those who pay.
fn codes_of(from: &Recruitment, with_codes: bool) -> String {
    let title = from.facts().title;
    match from {
        Recruitment::Prolific(settings) if !with_codes => {
            let number = settings.codes.len();
            format!(
                "{title}: {number} set. Those who may manage the study see which, and compare them with the study there."
            )
        }
        Recruitment::Prolific(settings) => {
            let codes: Vec<&str> = settings.codes.values().map(String::as_str).collect();
            let codes = codes.join(", ");
            format!("{title}: codes {codes}. Compare them with the study there.")
        }
        _ => format!("{title}: compare what the study's file says with the study there."),
    }
}

fn paid(pay: Option<&Pay>, pilots: &[u64]) -> ChecklistItem {
    let what = "Pay per hour";
    let Some(pay) = pay else {
        let about = "The study declares no pay ('pay' in study.json).";
        return item(what, CheckState::None, vec![about.to_owned()]);
    };
    let Pay {
        currency, amount, ..
    } = pay;
    let found = hourly_pay(*amount, pilots);
    match found.and_then(|found| Some((found.median_minutes, found.hourly?))) {
        Some((minutes, hourly)) => {
            let about = format!(
                "{currency} {amount} for {minutes:.0} minutes, the pilots' median: {currency} {hourly:.2} an hour. Compare it with what the platform and your institution ask for."
            );
            item(what, CheckState::Done, vec![about])
        }
        None => {
            let about = format!(
                "{currency} {amount}; how much that is an hour shows once pilots have finished."
            );
            item(what, CheckState::Open, vec![about])
        }
    }
}

fn encrypted(secure: bool) -> ChecklistItem {
    let (state, about) = if secure {
        (CheckState::Done, "You reached this server over HTTPS.")
    } else {
        (
            CheckState::Open,
            "You reached this server over plain HTTP. Participants on other machines need HTTPS: `--certificate` and `--key`, or a proxy (docs/proxies.md).",
        )
    };
    item("HTTPS", state, vec![about.to_owned()])
}
