-- Whether the session that was read for a fork has the same history. Locks it: nothing is redacted
-- or removed until the transaction ends.
CREATE FUNCTION $lock_source(c $change)
RETURNS boolean LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM
    FROM $sessions
    WHERE tenant = c.tenant
      AND id = c.source
      AND concat_ws('.', incarnation, redactions, position - entries) = c.version
    FOR SHARE;
  RETURN FOUND;
END $body$;

-- Why a session cannot be inserted; null if nothing is known against it.
CREATE FUNCTION $refusal_of_insert(c $change, p_totals $total_change[])
RETURNS text LANGUAGE plpgsql AS $body$
BEGIN
  -- Before the other conditions. Without any, the insert itself finds out.
  IF c.source IS NOT NULL OR c.live_limit IS NOT NULL THEN
    IF EXISTS (SELECT FROM $sessions WHERE tenant = c.tenant AND id = c.id) THEN
      RETURN 'taken';
    END IF;
  END IF;
  -- The source is locked before or after the new session, in the order of ids.
  IF c.source COLLATE "C" < c.id COLLATE "C" THEN
    IF NOT $lock_source(c) THEN
      RETURN 'source_changed';
    END IF;
  END IF;
  RETURN $refusal_of_limit(c, p_totals);
END $body$;

-- Inserts the row of a session, and returns its number; null if its id is taken.
CREATE FUNCTION $insert_row(c $change)
RETURNS bigint LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_entries bigint := cardinality(c.entries);
BEGIN
  INSERT INTO $sessions (
      tenant, id, created_ms, incarnation, head,
      status, state, revision, sequence,
      deadline, due_at, accepts_until, grace,
      limit_ms, limit_end, inactivity, last_activity,
      fencing_token, leased_until, wake_at, wanted_at,
      entries, position, bytes
    )
    VALUES (
      c.tenant, c.id, c.created_ms, c.incarnation, c.head,
      c.status, c.state, c.revision, cardinality(c.details),
      c.deadline, coalesce(c.report_at, c.deadline), c.accepts_until, c.grace,
      c.limit_ms, c.limit_end, c.inactivity, c.last_activity,
      c.fencing_token, c.leased_until, c.wake_at, c.wanted_at,
      v_entries, v_entries, (
        SELECT coalesce(sum(octet_length(entry) + 1), 0)
        FROM unnest(c.entries) AS each (entry)
      )
    )
    ON CONFLICT (tenant, id) DO NOTHING
    RETURNING number
    INTO v_number;
  RETURN v_number;
END $body$;

-- Inserts a session with its first entries. For a fork no other change may be in the transaction,
-- because it locks two sessions.
CREATE FUNCTION $insert_session(
  c $change,
  p_totals $total_change[],
  OUT outcome text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
BEGIN
  outcome := $refusal_of_insert(c, p_totals);
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  v_number := $insert_row(c);
  IF v_number IS NULL THEN
    outcome := 'taken';
    RETURN;
  END IF;
  IF c.source IS NOT NULL THEN
    IF NOT $lock_source(c) THEN
      DELETE FROM $sessions WHERE number = v_number;
      outcome := 'source_changed';
      RETURN;
    END IF;
  END IF;
  outcome := 'inserted';
  IF cardinality(c.entries) > 0 THEN
    INSERT INTO $entries (session, position, bytes, entry)
      SELECT v_number, at, octet_length(entry) + 1, entry
      FROM unnest(c.entries) WITH ORDINALITY AS each (entry, at);
  END IF;
  totals := ARRAY[ROW(c.tenant, v_number, '', c.status, 1)::$total_change];
  IF c.labels_added IS NOT NULL THEN
    totals := totals || $move_labels(c, v_number, c.created_ms);
  END IF;
  PERFORM $log_events(c, c.incarnation, 0, c.details);
END $body$;
