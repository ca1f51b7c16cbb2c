-- All tables as they are in format 18 of SQLite's database, where each is explained. Numbers of later formats
-- mean the same in both. Texts are compared byte by byte, as SQLite does.

CREATE TABLE study_versions (
    sha256 TEXT COLLATE "C" PRIMARY KEY,
    study  TEXT COLLATE "C" NOT NULL,
    json   BYTEA NOT NULL
);
CREATE INDEX study_versions_of_study ON study_versions (study);

CREATE TABLE study_texts (
    study_sha256 TEXT COLLATE "C" NOT NULL REFERENCES study_versions (sha256),
    file         TEXT COLLATE "C" NOT NULL,
    sha256       TEXT COLLATE "C" NOT NULL,
    markdown     BYTEA NOT NULL,
    PRIMARY KEY (study_sha256, file, sha256)
);

CREATE TABLE study_statuses (
    study      TEXT COLLATE "C" PRIMARY KEY,
    status     TEXT COLLATE "C" NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE sessions (
    id               TEXT COLLATE "C" PRIMARY KEY,
    study            TEXT COLLATE "C" NOT NULL,
    study_sha256     TEXT COLLATE "C" NOT NULL REFERENCES study_versions (sha256),
    ordinal          BIGINT NOT NULL,
    seed             TEXT COLLATE "C" NOT NULL,
    attempt          TEXT COLLATE "C" NOT NULL,
    attempt_spent    BIGINT NOT NULL DEFAULT 0,
    token_sha256     TEXT COLLATE "C" NOT NULL,
    participant_code TEXT COLLATE "C",
    created_at       BIGINT NOT NULL,
    phase            TEXT COLLATE "C" NOT NULL,
    log_len          BIGINT NOT NULL,
    own_len          BIGINT NOT NULL DEFAULT 0,
    completed_at     BIGINT,
    completion_code  TEXT COLLATE "C",
    delete_text_at   BIGINT,
    unverified       BIGINT NOT NULL DEFAULT 0,
    UNIQUE (study, ordinal),
    UNIQUE (study, attempt),
    UNIQUE (study, completion_code)
) WITH (fillfactor = 80); -- every batch of events changes a row, which is to stay on its page
CREATE INDEX sessions_by_code ON sessions (study, participant_code) WHERE participant_code IS NOT NULL;
CREATE INDEX sessions_of_code ON sessions (participant_code) WHERE participant_code IS NOT NULL;
CREATE INDEX sessions_by_text_deletion ON sessions (delete_text_at) WHERE delete_text_at IS NOT NULL;
CREATE INDEX sessions_unverified ON sessions (unverified) WHERE unverified = 1;

CREATE TABLE plans (
    session TEXT COLLATE "C" PRIMARY KEY REFERENCES sessions (id),
    format  BIGINT NOT NULL,
    plan    TEXT COLLATE "C" NOT NULL,
    targets TEXT COLLATE "C" NOT NULL,
    models  TEXT COLLATE "C" NOT NULL,
    keys    TEXT COLLATE "C"
);

-- In parts, so that each has indices of its own and can be written anew by itself. Whoever adds an event has
-- locked the row of its session, so no reference is looked up for each.
CREATE TABLE events (
    session     TEXT COLLATE "C" NOT NULL,
    author      TEXT COLLATE "C" NOT NULL CHECK (author IN ('participant', 'server', 'experimenter')),
    seq         BIGINT NOT NULL,
    at_ms       BIGINT NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    received_at BIGINT NOT NULL,
    envelope    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (session, author, seq)
) PARTITION BY HASH (session);
DO $$ BEGIN
    FOR part IN 0..63 LOOP
        EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES WITH (MODULUS 64, REMAINDER %s)',
            lpad(part::TEXT, 2, '0'), part);
    END LOOP;
END $$;

CREATE TABLE instances (
    sha256 TEXT COLLATE "C" PRIMARY KEY,
    bytes  BYTEA NOT NULL
);

CREATE TABLE bundles (
    sha256   TEXT COLLATE "C" PRIMARY KEY,
    name     TEXT COLLATE "C" NOT NULL,
    card     BYTEA NOT NULL,
    weights  BYTEA,
    held_out BYTEA
);

