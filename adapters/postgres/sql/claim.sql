-- Hands out sessions of these tenants that wait for a worker: moves them to p_until, and reads them
-- without their entries. The tenants share the limit. Skips what another transaction changes just
-- now: the next claim finds it. The commit does not wait for the disk: if a crash undoes it, the
-- sessions are handed out again, and the change that takes the lease decides.
CREATE PROCEDURE $claim_sessions(
  p_bound $bound,
  p_tenants text[],
  p_now bigint,
  p_until bigint,
  p_limit bigint,
  INOUT result json DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v_share bigint := least(p_limit, greatest(1, p_limit / cardinality(p_tenants)));
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  WITH found AS (
    SELECT waiting.number, waiting.wake_at
    FROM unnest(p_tenants) AS name, LATERAL (
      SELECT number, wake_at
      FROM $sessions
      WHERE tenant = name AND wake_at <= p_now AND wake_at < 9007199254740991
      ORDER BY wake_at
      LIMIT v_share
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS waiting
  ), moved AS (
    UPDATE $sessions AS session
    SET wake_at = p_until
    FROM found
    WHERE session.number = found.number
    RETURNING session.*, found.wake_at AS waited_at
  )
  SELECT coalesce(json_agg(claimed ORDER BY wake_at), '[]')
    INTO result
    FROM (
      SELECT tenant, id, waited_at AS wake_at, created_ms, entries, sequence, incarnation,
        redactions, position, state, last_activity, revision, wanted_at, head, NULL AS history
      FROM moved
    ) AS claimed;
END $body$;
