-- Moves a session that is due at p_from to p_to, or to its deadline if that comes first and it is
-- not free.
CREATE PROCEDURE $reschedule_session(
  p_tenant text,
  p_id text,
  p_from double precision,
  p_to double precision,
  p_is_free boolean,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  SELECT number,
      CASE
        WHEN status = 'TERMINATED' OR p_is_free THEN p_to
        ELSE least(p_to, deadline)
      END AS due_at
    INTO v
    FROM $sessions
    WHERE tenant = p_tenant AND id = p_id AND due_at = p_from
    FOR NO KEY UPDATE;
  UPDATE $sessions
    SET due_at = v.due_at
    WHERE number = v.number AND due_at <> v.due_at;
  result := CASE WHEN FOUND THEN 'moved' ELSE 'stale' END;
END $body$;
