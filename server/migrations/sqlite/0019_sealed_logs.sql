-- Events of sessions that have ended, many to a row: `lines` is compressed with zstd and holds a line for each
-- event, `received_at envelope`. An event is here or in `events`.
CREATE TABLE sealed_events (
    session          TEXT    NOT NULL REFERENCES sessions (id),
    author           TEXT    NOT NULL CHECK (author IN ('participant', 'server', 'experimenter')),
    first            INTEGER NOT NULL, -- number of the first of them
    events           INTEGER NOT NULL,
    last_received_at INTEGER NOT NULL,
    format           INTEGER NOT NULL,
    sha256           TEXT    NOT NULL, -- of the lines before they were compressed
    lines            BLOB    NOT NULL,
    PRIMARY KEY (session, author, first)
) STRICT;

-- When what is in `events` of a session is to be sealed.
ALTER TABLE sessions ADD COLUMN seal_at INTEGER;
UPDATE sessions SET seal_at = 0
    WHERE phase IN ('declined', 'withdrawn', 'device_unfit', 'screened_out', 'complete');
CREATE INDEX sessions_by_sealing ON sessions (seal_at) WHERE seal_at IS NOT NULL;

-- What the plans of a study's cell have in common, to pack them with; packed itself. It holds nothing that was drawn for a session.
CREATE TABLE plan_skeletons (
    name     TEXT NOT NULL PRIMARY KEY,
    skeleton BLOB NOT NULL
) STRICT;

-- Once the logs are sealed: plan, targets, models and keys, a line each, compressed with zstd; the columns are empty then.
ALTER TABLE plans ADD COLUMN packed BLOB;
ALTER TABLE plans ADD COLUMN packed_with TEXT;
