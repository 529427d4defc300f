-- A journal as version 1 of the schema wrote it, dumped: an ended task, a forgotten one, a running one
-- with its host, session and request, and a lease. Not to be changed.
PRAGMA application_id = 1399154506;
BEGIN TRANSACTION;
CREATE TABLE events (
    stream INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (stream, kind, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO "events" VALUES(1,1,1,1001,'{"n":1}');
INSERT INTO "events" VALUES(1,2,2,1002,'{"n":2}');
INSERT INTO "events" VALUES(1,2,3,1003,'{"n":3}');
INSERT INTO "events" VALUES(1,3,4,1004,'{"n":4}');
INSERT INTO "events" VALUES(3,1,1,1001,'{"n":1}');
INSERT INTO "events" VALUES(3,2,2,1002,'{"n":2}');
INSERT INTO "events" VALUES(3,2,3,1003,'{"n":3}');
INSERT INTO "events" VALUES(4,4,1,1001,'{"n":1}');
CREATE TABLE garbage (
    stream INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL
) STRICT;
INSERT INTO "head" VALUES(1,7);
CREATE TABLE holds (
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    holder TEXT NOT NULL,
    PRIMARY KEY (agent, session)
) STRICT, WITHOUT ROWID;
INSERT INTO "holds" VALUES('claude','s','task task_3');
CREATE TABLE hosts (
    id TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    stream TEXT,
    out INTEGER NOT NULL,
    err INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO "hosts" VALUES('host_1','inst_404f94675bf21963','task/task_3',7,9,'{}');
CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    sender TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO "inbox" VALUES(1,'task/task_3','inst_404f94675bf21963',5,'{"cancel":true}');
CREATE TABLE kinds (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "kinds" VALUES(1,'task_created');
INSERT INTO "kinds" VALUES(2,'agent_message');
INSERT INTO "kinds" VALUES(3,'task_ended');
INSERT INTO "kinds" VALUES(4,'lease_granted');
CREATE TABLE leases (
    handle TEXT PRIMARY KEY,
    server TEXT NOT NULL,
    state TEXT NOT NULL,
    ended INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO "leases" VALUES('agent_1','inst_404f94675bf21963','idle',0,1,'{}');
CREATE TABLE prompts (
    ordinal INTEGER PRIMARY KEY,
    prompt TEXT NOT NULL
) STRICT;
INSERT INTO "prompts" VALUES(1,'do 1');
INSERT INTO "prompts" VALUES(3,'do 3');
CREATE TABLE streams (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    owner TEXT,
    token INTEGER NOT NULL,
    last INTEGER NOT NULL,
    changed INTEGER NOT NULL
) STRICT;
INSERT INTO "streams" VALUES(1,'task/task_1',NULL,1,4,4);
INSERT INTO "streams" VALUES(3,'task/task_3','inst_404f94675bf21963',1,3,3);
INSERT INTO "streams" VALUES(4,'lease/agent_1','inst_404f94675bf21963',1,1,6);
CREATE TABLE task_ids (
    ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "task_ids" VALUES(1,'task_1');
INSERT INTO "task_ids" VALUES(2,'task_2');
INSERT INTO "task_ids" VALUES(3,'task_3');
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
INSERT INTO "tasks" VALUES(1,'task_1','inst_404f94675bf21963','completed',1,'claude','key',0,'/w',NULL,NULL,1,9,4,'{}');
INSERT INTO "tasks" VALUES(3,'task_3','inst_404f94675bf21963','running',0,'claude',NULL,0,'/w',NULL,NULL,1,NULL,3,'{}');
CREATE INDEX streams_changed ON streams (changed);
CREATE UNIQUE INDEX tasks_by_key ON tasks (client_key) WHERE client_key IS NOT NULL;
CREATE INDEX tasks_by_server ON tasks (server, ordinal);
CREATE INDEX tasks_by_server_and_status ON tasks (server, status, ordinal);
CREATE INDEX tasks_by_status ON tasks (status, ordinal);
CREATE INDEX tasks_by_agent ON tasks (agent, ordinal);
CREATE INDEX tasks_by_agent_and_status ON tasks (agent, status, ordinal);
CREATE INDEX tasks_open ON tasks (ordinal) WHERE ended = 0;
CREATE INDEX leases_open ON leases (handle) WHERE ended = 0;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('streams',4);
INSERT INTO "sqlite_sequence" VALUES('task_ids',3);
INSERT INTO "sqlite_sequence" VALUES('inbox',1);
COMMIT;
PRAGMA user_version = 1;
