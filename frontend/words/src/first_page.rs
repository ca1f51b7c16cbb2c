//! A study's first page as HTML: it is read before the app is there.
//!
//! [`reading`] is what is read. The server writes it into the page, and the app takes it over as it stands there,
//! or shows the same. [`waiting`] is the page around it: the header, and what can be pressed once the app
//! is there. The app has its own of these in the same places (`ui/shell.rs`, `screens/study.rs`); a
//! browser test holds the two against each other.

use api::{Admission, ArrivalInfo, ConsentInfo, StudyInfo};
use domain::common::language::own_name;

use crate::{Study, Texts};
use fields::{agreement, question};

mod fields;

/// A dial, as in the icon: what is drawn in the header's `svg`.
pub const BRAND_MARK: &str = r#"<path class="brand-arc" d="M7.5 24.5A12 12 0 1 1 24.5 24.5"/><circle class="brand-knob" cx="16" cy="16" r="7.5"/><path class="brand-pointer" d="M16 16L20.5 11.5"/>"#;

/// A text as HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The text that is read: title, what to know before anything else, and the consent form. `again` where the
/// participant agreed to an earlier text and the session waits; `query` is that of the page's address.
#[must_use]
pub fn reading(info: &StudyInfo, again: bool, words: &Texts, query: &str) -> String {
    let study = &words.study;
    let mut html = Html::default();
    // A session that has begun keeps its language.
    if !again {
        languages(&mut html, info, study, query);
    }
    html.text(r#"<h1 tabindex="-1">"#, &info.title, "</h1>");
    if again {
        html.text(r#"<p class="note" role="alert">"#, study.changed(), "</p>");
    }
    // Before the consent form: nobody reads it for nothing.
    for note in notes(info, words) {
        html.text(r#"<p class="note" data-testid="door">"#, &note, "</p>");
    }
    // The summary is for the list of studies: it may name what participants must not know.
    if let Some(consent) = &info.consent {
        consent_form(&mut html, consent, study);
    }
    html.0
}

/// The first page while the app is on its way.
pub struct WaitingPage {
    /// The header.
    pub header: String,
    /// The screen.
    pub screen: String,
}

/// The page that stands there until the app takes it over.
#[must_use]
pub fn waiting(info: &StudyInfo, words: &Texts, query: &str) -> WaitingPage {
    let study = &words.study;
    let mut html = Html::default();
    html.0 += r#"<article class="screen reading"><div id="reading" class="as-one">"#;
    html.0 += &reading(info, false, words, query);
    html.0 += "</div>";
    let open = info.arrival.door == Admission::Open;
    if open {
        for item in &info.questions_before {
            question(&mut html, item);
        }
    }
    if let Some(consent) = info.consent.as_ref().filter(|_| open) {
        agreement(&mut html, consent.agree, study);
    }
    if !info.models.is_empty() {
        html.text(r#"<p class="muted small">"#, study.by_sight(), "</p>");
    }
    html.0 += r#"<div class="actions">"#;
    let start = start_label(info, false, words);
    let button = r#"<button type="button" class="button primary waits" disabled>"#;
    html.text(button, start, "</button>");
    if info.consent.is_some() {
        let button = r#"<button type="button" class="button" disabled>"#;
        html.text(button, study.decline(), "</button>");
    }
    html.0 += r#"<span></span></div><div></div>"#;
    html.text(r#"<p class="muted small">"#, study.nothing_yet(), "</p>");
    if open {
        let note = r#"<p class="muted small loading-note">"#;
        html.text(note, study.loading(), "</p>");
    }
    html.0 += "</article>";
    WaitingPage {
        header: header(info, words),
        screen: html.0,
    }
}

/// The label of the button that starts a session, or goes on with one.
#[must_use]
pub fn start_label<'a>(info: &StudyInfo, again: bool, words: &'a Texts) -> &'a str {
    match (info.consent.is_some(), again) {
        (true, true) => words.study.agree_again(),
        (true, false) => words.study.agree(),
        (false, _) => words.ways.start(),
    }
}

/// A page's query, asking for a language.
#[must_use]
pub fn query_in(query: &str, language: &str) -> String {
    let kept = query.trim_start_matches('?').split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !name.is_empty() && name != "lang"
    });
    let language = ["lang=", language].concat();
    let pairs: Vec<&str> = kept.chain([&*language]).collect();
    ["?", &pairs.join("&")].concat()
}

/// HTML that is being written.
#[derive(Default)]
struct Html(String);

impl Html {
    /// A text between tags that are ours.
    fn text(&mut self, open: &str, text: &str, close: &str) {
        self.0.extend([open, &escaped(text), close]);
    }
}

/// The languages that the study comes in, where there are several. Each is a link, so that the
/// language stands in the address.
fn languages(html: &mut Html, info: &StudyInfo, words: &Study, query: &str) {
    if info.languages.len() < 2 {
        return;
    }
    let open = r#"<nav class="languages" aria-label=""#;
    html.text(open, words.language(), r#""><ul role="list">"#);
    for language in &info.languages {
        let tag = escaped(language);
        html.text(r#"<li><a href=""#, &query_in(query, language), "\"");
        for (name, value) in [
            ("lang", &*tag),
            ("hreflang", &*tag),
            ("data-testid", &*["language-", &*tag].concat()),
        ] {
            html.0.extend([" ", name, "=\"", value, "\""]);
        }
        if *language == info.language {
            html.0 += r#" aria-current="true""#;
        }
        html.text(">", own_name(language), "</a></li>");
    }
    html.0 += "</ul></nav>";
}

/// Notes to read before anything else: why somebody with this link cannot start, if so, and that what
/// they would start is a trial.
fn notes(info: &StudyInfo, words: &Texts) -> Vec<String> {
    let study = &words.study;
    let ArrivalInfo {
        door,
        platforms,
        trial,
        ..
    } = &info.arrival;
    let platforms = platforms.join(" / ");
    let door = match door {
        Admission::Open => None,
        Admission::Preview => Some(study.preview(platforms)),
        Admission::Closed => Some(study.from_platform(platforms)),
        Admission::NotNow => Some(words.runtime.not_open().to_owned()),
        Admission::Unchecked => Some(study.unchecked(platforms)),
        Admission::WrongLink => Some(match &info.consent {
            Some(consent) => study.wrong_link_contact(&consent.contact),
            None => study.wrong_link().to_owned(),
        }),
    };
    let trial = trial.then(|| study.trial().to_owned());
    door.into_iter().chain(trial).collect()
}

/// The consent form, with what a participant must be told. Prints well: `static/able.js` hears the button.
fn consent_form(html: &mut Html, consent: &ConsentInfo, words: &Study) {
    let minutes = usize::try_from(consent.duration_minutes).unwrap_or(usize::MAX);
    let facts = [
        (words.protocol(), consent.protocol.as_deref()),
        (words.version(), consent.version.as_deref()),
        (words.investigator(), Some(&*consent.investigator)),
        (words.contact(), Some(&*consent.contact)),
        (words.duration(), Some(&*words.minutes(minutes))),
        (words.pay(), consent.pay.as_deref()),
    ];
    html.0 += r#"<section class="card consent" aria-labelledby="consent-heading"><div class="card-head">"#;
    html.text(r#"<h2 id="consent-heading">"#, words.consent(), "</h2>");
    let button = r#"<button type="button" class="button quiet print-button" data-print>"#;
    html.text(button, words.print(), "</button>");
    html.0 += r#"</div><dl class="fact-list">"#;
    for (name, value) in facts {
        if let Some(value) = value {
            html.text("<div><dt>", name, "</dt>");
            html.text("<dd>", value, "</dd></div>");
        }
    }
    // The server made this HTML from Markdown, and any HTML in that into text.
    html.0.extend([
        r#"</dl><div class="prose">"#,
        &consent.text_html,
        "</div></section>",
    ]);
}

/// The header of every screen, with where to turn to.
fn header(info: &StudyInfo, words: &Texts) -> String {
    let shell = &words.shell;
    let mut html = Html::default();
    html.0.extend([
        r#"<header id="waiting-header" class="site-header"><div class="brand"><svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">"#,
        BRAND_MARK,
        "</svg>",
    ]);
    html.text(
        r#"<span class="brand-name">"#,
        shell.product(),
        "</span></div>",
    );
    html.text(
        r#"<p class="site-title"><span>"#,
        &info.title,
        "</span></p>",
    );
    if let Some(consent) = &info.consent {
        html.text(
            r#"<details class="help"><summary>"#,
            shell.help(),
            "</summary>",
        );
        html.text(
            r#"<div class="help-panel"><p>"#,
            shell.help_text(),
            "</p><p>",
        );
        if is_address(&consent.contact) {
            let open = r#"<a class="notranslate" translate="no" href="mailto:"#;
            html.text(open, &consent.contact, "\">");
            html.text("", &consent.contact, "</a>");
        } else {
            html.text("<strong>", &consent.contact, "</strong>");
        }
        html.0 += "</p></div></details>";
    }
    html.0 += r#"<div class="save-slot"></div></header>"#;
    html.0
}

/// Whether a contact is an address of e-mail.
#[must_use]
pub fn is_address(contact: &str) -> bool {
    contact.contains('@') && !contact.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests;
