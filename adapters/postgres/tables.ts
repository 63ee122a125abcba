import { NEVER } from '../shared/never.js';

/** Number of rows over which each total is distributed, so that concurrent creates do not wait for each other. */
const SHARDS = 32;

/**
 * The tables of version 1. `$` stands for the quoted schema and a dot.
 *
 * Tenants, ids and the values of labels are escaped (`escapeName`). Times are in milliseconds since the epoch;
 * 9007199254740991 stands for Infinity. `state` is the state as JSON without `last_activity`; the columns `status` to
 * `revision` and `labels` (each as name=value) repeat the parts that are searched and compared. The indexes of lists
 * include the number, so that a page by number skips sessions in the index alone.
 *
 * What is left of a removed session until its end is reported is a row of its own in `sessions`: its tenant and its id
 * contain a colon, so that only the queue of due sessions finds it.
 */
export const tables = `
CREATE TABLE $sessions (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, created_ms bigint NOT NULL,
  incarnation text NOT NULL, status text COLLATE "C" NOT NULL, deadline double precision NOT NULL,
  due_at double precision NOT NULL, accepts_until double precision NOT NULL, grace double precision NOT NULL,
  fencing_token double precision NOT NULL, leased_until double precision NOT NULL,
  wake_at double precision NOT NULL,
  limit_ms double precision NOT NULL, limit_end double precision,
  inactivity double precision NOT NULL, last_activity double precision NOT NULL,
  revision bigint NOT NULL, sequence bigint NOT NULL, redactions bigint NOT NULL DEFAULT 0,
  entries bigint NOT NULL, position bigint NOT NULL, bytes bigint NOT NULL,
  head text NOT NULL, state text NOT NULL, labels text NOT NULL
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX sessions_by_id ON $sessions (tenant, id);
CREATE INDEX sessions_by_creation ON $sessions (tenant, created_ms, id) INCLUDE (number);
CREATE INDEX sessions_by_status ON $sessions (tenant, status, created_ms, id, deadline) INCLUDE (number);
CREATE INDEX sessions_by_due ON $sessions (due_at) WHERE due_at < ${NEVER};
CREATE INDEX sessions_by_tenant_wake ON $sessions (tenant, wake_at) WHERE wake_at < ${NEVER};
CREATE INDEX sessions_by_tenant_due ON $sessions (tenant, due_at, status, deadline) WHERE due_at < ${NEVER};

/*
 * Each entry and each rewind takes a position, which is never used again: sessions.position is the
 * last one. A rewind deletes the rows after the position that it goes back to. bytes is the size of
 * the JSON of the entry with a comma, as it was added.
 */
CREATE TABLE $entries (
  session bigint NOT NULL,
  position bigint NOT NULL,
  bytes integer NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (session, position)
);

CREATE TABLE $operations (
  session bigint NOT NULL, operation text COLLATE "C" NOT NULL, digest text NOT NULL, position bigint NOT NULL,
  PRIMARY KEY (session, operation)
);

CREATE TABLE $labels (
  tenant text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
  created_ms bigint NOT NULL, id text COLLATE "C" NOT NULL, session bigint NOT NULL,
  PRIMARY KEY (tenant, name, value, created_ms, id) INCLUDE (session)
);
CREATE INDEX labels_by_session ON $labels (session);

/* Sessions by label, and with an empty name by status. A total is the sum of its shards. */
CREATE TABLE $totals (
  tenant text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, value text COLLATE "C" NOT NULL,
  shard smallint NOT NULL, sessions bigint NOT NULL,
  PRIMARY KEY (tenant, name, value, shard)
) WITH (fillfactor = 50);

/* The outbox: events are written here with their change. publish() numbers them after the commit, and moves them. */
CREATE TABLE $outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL, id text NOT NULL, incarnation text NOT NULL, sequence bigint NOT NULL, detail text NOT NULL
);

/* From row to row, both number and ms increase. */
CREATE TABLE $events (
  number bigint PRIMARY KEY, ms bigint NOT NULL,
  tenant text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, incarnation text NOT NULL, sequence bigint NOT NULL,
  detail text NOT NULL
);
CREATE INDEX events_by_time ON $events (ms, number);
CREATE INDEX events_by_tenant ON $events (tenant, ms, number);
CREATE INDEX events_by_session ON $events (tenant, id, ms, number);

/* A change of a total that a session has caused: by is 1 or -1. */
CREATE TYPE $total_change AS (tenant text, session bigint, name text, value text, by integer);

/* Writes changes of totals; in the same order always, to avoid deadlocks. */
CREATE FUNCTION $count_sessions(p_changes $total_change[]) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO $totals AS total
    SELECT tenant, name, value, session % ${SHARDS} AS shard, sum(by) FROM unnest(p_changes)
    GROUP BY tenant, name, value, shard HAVING sum(by) <> 0
    ORDER BY tenant COLLATE "C", name COLLATE "C", value COLLATE "C", shard
    ON CONFLICT (tenant, name, value, shard) DO UPDATE SET sessions = total.sessions + excluded.sessions;
  IF EXISTS (SELECT FROM unnest(p_changes) WHERE by < 0) THEN
    DELETE FROM $totals AS total USING unnest(p_changes) AS change
      WHERE total.tenant = change.tenant AND total.name = change.name AND total.value = change.value
        AND total.shard = change.session % ${SHARDS} AND change.by < 0 AND total.sessions = 0;
  END IF;
END $body$;

/* A change of a session, as change_all takes it: kind is append, insert or replace. Other kinds leave fields null. */
CREATE TYPE $change AS (
  kind text, tenant text, id text,
  /* Of several kinds. */
  now double precision, entries text[], fencing_token double precision, detail text, live_limit double precision,
  /* An append. */
  operation text, digest text, if_position double precision, after double precision, max_entries double precision,
  has_events boolean,
  /* The state of an insert or a replace, in the columns of sessions. */
  status text, deadline double precision, accepts_until double precision, grace double precision,
  leased_until double precision, wake_at double precision, limit_ms double precision,
  limit_end double precision, inactivity double precision, last_activity double precision, revision bigint, state text,
  labels text,
  /* When the report of the end is due; null without one. */
  report_at double precision,
  /* An insert. started: the event of the start; null if the session is not started. */
  created_ms bigint, incarnation text, head text, started text, source text, version text,
  /* A replace. */
  previous bigint, is_change boolean
);
`;
