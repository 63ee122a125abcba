-- by: 1 or -1.
CREATE TYPE $total_change AS (
  tenant text,
  session bigint,
  name text,
  value text,
  by integer
);

-- Each total is distributed over 32 rows, so that concurrent creates do not wait for each other.
CREATE FUNCTION $shard_of(p_session bigint)
RETURNS smallint LANGUAGE sql IMMUTABLE AS $body$
  SELECT (p_session % 32)::smallint
$body$;

-- Writes in one order, so that transactions cannot deadlock.
CREATE FUNCTION $count_sessions(p_changes $total_change[])
RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO $totals AS total
    SELECT tenant, name, value, $shard_of(session) AS shard, sum(by)
    FROM unnest(p_changes)
    GROUP BY tenant, name, value, shard
    HAVING sum(by) <> 0
    ORDER BY tenant COLLATE "C", name COLLATE "C", value COLLATE "C", shard
    ON CONFLICT (tenant, name, value, shard)
      DO UPDATE SET sessions = total.sessions + excluded.sessions;
  IF EXISTS (SELECT FROM unnest(p_changes) WHERE by < 0) THEN
    DELETE FROM $totals AS total
      USING unnest(p_changes) AS change
      WHERE total.tenant = change.tenant
        AND total.name = change.name
        AND total.value = change.value
        AND total.shard = $shard_of(change.session)
        AND total.sessions = 0
        AND change.by < 0;
  END IF;
END $body$;

-- p_totals: changes that are not written yet. The transaction must have locked the tenant.
CREATE FUNCTION $live_sessions(p_tenant text, p_now bigint, p_totals $total_change[])
RETURNS bigint LANGUAGE plpgsql AS $body$
BEGIN
  RETURN (
    SELECT coalesce(sum(sessions), 0)
    FROM $totals
    WHERE tenant = p_tenant AND name = '' AND value IN ('ACTIVE', 'PAUSED')
  ) + (
    SELECT coalesce(sum(by), 0)
    FROM unnest(p_totals)
    WHERE tenant = p_tenant AND name = '' AND value IN ('ACTIVE', 'PAUSED')
  ) - (
    SELECT count(*)
    FROM $sessions
    WHERE tenant = p_tenant
      AND status IN ('ACTIVE', 'PAUSED')
      AND deadline <= p_now
      AND due_at <= p_now
      -- The condition of the index.
      AND due_at < 9007199254740991
  );
END $body$;
