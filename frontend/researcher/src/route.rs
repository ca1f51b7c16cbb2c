//! Addresses of the area's pages. An address holds everything that its page shows, so that a link shows the same.

use std::fmt;

use api::research::{ResultOf, SessionsQuery};
use api::routes::replay_page;
use domain::common::moment::moment;
use domain::session::event::SessionId;
use form_urlencoded::{Serializer, parse};

mod compared;
mod listed;
mod needed;

pub use listed::query_of;
use listed::sessions_query;

use crate::text::text;

pub use compared::{BESIDE, Beside, Common, OnQuestion};

/// Where the area lies, below the server's path.
const AREA: &str = api::routes::RESEARCH;

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The studies.
    Studies,
    /// One of them.
    Study(String),
    /// Its sessions.
    People {
        /// The study.
        study: String,
        /// Which of them, and how.
        query: SessionsQuery,
    },
    /// One of its sessions, replayed.
    Replay {
        /// The study.
        study: String,
        /// The session.
        session: String,
        /// The moment that is shown, as [`moment`] writes it; none: the beginning.
        at: Option<String>,
        /// The table of sessions from which somebody came; none: they came from elsewhere.
        list: Option<SessionsQuery>,
    },
    /// Everybody on one of its questions.
    Questions {
        /// The study.
        study: String,
        /// Which question, and of whom.
        on: OnQuestion,
    },
    /// Some of its sessions side by side.
    Beside {
        /// The study.
        study: String,
        /// Which sessions, and what of them.
        beside: Beside,
    },
    /// Its exports.
    Exports(String),
    /// The decisions that platforms are told of its sessions.
    Decisions(String),
    /// A platform's own list beside its sessions.
    Match(String),
    /// Its analysis.
    Analysis {
        /// The study.
        study: String,
        /// Of whose sessions.
        of: ResultOf,
    },
    /// How far its numbers can be believed.
    Trust {
        /// The study.
        study: String,
        /// Of whose sessions.
        of: ResultOf,
    },
    /// How many people it needs.
    Plan(String),
    /// One's own account.
    Account,
    /// The audit log.
    Audit,
    /// Nothing lies here.
    Unknown,
}

/// One of the two apps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All pages but the replays.
    Tables,
    /// Sessions, replayed.
    Replays,
}

impl Route {
    /// The app that has the page. `static/research/research.js` starts it at the same addresses.
    pub fn part(&self) -> Part {
        match self {
            Self::Replay { .. } | Self::Beside { .. } => Part::Replays,
            _ => Part::Tables,
        }
    }

    /// The page at a path below the server's, with a query without its question mark.
    pub fn parse(path: &str, query: &str) -> Self {
        let Some(rest) = path.strip_prefix(AREA) else {
            return Self::Unknown;
        };
        let rest = rest.trim_end_matches('/');
        let parts: Vec<&str> = rest.split('/').skip(1).collect();
        match *parts {
            [] | ["studies"] => Self::Studies,
            ["studies", study] => Self::Study(study.to_owned()),
            ["studies", study, "people"] => Self::People {
                study: study.to_owned(),
                query: sessions_query(query),
            },
            ["studies", study, "replay", session] => Self::Replay {
                study: study.to_owned(),
                session: session.to_owned(),
                at: parameter(query, "t"),
                list: parameter(query, "list").map(|list| sessions_query(&list)),
            },
            ["studies", study, "questions"] => Self::Questions {
                study: study.to_owned(),
                on: OnQuestion::parse(query),
            },
            ["studies", study, "beside"] => Self::Beside {
                study: study.to_owned(),
                beside: Beside::parse(query),
            },
            ["studies", study, "exports"] => Self::Exports(study.to_owned()),
            ["studies", study, "decisions"] => Self::Decisions(study.to_owned()),
            ["studies", study, "match"] => Self::Match(study.to_owned()),
            ["studies", study, "analysis"] => Self::Analysis {
                study: study.to_owned(),
                of: whose(query),
            },
            ["studies", study, "trust"] => Self::Trust {
                study: study.to_owned(),
                of: whose(query),
            },
            ["studies", study, "plan"] => Self::Plan(study.to_owned()),
            ["account"] => Self::Account,
            ["audit"] => Self::Audit,
            _ => Self::Unknown,
        }
    }

