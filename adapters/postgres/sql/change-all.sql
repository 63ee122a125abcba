-- Makes changes in their order, in one transaction, and returns an outcome for each. The caller has
-- sorted them by session, because each locks its session until the end.
--
-- Procedures compare and set; the service decides beforehand what a session may do. They take locks
-- in one order, so that no two transactions wait for each other: tenants whose live sessions are
-- counted, sessions by tenant and id, and totals.
--
-- The beginning of each procedure: under a stricter default isolation, a statement that has waited
-- for a lock sees what there was before its wait. It counts too few sessions, or fails because a
-- row has changed. So the transaction, which has done nothing yet, ends, and the work has one of
-- its own. Only a procedure can do that.
CREATE PROCEDURE $change_all(
  p_bound $bound,
  p_changes json,
  p_has_events boolean,
  p_lock_ms bigint,
  INOUT results json DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  c $change;
  v record;
  v_changes $change[];
  v_results json[] := '{}';
  v_totals $total_change[] := '{}';
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  -- A row that another transaction holds for longer does not hold up the others of the group.
  PERFORM set_config('lock_timeout', p_lock_ms::text, true);
  v_changes := ARRAY(
    SELECT change
    FROM json_populate_recordset(NULL::$change, p_changes) AS change
  );
  PERFORM pg_advisory_xact_lock(key)
    FROM (
      SELECT DISTINCT hashtextextended(tenant, '$totals'::regclass::oid::bigint) AS key
      FROM unnest(v_changes)
      WHERE live_limit IS NOT NULL
      ORDER BY key
    ) AS counted;
  FOREACH c IN ARRAY v_changes LOOP
    c.has_events := p_has_events;
    IF c.kind = 'append' THEN
      v := $append_entries(c);
      v_results := v_results || row_to_json(v);
      CONTINUE;
    ELSIF c.kind = 'insert' THEN
      v := $insert_session(c, v_totals);
    ELSIF c.kind = 'replace' THEN
      v := $replace_state(c, v_totals);
    ELSIF c.kind = 'redact' THEN
      v := $redact_entries(c);
    ELSIF c.kind = 'remove' THEN
      v := $remove_session(c);
    ELSE
      v := $reschedule_session(c);
    END IF;
    v_results := v_results || json_build_object('outcome', v.outcome);
    v_totals := v_totals || v.totals;
  END LOOP;
  IF cardinality(v_totals) > 0 THEN
    PERFORM $count_sessions(v_totals);
  END IF;
  results := array_to_json(v_results);
END $body$;
