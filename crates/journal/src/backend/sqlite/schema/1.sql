-- The position of the last commit.
CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL
) STRICT;
INSERT INTO head VALUES (1, 0);

-- Numbers are never used twice: events of a forgotten stream may still be stored under one.
CREATE TABLE streams (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    owner TEXT,
    token INTEGER NOT NULL,
    last INTEGER NOT NULL,
    changed INTEGER NOT NULL
) STRICT;
CREATE INDEX streams_changed ON streams (changed);

CREATE TABLE kinds (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- In the order of kinds first: a page of some kinds reads nothing else, a page of all merges the few
-- kinds of a stream, and an event costs one page of the log instead of the two of an index.
CREATE TABLE events (
    stream INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (stream, kind, seq)
) STRICT, WITHOUT ROWID;

-- Streams that are gone and whose events are removed bit by bit.
CREATE TABLE garbage (
    stream INTEGER PRIMARY KEY
) STRICT;

-- Every id that ever was, in the order of creation; forgotten ones stay.
CREATE TABLE task_ids (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE
) STRICT;

-- What lists select by stands before the body, which may be long.
CREATE TABLE tasks (
    ordinal INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    server TEXT NOT NULL,
    status TEXT NOT NULL,
    ended INTEGER NOT NULL,
    agent TEXT NOT NULL,
    client_key TEXT,
    resolved INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    session TEXT,
    handle TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    last_seq INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tasks_by_key ON tasks (client_key) WHERE client_key IS NOT NULL;
CREATE INDEX tasks_by_server ON tasks (server, ordinal);
CREATE INDEX tasks_by_server_and_status ON tasks (server, status, ordinal);
CREATE INDEX tasks_by_status ON tasks (status, ordinal);
CREATE INDEX tasks_by_agent ON tasks (agent, ordinal);
CREATE INDEX tasks_by_agent_and_status ON tasks (agent, status, ordinal);
CREATE INDEX tasks_open ON tasks (ordinal) WHERE ended = 0;

CREATE TABLE prompts (
    ordinal INTEGER PRIMARY KEY,
    prompt TEXT NOT NULL
) STRICT;

CREATE TABLE leases (
    handle TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    state TEXT NOT NULL,
    ended INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX leases_open ON leases (handle) WHERE ended = 0;

CREATE TABLE hosts (
    id TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    stream TEXT,
    out INTEGER NOT NULL,
    err INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE holds (
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    holder TEXT NOT NULL,
    PRIMARY KEY (agent, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    sender TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
