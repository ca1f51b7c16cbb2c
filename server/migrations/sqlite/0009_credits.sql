-- Credit that SONA was asked to give. Which sessions are to get it follows from the sessions; a row is
-- there once SONA was asked. It stays when the session is erased.
CREATE TABLE credits (
    session  TEXT    NOT NULL PRIMARY KEY,
    study    TEXT    NOT NULL,
    state    TEXT    NOT NULL, -- waiting, given, refused, not_due
    attempts INTEGER NOT NULL,
    next_at  INTEGER NOT NULL, -- when SONA is asked again, if it has not answered
    answer   TEXT    NOT NULL, -- what it said last, or why it said nothing
    asked_at INTEGER NOT NULL  -- the last time
) STRICT, WITHOUT ROWID;
