-- As in SQLite.
CREATE TABLE copies (
    source   TEXT COLLATE "C" PRIMARY KEY,
    study    TEXT COLLATE "C",
    began_at TEXT COLLATE "C" NOT NULL DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')
);

-- Tables and parts of them from which a transaction has erased something, until they are written anew: PostgreSQL leaves
-- the bytes of deleted rows in its files. SQLite overwrites them.
CREATE TABLE erased_from (
    part   TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL -- of the transaction
);
