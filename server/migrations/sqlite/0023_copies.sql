-- The copy of another database into this one that has begun and not ended: at most one row. Until it has ended, nothing
-- but that copy opens this database.
CREATE TABLE copies (
    source   TEXT NOT NULL PRIMARY KEY, -- what tells the database that is read from all others
    study    TEXT,                      -- the one study that is taken; NULL: all of it
    began_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;
