-- A session begins with its assignment: number, seed, cell and row are given out in one
-- transaction, before anything is drawn. One without a row in `sessions` was given out to a start
-- that has not come to its end; its lease expires like any other.
CREATE TABLE assignments (
    study        TEXT    NOT NULL,
    ordinal      INTEGER NOT NULL, -- 1, 2, … within the study
    attempt      TEXT    NOT NULL, -- the browser's name for its attempt to start
    seed         TEXT    NOT NULL, -- of everything drawn, in hex
    purpose      TEXT    NOT NULL, -- participant, pilot, preview or simulated
    cell         TEXT    NOT NULL, -- name of the cell; empty in a study without cells
    order_row    INTEGER NOT NULL, -- row of the balanced orders, from 0
    assigned_at  INTEGER NOT NULL,
    lease_until  INTEGER,          -- none: the slot is theirs for ever
    completed_at INTEGER,
    -- Decided when the session was completed, by the rules of that moment.
    included     INTEGER,          -- whether it met the study's inclusion rules
    over_quota   INTEGER,          -- whether it was late and there was no slot left
    PRIMARY KEY (study, ordinal),
    UNIQUE (study, attempt)
) STRICT, WITHOUT ROWID;

-- Sessions of before: in the one cell of their study, for ever, in order.
INSERT INTO assignments
    SELECT study, ordinal, attempt, seed, 'participant', '', ordinal - 1, created_at, NULL,
           completed_at, iif(completed_at IS NULL, NULL, 1), iif(completed_at IS NULL, NULL, 0)
    FROM sessions;

-- Cells that nobody is put into for now.
CREATE TABLE paused_cells (
    study     TEXT    NOT NULL,
    cell      TEXT    NOT NULL,
    paused_at INTEGER NOT NULL,
    PRIMARY KEY (study, cell)
) STRICT, WITHOUT ROWID;
