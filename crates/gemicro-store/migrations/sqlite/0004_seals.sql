-- Format 4: checksums of rows, and how many events were ever written.

-- The seal of an event covers the event and the seal of the event before it in its stream (src/seal.rs); that of any
-- other row covers the row. NULL for rows from before this format.
ALTER TABLE events ADD COLUMN seal INTEGER;
ALTER TABLE runs ADD COLUMN seal INTEGER;
ALTER TABLE dead_letters ADD COLUMN seal INTEGER;
ALTER TABLE board ADD COLUMN seal INTEGER;

-- Snapshots have a seal of their own from now on. They are a cache.
DELETE FROM snapshots;

-- One row: this database, and its events since this format, erased ones included. A file beside the database has
-- the same (src/written.rs).
CREATE TABLE written (
    no       INTEGER PRIMARY KEY,
    store_id TEXT    NOT NULL,
    n_events INTEGER NOT NULL
);
INSERT INTO written (no, store_id, n_events) VALUES (1, lower(hex(randomblob(8))), 0);
