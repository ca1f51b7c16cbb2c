-- As in SQLite.
CREATE TABLE sealed_events (
    session          TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    author           TEXT COLLATE "C" NOT NULL CHECK (author IN ('participant', 'server', 'experimenter')),
    first            BIGINT NOT NULL,
    events           BIGINT NOT NULL,
    last_received_at BIGINT NOT NULL,
    format           BIGINT NOT NULL,
    sha256           TEXT COLLATE "C" NOT NULL,
    lines            BYTEA NOT NULL,
    PRIMARY KEY (session, author, first)
);
-- It is compressed already.
ALTER TABLE sealed_events ALTER COLUMN lines SET STORAGE EXTERNAL;

ALTER TABLE sessions ADD COLUMN seal_at BIGINT;
UPDATE sessions SET seal_at = 0
    WHERE phase IN ('declined', 'withdrawn', 'device_unfit', 'screened_out', 'complete');
CREATE INDEX sessions_by_sealing ON sessions (seal_at) WHERE seal_at IS NOT NULL;

-- What the plans of a study's cell have in common, to pack them with; packed itself. It holds nothing that was drawn for a session.
CREATE TABLE plan_skeletons (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    skeleton BYTEA NOT NULL
);

-- Once the logs are sealed: plan, targets, models and keys, a line each, compressed with zstd; the columns are empty then.
ALTER TABLE plans ADD COLUMN packed BYTEA;
ALTER TABLE plans ADD COLUMN packed_with TEXT COLLATE "C";
