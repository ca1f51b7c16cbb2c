-- What belongs to certificates that the server gets by itself, so that any server on this database can use it: JSON by
-- name. `account DIRECTORY`, `challenge NAME`, `certificate NAMES`.
CREATE TABLE acme (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
