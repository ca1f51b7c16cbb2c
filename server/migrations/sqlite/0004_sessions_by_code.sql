-- A participant's code opens its session again, if the study says so.
CREATE INDEX sessions_by_code ON sessions (study, participant_code)
    WHERE participant_code IS NOT NULL;
