-- Format 2: checksums of rows, as in SQLite's format 4. NULL for rows from before this format.
ALTER TABLE gemicro.events ADD COLUMN seal BIGINT;
ALTER TABLE gemicro.runs ADD COLUMN seal BIGINT;
ALTER TABLE gemicro.dead_letters ADD COLUMN seal BIGINT;
ALTER TABLE gemicro.board ADD COLUMN seal BIGINT;

-- Snapshots have a seal of their own from now on. They are a cache.
DELETE FROM gemicro.snapshots;
