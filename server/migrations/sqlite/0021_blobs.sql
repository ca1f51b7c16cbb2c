-- What is large, by its SHA-256, unless it is kept outside of the database. Rows elsewhere name it: pieces of recordings
-- and models. What no row names is deleted a day after it was stored for the last time.
CREATE TABLE blobs (
    sha256    TEXT    NOT NULL PRIMARY KEY,
    stored_at INTEGER NOT NULL,
    bytes     BLOB    NOT NULL
) STRICT;
CREATE INDEX blobs_by_age ON blobs (stored_at, sha256);

INSERT INTO blobs (sha256, stored_at, bytes)
    SELECT sha256, received_at, bytes FROM recording_pieces WHERE true
    ON CONFLICT (sha256) DO NOTHING;
ALTER TABLE recording_pieces ADD COLUMN length INTEGER NOT NULL DEFAULT 0;
UPDATE recording_pieces SET length = length(bytes);
ALTER TABLE recording_pieces DROP COLUMN bytes;
CREATE INDEX recording_pieces_by_blob ON recording_pieces (sha256);

-- A model is one blob: each of its files with its length before it, in eight bytes, the smallest first. That is what its
-- name is the SHA-256 of.
INSERT INTO blobs (sha256, stored_at, bytes)
    SELECT sha256, 0, unhex(
        printf('%02x%02x%02x%02x00000000', card_length & 255, (card_length >> 8) & 255,
               (card_length >> 16) & 255, (card_length >> 24) & 255) || hex(card) ||
        printf('%02x%02x%02x%02x00000000', weights_length & 255, (weights_length >> 8) & 255,
               (weights_length >> 16) & 255, (weights_length >> 24) & 255) || hex(COALESCE(weights, x'')) ||
        printf('%02x%02x%02x%02x00000000', held_out_length & 255, (held_out_length >> 8) & 255,
               (held_out_length >> 16) & 255, (held_out_length >> 24) & 255) || hex(COALESCE(held_out, x'')))
    FROM (SELECT *, length(card) AS card_length, COALESCE(length(weights), 0) AS weights_length,
                 COALESCE(length(held_out), 0) AS held_out_length FROM bundles)
    WHERE true
    ON CONFLICT (sha256) DO NOTHING;
ALTER TABLE bundles DROP COLUMN card;
ALTER TABLE bundles DROP COLUMN weights;
ALTER TABLE bundles DROP COLUMN held_out;
