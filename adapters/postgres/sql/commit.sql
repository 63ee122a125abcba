-- The columns of sessions that follow from a state.
CREATE TYPE $put AS (
  status text,
  deadline bigint,
  report_at bigint,
  fencing_token bigint,
  leased_until bigint,
  wake_at bigint,
  asked_at bigint,
  inbox bigint,
  retry_at bigint,
  limit_end bigint,
  inactivity bigint,
  last_activity bigint,
  revision bigint,
  state text
);

-- What a commit does with the messages of a session. most_waiting: a guard. asked_at, revision: of
-- a message without a put.
CREATE TYPE $inbox_use AS (
  most_waiting bigint,
  message text,
  digest text,
  entry text,
  asked_at bigint,
  revision bigint,
  withdraw text[],
  take bigint,
  turn bigint
);

-- The values that the guards of a commit expect and its effects write. Guards and effects that it
-- does not contain are null.
CREATE TYPE $commit AS (
  -- begin, change, move, redact or remove.
  kind text,
  tenant text,
  id text,
  -- Guards. version: of the history of `source`.
  source text,
  version text,
  operation text,
  digest text,
  revision bigint,
  unused_since bigint,
  open_at bigint,
  over_at bigint,
  fencing_token bigint,
  fenced_at bigint,
  if_end bigint,
  most_entries bigint,
  live_limit bigint,
  live_at bigint,
  due_at bigint,
  -- Effects. put: of a removal, what remains of the session, under another key. labels_added,
  -- labels_lost: each as name=value. bytes: of the entries. events: their details; the positions of
  -- the entries are added to a detail that ends without a brace.
  put $put,
  labels_added text[],
  labels_lost text[],
  created_ms bigint,
  incarnation text,
  head text,
  truncate_to bigint,
  entries text[],
  bytes bigint,
  activity bigint,
  spend jsonb,
  inbox $inbox_use,
  due_to bigint,
  positions bigint[],
  remains_tenant text,
  remains_id text,
  events text[]
);

-- The first event gets the sequence after p_sequence.
CREATE FUNCTION $log_events(
  c $commit,
  p_incarnation text,
  p_sequence bigint,
  p_start bigint,
  p_end bigint
) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  FOR at IN 1 .. cardinality(c.events) LOOP
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (c.tenant, c.id, p_incarnation, p_sequence + at, CASE
        WHEN right(c.events[at], 1) = '}' THEN c.events[at]
        ELSE c.events[at] || ',"start":' || p_start || ',"position":' || p_end || '}'
      END);
  END LOOP;
END $body$;

-- Whether this version can read the state.
CREATE FUNCTION $is_state(p_status text, p_state text)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $body$
  SELECT p_status IN ('IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED')
    AND p_state LIKE '{"status":"' || p_status || '",%}'
$body$;

-- Names and escaped values contain no equals sign. Returns the changes of totals.
CREATE FUNCTION $move_labels(c $commit, p_number bigint, p_created_ms bigint)
RETURNS $total_change[] LANGUAGE plpgsql AS $body$
DECLARE
  v_changes $total_change[] := ARRAY(
    SELECT ROW(
        c.tenant, p_number, split_part(label, '=', 1), split_part(label, '=', 2), by
      )::$total_change
    FROM (
      SELECT unnest(c.labels_lost) AS label, -1 AS by
      UNION ALL
      SELECT unnest(c.labels_added), 1
    ) AS moved
  );
BEGIN
  IF c.labels_lost IS NOT NULL THEN
    DELETE FROM $labels AS label
      USING unnest(v_changes) AS change
      WHERE label.session = p_number
        AND label.name = change.name
        AND label.value = change.value
        AND change.by = -1;
  END IF;
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
    SELECT c.tenant, name, value, p_created_ms, c.id, p_number
    FROM unnest(v_changes) AS change
    WHERE change.by = 1;
  RETURN v_changes;
END $body$;

-- 'live' if the tenant already has the maximum number of live sessions; or null.
CREATE FUNCTION $refusal_of_limit(c $commit, p_totals $total_change[])
RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  RETURN CASE WHEN c.live_limit <= $live_sessions(c.tenant, c.live_at, p_totals) THEN 'live' END;
END $body$;
