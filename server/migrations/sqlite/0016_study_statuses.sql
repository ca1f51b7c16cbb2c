-- What a study takes people for, where its owner has decided that: draft, pilot, running, closed.
CREATE TABLE study_statuses (
    study      TEXT    NOT NULL PRIMARY KEY,
    status     TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
