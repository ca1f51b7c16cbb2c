-- Who people are at a provider of OpenID Connect: whoever is vouched for by that name may sign in as a user.
CREATE TABLE identities (
    issuer    TEXT    NOT NULL,
    subject   TEXT    NOT NULL, -- what the issuer calls them, and nobody else ever
    user      TEXT    NOT NULL REFERENCES users,
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user, issuer)
) STRICT, WITHOUT ROWID;

-- Whether they have come by themselves, and nobody has let them in yet.
ALTER TABLE users ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
