-- Moves the events of all committed changes to the log, trims the log, and notifies its listeners.
-- A lock allows one call at a time. The commit does not wait for the disk: if a crash undoes it,
-- the events are still in the outbox.
CREATE PROCEDURE $publish(p_bound $bound, p_length bigint, p_channel text)
LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_ms bigint;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(
    1131376748,
    ('$events'::regclass::oid::bigint & 2147483647)::integer
  );
  SELECT number, ms
    INTO v_number, v_ms
    FROM $events
    ORDER BY number DESC
    LIMIT 1;
  WITH published AS (
    DELETE FROM $outbox RETURNING *
  )
  INSERT INTO $events (number, ms, tenant, id, incarnation, sequence, detail)
    SELECT coalesce(v_number, 0) + row_number() OVER (ORDER BY number),
      greatest(v_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)),
      tenant, id, incarnation, sequence, detail
    FROM published;
  IF FOUND THEN
    -- Erases label names, which contain no brackets or quotation marks, in the earlier events of
    -- deleted sessions. The events stay, because a watch may still have to deliver them.
    UPDATE $events AS event
      SET detail = regexp_replace(
        event.detail, '"labelsChanged":\[[^]]*\]', '"labelsChanged":[]'
      )
      FROM $events AS deletion
      WHERE deletion.number > coalesce(v_number, 0)
        AND deletion.detail LIKE '%"type":"deleted"%'
        AND event.tenant = deletion.tenant
        AND event.id = deletion.id
        AND event.incarnation = deletion.incarnation
        AND event.number < deletion.number
        AND event.detail LIKE '%"type":"updated"%';
    DELETE FROM $events WHERE number <= (SELECT max(number) FROM $events) - p_length;
    PERFORM pg_notify(p_channel, '');
  END IF;
END $body$;
