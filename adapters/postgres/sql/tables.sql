-- The tables of version 1. `$` before a name stands for the quoted schema and a dot.
--
-- Tenants, ids and label values are escaped (`escapeName`). Times are in milliseconds since the
-- epoch; 9007199254740991 stands for Infinity. No column is a float, a date or bytes, whose format
-- depends on the settings of the connection. `state` is JSON without `last_activity`, `revision`,
-- `asked_at` and `inbox`, which appends and messages change. The columns `status` to `inactivity`
-- repeat the parts that are searched and compared; `retry_at` is `wakeAtOf` without messages. The
-- indexes of lists include the number, so that a page by number skips sessions in the index alone.
--
-- What is left of a removed session until its end is reported is a separate row of `sessions`,
-- whose tenant and id contain a colon, so that only the queue of due sessions finds it.
CREATE TABLE $meta (name text PRIMARY KEY, value bigint NOT NULL);

CREATE TABLE $sessions (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_ms bigint NOT NULL,
  incarnation text NOT NULL,
  status text COLLATE "C" NOT NULL,
  deadline bigint NOT NULL,
  due_at bigint NOT NULL,
  report_at bigint,
  fencing_token bigint NOT NULL,
  leased_until bigint NOT NULL,
  wake_at bigint NOT NULL,
  asked_at bigint NOT NULL,
  retry_at bigint NOT NULL,
  limit_end bigint,
  inactivity bigint NOT NULL,
  last_activity bigint NOT NULL,
  inbox bigint NOT NULL,
  revision bigint NOT NULL,
  sequence bigint NOT NULL,
  redactions bigint NOT NULL DEFAULT 0,
  entries bigint NOT NULL,
  position bigint NOT NULL,
  bytes bigint NOT NULL,
  head text NOT NULL,
  state text NOT NULL
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX sessions_by_id ON $sessions (tenant, id);
CREATE INDEX sessions_by_creation ON $sessions (tenant, created_ms, id) INCLUDE (number);
CREATE INDEX sessions_by_status
  ON $sessions (tenant, status, created_ms, id, deadline)
  INCLUDE (number);
CREATE INDEX sessions_by_due
  ON $sessions (due_at)
  WHERE due_at < 9007199254740991;
CREATE INDEX sessions_by_tenant_wake
  ON $sessions (tenant, wake_at, deadline)
  WHERE wake_at < 9007199254740991;
CREATE INDEX sessions_waiting_by_end
  ON $sessions (deadline)
  WHERE wake_at < 9007199254740991;
CREATE INDEX sessions_by_tenant_due
  ON $sessions (tenant, due_at, status, deadline)
  WHERE due_at < 9007199254740991;

-- One row: the last tenant that a claim of all tenants has served.
CREATE TABLE $turn (tenant text COLLATE "C" NOT NULL) WITH (fillfactor = 20);
INSERT INTO $turn VALUES ('');

-- Each entry and each rewind takes a position, which is never used again; sessions.position is the
-- last. A rewind deletes the rows after the position that it goes back to. bytes: the size of the
-- entry with a comma when it was added.
CREATE TABLE $entries (
  session bigint NOT NULL,
  position bigint NOT NULL,
  bytes integer NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (session, position)
);

CREATE TABLE $operations (
  session bigint NOT NULL,
  operation text COLLATE "C" NOT NULL,
  digest text NOT NULL,
  position bigint NOT NULL,
  PRIMARY KEY (session, operation)
);

-- A waiting message has an entry, and a higher number than the messages that waited before it. A
-- taken message has a position, and a withdrawn message has neither.
CREATE TABLE $messages (
  session bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  digest text NOT NULL,
  entry text,
  position bigint,
  PRIMARY KEY (session, id)
);
CREATE INDEX messages_waiting ON $messages (session, number) WHERE entry IS NOT NULL;

CREATE TABLE $labels (
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  created_ms bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  session bigint NOT NULL,
  PRIMARY KEY (tenant, name, value, created_ms, id) INCLUDE (session)
);
CREATE INDEX labels_by_session ON $labels (session);

-- Numbers of sessions by label, and with an empty name by status. A total is the sum of its shards.
CREATE TABLE $totals (
  tenant text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  sessions bigint NOT NULL,
  PRIMARY KEY (tenant, name, value, shard)
) WITH (fillfactor = 50);

-- Events are written here with their change. After the commit, publish() numbers and moves them.
CREATE TABLE $outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  id text NOT NULL,
  incarnation text NOT NULL,
  sequence bigint NOT NULL,
  detail text NOT NULL
);

-- From row to row, both number and ms increase.
CREATE TABLE $events (
  number bigint PRIMARY KEY,
  ms bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  incarnation text NOT NULL,
  sequence bigint NOT NULL,
  detail text NOT NULL
);
CREATE INDEX events_by_time ON $events (ms, number);
CREATE INDEX events_by_tenant ON $events (tenant, ms, number);
CREATE INDEX events_by_session ON $events (tenant, id, ms, number);
