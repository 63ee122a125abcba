-- A position up to the end is superseded unless it is the beginning, the end, or belongs to an
-- entry or to the rewind directly before an entry.
CREATE FUNCTION $is_current(p_session bigint, p_position bigint, p_end bigint)
RETURNS boolean LANGUAGE sql STABLE AS $body$
  SELECT p_position IN (0, p_end) OR EXISTS (
    SELECT
    FROM $entries
    WHERE session = p_session AND position IN (p_position, p_position + 1)
  )
$body$;

-- The guard that refuses a rewind in a history of p_entries that ends at p_end; or null. Counts the
-- entries that stay only if there is no room for the complete history.
CREATE FUNCTION $refusal_of_rewind(c $commit, p_session bigint, p_entries bigint, p_end bigint)
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v_after bigint := c.truncate_to;
  v_room bigint := c.most_entries - cardinality(c.entries);
BEGIN
  RETURN CASE
    WHEN NOT $is_current(p_session, v_after, p_end) THEN 'superseded'
    WHEN p_entries <= v_room THEN NULL
    WHEN v_room < (
      SELECT count(*)
      FROM $entries
      WHERE session = p_session AND position <= v_after
    ) THEN 'entries'
  END;
END $body$;

-- p_end: the end of the history. taken: the entries that this adds, separated by commas.
CREATE FUNCTION $use_inbox(
  p_use $inbox_use,
  p_session bigint,
  p_end bigint,
  OUT added_entries bigint,
  OUT added_bytes bigint,
  OUT taken text
) LANGUAGE plpgsql AS $body$
BEGIN
  IF p_use.message IS NOT NULL THEN
    INSERT INTO $messages (session, id, number, digest, entry)
      SELECT p_session, p_use.message, coalesce(max(number), 0) + 1, p_use.digest, p_use.entry
      FROM $messages
      WHERE session = p_session AND entry IS NOT NULL;
  END IF;
  IF p_use.withdraw IS NOT NULL THEN
    UPDATE $messages SET entry = NULL WHERE session = p_session AND id = ANY (p_use.withdraw);
  END IF;
  added_entries := 0;
  added_bytes := 0;
  IF p_use.take IS NULL THEN
    RETURN;
  END IF;
  WITH oldest AS (
    SELECT id, left(entry, -1) || ',"turn":' || p_use.turn || '}' AS entry,
      p_end + row_number() OVER (ORDER BY number) AS position
    FROM $messages
    WHERE session = p_session AND entry IS NOT NULL
    ORDER BY number
    LIMIT p_use.take
  ), moved AS (
    UPDATE $messages AS message
      SET entry = NULL, position = oldest.position
      FROM oldest
      WHERE message.session = p_session AND message.id = oldest.id
  ), added AS (
    INSERT INTO $entries (session, position, bytes, entry)
      SELECT p_session, position, octet_length(entry) + 1, entry
      FROM oldest
      RETURNING position, bytes, entry
  )
  SELECT count(*), coalesce(sum(bytes), 0), coalesce(string_agg(entry, ',' ORDER BY position), '')
    INTO added_entries, added_bytes, taken
    FROM added;
END $body$;

-- The state for a refusal.
CREATE FUNCTION $state_of(p_session bigint)
RETURNS json LANGUAGE sql STABLE AS $body$
  SELECT json_build_object(
      'state', state,
      'last_activity', last_activity,
      'revision', revision,
      'asked_at', asked_at,
      'inbox', inbox
    )
  FROM $sessions
  WHERE number = p_session
$body$;

-- As `spentState` does it; null if a counter is unknown, or its sum is too large.
CREATE FUNCTION $spent_budget(p_state text, p_spend jsonb, p_is_live boolean)
RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $body$
DECLARE
  v jsonb := coalesce(p_state::json ->> 'budget', '{"used":{},"limits":{},"last":""}')::jsonb;
  v_sums jsonb;