    /// A session's replay, at a moment in milliseconds.
    pub fn replay(study: &str, session: &str, at_ms: Option<u64>) -> Self {
        Self::Replay {
            study: study.to_owned(),
            session: session.to_owned(),
            at: at_ms.map(moment),
            list: None,
        }
    }

    /// The people of a study who took part in earnest.
    pub fn participants(study: &str) -> Self {
        sessions_with(study, "purpose=participant")
    }

    /// The table to go back to from a session.
    pub fn back_to(study: &str, list: Option<&SessionsQuery>) -> Self {
        list.map_or_else(
            || Self::participants(study),
            |query| Self::People {
                study: study.to_owned(),
                query: query.clone(),
            },
        )
    }

    /// Title of the page.
    pub fn title(&self) -> String {
        let words = &text().pages;
        match self {
            Self::Studies => words.studies().to_owned(),
            Self::Study(study) => study.clone(),
            Self::People { study, .. } => words.people(study),
            Self::Replay { study, .. } => words.replay(study),
            Self::Questions { study, .. } => words.questions(study),
            Self::Beside { study, .. } => words.beside(study),
            Self::Exports(study) => words.exports(study),
            Self::Decisions(study) => words.decisions(study),
            Self::Match(study) => words.matching(study),
            Self::Analysis { study, .. } => words.analysis(study),
            Self::Trust { study, .. } => words.trust(study),
            Self::Plan(study) => words.plan(study),
            Self::Account => words.account().to_owned(),
            Self::Audit => words.audit().to_owned(),
            Self::Unknown => words.nothing().to_owned(),
        }
    }
}

impl fmt::Display for Route {
    /// The address, below the server's path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Studies => f.write_str(AREA),
            Self::Study(study) => write!(f, "{AREA}/studies/{study}"),
            Self::People { study, query } => {
                write!(f, "{AREA}/studies/{study}/people")?;
                write_query(f, &query_of(query))
            }
            Self::Questions { study, on } => {
                write!(f, "{AREA}/studies/{study}/questions")?;
                write_query(f, &on.query())
            }
            Self::Beside { study, beside } => {
                write!(f, "{AREA}/studies/{study}/beside")?;
                write_query(f, &beside.query())
            }
            Self::Replay {
                study,
                session,
                at,
                list,
            } => {
                f.write_str(&replay_page(study, &SessionId(session.clone())))?;
                let list = list.as_ref().map(query_of);
                let mut written = Serializer::new(String::new());
                for (name, value) in [("t", at), ("list", &list)] {
                    if let Some(value) = value {
                        written.append_pair(name, value);
                    }
                }
                write_query(f, &written.finish())
            }
            Self::Exports(study) => write!(f, "{AREA}/studies/{study}/exports"),
            Self::Decisions(study) => write!(f, "{AREA}/studies/{study}/decisions"),
            Self::Match(study) => write!(f, "{AREA}/studies/{study}/match"),
            Self::Analysis { study, of } => {
                write!(f, "{AREA}/studies/{study}/analysis{}", query_of_whose(*of))
            }
            Self::Trust { study, of } => {
                write!(f, "{AREA}/studies/{study}/trust{}", query_of_whose(*of))
            }
            Self::Plan(study) => write!(f, "{AREA}/studies/{study}/plan"),
            Self::Account => write!(f, "{AREA}/account"),
            Self::Audit => write!(f, "{AREA}/audit"),
            Self::Unknown => write!(f, "{AREA}/nothing"),
        }
    }
}

fn write_query(f: &mut fmt::Formatter<'_>, query: &str) -> fmt::Result {
    if query.is_empty() {
        return Ok(());
    }
    write!(f, "?{query}")
}

/// The sessions of a study that meet conditions.
pub fn sessions_with(study: &str, filter: &str) -> Route {
    Route::People {
        study: study.to_owned(),
        query: SessionsQuery {
            filter: filter.to_owned(),
            ..SessionsQuery::default()
        },
    }
}

/// Whose sessions an address is about: those of people, unless it says otherwise.
fn whose(query: &str) -> ResultOf {
    let named = parameter(query, "of");
    named
        .and_then(|name| ResultOf::of_name(&name))
        .unwrap_or_default()
}

fn query_of_whose(of: ResultOf) -> String {
    match of {
        ResultOf::People => String::new(),
        other => format!("?of={}", other.name()),
    }
}

/// The value that a query has under a name.
fn parameter(query: &str, wanted: &str) -> Option<String> {
    parse(query.as_bytes())
        .find(|(name, _)| name == wanted)
        .map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests;
