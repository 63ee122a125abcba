CREATE SCHEMA fair;
CREATE TABLE fair.sessions (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL, created_ms bigint NOT NULL, status text NOT NULL,
  deadline bigint NOT NULL, activity bigint NOT NULL, entries bigint NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 1, settings text NOT NULL
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX ON fair.sessions (tenant, id);
CREATE INDEX ON fair.sessions (tenant, created_ms, id);
CREATE TABLE fair.entries (
  session bigint NOT NULL, position bigint NOT NULL, role text NOT NULL, content text NOT NULL,
  timestamp text NOT NULL, PRIMARY KEY (session, position)
);
CREATE TABLE fair.operations (
  session bigint NOT NULL, name text COLLATE "C" NOT NULL, digest text NOT NULL,
  PRIMARY KEY (session, name)
);
CREATE TABLE fair.events (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, detail text NOT NULL
);
