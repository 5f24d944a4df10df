-- Format 2: steps that failed for good, and the runs that do them again.

-- Projection: the dead letters. `seq` is the event that made the letter.
CREATE TABLE dead_letters (
    stream_no  INTEGER NOT NULL REFERENCES streams (no),
    step       TEXT    NOT NULL,
    seq        INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    error_kind TEXT    NOT NULL,
    message    TEXT    NOT NULL,
    at_ms      INTEGER NOT NULL,
    PRIMARY KEY (stream_no, step)
) WITHOUT ROWID;
CREATE INDEX dead_letters_by_time ON dead_letters (at_ms);

-- A run that does again what failed in its parent: the parent's last event when the run began. Letters up to
-- there count as resubmitted, later ones do not. It stays when the run is erased. NULL for all other runs.
ALTER TABLE streams ADD COLUMN resubmits INTEGER;
CREATE INDEX streams_resubmitting ON streams (parent_run) WHERE resubmits IS NOT NULL;
