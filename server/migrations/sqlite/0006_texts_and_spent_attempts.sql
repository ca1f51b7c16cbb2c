-- What participants were told: the study's texts (consent, instructions) as they were when
-- sessions were started. The same study file can come with several texts of one name.
CREATE TABLE study_texts (
    study_sha256 TEXT NOT NULL REFERENCES study_versions (sha256),
    file         TEXT NOT NULL,
    sha256       TEXT NOT NULL, -- of `markdown`, in hex
    markdown     BLOB NOT NULL,
    PRIMARY KEY (study_sha256, file, sha256)
) STRICT, WITHOUT ROWID;

-- The name of an attempt to start opens its session only until the session's token was first used:
-- then it is spent, and stands here and in `assignments` no more. It is stored as its SHA-256.
ALTER TABLE sessions ADD COLUMN attempt_spent INTEGER NOT NULL DEFAULT 0;
