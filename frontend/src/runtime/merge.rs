//! A session's log after a reload: this browser's and the server's become one.

use domain::session::event::Envelope;

/// Which log a session goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewerLog {
    /// This browser's, which goes on from the server's.
    Local,
    /// The server's, which goes on from this browser's with these events.
    Server {
        /// Index of the first event that this browser does not have.
        new_from: usize,
    },
    /// The server's, from which this browser's differs.
    ServerOverLocal,
}

/// The server's events are settled; those that this browser has beyond them are still to come.
#[must_use]
pub fn merge(local: Vec<Envelope>, server: Option<Vec<Envelope>>) -> (Vec<Envelope>, NewerLog) {
    let Some(server) = server else {
        return (local, NewerLog::Local);
    };
    let shared = local.len().min(server.len());
    if local[..shared] != server[..shared] {
        (server, NewerLog::ServerOverLocal)
    } else if server.len() > local.len() {
        (server, NewerLog::Server { new_from: shared })
    } else {
        (local, NewerLog::Local)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::session::event::{Author, EVENT_FORMAT, Event, SessionId};

    fn log(times: &[u64]) -> Vec<Envelope> {
        let session = SessionId("s".to_owned());
        let envelope = |(seq, &at_ms): (usize, &u64)| Envelope {
            format: EVENT_FORMAT,
            session: session.clone(),
            author: Author::Participant,
            seq: seq as u64,
            at_ms,
            event: Event::PageHidden,
        };
        times.iter().enumerate().map(envelope).collect()
    }

    #[test]
    fn the_longer_log_wins_unless_they_differ() {
        let check = |local: &[u64], server: Option<&[u64]>, expected: &[u64], newer: NewerLog| {
            assert_eq!(
                merge(log(local), server.map(log)),
                (log(expected), newer),
                "{local:?} {server:?}"
            );
        };
        check(&[1, 2], None, &[1, 2], NewerLog::Local);
        check(&[1, 2, 3], Some(&[1, 2]), &[1, 2, 3], NewerLog::Local);
        check(&[1, 2], Some(&[1, 2]), &[1, 2], NewerLog::Local);
        check(
            &[1],
            Some(&[1, 2, 3]),
            &[1, 2, 3],
            NewerLog::Server { new_from: 1 },
        );
        check(&[], Some(&[]), &[], NewerLog::Local);
        check(
            &[1, 5, 6],
            Some(&[1, 2]),
            &[1, 2],
            NewerLog::ServerOverLocal,
        );
    }
}