BEGIN
  SELECT jsonb_object_agg(
      name,
      added::bigint
      + coalesce((v #>> ARRAY['used', name])::bigint, CASE WHEN p_spend -> 'free' ? name THEN 0 END)
    )
    INTO v_sums
    FROM jsonb_each_text(p_spend -> 'usage') AS each (name, added);
  IF EXISTS (
    SELECT
    FROM jsonb_each_text(v_sums) AS each (name, sum)
    WHERE sum IS NULL OR sum::bigint > 9007199254740991
  ) THEN
    RETURN NULL;
  END IF;
  v := v || jsonb_build_object(
    'used', (v -> 'used') || v_sums,
    'last', coalesce(p_spend -> 'last', v -> 'last')
  );
  IF p_is_live AND EXISTS (
    SELECT
    FROM jsonb_each_text(v -> 'limits') AS each (name, most)
    WHERE (v #>> ARRAY['used', name])::bigint >= most::bigint
  ) THEN
    v := v || jsonb_build_object('reachedAt', p_spend -> 'at');
  END IF;
  RETURN v;
END $body$;

-- The budget follows the status, and contains two objects.
CREATE FUNCTION $with_budget(p_state text, p_budget jsonb)
RETURNS text LANGUAGE sql IMMUTABLE AS $body$
  SELECT regexp_replace(
      p_state,
      '^({"status":"[A-Z]+",)(?:"budget":{[^{}]*{[^{}]*}[^{}]*{[^{}]*}[^{}]*},)?',
      E'\\1"budget":' || p_budget::text || ','
    )
$body$;

-- end_position: the position after the change or after the change that it repeats; the end of the
-- history after a refusal. answer: the state for a refusal, or the entries of the taken messages.
CREATE FUNCTION $change_session(
  c $commit,
  p_has_events boolean,
  p_totals $total_change[],
  OUT refusal text,
  OUT end_position bigint,
  OUT answer json,
  OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_use record;
  v_budget jsonb;
  v_put $put := c.put;
  v_added bigint := cardinality(c.entries);
BEGIN
  SELECT number, incarnation, created_ms, status, sequence, position, entries, bytes,
      greatest(last_activity, c.activity, v_put.last_activity) AS used_at,
      CASE
        WHEN limit_end IS NULL THEN deadline
        ELSE least(limit_end, greatest(last_activity, c.activity) + inactivity)
      END AS ends_at,
      CASE
        WHEN NOT $is_state(status, state) THEN 'unreadable state'
        WHEN revision <> c.revision THEN 'revision'
        WHEN last_activity > c.unused_since THEN 'unusedSince'
        WHEN deadline <= c.open_at THEN 'open'
        WHEN c.open_at IS NOT NULL AND status NOT IN ('ACTIVE', 'PAUSED') THEN 'open'
        WHEN deadline > c.over_at AND status IN ('ACTIVE', 'PAUSED') THEN 'over'
        WHEN fencing_token <> c.fencing_token OR leased_until <= c.fenced_at THEN 'fence'
        WHEN inbox > (c.inbox).most_waiting THEN 'inbox'
        WHEN position <> c.if_end THEN 'end'
        WHEN position < c.truncate_to THEN 'position'
        WHEN c.truncate_to IS NULL AND entries + v_added > c.most_entries THEN 'entries'
      END AS refusal,
      CASE WHEN c.spend IS NOT NULL THEN state END AS state,
      status <> 'TERMINATED' AND deadline > (c.spend -> 'at')::bigint AS is_live
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    refusal := 'present';
    RETURN;
  ELSIF c.operation IS NOT NULL AND v.refusal IS DISTINCT FROM 'unreadable state' THEN
    SELECT CASE WHEN digest = c.digest THEN 'repeated' ELSE 'operation' END, position
      INTO refusal, end_position
      FROM $operations
      WHERE session = v.number AND operation = c.operation;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;
  IF (c.inbox).message IS NOT NULL AND v.refusal IS DISTINCT FROM 'unreadable state' THEN
    SELECT CASE WHEN digest = (c.inbox).digest THEN 'repeated' ELSE 'message' END, 0
      INTO refusal, end_position
      FROM $messages
      WHERE session = v.number AND id = (c.inbox).message;
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;
  end_position := v.position;
  refusal := v.refusal;
  IF c.spend IS NOT NULL
    AND (refusal IS NULL OR refusal IN ('inbox', 'end', 'position', 'entries'))
  THEN
    v_budget := $spent_budget(v.state, c.spend, v.is_live);
    refusal := CASE WHEN v_budget IS NULL THEN 'counters' ELSE refusal END;
    v.ends_at := CASE WHEN v.is_live AND v_budget ? 'reachedAt' THEN 0 ELSE v.ends_at END;
  END IF;
  IF refusal IN ('revision', 'unusedSince', 'open', 'over', 'fence', 'counters') THEN
    answer := $state_of(v.number);
  END IF;
  IF refusal IS NULL AND c.truncate_to IS NOT NULL THEN
    refusal := $refusal_of_rewind(c, v.number, v.entries, v.position);
  END IF;
  IF refusal IS NULL AND c.live_limit IS NOT NULL THEN
    refusal := $refusal_of_limit(c, p_totals);
  END IF;
  IF refusal IS NOT NULL THEN
    RETURN;
  END IF;
  IF c.truncate_to IS NOT NULL THEN
    WITH superseded AS (
      DELETE FROM $entries
        WHERE session = v.number AND position > c.truncate_to
        RETURNING bytes
    )
    SELECT v.entries - count(*), v.bytes - coalesce(sum(superseded.bytes), 0)
      INTO v.entries, v.bytes
      FROM superseded;
    -- The position of the rewind.
    end_position := end_position + 1;
  END IF;
  IF v_added > 0 THEN
    INSERT INTO $entries (session, position, bytes, entry)
      SELECT v.number, end_position + at, octet_length(entry) + 1, entry
      FROM unnest(c.entries) WITH ORDINALITY AS each (entry, at);
    end_position := end_position + v_added;
  END IF;
  IF c.inbox IS DISTINCT FROM NULL THEN
    v_use := $use_inbox(c.inbox, v.number, end_position);
    v.entries := v.entries + v_use.added_entries;
    v.bytes := v.bytes + v_use.added_bytes;
    end_position := end_position + v_use.added_entries;
    answer := to_json(v_use.taken);
  END IF;
  IF v_put.state IS NULL THEN
    UPDATE $sessions
      SET position = end_position,
        entries = v.entries + v_added,
        bytes = v.bytes + c.bytes,
        sequence = v.sequence + cardinality(c.events),
        last_activity = v.used_at,
        state = CASE WHEN v_budget IS NULL THEN state ELSE $with_budget(state, v_budget) END,
        deadline = v.ends_at,
        limit_end = CASE WHEN v.ends_at = 0 THEN least(limit_end, 0) ELSE limit_end END,
        due_at = CASE
          WHEN v.ends_at = deadline THEN due_at
          ELSE coalesce(report_at, v.ends_at)
        END,
        revision = coalesce((c.inbox).revision, (c.spend -> 'revision')::bigint, revision),
        asked_at = least(asked_at, (c.inbox).asked_at),
        inbox = CASE WHEN (c.inbox).asked_at IS NULL THEN inbox ELSE inbox + 1 END,
        wake_at = CASE
          -- To a claim with a fast clock, the session may have seemed expired.
          WHEN (c.inbox).asked_at IS NULL AND (v.ends_at = deadline OR wake_at < 9007199254740991)
            THEN wake_at
          WHEN status IN ('PAUSED', 'TERMINATED') THEN 9007199254740991
          ELSE least(retry_at, greatest(leased_until, least(asked_at, (c.inbox).asked_at)))
        END
      WHERE number = v.number;
  ELSE
    v_put.last_activity := v.used_at;
    -- A later stored activity postpones the expiry of an ACTIVE session.
    IF v_put.limit_end IS NOT NULL THEN
      v_put.deadline := least(v_put.limit_end, v.used_at + v_put.inactivity);
    END IF;
    UPDATE $sessions
      SET position = end_position,
        entries = v.entries + v_added,
        bytes = v.bytes + c.bytes,
        sequence = v.sequence + cardinality(c.events),
        due_at = coalesce(v_put.report_at, v_put.deadline),
        (
          status, deadline, report_at, fencing_token, leased_until, wake_at, asked_at, inbox,
          retry_at, limit_end, inactivity, last_activity, revision, state
        ) = ROW(v_put.*)
      WHERE number = v.number;
    IF v.status <> v_put.status THEN
      totals := ARRAY[
        ROW(c.tenant, v.number, '', v.status, -1),
        ROW(c.tenant, v.number, '', v_put.status, 1)
      ]::$total_change[];
    END IF;
    IF c.labels_added IS NOT NULL OR c.labels_lost IS NOT NULL THEN
      totals := totals || $move_labels(c, v.number, v.created_ms);
    END IF;
  END IF;
  IF p_has_events THEN
    PERFORM $log_events(c, v.incarnation, v.sequence, v.position, end_position);
  END IF;
  IF v_added = 0 AND c.truncate_to IS NULL AND (c.inbox).take IS NULL THEN
    end_position := 0;
  END IF;
  IF c.operation IS NOT NULL THEN
    INSERT INTO $operations (session, operation, digest, position)
      VALUES (v.number, c.operation, c.digest, end_position);
  END IF;
END $body$;

CREATE FUNCTION $move_due(c $commit, OUT refusal text, OUT answer json)
LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  SELECT number, CASE
      WHEN revision <> c.revision THEN 'revision'
      WHEN due_at <> c.due_at THEN 'dueAt'
    END AS refusal
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR NO KEY UPDATE;
  refusal := v.refusal;
  IF NOT FOUND THEN
    refusal := CASE WHEN c.revision IS NULL THEN 'dueAt' ELSE 'present' END;
  ELSIF refusal = 'revision' THEN
    answer := $state_of(v.number);
  ELSIF refusal IS NULL THEN
    UPDATE $sessions SET due_at = c.due_to WHERE number = v.number;
  END IF;
END $body$;

-- Expects the format of `encodeEntry`, and returns null for other formats. In JSON strings, a
-- quotation mark follows a backslash.
CREATE FUNCTION $redacted(p_entry text)
RETURNS text LANGUAGE sql IMMUTABLE AS $body$
  SELECT substring(p_entry FROM '^{"role":"[^"]*","content":"')
    || substring(p_entry FROM '","timestamp":"[^"]*"')
    || substring(p_entry FROM '(?:,"message":true)?(?:,"turn":[0-9]+)?}$')
$body$;

CREATE FUNCTION $redact_entries(c $commit, p_has_events boolean, OUT refusal text)
LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  SELECT number, incarnation, sequence, position
    INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id
    FOR NO KEY UPDATE;
  refusal := CASE
    WHEN NOT FOUND THEN 'present'
    WHEN v.position < (SELECT max(redacted) FROM unnest(c.positions) AS redacted) THEN 'position'
    WHEN EXISTS (
      SELECT
      FROM $entries
      WHERE session = v.number AND position = ANY (c.positions) AND $redacted(entry) IS NULL
    ) THEN 'unreadable history'
  END;
  IF refusal IS NOT NULL THEN
    RETURN;
  END IF;
  UPDATE $entries
    SET entry = $redacted(entry)
    WHERE session = v.number AND position = ANY (c.positions) AND entry <> $redacted(entry);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE $sessions
    SET sequence = v.sequence + 1, redactions = redactions + 1
    WHERE number = v.number;
  IF p_has_events THEN
    PERFORM $log_events(c, v.incarnation, v.sequence, 0, 0);
  END IF;
END $body$;
