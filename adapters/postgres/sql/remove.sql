-- Deletes all rows of a session.
CREATE FUNCTION $remove_session(
  c $change,
  OUT outcome text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_remains record;
BEGIN
  SELECT number, incarnation, status, last_activity, revision, sequence
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
    RETURN;
  ELSIF c.previous <> v.revision OR v.last_activity > c.unused_since THEN
    outcome := 'stale';
    RETURN;
  END IF;
  outcome := 'removed';
  DELETE FROM $sessions WHERE number = v.number;
  DELETE FROM $entries WHERE session = v.number;
  DELETE FROM $operations WHERE session = v.number;
  WITH removed AS (
    DELETE FROM $labels
      WHERE session = v.number
      RETURNING name, value
  )
  SELECT array_agg(ROW(c.tenant, v.number, name, value, -1)::$total_change)
    INTO totals
    FROM removed;
  totals := totals || ROW(c.tenant, v.number, '', v.status, -1)::$total_change;
  IF c.remains IS NOT NULL THEN
    v_remains := $insert_session(json_populate_record(NULL::$change, c.remains), '{}');
    totals := totals || v_remains.totals;
  END IF;
  PERFORM $log_events(c, v.incarnation, v.sequence, c.details);
END $body$;
