-- Few Runs are forks, and each names the Run that it began with.
CREATE INDEX runs_by_parent ON runs (workspace, parent, started_at, id) WHERE parent IS NOT NULL;
