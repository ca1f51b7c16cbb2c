-- What was decided and paid. An entry stays when its session is erased: who took everything back may
-- have to be paid all the same. What a session is owed follows from its log and these entries.
CREATE TABLE payments (
    number    INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, -- the order in which they were made
    study     TEXT    NOT NULL,
    session   TEXT    NOT NULL, -- of `sessions` or `erasures`
    kind      TEXT    NOT NULL, -- owed, part, bonus, paid, refused
    reference TEXT    NOT NULL, -- what tells it from others of its kind; may be empty
    amount    INTEGER NOT NULL, -- in hundredths
    currency  TEXT    NOT NULL,
    reason    TEXT,
    at        INTEGER NOT NULL,
    UNIQUE (session, kind, reference)
) STRICT;

CREATE INDEX payments_of_study ON payments (study);
