-- As in SQLite.
CREATE TABLE blobs (
    sha256    TEXT COLLATE "C" PRIMARY KEY,
    stored_at BIGINT NOT NULL,
    bytes     BYTEA NOT NULL
);
-- They are packed already, or sound.
ALTER TABLE blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX blobs_by_age ON blobs (stored_at, sha256);

INSERT INTO blobs (sha256, stored_at, bytes)
    SELECT sha256, received_at, bytes FROM recording_pieces
    ON CONFLICT (sha256) DO NOTHING;
ALTER TABLE recording_pieces ADD COLUMN length BIGINT NOT NULL DEFAULT 0;
UPDATE recording_pieces SET length = length(bytes);
ALTER TABLE recording_pieces DROP COLUMN bytes;
CREATE INDEX recording_pieces_by_blob ON recording_pieces (sha256);

CREATE FUNCTION pg_temp.eight_bytes(length BIGINT) RETURNS BYTEA LANGUAGE SQL IMMUTABLE AS $$
    SELECT set_byte(set_byte(set_byte(set_byte('\x0000000000000000'::BYTEA,
        0, (length & 255)::INTEGER), 1, ((length >> 8) & 255)::INTEGER),
        2, ((length >> 16) & 255)::INTEGER), 3, ((length >> 24) & 255)::INTEGER)
$$;
INSERT INTO blobs (sha256, stored_at, bytes)
    SELECT sha256, 0,
        pg_temp.eight_bytes(length(card)) || card ||
        pg_temp.eight_bytes(COALESCE(length(weights), 0)) || COALESCE(weights, ''::BYTEA) ||
        pg_temp.eight_bytes(COALESCE(length(held_out), 0)) || COALESCE(held_out, ''::BYTEA)
    FROM bundles
    ON CONFLICT (sha256) DO NOTHING;
DROP FUNCTION pg_temp.eight_bytes(BIGINT);
ALTER TABLE bundles DROP COLUMN card;
ALTER TABLE bundles DROP COLUMN weights;
ALTER TABLE bundles DROP COLUMN held_out;
