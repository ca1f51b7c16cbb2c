-- What stays of a session whose participant took everything back: that it was there, and what is
-- needed to pay for it. Its log, plan and row in `sessions` are gone.
CREATE TABLE erasures (
    session          TEXT    NOT NULL PRIMARY KEY,
    study            TEXT    NOT NULL,
    ordinal          INTEGER NOT NULL,
    token_sha256     TEXT    NOT NULL, -- its page can still ask for the way back
    ended            TEXT    NOT NULL, -- how the session had ended, by its name in logs
    completion_code  TEXT,             -- none: there had been none
    participant_code TEXT,             -- none: the study does not keep it
    platform         TEXT,             -- as in `arrivals`, from here on
    participant      TEXT,
    submission       TEXT,
    link             TEXT    NOT NULL DEFAULT '{}',
    erased_at        INTEGER NOT NULL,
    UNIQUE (study, ordinal)
) STRICT, WITHOUT ROWID;
