-- A change of a session, as change_all takes it: kind is append, insert, replace, redact, remove or
-- reschedule. Other kinds leave fields null.
CREATE TYPE $change AS (
  kind text,
  tenant text,
  id text,
  -- Of several kinds. details: of the events, each of which takes the next sequence.
  now bigint,
  entries text[],
  fencing_token bigint,
  details text[],
  has_events boolean,
  live_limit bigint,
  -- An append. after: null for an append at the end. Its revision, of the state: that of a wake;
  -- null without one.
  operation text,
  digest text,
  if_position bigint,
  after bigint,
  max_entries bigint,
  -- The state of an insert or a replace, in the columns of sessions.
  status text,
  deadline bigint,
  accepts_until bigint,
  grace bigint,
  leased_until bigint,
  wake_at bigint,
  wanted_at bigint,
  limit_ms bigint,
  limit_end bigint,
  inactivity bigint,
  last_activity bigint,
  revision bigint,
  state text,
  -- The labels that the session gets and loses, each as name=value; null for none.
  labels_added text[],
  labels_lost text[],
  -- When the report of the end is due; null without one.
  report_at bigint,
  -- An insert. source and version: the session that was read for a fork, and the version of its
  -- history.
  created_ms bigint,
  incarnation text,
  head text,
  source text,
  version text,
  -- A replace. previous: the revision that the state must have. unused_since: the last activity
  -- that an end by inactivity was computed from; null for any.
  previous bigint,
  unused_since bigint,
  -- A redact, with an incarnation, and for each position the entry to write.
  positions bigint[],
  -- A remove, with previous and unused_since, or null for any. remains: what is left of the session until its end is
  -- reported, as an insert; or null.
  remains json,
  -- A reschedule. is_free: whether the deadline does not bind it.
  due_from bigint,
  due_to bigint,
  is_free boolean
);

-- Logs events of a change, the first of which has the sequence after p_sequence.
CREATE FUNCTION $log_events(
  c $change,
  p_incarnation text,
  p_sequence bigint,
  p_details text[]
) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  IF c.has_events THEN
    FOR at IN 1 .. cardinality(p_details) LOOP
      INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
        VALUES (c.tenant, c.id, p_incarnation, p_sequence + at, p_details[at]);
    END LOOP;
  END IF;
END $body$;

-- Whether this version can read a state.
CREATE FUNCTION $is_state(p_status text, p_state text)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $body$
  SELECT p_status IN ('IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED')
    AND p_state LIKE '{"status":"' || p_status || '",%}'
$body$;

-- Moves a session between the lists of labels. Names and escaped values contain no equals sign.
-- Returns the changes of totals.
CREATE FUNCTION $move_labels(c $change, p_number bigint, p_created_ms bigint)
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
  DELETE FROM $labels AS label
    USING unnest(v_changes) AS change
    WHERE label.session = p_number
      AND label.name = change.name
      AND label.value = change.value
      AND change.by = -1;
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
    SELECT c.tenant, name, value, p_created_ms, c.id, p_number
    FROM unnest(v_changes) AS change
    WHERE change.by = 1;
  RETURN v_changes;
END $body$;

-- 'too_many' if a tenant already has the maximum number of live sessions; or null.
CREATE FUNCTION $refusal_of_limit(c $change, p_totals $total_change[])
RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  -- A separate condition, because AND may evaluate both sides.
  IF c.live_limit IS NOT NULL THEN
    IF c.live_limit <= $live_sessions(c.tenant, c.now, p_totals) THEN
      RETURN 'too_many';
    END IF;
  END IF;
  RETURN NULL;
END $body$;
