-- The number of events in a session's log has one name everywhere.
ALTER TABLE sessions RENAME COLUMN held TO log_len;

-- What a session was drawn with, each once, by its hash: sessions of one study share most of it.
-- Little-endian 32-bit floats.
CREATE TABLE instances (
    sha256 TEXT NOT NULL PRIMARY KEY,
    bytes  BLOB NOT NULL
) STRICT;

-- Models as they were, all their files: the one of that name may be replaced any time, by a new
-- version of Redial, too.
CREATE TABLE bundles (
    sha256   TEXT NOT NULL PRIMARY KEY, -- over all files, as models::Bundle::fingerprint
    name     TEXT NOT NULL,
    card     BLOB NOT NULL,
    weights  BLOB, -- missing for a closed form
    held_out BLOB  -- missing for a model that draws from distributions
) STRICT;

-- Answer keys of every question, as JSON: what a browser must not know. Plans of format 1 have
-- none; theirs are in `targets`, which is an empty list in later plans.
ALTER TABLE plans ADD COLUMN keys TEXT;

-- Each author has a log of their own, numbered from 0 without gaps.
CREATE TABLE events_by_author (
    session     TEXT    NOT NULL REFERENCES sessions (id),
    author      TEXT    NOT NULL DEFAULT 'participant'
                CHECK (author IN ('participant', 'server', 'experimenter')),
    seq         INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL, -- since the session's start
    kind        TEXT    NOT NULL,
    received_at INTEGER NOT NULL,
    envelope    TEXT    NOT NULL,
    PRIMARY KEY (session, author, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO events_by_author (session, seq, at_ms, kind, received_at, envelope)
    SELECT session, seq, at_ms, kind, received_at, envelope FROM events;
DROP TABLE events;
ALTER TABLE events_by_author RENAME TO events;

-- Records of questions are derived from the log whenever they are needed.
DROP TABLE questions;

-- One row, written to find out whether writing works.
CREATE TABLE probes (
    id     INTEGER NOT NULL PRIMARY KEY,
    writes INTEGER NOT NULL
) STRICT;
