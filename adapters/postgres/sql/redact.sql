-- Replaces the texts of entries, if the session has the same incarnation.
CREATE FUNCTION $redact_entries(
  c $change,
  OUT outcome text,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  SELECT number, sequence
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id AND incarnation = c.incarnation
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
    RETURN;
  END IF;
  outcome := 'redacted';
  UPDATE $entries AS entry
    SET entry = change.entry
    FROM unnest(c.positions, c.entries) AS change (position, entry)
    WHERE entry.session = v.number
      AND entry.position = change.position
      AND entry.entry <> change.entry;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE $sessions
    SET sequence = v.sequence + 1, redactions = redactions + 1
    WHERE number = v.number;
  PERFORM $log_events(c, c.incarnation, v.sequence, c.details);
END $body$;
