//! A study's first page in the page of the app: read before the app is there.

use api::StudyInfo;
use domain::common::language::direction;
use domain::study::Study;
use words::Texts;
use words::first_page::{WaitingPage, escaped, waiting};

/// A study's page: the study, what it tells before the start, and the query that it was asked for with.
pub(super) struct StudyPage<'a> {
    pub study: &'a Study,
    pub info: StudyInfo,
    pub query: &'a str,
}

/// Where a study's first page goes: the part of the participant's page that is seen before the app.
const BEFORE_THE_APP: &str = "<main id=\"boot\" class=\"boot\">";

/// The page with the study's first page in it, which is read before the app is there, and which the app
/// takes over; and with the study's contact, since whom to ask must not depend on the app.
pub(super) fn with_first_page(html: &str, StudyPage { info, query, .. }: &StudyPage<'_>) -> String {
    let Some((before, after)) = html.split_once(BEFORE_THE_APP) else {
        return html.to_owned();
    };
    let words = Texts::of(&info.language);
    let WaitingPage { header, screen } = waiting(info, words, query);
    let language = escaped(&info.language);
    let spoken = format!(
        "lang=\"{language}\" dir=\"{}\" data-spoken=\"{language}\"",
        direction(&info.language)
    );
    let title = escaped(&words.shell.document_title(&info.title));
    let before = before.replacen("lang=\"en\"", &spoken, 1).replacen(
        "<title>Redial<",
        &format!("<title>{title}<"),
        1,
    );
    // For the app. The form stands in the page already; the summary is for the list of studies.
    let mut told = info.clone();
    told.summary = None;
    if let Some(consent) = &mut told.consent {
        consent.text_html.clear();
    }
    let told = escaped(&serde_json::to_string(&told).unwrap_or_default());
    let (class, after) = match &info.consent {
        Some(consent) => {
            let contact = format!("translate=\"no\">{}</strong>", escaped(&consent.contact));
            let after = after.replacen("translate=\"no\"></strong>", &contact, 1);
            ("boot first-page has-contact", after)
        }
        None => ("boot first-page", after.to_owned()),
    };
    format!(
        "{before}{header}<main id=\"boot\" class=\"{class}\" data-study=\"{told}\">{screen}{after}"
    )
}
