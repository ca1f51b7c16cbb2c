-- One row, written to find out whether writing works.
CREATE TABLE probes (
    id     INTEGER NOT NULL PRIMARY KEY,
    writes INTEGER NOT NULL
) STRICT;
