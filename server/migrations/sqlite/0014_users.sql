-- People who have an account in the researcher's area, and what they did there.
CREATE TABLE users (
    name     TEXT    NOT NULL PRIMARY KEY,
    admin    INTEGER NOT NULL,
    disabled INTEGER NOT NULL,
    password TEXT,             -- Argon2id as a PHC string; none until one is set
    added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What they are in which studies.
CREATE TABLE memberships (
    user        TEXT    NOT NULL REFERENCES users,
    study       TEXT    NOT NULL,
    role        TEXT    NOT NULL,
    identifying INTEGER NOT NULL, -- whether it was granted to them to see what is identifying
    PRIMARY KEY (user, study)
) STRICT, WITHOUT ROWID;

-- Links to set a password with. Each is used once.
CREATE TABLE password_links (
    user       TEXT    NOT NULL PRIMARY KEY REFERENCES users,
    key_sha256 TEXT    NOT NULL UNIQUE,
    ends_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Places where they are signed in.
CREATE TABLE sign_ins (
    id         TEXT    NOT NULL PRIMARY KEY, -- opens nothing
    key_sha256 TEXT    NOT NULL UNIQUE,
    user       TEXT    NOT NULL REFERENCES users,
    address    TEXT    NOT NULL,
    browser    TEXT    NOT NULL,
    began_at   INTEGER NOT NULL,
    used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ins_of_user ON sign_ins (user);

-- Tokens for programs.
CREATE TABLE api_tokens (
    id         TEXT    NOT NULL PRIMARY KEY, -- opens nothing
    key_sha256 TEXT    NOT NULL UNIQUE,
    user       TEXT    NOT NULL REFERENCES users,
    label      TEXT    NOT NULL,
    scopes     TEXT    NOT NULL, -- JSON: a list of names
    studies    TEXT    NOT NULL, -- JSON: a list of names
    made_at    INTEGER NOT NULL,
    ends_at    INTEGER NOT NULL,
    used_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_tokens_of_user ON api_tokens (user);

-- Everything that somebody did. Entries are added, and never changed or taken out.
CREATE TABLE audit_log (
    number  INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    user    TEXT,    -- none: a command on the server's own machine
    act     TEXT    NOT NULL,
    study   TEXT,
    session TEXT,
    about   TEXT,
    address TEXT,
    used    TEXT     -- the sign-in or token with which it was done
) STRICT;
CREATE TRIGGER audit_log_is_never_changed BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is never changed'); END;
CREATE TRIGGER audit_log_is_never_shortened BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is never shortened'); END;
