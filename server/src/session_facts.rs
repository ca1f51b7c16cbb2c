//! The facts that the live picture of a study shows of a session, made from its state.

use api::research::live::LiveQuestion;
use domain::session::event::{Author, SessionId};
use domain::session::{AlignmentTrace, Phase, Session};
use serde::{Deserialize, Serialize};

/// The facts that are shown of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionFacts {
    /// Its name.
    pub session: SessionId,
    /// When it was created, in milliseconds since 1970.
    pub created_at_unix_ms: u64,
    /// When something of it was received last, in milliseconds since 1970.
    pub heard_at_unix_ms: u64,
    /// Number of events, of all authors: of two facts about a session, those with more are newer.
    pub events: u64,
    /// Where it has been, in order.
    pub visits: Vec<PartStay>,
    /// Where it is; nothing at an end.
    pub now: Option<Whereabouts>,
    /// How long it took from its start to the last event of its page, in milliseconds; nothing while it is not
    /// complete.
    pub took_ms: Option<u64>,
}

/// A stay in a part. Times count from the session's start, in milliseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartStay {
    /// The kind of the part.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its place in the session's plan, from 0.
    pub place: usize,
    /// When it began.
    pub from_ms: u64,
    /// When it ended; nothing while it goes on.
    pub until_ms: Option<u64>,
    /// Whether another part came after it.
    pub passed: bool,
}

/// Where a session is. Times count from its start, in milliseconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Whereabouts {
    /// Name of its phase.
    pub phase: String,
    /// The question that is on screen or comes next.
    pub question: Option<LiveQuestion>,
    /// Share that is done.
    pub progress: f64,
    /// The alignment during the question on screen.
    pub alignment: Vec<f64>,
    /// Since when its page is hidden.
    pub away_since_ms: Option<u64>,
    /// Whether it is paused.
    pub paused: bool,
    /// When the page on screen appeared, or the next question.
    pub last_progress_ms: u64,
}

impl SessionFacts {
    /// Those of a session in a state.
    #[must_use]
    pub fn of(
        session: &Session,
        created_at_unix_ms: u64,
        heard_at_unix_ms: u64,
        trace: &AlignmentTrace,
    ) -> Self {
        let plan = session.plan();
        let phase = session.phase();
        let complete = phase == Phase::Complete;
        let all = session.visits();
        let stays = all.iter().enumerate().filter_map(|(at, visit)| {
            let (kind, name) = plan.part_name(visit.part)?;
            Some(PartStay {
                kind: kind.to_owned(),
                name,
                place: visit.part,
                from_ms: visit.from_ms,
                until_ms: visit.until_ms,
                passed: at + 1 < all.len() || complete,
            })
        });
        Self {
            session: plan.session.clone(),
            created_at_unix_ms,
            heard_at_unix_ms: heard_at_unix_ms.max(created_at_unix_ms),
            events: Author::ALL.iter().map(|it| session.next_seq_of(*it)).sum(),
            visits: stays.collect(),
            now: (!phase.is_end()).then(|| Whereabouts::of(session, trace)),
            took_ms: complete.then(|| session.last_ms()),
        }
    }
}

impl Whereabouts {
    fn of(session: &Session, trace: &AlignmentTrace) -> Self {
        let phase = session.phase();
        let question = match phase {
            Phase::Ready(at) | Phase::Question(at) => Some(at),
            _ => None,
        };
        let question = question.map(|at| LiveQuestion {
            number: session.number_of(at) as u64,
            of: session.place_of(at.stage).map_or(0, |it| it.questions) as u64,
        });
        // Nobody sees more of it.
        let short = |value: &f64| (value * 1e4).round() / 1e4;
        let on_screen = matches!(phase, Phase::Question(_));
        let alignment = trace.values.iter().filter(|_| on_screen).map(short);
        Self {
            phase: phase.name().to_owned(),
            question,
            progress: (session.progress() * 1e3).round() / 1e3,
            alignment: alignment.collect(),
            away_since_ms: session.away_since_ms(),
            paused: session.is_paused(),
            last_progress_ms: session.last_progress_ms(),
        }
    }
}
