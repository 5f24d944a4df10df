-- Format 3: steps that workers in any process take, and boards of runs.

-- An index over the journal: who works on which attempt. `provider` is empty for steps without limits; `reason` is
-- JSON; the charge is what an attempt counts as whose worker vanished. When a run ends, its rows go.
CREATE TABLE queue (
    no               INTEGER PRIMARY KEY,
    stream_no        INTEGER NOT NULL REFERENCES streams (no),
    step             TEXT    NOT NULL,
    attempt          INTEGER NOT NULL,
    max_attempts     INTEGER NOT NULL,
    kind             TEXT    NOT NULL,
    provider         TEXT    NOT NULL,
    priority         INTEGER NOT NULL,
    not_before       INTEGER NOT NULL,
    tokens           INTEGER NOT NULL,
    micro_usd        INTEGER NOT NULL,
    turns            INTEGER NOT NULL,
    data             TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    lease_owner      TEXT,
    lease_token      INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER NOT NULL DEFAULT 0,
    cancel_requested BOOLEAN NOT NULL DEFAULT FALSE,
    reason           TEXT,
    changed_at       INTEGER NOT NULL,
    UNIQUE (stream_no, step)
);
CREATE INDEX queue_ready ON queue (provider, priority DESC, not_before, no) WHERE status = 'queued';
CREATE INDEX queue_running ON queue (provider) WHERE status = 'running';
CREATE INDEX queue_leases ON queue (lease_expires_at) WHERE status = 'running';

-- Every provider that steps have named, with what all workers together may ask of it; NULL is any number.
CREATE TABLE provider_limits (
    provider    TEXT PRIMARY KEY,
    max_running INTEGER,
    per_minute  INTEGER
) WITHOUT ROWID;

-- Steps that were taken in the last minute, of providers with a limit for that.
CREATE TABLE provider_starts (
    provider TEXT    NOT NULL,
    at_ms    INTEGER NOT NULL,
    n_steps  INTEGER NOT NULL
);
CREATE INDEX provider_starts_by_time ON provider_starts (provider, at_ms);

-- Projection: what runs with many parts show of each of them. `seq` is the event that the line was written with.
CREATE TABLE board (
    stream_no INTEGER NOT NULL REFERENCES streams (no),
    place     INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    state     TEXT    NOT NULL,
    shown     TEXT    NOT NULL,
    PRIMARY KEY (stream_no, place)
) WITHOUT ROWID;
