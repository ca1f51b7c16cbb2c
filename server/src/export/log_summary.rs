//! Counts over a session's log: what its state does not hold.

use domain::recruitment::platform::Ended;
use domain::session::AlignmentTrace;
use domain::session::event::{Author, Event, PageInfo};
use domain::simulate::USER_AGENT;
use domain::study::automation::AutomationLog;

use super::log::LoggedEvent;

/// Longest list of builds that is kept, in bytes: who writes a log can name any number.
const MAX_BUILDS: usize = 2_000;

/// The server's findings when it decoded a session again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verified {
    pub(super) decoded: u64,
    pub(super) contradictions: u64,
    pub(super) first: Option<String>,
}

/// Counts over a session's log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogSummary {
    /// Number of events, of all authors.
    pub events: usize,
    pub(super) consents: usize,
    pub(super) pages_opened: usize,
    pub(super) connections_lost: usize,
    /// The browser's description of itself when the first page opened.
    pub(super) first_page: Option<PageInfo>,
    /// Builds of the app that pages ran, each once, separated by spaces.
    pub(super) app_builds: String,
    /// Whether the first page that says so decoded with relaxed SIMD.
    pub(super) relaxed_simd: Option<bool>,
    /// Smallest and largest time from the moment that an event of the page claims, by the server's
    /// clock, to the moment that the server received it, in milliseconds; negative if the claim is
    /// ahead.
    pub(super) delays_ms: Option<(i64, i64)>,
    pub(super) verified: Option<Verified>,
    /// Whether the server had lost the session and made it again.
    pub(super) restored: bool,
    /// The ending that the participant took back to their platform last.
    pub(super) told: Option<Ended>,
    /// A page says that nobody sits before it.
    pub(super) simulated: bool,
    /// Whether a browser translated a page; false where nobody looked, in logs of earlier versions.
    pub(super) translated: bool,
    /// Signs that a script or an agent took part.
    pub(super) automation: AutomationLog,
    /// When the last event was received, in milliseconds since 1970; 0 without one.
    pub heard_at_unix_ms: u64,
    /// The alignment during the last question.
    pub trace: AlignmentTrace,
}

impl LogSummary {
    /// Takes in the next event of a session that was created then, in milliseconds since 1970.
    pub(super) fn take(&mut self, logged: &LoggedEvent, created_at_unix_ms: u64) {
        self.events += 1;
        let envelope = &logged.envelope;
        if envelope.author == Author::Participant {
            let claimed = created_at_unix_ms.saturating_add(envelope.at_ms);
            let received = i64::try_from(logged.received_at_unix_ms).unwrap_or(i64::MAX);
            let delay = received.saturating_sub(i64::try_from(claimed).unwrap_or(i64::MAX));
            let (least, most) = self.delays_ms.unwrap_or((delay, delay));
            self.delays_ms = Some((least.min(delay), most.max(delay)));
        }
        self.automation.take(envelope);
        self.trace.take(envelope);
        self.heard_at_unix_ms = self.heard_at_unix_ms.max(logged.received_at_unix_ms);
        match &envelope.event {
            Event::PageOpened { page } => self.page(page),
            Event::ConsentGiven(_) => self.consents += 1,
            Event::PageTranslated { .. } => self.translated = true,
            Event::ConnectionLost => self.connections_lost += 1,
            Event::WayBackGiven { ended, .. } => self.told = Some(*ended),
            Event::Restored => self.restored = true,
            Event::Verified {
                decoded,
                contradictions,
                first,
                ..
            } if self.verified.is_none() => {
                self.verified = Some(Verified {
                    decoded: *decoded,
                    contradictions: *contradictions,
                    first: first.as_ref().map(ToString::to_string),
                });
            }
            _ => {}
        }
    }

    fn page(&mut self, page: &PageInfo) {
        self.pages_opened += 1;
        self.simulated |= page.user_agent.starts_with(USER_AGENT);
        self.relaxed_simd = self.relaxed_simd.or(page.relaxed_simd);
        let build = page.app.as_str();
        let known = self.app_builds.split(' ').any(|known| known == build);
        if !build.is_empty() && !known && self.app_builds.len() + build.len() < MAX_BUILDS {
            if !self.app_builds.is_empty() {
                self.app_builds.push(' ');
            }
            self.app_builds += build;
        }
        self.first_page.get_or_insert_with(|| page.clone());
    }
}
