-- Studies, models and bundles of concepts that all servers on this database offer. An item is a folder: `studies/NAME`,
-- `models/NAME`, `models/concepts/NAME`.
CREATE TABLE published (
    item   TEXT NOT NULL,
    file   TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes  BLOB NOT NULL,
    PRIMARY KEY (item, file)
) STRICT;

-- Each change of them, with the items that it changed, one in a line.
CREATE TABLE publications (
    number       INTEGER NOT NULL PRIMARY KEY,
    published_at INTEGER NOT NULL,
    items        TEXT NOT NULL
) STRICT;

-- Files of the app that servers on this database have offered, by names that change with their contents.
CREATE TABLE app_files (
    name       TEXT    NOT NULL PRIMARY KEY,
    bytes      BLOB    NOT NULL,
    offered_at INTEGER NOT NULL
) STRICT;
