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

-- p_remains: what is left of the session until its end is reported, as an insert; or null.
CREATE PROCEDURE $remove_session(
  p_tenant text,
  p_id text,
  p_revision double precision,
  p_detail text,
  p_remains json,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_left record;
  v_totals $total_change[];
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  SELECT number, incarnation, status, revision, sequence
    INTO v
    FROM $sessions
    WHERE tenant = p_tenant AND id = p_id
    FOR UPDATE;
  IF NOT FOUND THEN
    result := 'missing';
    RETURN;
  ELSIF p_revision <> v.revision THEN
    result := 'stale';
    RETURN;
  END IF;
  result := 'removed';
  v_totals := $delete_rows(p_tenant, v.number);
  v_totals := v_totals || ROW(p_tenant, v.number, '', v.status, -1)::$total_change;
  IF p_remains IS NOT NULL THEN
    v_left := $insert_session(json_populate_record(NULL::$change, p_remains), '{}');
    v_totals := v_totals || v_left.totals;
  END IF;
  PERFORM $count_sessions(v_totals);
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (p_tenant, p_id, v.incarnation, v.sequence + 1, p_detail);
  END IF;
END $body$;
