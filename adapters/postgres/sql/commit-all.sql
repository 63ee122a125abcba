-- Makes commits in their order, in one transaction, and returns an outcome for each. The caller has
-- sorted them by session, because each locks its session until the end.
--
-- A commit compares and sets; planners decide beforehand what a session may do. Locks are taken in
-- one order, so that no two transactions wait for each other: p_counted, the tenants whose live
-- sessions are counted, in their order; sessions by tenant and id; and totals.
--
-- The beginning of each procedure: under a stricter default isolation, a statement that has waited
-- for a lock sees what there was before its wait. It counts too few sessions, or fails because a
-- row has changed. So the transaction, which has done nothing yet, ends, and the work has one of
-- its own. Only a procedure can do that.
CREATE PROCEDURE $commit_all(
  p_bound $bound,
  p_commits text,
  p_counted text[],
  p_has_events boolean,
  p_lock_ms bigint,
  INOUT results text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  c $commit;
  v record;
  -- An assignment costs less than a PERFORM.
  v_lock text;
  v_tenant text;
  v_results json[] := '{}';
  v_totals $total_change[] := '{}';
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  -- A row that another transaction holds for longer does not hold up the others of the group.
  v_lock := set_config('lock_timeout', p_lock_ms::text, true);
  FOREACH v_tenant IN ARRAY p_counted LOOP
    PERFORM pg_advisory_xact_lock(
      hashtextextended(v_tenant, '$totals'::regclass::oid::bigint)
    );
  END LOOP;
  FOR c IN SELECT * FROM json_populate_recordset(NULL::$commit, p_commits::json) LOOP
    IF c.kind = 'change' THEN
      v := $change_session(c, p_has_events, v_totals);
      v_totals := v_totals || v.totals;
    ELSIF c.kind = 'begin' THEN
      v := $begin_session(c, p_has_events, v_totals);
      v_totals := v_totals || v.totals;
    ELSIF c.kind = 'remove' THEN
      v := $remove_session(c, p_has_events);
      v_totals := v_totals || v.totals;
    ELSIF c.kind = 'move' THEN
      v := $move_due(c);
    ELSE
      SELECT $redact_entries(c, p_has_events) AS refusal INTO v;
    END IF;
    v_results := v_results || row_to_json(v);
  END LOOP;
  IF cardinality(v_totals) > 0 THEN
    PERFORM $count_sessions(v_totals);
  END IF;
  results := array_to_json(v_results);
END $body$;
