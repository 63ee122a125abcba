-- Moves a session that is due at c.due_from to c.due_to, or to its deadline if that comes first and
-- it is not free.
CREATE FUNCTION $reschedule_session(
  c $change,
  OUT outcome text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  SELECT number,
      CASE
        WHEN status = 'TERMINATED' OR c.is_free THEN c.due_to
        ELSE least(c.due_to, deadline)
      END AS due_at
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id AND due_at = c.due_from
    FOR NO KEY UPDATE;
  UPDATE $sessions
    SET due_at = v.due_at
    WHERE number = v.number AND due_at <> v.due_at;
  outcome := CASE WHEN FOUND THEN 'moved' ELSE 'stale' END;
END $body$;
