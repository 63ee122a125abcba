-- Hands out sessions of these tenants that wait for a worker: moves them to p_until, and reads them
-- without their entries. The tenants share the limit, and the last tenants get nothing once it is
-- reached. Skips sessions that another transaction is changing: the next call finds them. A session
-- whose lease has run out is handed out alone, if it comes first. The commit does not wait for the
-- disk: if a crash undoes it, the sessions are handed out again, and the change that takes the
-- lease decides. p_in_turn: whether the tenants take turns. Also takes p_ended_limit sessions that
-- expired by p_ended_until out of the queue.
CREATE PROCEDURE $take_sessions(
  p_bound $bound,
  p_tenants text[],
  p_now bigint,
  p_until bigint,
  p_limit bigint,
  p_ended_until bigint,
  p_ended_limit bigint,
  p_in_company boolean,
  p_in_turn boolean,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_tenant text;
  v_share bigint := greatest(1, p_limit / greatest(1, cardinality(p_tenants)));
  v_numbers bigint[] := '{}';
  v_before bigint;
  v_is_alone boolean := false;
  -- The last tenant before the first tenant without a session.
  v_served text;
  v_is_served boolean := p_in_turn;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE $sessions
    SET wake_at = 9007199254740991
    WHERE number IN (
      SELECT number
      FROM $sessions
      WHERE deadline <= p_ended_until AND wake_at < 9007199254740991
      ORDER BY deadline
      LIMIT p_ended_limit
      FOR NO KEY UPDATE SKIP LOCKED
    );
  FOREACH v_tenant IN ARRAY p_tenants LOOP
    v_before := cardinality(v_numbers);
    EXIT WHEN v_is_alone OR v_before = p_limit;
    FOR v IN
      SELECT number, leased_until BETWEEN 1 AND p_now AS has_run_out
      FROM $sessions
      WHERE tenant = v_tenant
        AND wake_at <= p_now
        AND wake_at < 9007199254740991
        AND deadline > p_now
      ORDER BY wake_at
      LIMIT least(v_share, p_limit - v_before)
      FOR NO KEY UPDATE SKIP LOCKED
    LOOP
      IF v.has_run_out THEN
        CONTINUE WHEN p_in_company OR cardinality(v_numbers) > 0;
        v_is_alone := true;
      END IF;
      v_numbers := v_numbers || v.number;
      EXIT WHEN v_is_alone;
    END LOOP;
    v_is_served := v_is_served AND cardinality(v_numbers) > v_before;
    IF v_is_served THEN
      v_served := v_tenant;
    END IF;
  END LOOP;
  WITH moved AS (
    UPDATE $sessions AS session
    SET wake_at = p_until
    FROM $sessions AS before
    WHERE session.number = ANY (v_numbers) AND before.number = session.number
    RETURNING session.*, before.wake_at AS waited_at
  )
  SELECT coalesce(json_agg(taken ORDER BY wake_at), '[]')
    INTO result
    FROM (
      SELECT tenant, id, waited_at AS wake_at, created_ms, entries, sequence, incarnation,
        redactions, position, state, last_activity, revision, asked_at, inbox, head, NULL AS history
      FROM moved
    ) AS taken;
  -- A concurrent call that holds this row serves the same tenants.
  IF v_served IS NOT NULL THEN
    UPDATE $turn
      SET tenant = v_served
      WHERE ctid = (SELECT ctid FROM $turn FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
END $body$;
