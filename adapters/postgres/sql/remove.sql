CREATE FUNCTION $remove_session(
  c $commit,
  p_has_events boolean,
  OUT refusal text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_remains bigint;
BEGIN
  SELECT number, incarnation, status, sequence, CASE
      WHEN revision <> c.revision THEN 'revision'
      WHEN last_activity > c.unused_since THEN 'unusedSince'
    END AS refusal
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR UPDATE;
  refusal := v.refusal;
  IF NOT FOUND THEN
    refusal := 'present';
  END IF;
  IF refusal IS NOT NULL THEN
    RETURN;
  END IF;
  DELETE FROM $sessions WHERE number = v.number;
  DELETE FROM $entries WHERE session = v.number;
  DELETE FROM $operations WHERE session = v.number;
  DELETE FROM $messages WHERE session = v.number;
  WITH removed AS (
    DELETE FROM $labels
      WHERE session = v.number
      RETURNING name, value
  )
  SELECT array_agg(ROW(c.tenant, v.number, name, value, -1)::$total_change)
    INTO totals
    FROM removed;
  totals := totals || ROW(c.tenant, v.number, '', v.status, -1)::$total_change;
  IF p_has_events THEN
    PERFORM $log_events(c, v.incarnation, v.sequence, 0, 0);
  END IF;
  IF c.remains_id IS NOT NULL THEN
    c.tenant := c.remains_tenant;
    c.id := c.remains_id;
    v_remains := $insert_row(c);
    totals := totals || ROW(c.tenant, v_remains, '', (c.put).status, 1)::$total_change;
  END IF;
END $body$;
