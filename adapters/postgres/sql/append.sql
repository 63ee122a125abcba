-- Whether a position up to the end is in the history: it is the beginning, the end, that of an
-- entry, or that of the rewind directly before an entry. Every other position is superseded.
CREATE FUNCTION $is_current(p_session bigint, p_position bigint, p_end bigint)
RETURNS boolean LANGUAGE sql STABLE AS $body$
  SELECT p_position IN (0, p_end) OR EXISTS (
    SELECT
    FROM $entries
    WHERE session = p_session AND position IN (p_position, p_position + 1)
  )
$body$;

-- Why entries cannot follow c.after in a history of p_entries that ends at p_end; null if they can.
-- The entries before c.after are counted only if there is no room for the whole history.
CREATE FUNCTION $refusal_of_rewind(
  c $change,
  p_session bigint,
  p_entries bigint,
  p_end bigint
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v_after bigint := c.after;
  v_room bigint := c.max_entries - cardinality(c.entries);
BEGIN
  RETURN CASE
    WHEN NOT $is_current(p_session, v_after, p_end) THEN 'moved'
    WHEN p_entries <= v_room THEN NULL
    WHEN v_room < (
      SELECT count(*)
      FROM $entries
      WHERE session = p_session AND position <= v_after
    ) THEN 'full'
  END;
END $body$;

-- Adds the entries to a history that ends at p_end, and returns its new end. A rewind takes a
-- position of its own before them. p_activity: the last activity of the session with this one.
-- Bytes are those of the JSON, with a comma for each entry.
CREATE FUNCTION $add_entries(c $change, p_session bigint, p_end bigint, p_activity bigint)
RETURNS bigint LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_after bigint := c.after;
  v_end bigint := p_end;
  v_entries bigint := 0;
  v_bytes bigint := 0;
  v_detail text;
BEGIN
  IF v_after IS NOT NULL THEN
    v_end := p_end + 1;
    WITH superseded AS (
      DELETE FROM $entries
        WHERE session = p_session AND position > v_after
        RETURNING bytes
    )
    SELECT count(*), coalesce(sum(superseded.bytes), 0)
      INTO v_entries, v_bytes
      FROM superseded;
  END IF;
  WITH added AS (
    INSERT INTO $entries (session, position, bytes, entry)
      SELECT p_session, v_end + at, octet_length(entry) + 1, entry
      FROM unnest(c.entries) WITH ORDINALITY AS each (entry, at)
      RETURNING bytes
  )
  UPDATE $sessions
    SET position = v_end + cardinality(c.entries),
      entries = entries - v_entries + cardinality(c.entries),
      bytes = bytes - v_bytes + (SELECT coalesce(sum(added.bytes), 0) FROM added),
      sequence = sequence + 1,
      last_activity = p_activity,
      deadline = CASE
        WHEN limit_end IS NULL THEN deadline
        ELSE least(limit_end, p_activity + inactivity)
      END,
      accepts_until = CASE
        WHEN limit_end IS NULL THEN accepts_until
        ELSE least(limit_end, p_activity + inactivity) + grace
      END
    WHERE number = p_session
    RETURNING position, incarnation, sequence
    INTO v;
  v_detail := '{"type":"appended","at":' || c.now
    || ',"start":' || p_end || ',"position":' || v.position
    || coalesce(',"after":' || c.after, '') || '}';
  PERFORM $log_events(c, v.incarnation, v.sequence - 1, ARRAY[v_detail]);
  RETURN v.position;
END $body$;

-- Makes a session that has not ended wait for a worker from c.now on, also one that a claim has
-- moved to a later time.
CREATE FUNCTION $wake_session(c $change, p_session bigint)
RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_detail text;
BEGIN
  UPDATE $sessions
    SET revision = c.revision,
      wanted_at = least(wanted_at, c.now),
      wake_at = least(wake_at, greatest(least(wanted_at, c.now), leased_until)),
      sequence = sequence + 1
    WHERE number = p_session AND status <> 'TERMINATED' AND c.now < deadline
    RETURNING incarnation, sequence
    INTO v;
  IF FOUND THEN
    v_detail := '{"type":"woken","at":' || c.now || '}';
    PERFORM $log_events(c, v.incarnation, v.sequence - 1, ARRAY[v_detail]);
  END IF;
END $body$;

-- Locks the session of an append, and tells what the append depends on; only nulls if there is no
-- session. refusal: why it must not be made, unless it repeats an earlier one.
CREATE FUNCTION $lock_target(
  c $change,
  OUT found_number bigint,
  OUT found_end bigint,
  OUT found_entries bigint,
  OUT new_activity bigint,
  OUT refusal text
) LANGUAGE plpgsql AS $body$
BEGIN
  SELECT number, position, entries,
      CASE
        -- Entries after the end are no activity: that would postpone an end by inactivity.
        WHEN status = 'TERMINATED' OR c.now >= deadline THEN last_activity
        ELSE greatest(last_activity, c.now)
      END,
      CASE
        WHEN NOT $is_state(status, state) THEN 'unreadable'
        WHEN c.now >= accepts_until THEN 'closed'
        WHEN status = 'IDLE' AND c.now < deadline THEN 'closed'
        WHEN c.fencing_token <> fencing_token THEN 'lease_lost'
        WHEN c.fencing_token IS NOT NULL AND c.now >= leased_until THEN 'lease_lost'
        WHEN c.if_position <> position THEN 'moved'
        WHEN c.after > position THEN 'invalid_position'
        WHEN c.after IS NOT NULL THEN NULL
        WHEN entries + cardinality(c.entries) > c.max_entries THEN 'full'
      END
    INTO found_number, found_end, found_entries, new_activity, refusal
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR NO KEY UPDATE;
END $body$;

CREATE FUNCTION $append_entries(
  c $change,
  OUT outcome text,
  OUT end_position bigint,
  OUT found_state json
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  v := $lock_target(c);
  IF v.found_number IS NULL THEN
    outcome := 'missing';
    RETURN;
  ELSIF c.operation IS NOT NULL AND v.refusal IS DISTINCT FROM 'unreadable' THEN
    SELECT CASE WHEN digest = c.digest THEN 'repeated' ELSE 'mismatch' END, position
      INTO outcome, end_position
      FROM $operations
      WHERE session = v.found_number AND operation = c.operation;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;
  outcome := v.refusal;
  end_position := v.found_end;
  IF outcome IS NULL AND c.after IS NOT NULL THEN
    outcome := $refusal_of_rewind(c, v.found_number, v.found_entries, v.found_end);
  ELSIF outcome = 'closed' THEN
    SELECT row_to_json(closed)
      INTO found_state
      FROM (
        SELECT state, last_activity, revision, wanted_at
        FROM $sessions
        WHERE number = v.found_number
      ) AS closed;
  END IF;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  outcome := 'appended';
  end_position := $add_entries(c, v.found_number, end_position, v.new_activity);
  IF c.operation IS NOT NULL THEN
    INSERT INTO $operations (session, operation, digest, position)
      VALUES (v.found_number, c.operation, c.digest, end_position);
  END IF;
  IF c.revision IS NOT NULL THEN
    PERFORM $wake_session(c, v.found_number);
  END IF;
END $body$;
