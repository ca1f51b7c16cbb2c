-- Number of events of the server and the experimenter. Together with the length of the page's log it is the
-- version of a session: whoever adds to one of its logs says which version that was checked against.
ALTER TABLE sessions ADD COLUMN own_len INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET own_len = (
    SELECT COUNT(*) FROM events WHERE session = id AND author IN ('server', 'experimenter'));
