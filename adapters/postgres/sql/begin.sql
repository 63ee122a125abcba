-- Returns the number of the new row; null if the key is taken.
CREATE FUNCTION $insert_row(c $commit)
RETURNS bigint LANGUAGE plpgsql AS $body$
DECLARE
  s $put := c.put;
  v_number bigint;
  v_entries bigint := cardinality(c.entries);
BEGIN
  INSERT INTO $sessions (
      tenant, id, created_ms, incarnation, head, sequence, due_at, entries, position, bytes,
      status, deadline, report_at, fencing_token, leased_until, wake_at, asked_at, inbox, retry_at,
      limit_end, inactivity, last_activity, revision, state
    )
    VALUES (
      c.tenant, c.id, c.created_ms, c.incarnation, c.head, cardinality(c.events),
      coalesce(s.report_at, s.deadline), v_entries, v_entries, c.bytes, s.*
    )
    ON CONFLICT (tenant, id) DO NOTHING
    RETURNING number
    INTO v_number;
  RETURN v_number;
END $body$;

-- Whether the source of a fork has the version. With p_is_locked, nobody redacts or removes the
-- source until the transaction ends.
CREATE FUNCTION $has_version(c $commit, p_is_locked boolean)
RETURNS boolean LANGUAGE plpgsql AS $body$
BEGIN
  IF p_is_locked THEN
    PERFORM FROM $sessions WHERE tenant = c.tenant AND id = c.source FOR SHARE;
  END IF;
  RETURN EXISTS (
    SELECT
    FROM $sessions
    WHERE tenant = c.tenant
      AND id = c.source
      AND concat_ws('.', incarnation, redactions, position - entries) = c.version
  );
END $body$;

-- A fork locks two sessions, so it must be the only commit of its transaction.
CREATE FUNCTION $begin_session(
  c $commit,
  p_has_events boolean,
  p_totals $total_change[],
  OUT refusal text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
BEGIN
  -- Without further guards, only the insert checks whether the id is taken.
  IF c.source IS NOT NULL OR c.live_limit IS NOT NULL THEN
    refusal := CASE
      WHEN EXISTS (SELECT FROM $sessions WHERE tenant = c.tenant AND id = c.id) THEN 'absent'
      -- Rows are locked in the order of ids, so a later source is locked after the insert.
      WHEN c.source IS NOT NULL
        AND NOT $has_version(c, c.source COLLATE "C" < c.id COLLATE "C") THEN 'source'
      WHEN c.live_limit IS NOT NULL THEN $refusal_of_limit(c, p_totals)
    END;
    IF refusal IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;
  v_number := $insert_row(c);
  IF v_number IS NULL THEN
    refusal := 'absent';
    RETURN;
  ELSIF c.source IS NOT NULL THEN
    IF NOT $has_version(c, true) THEN
      DELETE FROM $sessions WHERE number = v_number;
      refusal := 'source';
      RETURN;
    END IF;
  END IF;
  IF cardinality(c.entries) > 0 THEN
    INSERT INTO $entries (session, position, bytes, entry)
      SELECT v_number, at, octet_length(entry) + 1, entry
      FROM unnest(c.entries) WITH ORDINALITY AS each (entry, at);
  END IF;
  totals := ARRAY[ROW(c.tenant, v_number, '', (c.put).status, 1)::$total_change];
  IF c.labels_added IS NOT NULL THEN
    totals := totals || $move_labels(c, v_number, c.created_ms);
  END IF;
  IF p_has_events THEN
    PERFORM $log_events(c, c.incarnation, 0, 0, cardinality(c.entries));
  END IF;
END $body$;
