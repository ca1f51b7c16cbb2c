-- Decisions that platforms are told: each waits, can be taken back, and is sent once. They stay when their
-- session is erased, as entries of the ledger of payments do, and name nobody.
CREATE TABLE outbox (
    number        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    study         TEXT    NOT NULL,
    session       TEXT    NOT NULL, -- of `sessions` or `erasures`
    platform      TEXT    NOT NULL,
    deed          TEXT    NOT NULL, -- JSON: approve, reject or bonus, with what belongs to it
    decided_by    TEXT,             -- none: a command on the server's own machine
    decided_at    INTEGER NOT NULL,
    state         TEXT    NOT NULL, -- waiting, taken_back, sending, trying_again, sent, failed, uncertain
    since         INTEGER NOT NULL, -- since when it stands there
    next_at       INTEGER,          -- when it is sent, or tried again
    attempts      INTEGER NOT NULL, -- how often the platform was asked
    failing_since INTEGER,          -- since when there is no answer
    in_doubt      INTEGER NOT NULL, -- whether a request may have arrived of which no answer came
    answer        TEXT,             -- what the platform said last, or why it said nothing
    begun         TEXT,             -- JSON: a bonus that was set up, and is paid by a second request
    settled_by    TEXT              -- who took it back or settled it
) STRICT;

CREATE INDEX outbox_of_study ON outbox (study);
CREATE INDEX outbox_not_over ON outbox (session) WHERE state NOT IN ('taken_back', 'sent');
