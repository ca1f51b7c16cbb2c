//! Going along a log, which is numbered from 0 without gaps.

use domain::session::event::Author;

use super::{Result, StorageError};

/// Where one author's log has been read up to. Notices what is missing.
#[derive(Debug, Clone)]
pub struct LogCursor {
    author: Author,
    next: u64,
}

impl LogCursor {
    /// Before the event numbered `from`.
    #[must_use]
    pub fn new(author: Author, from: u64) -> Self {
        Self { author, next: from }
    }

    /// Number of the event that comes next.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Goes past the event numbered `seq`.
    ///
    /// # Errors
    /// [`StorageError::Corrupt`] names the events that are missing before it; the cursor has
    /// moved all the same.
    pub fn pass(&mut self, seq: u64) -> Result<()> {
        let expected = std::mem::replace(&mut self.next, seq + 1);
        if seq == expected {
            return Ok(());
        }
        Err(self.missing(expected, seq))
    }

    /// Goes to the end of a log of `len` events.
    ///
    /// # Errors
    /// [`StorageError::Corrupt`] when that is not where the cursor is.
    pub fn end(&mut self, len: u64) -> Result<()> {
        let found = std::mem::replace(&mut self.next, len);
        match found.cmp(&len) {
            std::cmp::Ordering::Less => Err(self.missing(found, len)),
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => Err(StorageError::Corrupt {
                what: "number of events".to_owned(),
                why: format!("it is {len}, but {found} events are there"),
            }),
        }
    }

    fn missing(&self, from: u64, to: u64) -> StorageError {
        StorageError::Corrupt {
            what: events_of(self.author, from, to),
            why: if to == from + 1 {
                "it is missing".to_owned()
            } else {
                "they are missing".to_owned()
            },
        }
    }
}

/// The events numbered `from..to` of an author, in words.
#[must_use]
pub fn events_of(author: Author, from: u64, to: u64) -> String {
    let author = author.name();
    match to.saturating_sub(from) {
        0 | 1 => format!("event {from} of the {author}"),
        _ => format!("events {from} to {} of the {author}", to - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_named_and_left_behind() {
        let mut cursor = LogCursor::new(Author::Participant, 0);
        assert!(cursor.pass(0).is_ok());
        let gap = cursor.pass(3).map_err(|error| error.to_string());
        assert!(gap.is_err_and(|text| text.contains("events 1 to 2 of the participant")));
        assert!(cursor.pass(4).is_ok() && cursor.end(5).is_ok());
        let end = cursor.end(6).map_err(|error| error.to_string());
        assert!(end.is_err_and(|text| text.contains("event 5 of the participant")));
        assert!(cursor.end(4).is_err());
    }
}
