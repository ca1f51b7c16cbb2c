//! A piece of a sealed log.

use std::io::Read as _;

use domain::session::event::{Author, SessionId};
use sha2::{Digest as _, Sha256};

use super::super::super::{LogCursor, Result, StorageError, StoredEvent, events_of};
use super::super::error::corrupt;
use crate::secrets::hex;

/// The format of pieces: a line for each event, `received_at envelope`, compressed with zstd. Of an envelope that begins
/// with what is known of it ([`beginning`]) the rest alone, as `received_at:rest`.
const FORMAT: u32 = 1;

/// How hard zstd tries. Level 12 takes a tenth of the time and a fifth more room; nobody waits for it.
const LEVEL: i32 = 19;

/// No piece has so many bytes; what unpacks to more is damaged.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// The beginning of nearly every event.
fn beginning(session: &SessionId, seq: u64) -> String {
    format!(r#"{{"format":2,"session":"{session}","seq":{seq},"#)
}

/// Events that follow each other in the log of one author.
pub(in super::super) struct Piece {
    /// Number of the first.
    pub first: u64,
    /// How many there are.
    pub events: u64,
    /// When the last one arrived, in milliseconds since 1970.
    pub last_received_at_unix_ms: u64,
    /// As [`FORMAT`].
    pub format: u32,
    /// SHA-256 in hex of the lines as they are before they are compressed.
    pub sha256: String,
    /// The lines, compressed.
    pub lines: Vec<u8>,
}

impl Piece {
    /// Packs events, at least one.
    ///
    /// # Errors
    /// When they do not follow each other, or one is no single line.
    pub(in super::super) fn of(session: &SessionId, events: &[StoredEvent]) -> Result<Self> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Err(corrupt("a piece of a log", "it has no events"));
        };
        let mut cursor = LogCursor::new(first.author, first.seq);
        events.iter().try_for_each(|event| cursor.pass(event.seq))?;
        let lines = lines(session, events)?;
        Ok(Self {
            first: first.seq,
            events: events.len() as u64,
            last_received_at_unix_ms: last.received_at_unix_ms,
            format: FORMAT,
            sha256: hex(&Sha256::digest(&lines)),
            lines: zstd::bulk::compress(lines.as_bytes(), LEVEL).map_err(StorageError::backend)?,
        })
    }

    /// The hash that a piece of these events has.
    ///
    /// # Errors
    /// When one is no single line.
    pub(in super::super) fn sha256_of(
        session: &SessionId,
        events: &[StoredEvent],
    ) -> Result<String> {
        Ok(hex(&Sha256::digest(lines(session, events)?)))
    }

    /// Its events.
    ///
    /// # Errors
    /// When they are not those that were packed.
    pub(in super::super) fn events(
        &self,
        session: &SessionId,
        author: Author,
    ) -> Result<Vec<StoredEvent>> {
        let damaged = |why: String| StorageError::Corrupt {
            what: events_of(author, self.first, self.first + self.events),
            why,
        };
        if self.format != FORMAT {
            let why = format!("their format {} is not known", self.format);
            return Err(damaged(why));
        }
        let mut text = Vec::new();
        zstd::Decoder::new(&*self.lines)
            .and_then(|lines| lines.take(MOST_BYTES).read_to_end(&mut text))
            .map_err(|error| damaged(format!("they cannot be unpacked ({error})")))?;
        if hex(&Sha256::digest(&text)) != self.sha256 {
            return Err(damaged("their hash is another one".to_owned()));
        }
        let text = String::from_utf8(text).map_err(|error| damaged(error.to_string()))?;
        let mut events = Vec::new();
        for (seq, line) in (self.first..).zip(text.lines()) {
            let end = line.find([' ', ':']);
            let read = end.and_then(|end| {
                let (received_at, rest) = (line.get(..end)?, line.get(end + 1..)?);
                Some(StoredEvent {
                    author,
                    seq,
                    received_at_unix_ms: received_at.parse().ok()?,
                    json: match line.as_bytes().get(end) {
                        Some(b':') => beginning(session, seq) + rest,
                        _ => rest.to_owned(),
                    },
                })
            });
            events.push(read.ok_or_else(|| damaged("one of their lines is no event".to_owned()))?);
        }
        if events.len() as u64 == self.events {
            Ok(events)
        } else {
            Err(damaged(format!("{} are there", events.len())))
        }
    }
}

fn lines(session: &SessionId, events: &[StoredEvent]) -> Result<String> {
    let mut lines = String::new();
    for event in events {
        if event.json.contains(['\n', '\r']) {
            let what = events_of(event.author, event.seq, event.seq + 1);
            return Err(corrupt(&what, "it is more than one line"));
        }
        let received_at = event.received_at_unix_ms;
        lines += &match event.json.strip_prefix(&beginning(session, event.seq)) {
            Some(rest) => format!("{received_at}:{rest}\n"),
            None => format!("{received_at} {}\n", event.json),
        };
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: u64, json: &str) -> StoredEvent {
        StoredEvent {
            author: Author::Server,
            seq,
            received_at_unix_ms: 1_000 + seq,
            json: json.to_owned(),
        }
    }

    fn session() -> SessionId {
        SessionId("5".repeat(32))
    }

    #[test]
    fn what_was_packed_is_unpacked_and_nothing_else() {
        let usual = beginning(&session(), 10) + "\"at_ms\":7}";
        let of_another = beginning(&session(), 12) + "\"at_ms\":7}";
        let events = [
            event(7, r#"{"a":"é 1"}"#),
            event(8, "{}"),
            event(9, ""),
            event(10, &usual),
            event(11, &of_another),
        ];
        let piece = Piece::of(&session(), &events).unwrap();
        assert_eq!((piece.first, piece.events), (7, 5));
        assert_eq!(piece.last_received_at_unix_ms, 1_011);
        assert_eq!(piece.events(&session(), Author::Server).unwrap(), events);
        assert_eq!(Piece::sha256_of(&session(), &events).unwrap(), piece.sha256);
        // Any other byte anywhere is noticed.
        for at in 0..piece.lines.len() {
            let mut lines = piece.lines.clone();
            lines[at] ^= 1;
            let damaged = Piece {
                lines,
                sha256: piece.sha256.clone(),
                ..piece
            };
            if let Ok(read) = damaged.events(&session(), Author::Server) {
                assert_eq!(read, events, "byte {at}");
            }
        }
        let less = Piece {
            events: 6,
            sha256: piece.sha256.clone(),
            lines: piece.lines.clone(),
            ..piece
        };
        let said = less
            .events(&session(), Author::Server)
            .unwrap_err()
            .to_string();
        assert!(said.contains("events 7 to 12 of the server"), "{said}");
    }

    #[test]
    fn what_does_not_follow_or_is_no_line_is_not_packed() {
        assert!(Piece::of(&session(), &[]).is_err());
        assert!(Piece::of(&session(), &[event(1, "{}"), event(3, "{}")]).is_err());
        for text in ["{\n}", "{\r}"] {
            assert!(Piece::of(&session(), &[event(1, text)]).is_err());
        }
    }
}
