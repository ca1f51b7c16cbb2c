//! Where the log of a session is read from.

use api::replay::LogEnds;
use api::routes;
use domain::session::event::SessionId;

/// The address of what follows in a session's log, with what participants typed or without.
pub fn events_path(study: &str, session: &SessionId, ends: LogEnds, words: bool) -> String {
    let LogEnds {
        participant,
        server,
        experimenter,
    } = ends;
    let path = routes::research_events(study, session);
    format!(
        "{path}?participant={participant}&server={server}&experimenter={experimenter}&identifying={words}"
    )
}
