-- When what the participant typed in their own words is deleted; NULL: never, or it is done.
ALTER TABLE sessions ADD COLUMN delete_text_at INTEGER;

CREATE INDEX sessions_by_text_deletion ON sessions (delete_text_at) WHERE delete_text_at IS NOT NULL;

-- Transcripts of recordings, in WebVTT, until the day on which the sound is deleted.
CREATE TABLE transcripts (
    session   TEXT    NOT NULL REFERENCES sessions (id),
    recording INTEGER NOT NULL, -- from 0, as in recording_pieces
    webvtt    TEXT    NOT NULL,
    added_at  INTEGER NOT NULL,
    delete_at INTEGER NOT NULL,
    PRIMARY KEY (session, recording)
) STRICT;

CREATE INDEX transcripts_by_day ON transcripts (delete_at);
