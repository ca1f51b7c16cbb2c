-- As in SQLite.
CREATE TABLE copies (
    source   TEXT COLLATE "C" PRIMARY KEY,
    study    TEXT COLLATE "C",
    began_at TEXT COLLATE "C" NOT NULL DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
);
