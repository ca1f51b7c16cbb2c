-- As in SQLite.
CREATE TABLE published (
    item   TEXT COLLATE "C" NOT NULL,
    file   TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    bytes  BYTEA NOT NULL,
    PRIMARY KEY (item, file)
);

CREATE TABLE publications (
    number       BIGINT PRIMARY KEY,
    published_at BIGINT NOT NULL,
    items        TEXT COLLATE "C" NOT NULL
);

CREATE TABLE app_files (
    name       TEXT COLLATE "C" PRIMARY KEY,
    bytes      BYTEA NOT NULL,
    offered_at BIGINT NOT NULL
);
