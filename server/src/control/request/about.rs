//! The study or session that a request is about, and its act in the audit log.

use api::research::Act;
use domain::session::event::SessionId;

use super::{Request, exclusion};
use crate::cells::cell_name;

impl Request {
    /// Whether it depends on the studies' files. A request that a participant may make must not fail
    /// because of a mistake in one of them.
    #[must_use]
    pub fn needs_studies(&self) -> bool {
        match self {
            Self::Exclude { .. } | Self::Decide { .. } => true,
            Self::PauseCells { .. }
            | Self::SetStatus { .. }
            | Self::ForgetArrivals { .. }
            | Self::Erase { .. }
            | Self::AddTranscript { .. }
            | Self::NameExperimenter { .. }
            | Self::ActInSession { .. }
            | Self::User { .. }
            | Self::TakeBack { .. }
            | Self::Settle { .. }
            | Self::AskWait { .. }
            | Self::Pay { .. } => false,
        }
    }

    /// The session that payments are about, if they are about one alone.
    pub(super) fn only_paid(&self) -> Option<&SessionId> {
        let Self::Pay { entries, .. } = self else {
            return None;
        };
        let (first, others) = entries.split_first()?;
        let same = others.iter().all(|entry| entry.session == first.session);
        same.then_some(&first.session)
    }

    pub(super) fn about(&self) -> About<'_> {
        match self {
            Self::PauseCells { study, .. }
            | Self::SetStatus { study, .. }
            | Self::ForgetArrivals { study }
            | Self::TakeBack { study, .. }
            | Self::Settle { study, .. }
            | Self::Decide { study, .. }
            | Self::Pay { study, .. } => About::Study(study),
            Self::Erase { session }
            | Self::AddTranscript { session, .. }
            | Self::NameExperimenter { session, .. }
            | Self::ActInSession { session, .. }
            | Self::Exclude { session, .. } => About::Session(session),
            Self::User { .. } | Self::AskWait { .. } => About::NoStudy,
        }
    }

    /// The act that the audit log notes once it is done, with details; nothing where that is noted by itself.
    pub(super) fn act(&self) -> Option<(Act, Option<String>)> {
        Some(match self {
            Self::PauseCells {
                cells, at_unix_ms, ..
            } => {
                let what = at_unix_ms.map_or("open", |_| "paused");
                let cells = cells.iter().map(|cell| cell_name(cell));
                let cells: Vec<&str> = cells.collect();
                (
                    Act::CellsPaused,
                    Some(format!("{what}: {}", cells.join(", "))),
                )
            }
            Self::SetStatus { status, .. } => (Act::StatusChanged, Some(status.name().to_owned())),
            Self::ForgetArrivals { .. } => (Act::ArrivalsForgotten, None),
            Self::Pay { entries, .. } => (Act::Paid, Some(format!("{} entries", entries.len()))),
            Self::AddTranscript { .. } => (Act::TranscriptAdded, None),
            Self::NameExperimenter { name, .. } => (Act::ExperimenterNamed, Some(name.clone())),
            Self::Erase { .. } => (Act::Erased, None),
            Self::Exclude { excluded, why, .. } => (exclusion::act(*excluded), Some(why.clone())),
            Self::User { .. }
            | Self::ActInSession { .. }
            | Self::AskWait { .. }
            | Self::Decide { .. }
            | Self::TakeBack { .. }
            | Self::Settle { .. } => return None,
        })
    }
}

/// The study or session that a request is about, if any.
pub(super) enum About<'r> {
    Study(&'r String),
    Session(&'r SessionId),
    /// An account, or the server.
    NoStudy,
}
