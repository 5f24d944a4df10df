-- Format 1. Times are milliseconds since 1970 in UTC; texts are JSON where a column is called so.

-- One row per run or conversation: the place where sequence numbers, fences and leases live.
CREATE TABLE streams (
    no               INTEGER PRIMARY KEY,
    id               TEXT    NOT NULL UNIQUE,
    kind             TEXT    NOT NULL,
    parent_run       TEXT,
    first_seq        INTEGER NOT NULL,
    last_seq         INTEGER NOT NULL,
    ended            INTEGER NOT NULL,
    erased_at        INTEGER,
    lease_owner      TEXT,
    lease_epoch      INTEGER NOT NULL,
    lease_expires_at INTEGER NOT NULL
);

-- The journal. Rows lie in order of arrival, so a group of appends to many streams touches few pages.
CREATE TABLE events (
    stream_no      INTEGER NOT NULL,
    seq            INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    event_type     TEXT    NOT NULL,
    message        TEXT    NOT NULL,
    at_ms          INTEGER NOT NULL,
    data           TEXT,
    data_blob      TEXT,
    step           TEXT,
    mark           TEXT,
    attempt        INTEGER,
    trace          TEXT,
    extra          TEXT
);
CREATE UNIQUE INDEX events_by_place ON events (stream_no, seq);

-- Projection: the line a run has in lists.
CREATE TABLE runs (
    stream_no  INTEGER PRIMARY KEY REFERENCES streams (no),
    flow       TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    error_kind TEXT,
    n_events   INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    micro_usd  INTEGER NOT NULL,
    turns      INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at   INTEGER
);

-- Projection: the attempts that run now; the fence of executors.
CREATE TABLE running_steps (
    stream_no INTEGER NOT NULL REFERENCES streams (no),
    step      TEXT    NOT NULL,
    attempt   INTEGER NOT NULL,
    PRIMARY KEY (stream_no, step)
) WITHOUT ROWID;

CREATE TABLE commands (
    no           INTEGER PRIMARY KEY,
    stream_no    INTEGER NOT NULL REFERENCES streams (no),
    command_id   TEXT    NOT NULL,
    command_type TEXT    NOT NULL,
    data         TEXT    NOT NULL,
    sent_at      INTEGER NOT NULL,
    status       TEXT    NOT NULL,
    ack_data     TEXT    NOT NULL,
    UNIQUE (stream_no, command_id)
);

-- A cache of folds; losing it costs time only.
CREATE TABLE snapshots (
    stream_no INTEGER PRIMARY KEY REFERENCES streams (no),
    seq       INTEGER NOT NULL,
    state     BLOB    NOT NULL
);

-- Which stream needs which blob file. A blob may come before its stream, so this names the id.
CREATE TABLE blob_refs (
    stream  TEXT    NOT NULL,
    blob    TEXT    NOT NULL,
    n_bytes INTEGER NOT NULL,
    at_ms   INTEGER NOT NULL,
    PRIMARY KEY (stream, blob)
) WITHOUT ROWID;
CREATE INDEX blob_refs_by_blob ON blob_refs (blob);
