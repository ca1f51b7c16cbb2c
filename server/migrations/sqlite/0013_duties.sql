-- What servers do by themselves beside answering, each duty by one of them at a time.
CREATE TABLE duties (
    name        TEXT    NOT NULL PRIMARY KEY,
    holder      TEXT    NOT NULL, -- the server that has it
    lease_until INTEGER NOT NULL  -- until when, unless it claims the duty again
) STRICT, WITHOUT ROWID;
