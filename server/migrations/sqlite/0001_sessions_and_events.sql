-- Times are milliseconds since 1970 (UTC) by the server's clock, unless named otherwise.

-- Every definition of a study that a session was ever started with.
CREATE TABLE study_versions (
    sha256 TEXT NOT NULL PRIMARY KEY,
    study  TEXT NOT NULL,
    json   BLOB NOT NULL
) STRICT;

CREATE TABLE sessions (
    id               TEXT    NOT NULL PRIMARY KEY,
    study            TEXT    NOT NULL,
    study_sha256     TEXT    NOT NULL REFERENCES study_versions (sha256),
    ordinal          INTEGER NOT NULL, -- 1, 2, … within the study
    seed             TEXT    NOT NULL, -- of everything drawn, in hex
    attempt          TEXT    NOT NULL, -- the browser's name for its attempt to start
    token_sha256     TEXT    NOT NULL,
    participant_code TEXT,
    created_at       INTEGER NOT NULL,
    phase            TEXT    NOT NULL,
    held             INTEGER NOT NULL, -- number of events held
    completed_at     INTEGER,
    completion_code  TEXT,
    UNIQUE (study, ordinal),
    UNIQUE (study, attempt),
    UNIQUE (study, completion_code)
) STRICT;

-- Apart from the sessions: plans hold pictures, and a row that changes with
-- every batch of events had better be small.
CREATE TABLE plans (
    session TEXT    NOT NULL PRIMARY KEY REFERENCES sessions (id),
    format  INTEGER NOT NULL,
    plan    TEXT    NOT NULL,
    targets TEXT    NOT NULL, -- secret: z' of every question
    models  TEXT    NOT NULL  -- names and hashes of the models as they were
) STRICT;

CREATE TABLE events (
    session     TEXT    NOT NULL REFERENCES sessions (id),
    seq         INTEGER NOT NULL,
    at_ms       INTEGER NOT NULL, -- since the session's start, by the browser's clock
    kind        TEXT    NOT NULL,
    received_at INTEGER NOT NULL,
    envelope    TEXT    NOT NULL,
    PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

-- Derived from events as questions end; can be made again from them.
CREATE TABLE questions (
    session  TEXT    NOT NULL REFERENCES sessions (id),
    stage    INTEGER NOT NULL,
    question INTEGER NOT NULL,
    stage_id TEXT    NOT NULL,
    model    TEXT    NOT NULL,
    practice INTEGER NOT NULL,
    outcome  TEXT,
    record   TEXT    NOT NULL,
    PRIMARY KEY (session, stage, question)
) STRICT, WITHOUT ROWID;
