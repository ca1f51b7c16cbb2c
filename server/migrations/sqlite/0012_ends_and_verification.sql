-- The phase by its name alone; rows of format 1 had it in JSON, with where it was.
UPDATE sessions SET phase = COALESCE(json_extract(phase, '$.phase'), phase)
    WHERE phase LIKE '{%' AND json_valid(phase);

-- Who ended before the end was noted as completed, and kept a slot.
UPDATE assignments SET completed_at = NULL, included = NULL, over_quota = NULL
    WHERE completed_at IS NOT NULL AND EXISTS (
        SELECT 1 FROM sessions s
        WHERE s.study = assignments.study AND s.ordinal = assignments.ordinal
        AND s.phase IN ('declined', 'withdrawn', 'device_unfit', 'screened_out'));
UPDATE sessions SET completed_at = NULL
    WHERE completed_at IS NOT NULL
    AND phase IN ('declined', 'withdrawn', 'device_unfit', 'screened_out');

-- Whether the session has ended and is to be verified: what its page reported decoded again.
ALTER TABLE sessions ADD COLUMN unverified INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET unverified = 1
    WHERE phase IN ('withdrawn', 'device_unfit', 'screened_out', 'complete')
    AND NOT EXISTS (SELECT 1 FROM events
        WHERE session = id AND author = 'server' AND kind = 'verified')
    AND EXISTS (SELECT 1 FROM assignments a
        WHERE a.study = sessions.study AND a.ordinal = sessions.ordinal
        AND a.purpose <> 'simulated');
CREATE INDEX sessions_unverified ON sessions (unverified) WHERE unverified = 1;

-- A code is looked for in all studies, where one study rules another out.
CREATE INDEX sessions_of_code ON sessions (participant_code) WHERE participant_code IS NOT NULL;
CREATE INDEX erasures_of_code ON erasures (participant_code) WHERE participant_code IS NOT NULL;
