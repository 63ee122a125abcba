-- Deletes all rows of a session. Returns the changes of the totals of its labels.
CREATE FUNCTION $delete_rows(p_tenant text, p_number bigint)
RETURNS $total_change[] LANGUAGE plpgsql AS $body$
DECLARE
  v_totals $total_change[];
BEGIN
  DELETE FROM $sessions WHERE number = p_number;
  DELETE FROM $entries WHERE session = p_number;
  DELETE FROM $operations WHERE session = p_number;
  WITH removed AS (
    DELETE FROM $labels
      WHERE session = p_number
      RETURNING name, value
  )
  SELECT array_agg(ROW(p_tenant, p_number, name, value, -1)::$total_change)
    INTO v_totals
    FROM removed;
  RETURN v_totals;
END $body$;

CREATE FUNCTION $remove_session(
  c $change,
  OUT outcome text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_remains record;
BEGIN
  SELECT number, incarnation, status, revision, sequence
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
    RETURN;
  ELSIF c.previous <> v.revision THEN
    outcome := 'stale';
    RETURN;
  END IF;
  outcome := 'removed';
  totals := $delete_rows(c.tenant, v.number);
  totals := totals || ROW(c.tenant, v.number, '', v.status, -1)::$total_change;
  IF c.remains IS NOT NULL THEN
    v_remains := $insert_session(json_populate_record(NULL::$change, c.remains), '{}');
    totals := totals || v_remains.totals;
  END IF;
  PERFORM $log_events(c, v.incarnation, v.sequence, c.details);
END $body$;
