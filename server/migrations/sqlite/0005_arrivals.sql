-- How participants came from recruitment platforms. Apart from the sessions: here alone stand the
-- platforms' own names for them, which can be dropped once everybody is paid. A session's
-- `participant_code` holds a keyed hash instead.
CREATE TABLE arrivals (
    session     TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id),
    platform    TEXT NOT NULL,
    participant TEXT, -- none: it was dropped
    submission  TEXT, -- what the platform pays for, if it has a name for that
    link        TEXT NOT NULL -- JSON object: the parameters of the link
) STRICT, WITHOUT ROWID;

-- Secrets of this database, made when they are first needed: they go with it into every backup.
CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
