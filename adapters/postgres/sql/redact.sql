-- Replaces the texts of entries, if the session has the same incarnation.
CREATE PROCEDURE $redact_entries(
  p_tenant text,
  p_id text,
  p_incarnation text,
  p_positions bigint[],
  p_entries text[],
  p_detail text,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;
  SELECT number, sequence
    INTO v
    FROM $sessions
    WHERE tenant = p_tenant AND id = p_id AND incarnation = p_incarnation
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    result := 'missing';
    RETURN;
  END IF;
  result := 'redacted';
  UPDATE $entries AS entry
    SET entry = change.entry
    FROM unnest(p_positions, p_entries) AS change (position, entry)
    WHERE entry.session = v.number
      AND entry.position = change.position
      AND entry.entry <> change.entry;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE $sessions
    SET sequence = v.sequence + 1, redactions = redactions + 1
    WHERE number = v.number;
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (p_tenant, p_id, p_incarnation, v.sequence + 1, p_detail);
  END IF;
END $body$;
