-- Makes commits in their order, in one transaction, and returns an outcome for each. The caller has
-- sorted them by session, because each commit locks its session until the end.
--
-- A commit compares and sets; planners have decided what a session may do. Locks are taken in one
-- order, so that transactions cannot deadlock: the tenants whose live sessions are counted
-- (p_counted), sessions by tenant and id, totals.
--
-- The beginning of each procedure: with a stricter default isolation, a statement that has waited
-- for a lock sees the data from before its wait. It counts too few sessions, or fails because a row
-- has changed. So the transaction, which has done nothing yet, ends, and the work runs in another
-- transaction. Only a procedure can do that.
--
-- Within a transaction of the host, p_channel is not null, and there is only one commit. There, a
-- procedure cannot commit, and the server reports the same reason as to a function; otherwise it
-- names the block that catches the error.
CREATE FUNCTION $reason_of_function() RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v_reason text;
BEGIN
  BEGIN
    COMMIT;
  EXCEPTION WHEN invalid_transaction_termination THEN
    GET STACKED DIAGNOSTICS v_reason = MESSAGE_TEXT;
  END;
  RETURN v_reason;
END $body$;

CREATE PROCEDURE $commit_all(
  p_bound $bound,
  p_commits text,
  p_counted text[],
  p_has_events boolean,
  p_lock_ms bigint,
  p_channel text,
  INOUT results text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  c $commit;
  v record;
  -- An assignment costs less than a PERFORM.
  v_lock text;
  v_lock_ms bigint := p_lock_ms;
  v_before text;
  v_reason text;
  v_tenant text;
  v_results json[] := '{}';
  v_totals $total_change[] := '{}';
BEGIN
  IF p_channel IS NOT NULL THEN
    BEGIN
      COMMIT;
    EXCEPTION WHEN invalid_transaction_termination THEN
      GET STACKED DIAGNOSTICS v_reason = MESSAGE_TEXT;
    END;
    IF v_reason <> $reason_of_function() THEN
      results := '[{"refusal":"begun"}]';
      RETURN;
    ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
      results := '[{"refusal":"isolation"}]';
      RETURN;
    END IF;
    v_before := current_setting('lock_timeout');
    v_lock_ms := least(
      p_lock_ms, nullif(extract(epoch FROM v_before::interval) * 1000, 0)
    );
  ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  -- Otherwise a row that another transaction holds would hold up the complete group.
  v_lock := set_config('lock_timeout', v_lock_ms::text, true);
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
  IF p_channel IS NOT NULL THEN
    v_lock := set_config('lock_timeout', v_before, true);
    IF p_has_events AND v_results[1] ->> 'refusal' IS NULL THEN
      -- Delivered after the host's commit.
      PERFORM pg_notify(p_channel, '');
    END IF;
  END IF;
  results := array_to_json(v_results);
END $body$;
