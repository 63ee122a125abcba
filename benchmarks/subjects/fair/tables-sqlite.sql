CREATE TABLE sessions (
  number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, created_ms INTEGER NOT NULL,
  status TEXT NOT NULL, deadline INTEGER NOT NULL, activity INTEGER NOT NULL,
  entries INTEGER NOT NULL DEFAULT 0, revision INTEGER NOT NULL DEFAULT 1, settings TEXT NOT NULL
);
CREATE UNIQUE INDEX sessions_by_id ON sessions (tenant, id);
CREATE INDEX sessions_by_creation ON sessions (tenant, created_ms, id);
CREATE TABLE entries (
  session INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
  timestamp TEXT NOT NULL, PRIMARY KEY (session, position)
) WITHOUT ROWID;
CREATE TABLE operations (
  session INTEGER NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (session, name)
) WITHOUT ROWID;
CREATE TABLE events (number INTEGER PRIMARY KEY, detail TEXT NOT NULL);
