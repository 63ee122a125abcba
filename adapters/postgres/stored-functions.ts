import { NEVER } from '../shared/never.js';

/*
 * The beginning of each procedure. Under a stricter default isolation, a statement that has waited for a lock sees what
 * there was before its wait: it counts too few sessions, or fails because a row has changed. So the transaction, which
 * has done nothing yet, ends, and the work has one of its own. Only a procedure can do that.
 */
const READ_COMMITTED = `IF current_setting('transaction_isolation') <> 'read committed' THEN
    COMMIT;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  END IF;`;

/*
 * Each change of a session is one call of one of these procedures: one statement and one transaction. They compare and
 * set; the service decides beforehand what a session may do. `$` stands for the quoted schema and a dot. If p_detail is
 * null, there is no event.
 */
export const storedFunctions = `
/* Whether this version can read a state. */
CREATE FUNCTION $is_state(p_status text, p_state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $body$
  SELECT p_status IN ('IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED') AND p_state LIKE '{"status":"' || p_status || '",%}'
$body$;

CREATE PROCEDURE $insert_session(
  p_tenant text, p_id text, p_status text, p_deadline double precision, p_accepts_until double precision, p_grace double precision,
  p_fencing_token double precision, p_leased_until double precision, p_unleased_since double precision,
  p_reports_end boolean, p_limit_ms double precision, p_limit_end double precision,
  p_inactivity double precision, p_last_activity double precision, p_revision bigint, p_state text,
  p_labels text, p_created_ms bigint, p_incarnation text, p_head text, p_detail text,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_words text[] := string_to_array(p_labels, ' ');
  v_names text[] := ARRAY(SELECT split_part(word, '=', 1) FROM unnest(v_words) AS word);
  v_values text[] := ARRAY(SELECT split_part(word, '=', 2) FROM unnest(v_words) AS word);
BEGIN
  ${READ_COMMITTED}
  INSERT INTO $sessions (tenant, id, created_ms, incarnation, status, deadline, due_at, accepts_until, grace, fencing_token,
      leased_until, unleased_since, reports_end, limit_ms, limit_end, inactivity, last_activity, revision, sequence, entries,
      position, bytes, head, state, labels)
    VALUES (p_tenant, p_id, p_created_ms, p_incarnation, p_status, p_deadline, p_deadline, p_accepts_until, p_grace, p_fencing_token,
      p_leased_until, p_unleased_since, p_reports_end, p_limit_ms, p_limit_end, p_inactivity, p_last_activity, p_revision, 1, 0,
      0, 0, p_head, p_state, p_labels)
    ON CONFLICT (tenant, id) DO NOTHING RETURNING number INTO v_number;
  IF v_number IS NULL THEN
    result := 'taken';
    RETURN;
  END IF;
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
    SELECT p_tenant, name, value, p_created_ms, p_id, v_number FROM unnest(v_names, v_values) AS label (name, value);
  PERFORM $count_sessions(p_tenant, v_number, array_prepend(''::text, v_names), array_prepend(p_status, v_values),
    array_fill(1, ARRAY[cardinality(v_names) + 1]));
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail) VALUES (p_tenant, p_id, p_incarnation, 1, p_detail);
  END IF;
  result := 'inserted';
END $body$;

/* Number of a tenant's ACTIVE sessions at p_now. Locks out other counts of the tenant until the transaction ends. */
CREATE FUNCTION $lock_active_sessions(p_tenant text, p_now double precision) RETURNS bigint LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(p_tenant, '$totals'::regclass::oid::bigint));
  RETURN (SELECT coalesce(sum(sessions), 0) FROM $totals WHERE tenant = p_tenant AND name = '' AND value = 'ACTIVE')
    - (SELECT count(*) FROM $sessions WHERE tenant = p_tenant AND due_at <= p_now AND due_at < ${NEVER}
        AND deadline <= p_now AND status = 'ACTIVE');
END $body$;

/*
 * Whether a position, which must not be after the end, is that of an entry, of the rewind before one, or the beginning
 * or the end of a history. p_number is the number of entries up to it.
 */
CREATE FUNCTION $is_current(p_session bigint, p_entries bigint, p_end bigint, p_position double precision, p_number bigint)
RETURNS boolean LANGUAGE sql STABLE AS $body$
  SELECT p_position IN (0, p_end) OR p_entries = p_end OR EXISTS (SELECT FROM $entries
    WHERE session = p_session AND entry_number <= p_entries
      AND (entry_number = p_number AND position = p_position OR entry_number = p_number + 1 AND position = p_position + 1))
$body$;

/*
 * Inserts a session with an opening. p_source and p_version are the session that was read for a fork, and the version of
 * its history. p_started is the event of the start: null if the session is not started, and empty without events.
 */
CREATE PROCEDURE $open_session(
  p_tenant text, p_id text, p_status text, p_deadline double precision, p_accepts_until double precision, p_grace double precision,
  p_fencing_token double precision, p_leased_until double precision, p_unleased_since double precision,
  p_reports_end boolean, p_limit_ms double precision, p_limit_end double precision,
  p_inactivity double precision, p_last_activity double precision, p_revision bigint, p_state text,
  p_labels text, p_created_ms bigint, p_incarnation text, p_head text, p_detail text,
  p_started text, p_entries text[], p_source text, p_version text, p_active_limit double precision, p_now double precision,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_sequence bigint := 1;
  v_entries bigint := cardinality(p_entries);
BEGIN
  ${READ_COMMITTED}
  IF EXISTS (SELECT FROM $sessions WHERE tenant = p_tenant AND id = p_id) THEN
    result := 'taken';
    RETURN;
  END IF;
  IF p_source IS NOT NULL THEN
    /* Locked, so that nothing is redacted or removed until this transaction ends. */
    PERFORM FROM $sessions WHERE tenant = p_tenant AND id = p_source
      AND concat_ws('.', incarnation, redactions, position - entries) = p_version FOR SHARE;
    IF NOT FOUND THEN
      result := 'source_changed';
      RETURN;
    END IF;
  END IF;
  IF p_active_limit IS NOT NULL THEN
    IF p_active_limit <= $lock_active_sessions(p_tenant, p_now) THEN
      result := 'too_many';
      RETURN;
    END IF;
  END IF;
  CALL $insert_session(p_tenant, p_id, p_status, p_deadline, p_accepts_until, p_grace, p_fencing_token,
    p_leased_until, p_unleased_since, p_reports_end, p_limit_ms, p_limit_end, p_inactivity, p_last_activity, p_revision,
    p_state, p_labels, p_created_ms, p_incarnation, p_head, p_detail, result);
  IF result <> 'inserted' THEN
    RETURN;
  END IF;
  SELECT number INTO v_number FROM $sessions WHERE tenant = p_tenant AND id = p_id;
  INSERT INTO $entries (session, entry_number, position, bytes, entry)
    SELECT v_number, at, at, sum(octet_length(entry) + 1) OVER (ORDER BY at), entry
    FROM unnest(p_entries) WITH ORDINALITY AS added (entry, at);
  IF p_started IS NOT NULL THEN
    v_sequence := v_sequence + 1;
    IF p_detail IS NOT NULL THEN
      INSERT INTO $outbox (tenant, id, incarnation, sequence, detail) VALUES (p_tenant, p_id, p_incarnation, v_sequence, p_started);
    END IF;
  END IF;
  IF v_entries > 0 THEN
    v_sequence := v_sequence + 1;
    IF p_detail IS NOT NULL THEN
      INSERT INTO $outbox (tenant, id, incarnation, sequence, detail) VALUES (p_tenant, p_id, p_incarnation, v_sequence,
        '{"type":"appended","at":' || p_created_ms || ',"position":' || v_entries || '}');
    END IF;
  END IF;
  UPDATE $sessions SET sequence = v_sequence, entries = v_entries, position = v_entries,
      bytes = (SELECT coalesce(sum(octet_length(entry) + 1), 0) FROM unnest(p_entries) AS added (entry))
    WHERE number = v_number;
END $body$;

/* Moves a session between lists of labels. A label is name=value; names and escaped values contain no equals sign. */
CREATE FUNCTION $move_labels(
  p_tenant text, p_id text, p_number bigint, p_created_ms bigint, p_before text[], p_after text[]
) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  v_names text[];
  v_values text[];
  v_by integer[];
BEGIN
  SELECT array_agg(split_part(word, '=', 1)), array_agg(split_part(word, '=', 2)), array_agg(change.by)
    INTO v_names, v_values, v_by FROM (
      SELECT word, -1 AS by FROM unnest(p_before) AS word WHERE word <> ALL (p_after)
      UNION ALL SELECT word, 1 FROM unnest(p_after) AS word WHERE word <> ALL (p_before)
    ) AS change;
  DELETE FROM $labels AS label USING unnest(v_names, v_values, v_by) AS change (name, value, by)
    WHERE session = p_number AND label.name = change.name AND label.value = change.value AND change.by = -1;
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
    SELECT p_tenant, name, value, p_created_ms, p_id, p_number
      FROM unnest(v_names, v_values, v_by) AS change (name, value, by) WHERE change.by = 1;
  PERFORM $count_sessions(p_tenant, p_number, v_names, v_values, v_by);
END $body$;

/* p_is_change: whether the sequence rises. p_active_limit: null for none. */
CREATE PROCEDURE $replace_state(
  p_tenant text, p_id text, p_status text, p_deadline double precision, p_accepts_until double precision, p_grace double precision,
  p_fencing_token double precision, p_leased_until double precision, p_unleased_since double precision,
  p_reports_end boolean, p_limit_ms double precision, p_limit_end double precision,
  p_inactivity double precision, p_last_activity double precision, p_revision bigint, p_state text,
  p_labels text, p_previous bigint, p_since double precision, p_is_change boolean, p_detail text,
  p_active_limit double precision, p_now double precision,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_is_end boolean;
  v_waits boolean;
BEGIN
  ${READ_COMMITTED}
  SELECT number, incarnation, status, reports_end, last_activity, revision, sequence, created_ms, state, labels INTO v
    FROM $sessions
    WHERE tenant = p_tenant AND id = p_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    result := 'missing';
    RETURN;
  ELSIF NOT $is_state(v.status, v.state) THEN
    result := 'unreadable';
    RETURN;
  ELSIF v.revision <> p_previous THEN
    result := 'stale';
    RETURN;
  END IF;
  /* A separate condition, because AND may evaluate both sides, and this one takes a lock of the tenant. */
  IF p_active_limit IS NOT NULL THEN
    IF p_active_limit <= $lock_active_sessions(p_tenant, p_now) THEN
      result := 'too_many';
      RETURN;
    END IF;
  END IF;
  v_is_end := p_status = 'TERMINATED' AND v.status <> 'TERMINATED' AND v.reports_end;
  v_waits := v_is_end;
  IF v.status = 'TERMINATED' THEN
    v_waits := EXISTS (SELECT FROM $ends WHERE tenant = p_tenant AND id = p_id AND incarnation = v.incarnation);
  END IF;
  /* If the stored activity is later, it postpones the end of an ACTIVE session. */
  IF p_limit_end IS NOT NULL THEN
    p_deadline := least(p_limit_end, greatest(v.last_activity, p_last_activity) + p_inactivity);
    p_accepts_until := p_deadline + p_grace;
  END IF;
  UPDATE $sessions SET status = p_status, deadline = p_deadline, accepts_until = p_accepts_until, grace = p_grace,
      fencing_token = p_fencing_token, leased_until = p_leased_until, unleased_since = p_unleased_since,
      reports_end = p_reports_end, limit_ms = p_limit_ms, limit_end = p_limit_end,
      inactivity = p_inactivity, last_activity = greatest(last_activity, p_last_activity),
      revision = p_revision, state = p_state, labels = p_labels, due_at = CASE WHEN v_waits THEN ${NEVER} ELSE p_deadline END,
      sequence = CASE WHEN p_is_change THEN sequence + 1 ELSE sequence END
    WHERE number = v.number;
  IF v_is_end THEN
    INSERT INTO $ends (tenant, id, incarnation, due_at) VALUES (p_tenant, p_id, v.incarnation, p_since);
  END IF;
  IF v.status <> p_status THEN
    PERFORM $count_sessions(p_tenant, v.number, ARRAY['', ''], ARRAY[v.status, p_status], ARRAY[-1, 1]);
  END IF;
  /* After the total of the status, in the same order as all changes, so that they cannot deadlock. */
  IF v.labels <> p_labels THEN
    PERFORM $move_labels(p_tenant, p_id, v.number, v.created_ms, string_to_array(v.labels, ' '), string_to_array(p_labels, ' '));
  END IF;
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (p_tenant, p_id, v.incarnation, v.sequence + 1, p_detail);
  END IF;
  result := 'replaced';
END $body$;

/*
 * Number of entries up to a position, in a history of p_entries that ends at p_end. After a rewind it searches from the
 * end back in steps that double, because callers mostly ask for one of the latest.
 */
CREATE FUNCTION $entries_up_to(p_session bigint, p_entries bigint, p_end bigint, p_position bigint)
RETURNS bigint LANGUAGE plpgsql STABLE AS $body$
DECLARE
  v_high bigint := least(p_entries, p_position);
  v_low bigint := v_high;
  v_step bigint := 1;
  v_middle bigint;
BEGIN
  IF p_position >= p_end THEN
    RETURN p_entries;
  ELSIF p_end = p_entries THEN
    RETURN v_high;
  END IF;
  WHILE v_low > 0 AND (SELECT position > p_position FROM $entries WHERE session = p_session AND entry_number = v_low) LOOP
    v_high := v_low - 1;
    v_low := greatest(0, v_low - v_step);
    v_step := v_step * 2;
  END LOOP;
  WHILE v_low < v_high LOOP
    v_middle := (v_low + v_high + 1) / 2;
    IF (SELECT position <= p_position FROM $entries WHERE session = p_session AND entry_number = v_middle) THEN
      v_low := v_middle;
    ELSE
      v_high := v_middle - 1;
    END IF;
  END LOOP;
  RETURN v_low;
END $body$;

/* p_after: null for an append at the end. */
CREATE FUNCTION $append_entries(
  p_tenant text, p_id text, p_now double precision, p_entries text[], p_operation text, p_digest text,
  p_fencing_token double precision, p_if_position double precision, p_after double precision,
  p_max_entries double precision, p_has_events boolean,
  OUT outcome text, OUT end_position bigint, OUT found_state text, OUT found_activity double precision
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_known record;
  v_kept bigint;
  v_bytes bigint;
  v_start bigint;
  v_is_late boolean;
  v_activity double precision;
BEGIN
  SELECT number, incarnation, status, deadline, accepts_until, grace, fencing_token, leased_until, last_activity, limit_end,
      inactivity, sequence,
      entries, position, bytes, state INTO v
    FROM $sessions
    WHERE tenant = p_tenant AND id = p_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
    RETURN;
  ELSIF NOT $is_state(v.status, v.state) THEN
    outcome := 'unreadable';
    RETURN;
  END IF;
  IF p_operation IS NOT NULL THEN
    SELECT digest, position INTO v_known FROM $operations WHERE session = v.number AND operation = p_operation;
    IF FOUND THEN
      outcome := CASE WHEN v_known.digest = p_digest THEN 'repeated' ELSE 'mismatch' END;
      end_position := v_known.position;
      RETURN;
    END IF;
  END IF;
  end_position := v.position;
  v_kept := v.entries;
  v_bytes := v.bytes;
  v_start := v.position;
  v_is_late := v.status = 'TERMINATED' OR p_now >= v.deadline;
  IF p_now >= v.accepts_until OR (v.status = 'IDLE' AND NOT v_is_late) THEN
    outcome := 'closed';
    found_state := v.state;
    found_activity := v.last_activity;
  ELSIF p_fencing_token IS NOT NULL AND (p_fencing_token <> v.fencing_token OR p_now >= v.leased_until) THEN
    outcome := 'lease_lost';
  ELSIF p_if_position <> v.position THEN
    outcome := 'moved';
  ELSIF p_after > v.position THEN
    outcome := 'invalid_position';
  ELSIF p_after IS NOT NULL THEN
    v_kept := $entries_up_to(v.number, v.entries, v.position, p_after::bigint);
    IF NOT $is_current(v.number, v.entries, v.position, p_after, v_kept) THEN
      outcome := 'moved';
    END IF;
    v_bytes := coalesce((SELECT bytes FROM $entries WHERE session = v.number AND entry_number = v_kept), 0);
    v_start := v.position + 1;
  END IF;
  IF outcome IS NULL AND v_kept + cardinality(p_entries) > p_max_entries THEN
    outcome := 'full';
  END IF;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  outcome := 'appended';
  end_position := v_start + cardinality(p_entries);
  IF v.position <> v.entries OR p_after IS NOT NULL THEN
    DELETE FROM $entries WHERE session = v.number AND entry_number > v_kept AND entry_number <= v_kept + cardinality(p_entries);
  END IF;
  /* Plus a comma for each entry. */
  INSERT INTO $entries (session, entry_number, position, bytes, entry)
    SELECT v.number, v_kept + at, v_start + at, v_bytes + sum(octet_length(entry) + 1) OVER (ORDER BY at), entry
    FROM unnest(p_entries) WITH ORDINALITY AS added (entry, at);
  IF p_operation IS NOT NULL THEN
    INSERT INTO $operations (session, operation, digest, position)
      VALUES (v.number, p_operation, p_digest, end_position);
  END IF;
  /* Entries after the end do not count as activity, because that would postpone an end by inactivity. */
  v_activity := CASE WHEN v_is_late THEN v.last_activity ELSE greatest(v.last_activity, p_now) END;
  IF v.limit_end IS NOT NULL AND v.inactivity < ${NEVER} AND NOT v_is_late THEN
    UPDATE $sessions SET deadline = least(limit_end, v_activity + inactivity),
        accepts_until = least(limit_end, v_activity + inactivity) + grace
      WHERE number = v.number;
  END IF;
  UPDATE $sessions SET entries = v_kept + cardinality(p_entries), position = end_position, sequence = v.sequence + 1,
      last_activity = v_activity,
      bytes = v_bytes + (SELECT coalesce(sum(octet_length(entry) + 1), 0) FROM unnest(p_entries) AS added (entry))
    WHERE number = v.number;
  IF p_has_events THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail) VALUES (p_tenant, p_id, v.incarnation, v.sequence + 1,
      '{"type":"appended","at":' || p_now || ',"position":' || end_position || coalesce(',"after":' || p_after, '') || '}');
  END IF;
END $body$;

/*
 * Makes appends in their order, in one transaction. The caller has sorted them by session, because each locks its row
 * until the end. p_calls is an array of objects with the fields below; a field that is missing is null.
 */
CREATE PROCEDURE $append_all(p_calls json, INOUT results json DEFAULT NULL) LANGUAGE plpgsql AS $body$
BEGIN
  ${READ_COMMITTED}
  SELECT json_agg(row_to_json(made) ORDER BY at) INTO results
    FROM ROWS FROM (json_to_recordset(p_calls) AS (tenant text, id text, now double precision, entries text[],
        operation text, digest text, fencing_token double precision, if_position double precision,
        after double precision, max_entries double precision, has_events boolean)) WITH ORDINALITY
        AS call (tenant, id, now, entries, operation, digest, fencing_token, if_position, after, max_entries,
          has_events, at),
      LATERAL $append_entries(tenant, id, now, entries, operation, digest, fencing_token, if_position, after,
        max_entries, has_events) AS made;
END $body$;

/* Replaces the texts of entries, if the session has the same incarnation. */
CREATE PROCEDURE $redact_entries(
  p_tenant text, p_id text, p_incarnation text, p_positions double precision[], p_entries text[], p_detail text,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  ${READ_COMMITTED}
  SELECT number, sequence INTO v FROM $sessions
    WHERE tenant = p_tenant AND id = p_id AND incarnation = p_incarnation FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    result := 'missing';
    RETURN;
  END IF;
  UPDATE $entries AS entry SET entry = change.entry FROM unnest(p_positions, p_entries) AS change (position, entry)
    WHERE entry.session = v.number AND entry.position = change.position AND entry.entry <> change.entry;
  IF FOUND THEN
    UPDATE $sessions SET sequence = v.sequence + 1, redactions = redactions + 1 WHERE number = v.number;
    IF p_detail IS NOT NULL THEN
      INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
        VALUES (p_tenant, p_id, p_incarnation, v.sequence + 1, p_detail);
    END IF;
  END IF;
  result := 'redacted';
END $body$;

CREATE PROCEDURE $remove_session(
  p_tenant text, p_id text, p_revision double precision, p_now double precision, p_detail text,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_names text[];
  v_values text[];
BEGIN
  ${READ_COMMITTED}
  SELECT number, incarnation, status, reports_end, last_activity, revision, sequence, state INTO v FROM $sessions
    WHERE tenant = p_tenant AND id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    result := 'missing';
    RETURN;
  ELSIF p_revision <> v.revision THEN
    result := 'stale';
    RETURN;
  END IF;
  DELETE FROM $sessions WHERE number = v.number;
  DELETE FROM $entries WHERE session = v.number;
  DELETE FROM $operations WHERE session = v.number;
  WITH removed AS (DELETE FROM $labels WHERE session = v.number RETURNING name, value)
    SELECT coalesce(array_agg(name), '{}'), coalesce(array_agg(value), '{}') INTO v_names, v_values FROM removed;
  /* Keeps the data for the report of the end. */
  IF v.reports_end AND v.status <> 'TERMINATED' AND $is_state(v.status, v.state) THEN
    INSERT INTO $ends (tenant, id, incarnation, due_at) VALUES (p_tenant, p_id, v.incarnation, p_now);
  END IF;
  IF v.reports_end THEN
    UPDATE $ends SET removed_ms = p_now, last_activity = v.last_activity, state = v.state
      WHERE tenant = p_tenant AND id = p_id AND incarnation = v.incarnation;
  END IF;
  PERFORM $count_sessions(p_tenant, v.number, array_prepend(''::text, v_names), array_prepend(v.status::text, v_values),
    array_fill(-1, ARRAY[cardinality(v_names) + 1]));
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (p_tenant, p_id, v.incarnation, v.sequence + 1, p_detail);
  END IF;
  result := 'removed';
END $body$;

/* Moves a session that is due at p_from to p_to, or to its deadline if that comes first. */
CREATE PROCEDURE $reschedule_session(
  p_tenant text, p_id text, p_from double precision, p_to double precision, p_is_damaged boolean,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  ${READ_COMMITTED}
  SELECT number, CASE WHEN status = 'TERMINATED' OR p_is_damaged THEN p_to ELSE least(p_to, deadline) END AS due_at INTO v
    FROM $sessions WHERE tenant = p_tenant AND id = p_id AND due_at = p_from FOR NO KEY UPDATE;
  UPDATE $sessions SET due_at = v.due_at WHERE number = v.number AND due_at <> v.due_at;
  result := CASE WHEN FOUND THEN 'moved' ELSE 'stale' END;
END $body$;

CREATE PROCEDURE $postpone_end(
  p_tenant text, p_id text, p_incarnation text, p_from double precision, p_to double precision,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
BEGIN
  ${READ_COMMITTED}
  UPDATE $ends SET due_at = p_to
    WHERE tenant = p_tenant AND id = p_id AND incarnation = p_incarnation AND due_at = p_from;
  result := CASE WHEN FOUND THEN 'moved' ELSE 'stale' END;
END $body$;

/* Locks the session first, in the same order as the other changes. */
CREATE PROCEDURE $settle_end(
  p_tenant text, p_id text, p_incarnation text, p_due_at bigint, INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
BEGIN
  ${READ_COMMITTED}
  SELECT number INTO v_number FROM $sessions
    WHERE tenant = p_tenant AND id = p_id AND incarnation = p_incarnation FOR NO KEY UPDATE;
  DELETE FROM $ends
    WHERE tenant = p_tenant AND id = p_id AND incarnation = p_incarnation AND due_at = p_due_at;
  IF NOT FOUND THEN
    result := 'stale';
    RETURN;
  END IF;
  UPDATE $sessions SET due_at = deadline WHERE number = v_number;
  result := 'settled';
END $body$;

/*
 * Moves the events of all committed changes to the log, trims the log, and wakes its listeners. A lock allows one call
 * at a time. The commit does not wait for the disk: if a crash undoes it, the events are still in the outbox.
 */
CREATE PROCEDURE $publish(p_length bigint, p_channel text) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_ms bigint;
BEGIN
  ${READ_COMMITTED}
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(1131376748, ('$events'::regclass::oid::bigint & 2147483647)::integer);
  SELECT number, ms INTO v_number, v_ms FROM $events ORDER BY number DESC LIMIT 1;
  WITH published AS (DELETE FROM $outbox RETURNING *)
  INSERT INTO $events (number, ms, tenant, id, incarnation, sequence, detail)
    SELECT coalesce(v_number, 0) + row_number() OVER (ORDER BY number),
      greatest(v_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)), tenant, id, incarnation, sequence, detail
    FROM published;
  IF FOUND THEN
    DELETE FROM $events WHERE number <= (SELECT max(number) FROM $events) - p_length;
    PERFORM pg_notify(p_channel, '');
  END IF;
END $body$;
`;
