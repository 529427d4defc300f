-- Blobs that events of a Run name, so that they go with the last Run that does.
CREATE TABLE run_blobs (
    sha256 TEXT NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (sha256, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_blobs_by_run ON run_blobs (run);
-- Those of events that are there already.
INSERT OR IGNORE INTO run_blobs
    SELECT moved.value, substr(streams.name, length('run/') + 1)
    FROM events JOIN streams ON streams.number = events.stream,
        json_each(CASE WHEN json_valid(events.payload) THEN events.payload ELSE '{}' END, '$._blobs') AS moved
    WHERE streams.name LIKE 'run/%' AND instr(events.payload, '"_blobs"') > 0;
