-- What lists select by stands before the body, which may be long.
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    server TEXT NOT NULL,
    flow_id TEXT,
    task TEXT,
    flow_hash TEXT NOT NULL,
    status TEXT NOT NULL,
    ended INTEGER NOT NULL,
    parent TEXT,
    started_at INTEGER NOT NULL,
    admission_key TEXT,
    waiting INTEGER NOT NULL,
    finished_at INTEGER,
    forked_from TEXT,
    last_seq INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX runs_by_key ON runs (workspace, admission_key) WHERE admission_key IS NOT NULL;
-- Lists are merged from walks of these; each ends in the order of the list. A list of all statuses
-- merges those that occur, which are few.
CREATE INDEX runs_by_status ON runs (workspace, status, started_at, id);
CREATE INDEX runs_by_flow ON runs (workspace, flow_id, status, started_at, id);
CREATE INDEX runs_by_task ON runs (workspace, task, status, started_at, id);
CREATE INDEX runs_by_hash ON runs (workspace, flow_hash, status, started_at, id);
CREATE INDEX runs_open ON runs (workspace, started_at, id) WHERE ended = 0;

CREATE TABLE artifacts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    run TEXT NOT NULL,
    node TEXT NOT NULL,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX artifacts_by_run ON artifacts (run, number);
CREATE INDEX artifacts_by_digest ON artifacts (sha256);

CREATE TABLE documents (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (workspace, kind, id)
) STRICT;
CREATE INDEX documents_by_kind ON documents (workspace, kind, ordinal);
