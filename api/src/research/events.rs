//! Which part of a session's log is wanted.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::replay::LogEnds;

/// The end of a `Link` header to more of the same.
const NEXT: &str = ">; rel=\"next\"";

/// From where on in a session's log, and whether with what is identifying.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct EventsQuery {
    /// The number that is wanted next of the participant's page.
    pub participant: u64,
    /// Of the server.
    pub server: u64,
    /// Of the experimenter.
    pub experimenter: u64,
    /// Whether with typed words and codes. It needs [`Right::Identify`](super::Right::Identify) and is noted.
    pub identifying: bool,
}

impl EventsQuery {
    /// From there on.
    #[must_use]
    pub fn from_ends(ends: LogEnds, identifying: bool) -> Self {
        let LogEnds {
            participant,
            server,
            experimenter,
        } = ends;
        Self {
            participant,
            server,
            experimenter,
            identifying,
        }
    }

    /// How far each author's log was read.
    #[must_use]
    pub fn ends(&self) -> LogEnds {
        LogEnds {
            participant: self.participant,
            server: self.server,
            experimenter: self.experimenter,
        }
    }

    /// A `Link` header that leads there (RFC 8288), so that it can be asked for before the events are read.
    #[must_use]
    pub fn link(&self) -> String {
        format!("<{self}{NEXT}")
    }

    /// The query of an address in such a header; none where the header is another one.
    #[must_use]
    pub fn of_link(header: &str) -> Option<&str> {
        header.strip_prefix('<')?.strip_suffix(NEXT)
    }
}

/// As it stands in an address.
impl fmt::Display for EventsQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            participant,
            server,
            experimenter,
            identifying,
        } = self;
        write!(
            f,
            "?participant={participant}&server={server}&experimenter={experimenter}&identifying={identifying}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_where_it_was_made_for_and_others_lead_nowhere() {
        let query = EventsQuery {
            participant: 5_000,
            server: 2,
            experimenter: 0,
            identifying: true,
        };
        let link = query.link();
        let words = "?participant=5000&server=2&experimenter=0&identifying=true";
        assert_eq!(link, format!("<{words}>; rel=\"next\""));
        assert_eq!(EventsQuery::of_link(&link), Some(words));
        for other in ["", "<a.css>; rel=preload", "<?a>; rel=\"prev\"", "?a"] {
            assert_eq!(EventsQuery::of_link(other), None, "{other}");
        }
    }
}