CREATE TABLE assignments (
    study        TEXT COLLATE "C" NOT NULL,
    ordinal      BIGINT NOT NULL,
    attempt      TEXT COLLATE "C" NOT NULL,
    seed         TEXT COLLATE "C" NOT NULL,
    purpose      TEXT COLLATE "C" NOT NULL,
    cell         TEXT COLLATE "C" NOT NULL,
    order_row    BIGINT NOT NULL,
    assigned_at  BIGINT NOT NULL,
    lease_until  BIGINT,
    completed_at BIGINT,
    included     BIGINT,
    over_quota   BIGINT,
    PRIMARY KEY (study, ordinal),
    UNIQUE (study, attempt)
);

CREATE TABLE paused_cells (
    study     TEXT COLLATE "C" NOT NULL,
    cell      TEXT COLLATE "C" NOT NULL,
    paused_at BIGINT NOT NULL,
    PRIMARY KEY (study, cell)
);

-- What was changed in a study's ledger, by version: whoever has read the ledger takes in what came after.
CREATE TABLE ledger_versions (
    study   TEXT COLLATE "C" PRIMARY KEY,
    version BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE ledger_changes (
    study   TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    change  TEXT COLLATE "C" NOT NULL, -- JSON: purpose, entry before and after
    PRIMARY KEY (study, version)
);

-- The last transaction of each writing connection: whether a COMMIT without an answer took place.
CREATE TABLE commits (
    writer    TEXT COLLATE "C" PRIMARY KEY,
    number    BIGINT NOT NULL,
    committed TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);

-- Servers that work on this database, or did a moment ago.
CREATE TABLE nodes (
    name     TEXT COLLATE "C" PRIMARY KEY,
    address  TEXT COLLATE "C" NOT NULL,
    version  TEXT COLLATE "C" NOT NULL,
    began_at BIGINT NOT NULL,
    seen_at  TIMESTAMPTZ NOT NULL, -- by the clock of the database
    clock_ms BIGINT NOT NULL,      -- how far its own clock is ahead of that
    waiting  BIGINT NOT NULL,      -- jobs that wait to be written
    sockets  BIGINT NOT NULL       -- open connections of pages
) WITH (fillfactor = 50);

CREATE TABLE arrivals (
    session     TEXT COLLATE "C" PRIMARY KEY REFERENCES sessions (id),
    platform    TEXT COLLATE "C" NOT NULL,
    participant TEXT COLLATE "C",
    submission  TEXT COLLATE "C",
    link        TEXT COLLATE "C" NOT NULL
);

CREATE TABLE secrets (
    name  TEXT COLLATE "C" PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE erasures (
    session          TEXT COLLATE "C" PRIMARY KEY,
    study            TEXT COLLATE "C" NOT NULL,
    ordinal          BIGINT NOT NULL,
    token_sha256     TEXT COLLATE "C" NOT NULL,
    ended            TEXT COLLATE "C" NOT NULL,
    completion_code  TEXT COLLATE "C",
    participant_code TEXT COLLATE "C",
    platform         TEXT COLLATE "C",
    participant      TEXT COLLATE "C",
    submission       TEXT COLLATE "C",
    link             TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    erased_at        BIGINT NOT NULL,
    UNIQUE (study, ordinal)
);
CREATE INDEX erasures_of_code ON erasures (participant_code) WHERE participant_code IS NOT NULL;

CREATE TABLE payments (
    number    BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    study     TEXT COLLATE "C" NOT NULL,
    session   TEXT COLLATE "C" NOT NULL,
    kind      TEXT COLLATE "C" NOT NULL,
    reference TEXT COLLATE "C" NOT NULL,
    amount    BIGINT NOT NULL,
    currency  TEXT COLLATE "C" NOT NULL,
    reason    TEXT COLLATE "C",
    at        BIGINT NOT NULL,
    UNIQUE (session, kind, reference)
);
CREATE INDEX payments_of_study ON payments (study);

CREATE TABLE credits (
    session  TEXT COLLATE "C" PRIMARY KEY,
    study    TEXT COLLATE "C" NOT NULL,
    state    TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    next_at  BIGINT NOT NULL,
    answer   TEXT COLLATE "C" NOT NULL,
    asked_at BIGINT NOT NULL
);

CREATE TABLE recording_pieces (
    session     TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    recording   BIGINT NOT NULL,
    piece       BIGINT NOT NULL,
    sha256      TEXT COLLATE "C" NOT NULL,
    bytes       BYTEA NOT NULL,
    received_at BIGINT NOT NULL,
    delete_at   BIGINT NOT NULL,
    PRIMARY KEY (session, recording, piece)
);
CREATE INDEX recording_pieces_by_day ON recording_pieces (delete_at);

CREATE TABLE transcripts (
    session   TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    recording BIGINT NOT NULL,
    webvtt    TEXT COLLATE "C" NOT NULL,
    added_at  BIGINT NOT NULL,
    delete_at BIGINT NOT NULL,
    PRIMARY KEY (session, recording)
);
CREATE INDEX transcripts_by_day ON transcripts (delete_at);

CREATE TABLE duties (
    name        TEXT COLLATE "C" PRIMARY KEY,
    holder      TEXT COLLATE "C" NOT NULL,
    lease_until BIGINT NOT NULL
);

CREATE TABLE probes (
    id     BIGINT PRIMARY KEY,
    writes BIGINT NOT NULL
);

CREATE TABLE users (
    name     TEXT COLLATE "C" PRIMARY KEY,
    admin    BIGINT NOT NULL,
    disabled BIGINT NOT NULL,
    waits    BIGINT NOT NULL DEFAULT 0,
    password TEXT COLLATE "C",
    added_at BIGINT NOT NULL
);

CREATE TABLE memberships (
    "user"      TEXT COLLATE "C" NOT NULL REFERENCES users,
    study       TEXT COLLATE "C" NOT NULL,
    role        TEXT COLLATE "C" NOT NULL,
    identifying BIGINT NOT NULL,
    PRIMARY KEY ("user", study)
);

CREATE TABLE password_links (
    "user"     TEXT COLLATE "C" PRIMARY KEY REFERENCES users,
    key_sha256 TEXT COLLATE "C" NOT NULL UNIQUE,
    ends_at    BIGINT NOT NULL
);

CREATE TABLE sign_ins (
    id         TEXT COLLATE "C" PRIMARY KEY,
    key_sha256 TEXT COLLATE "C" NOT NULL UNIQUE,
    "user"     TEXT COLLATE "C" NOT NULL REFERENCES users,
    address    TEXT COLLATE "C" NOT NULL,
    browser    TEXT COLLATE "C" NOT NULL,
    began_at   BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX sign_ins_of_user ON sign_ins ("user");

CREATE TABLE api_tokens (
    id         TEXT COLLATE "C" PRIMARY KEY,
    key_sha256 TEXT COLLATE "C" NOT NULL UNIQUE,
    "user"     TEXT COLLATE "C" NOT NULL REFERENCES users,
    label      TEXT COLLATE "C" NOT NULL,
    scopes     TEXT COLLATE "C" NOT NULL,
    studies    TEXT COLLATE "C" NOT NULL,
    made_at    BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL,
    used_at    BIGINT
);
CREATE INDEX api_tokens_of_user ON api_tokens ("user");

CREATE TABLE identities (
    issuer    TEXT COLLATE "C" NOT NULL,
    subject   TEXT COLLATE "C" NOT NULL,
    "user"    TEXT COLLATE "C" NOT NULL REFERENCES users,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE ("user", issuer)
);

CREATE TABLE audit_log (
    number  BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    "user"  TEXT COLLATE "C",
    act     TEXT COLLATE "C" NOT NULL,
    study   TEXT COLLATE "C",
    session TEXT COLLATE "C",
    about   TEXT COLLATE "C",
    address TEXT COLLATE "C",
    used    TEXT COLLATE "C"
);
CREATE FUNCTION audit_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is never changed or shortened' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_log_only_grows BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_only_grows();
CREATE TRIGGER audit_log_is_never_emptied BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_only_grows();

CREATE TABLE outbox (
    number        BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    study         TEXT COLLATE "C" NOT NULL,
    session       TEXT COLLATE "C" NOT NULL,
    platform      TEXT COLLATE "C" NOT NULL,
    deed          TEXT COLLATE "C" NOT NULL,
    decided_by    TEXT COLLATE "C",
    decided_at    BIGINT NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    since         BIGINT NOT NULL,
    next_at       BIGINT,
    attempts      BIGINT NOT NULL,
    failing_since BIGINT,
    in_doubt      BIGINT NOT NULL,
    answer        TEXT COLLATE "C",
    begun         TEXT COLLATE "C",
    settled_by    TEXT COLLATE "C"
);
CREATE INDEX outbox_of_study ON outbox (study);
CREATE INDEX outbox_not_over ON outbox (session) WHERE state NOT IN ('taken_back', 'sent');
