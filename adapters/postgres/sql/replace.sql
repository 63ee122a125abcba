-- Writes a state. p_activity: the stored last activity.
CREATE FUNCTION $write_state(c $change, p_number bigint, p_activity bigint)
RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  v_activity bigint := greatest(p_activity, c.last_activity);
BEGIN
  IF c.limit_end IS NOT NULL THEN
    -- If the stored activity is later, it postpones the end of an ACTIVE session.
    c.deadline := least(c.limit_end, v_activity + c.inactivity);
    c.accepts_until := c.deadline + c.grace;
  END IF;
  UPDATE $sessions
    SET status = c.status,
      state = c.state,
      revision = c.revision,
      sequence = sequence + cardinality(c.details),
      last_activity = v_activity,
      deadline = c.deadline,
      due_at = coalesce(c.report_at, c.deadline),
      accepts_until = c.accepts_until,
      grace = c.grace,
      limit_ms = c.limit_ms,
      limit_end = c.limit_end,
      inactivity = c.inactivity,
      fencing_token = c.fencing_token,
      leased_until = c.leased_until,
      wake_at = c.wake_at,
      wanted_at = c.wanted_at
    WHERE number = p_number;
END $body$;

-- Replaces a state whose revision is c.previous.
CREATE FUNCTION $replace_state(
  c $change,
  p_totals $total_change[],
  OUT outcome text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  SELECT number, incarnation, status, last_activity, revision, sequence, created_ms, state
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
  ELSIF NOT $is_state(v.status, v.state) THEN
    outcome := 'unreadable';
  ELSIF v.revision <> c.previous OR v.last_activity > c.unused_since THEN
    outcome := 'stale';
  ELSE
    outcome := $refusal_of_limit(c, p_totals);
  END IF;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  outcome := 'replaced';
  PERFORM $write_state(c, v.number, v.last_activity);
  IF v.status <> c.status THEN
    totals := ARRAY[
      ROW(c.tenant, v.number, '', v.status, -1),
      ROW(c.tenant, v.number, '', c.status, 1)
    ]::$total_change[];
  END IF;
  IF c.labels_added IS NOT NULL OR c.labels_lost IS NOT NULL THEN
    totals := totals || $move_labels(c, v.number, v.created_ms);
  END IF;
  PERFORM $log_events(c, v.incarnation, v.sequence, c.details);
END $body$;
