-- Sound of lab sessions, in pieces as the participant's page hands them in. The log says which pieces
-- there are; these are their bytes, until the day on which they are deleted.
CREATE TABLE recording_pieces (
    session     TEXT    NOT NULL REFERENCES sessions (id),
    recording   INTEGER NOT NULL, -- from 0: each load of the page begins another one
    piece       INTEGER NOT NULL, -- from 0
    sha256      TEXT    NOT NULL,
    bytes       BLOB    NOT NULL,
    received_at INTEGER NOT NULL,
    delete_at   INTEGER NOT NULL,
    PRIMARY KEY (session, recording, piece)
) STRICT;

CREATE INDEX recording_pieces_by_day ON recording_pieces (delete_at);
