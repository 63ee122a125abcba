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
 * Each change of a session is made by one of these procedures: one statement and one transaction. They compare and set;
 * the service decides beforehand what a session may do. `$` stands for the quoted schema and a dot. If the detail of an
 * event is null, there is no event.
 *
 * Locks are taken in one order, so that no two transactions wait for each other: tenants whose live sessions are
 * counted, sessions by tenant and id, and totals.
 */
export const storedFunctions = `
/* Whether this version can read a state. */
CREATE FUNCTION $is_state(p_status text, p_state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $body$
  SELECT p_status IN ('IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED') AND p_state LIKE '{"status":"' || p_status || '",%}'
$body$;

/*
 * Number of a tenant's live sessions, ACTIVE or PAUSED, at p_now, with the changes p_totals that are not written yet. The transaction
 * must have locked the tenant.
 */
CREATE FUNCTION $live_sessions(p_tenant text, p_now double precision, p_totals $total_change[])
RETURNS bigint LANGUAGE plpgsql AS $body$
BEGIN
  RETURN (SELECT coalesce(sum(sessions), 0) FROM $totals
      WHERE tenant = p_tenant AND name = '' AND value IN ('ACTIVE', 'PAUSED'))
    + (SELECT coalesce(sum(by), 0) FROM unnest(p_totals)
      WHERE tenant = p_tenant AND name = '' AND value IN ('ACTIVE', 'PAUSED'))
    - (SELECT count(*) FROM $sessions WHERE tenant = p_tenant AND due_at <= p_now AND due_at < ${NEVER}
      AND deadline <= p_now AND status IN ('ACTIVE', 'PAUSED'));
END $body$;

/*
 * Whether a position up to the end is in the history: it is the beginning, the end, that of an
 * entry, or that of the rewind directly before an entry. Every other position is superseded.
 */
CREATE FUNCTION $is_current(p_session bigint, p_position bigint, p_end bigint)
RETURNS boolean LANGUAGE sql STABLE AS $body$
  SELECT p_position IN (0, p_end) OR EXISTS (
    SELECT
    FROM $entries
    WHERE session = p_session AND position IN (p_position, p_position + 1)
  )
$body$;

/*
 * Inserts a session. c.source and c.version are the session that was read for a fork, and the version of its history;
 * then no other change may be in the transaction, because it locks two sessions, in the order of their ids.
 */
CREATE FUNCTION $insert_session(
  c $change, p_totals $total_change[], OUT outcome text, OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_sequence bigint := 1;
  v_entries bigint := coalesce(cardinality(c.entries), 0);
BEGIN
  /* Before the other conditions. Without any, the insert itself finds out. */
  IF c.source IS NOT NULL OR c.live_limit IS NOT NULL THEN
    IF EXISTS (SELECT FROM $sessions WHERE tenant = c.tenant AND id = c.id) THEN
      outcome := 'taken';
      RETURN;
    END IF;
  END IF;
  IF c.source IS NOT NULL THEN
    /* Locked, so that nothing is redacted or removed until this transaction ends. */
    IF c.source COLLATE "C" < c.id COLLATE "C" THEN
      PERFORM FROM $sessions WHERE tenant = c.tenant AND id = c.source FOR SHARE;
    END IF;
    IF NOT EXISTS (SELECT FROM $sessions WHERE tenant = c.tenant AND id = c.source
        AND concat_ws('.', incarnation, redactions, position - entries) = c.version) THEN
      outcome := 'source_changed';
      RETURN;
    END IF;
  END IF;
  /* A separate condition, because AND may evaluate both sides. */
  IF c.live_limit IS NOT NULL THEN
    IF c.live_limit <= $live_sessions(c.tenant, c.now, p_totals) THEN
      outcome := 'too_many';
      RETURN;
    END IF;
  END IF;
  IF c.started IS NOT NULL THEN
    v_sequence := v_sequence + 1;
  END IF;
  IF v_entries > 0 THEN
    v_sequence := v_sequence + 1;
  END IF;
  INSERT INTO $sessions (tenant, id, created_ms, incarnation, status, deadline, due_at, accepts_until, grace, fencing_token,
      leased_until, wake_at, limit_ms, limit_end, inactivity, last_activity, revision, sequence, entries,
      position, bytes, head, state, labels)
    VALUES (c.tenant, c.id, c.created_ms, c.incarnation, c.status, c.deadline, coalesce(c.report_at, c.deadline),
      c.accepts_until, c.grace, c.fencing_token, c.leased_until, c.wake_at, c.limit_ms, c.limit_end, c.inactivity,
      c.last_activity, c.revision, v_sequence, v_entries, v_entries,
      (SELECT coalesce(sum(octet_length(entry) + 1), 0) FROM unnest(c.entries) AS added (entry)), c.head, c.state, c.labels)
    ON CONFLICT (tenant, id) DO NOTHING RETURNING number INTO v_number;
  IF v_number IS NULL THEN
    outcome := 'taken';
    RETURN;
  END IF;
  IF c.source COLLATE "C" > c.id COLLATE "C" THEN
    PERFORM FROM $sessions WHERE tenant = c.tenant AND id = c.source
      AND concat_ws('.', incarnation, redactions, position - entries) = c.version FOR SHARE;
    IF NOT FOUND THEN
      DELETE FROM $sessions WHERE number = v_number;
      outcome := 'source_changed';
      RETURN;
    END IF;
  END IF;
  IF v_entries > 0 THEN
    INSERT INTO $entries (session, position, bytes, entry)
      SELECT v_number, at, octet_length(entry) + 1, entry
      FROM unnest(c.entries) WITH ORDINALITY AS added (entry, at);
  END IF;
  totals := ARRAY[ROW(c.tenant, v_number, '', c.status, 1)::$total_change];
  IF c.labels <> '' THEN
    totals := totals || $move_labels(c, v_number, c.created_ms, '');
  END IF;
  IF c.detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      SELECT c.tenant, c.id, c.incarnation, row_number() OVER (ORDER BY at), detail
      FROM unnest(ARRAY[c.detail, c.started, CASE WHEN v_entries > 0 THEN
        '{"type":"appended","at":' || c.created_ms || ',"position":' || v_entries || '}' END]) WITH ORDINALITY
        AS event (detail, at) WHERE detail IS NOT NULL ORDER BY at;
  END IF;
  outcome := 'inserted';
END $body$;

/*
 * Moves a session from the lists of the labels p_before to those of c.labels. A label is name=value; names and escaped
 * values contain no equals sign. Returns the changes of totals.
 */
CREATE FUNCTION $move_labels(c $change, p_number bigint, p_created_ms bigint, p_before text)
RETURNS $total_change[] LANGUAGE plpgsql AS $body$
DECLARE
  v_before text[] := string_to_array(p_before, ' ');
  v_after text[] := string_to_array(c.labels, ' ');
  v_changes $total_change[] := ARRAY(
    SELECT ROW(c.tenant, p_number, split_part(word, '=', 1), split_part(word, '=', 2), change.by)::$total_change FROM (
      SELECT word, -1 AS by FROM unnest(v_before) AS word WHERE word <> ALL (v_after)
      UNION ALL SELECT word, 1 FROM unnest(v_after) AS word WHERE word <> ALL (v_before)
    ) AS change
  );
BEGIN
  DELETE FROM $labels AS label USING unnest(v_changes) AS change
    WHERE label.session = p_number AND label.name = change.name AND label.value = change.value AND change.by = -1;
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
    SELECT c.tenant, name, value, p_created_ms, c.id, p_number FROM unnest(v_changes) AS change WHERE change.by = 1;
  RETURN v_changes;
END $body$;

/* c.previous: the revision that the state must have. c.is_change: whether the sequence rises. */
CREATE FUNCTION $replace_state(
  c $change, p_totals $total_change[], OUT outcome text, OUT totals $total_change[]
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  SELECT number, incarnation, status, last_activity, revision, sequence, created_ms, state, labels INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
    RETURN;
  ELSIF NOT $is_state(v.status, v.state) THEN
    outcome := 'unreadable';
    RETURN;
  ELSIF v.revision <> c.previous THEN
    outcome := 'stale';
    RETURN;
  END IF;
  /* A separate condition, because AND may evaluate both sides. */
  IF c.live_limit IS NOT NULL THEN
    IF c.live_limit <= $live_sessions(c.tenant, c.now, p_totals) THEN
      outcome := 'too_many';
      RETURN;
    END IF;
  END IF;
  /* If the stored activity is later, it postpones the end of an ACTIVE session. */
  IF c.limit_end IS NOT NULL THEN
    c.deadline := least(c.limit_end, greatest(v.last_activity, c.last_activity) + c.inactivity);
    c.accepts_until := c.deadline + c.grace;
  END IF;
  UPDATE $sessions SET status = c.status, deadline = c.deadline, accepts_until = c.accepts_until, grace = c.grace,
      fencing_token = c.fencing_token, leased_until = c.leased_until, wake_at = c.wake_at,
      limit_ms = c.limit_ms, limit_end = c.limit_end,
      inactivity = c.inactivity, last_activity = greatest(last_activity, c.last_activity),
      revision = c.revision, state = c.state, labels = c.labels, due_at = coalesce(c.report_at, c.deadline),
      sequence = CASE WHEN c.is_change THEN sequence + 1 ELSE sequence END
    WHERE number = v.number;
  totals := '{}';
  IF v.status <> c.status THEN
    totals := ARRAY[ROW(c.tenant, v.number, '', v.status, -1), ROW(c.tenant, v.number, '', c.status, 1)]::$total_change[];
  END IF;
  IF v.labels <> c.labels THEN
    totals := totals || $move_labels(c, v.number, v.created_ms, v.labels);
  END IF;
  IF c.detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (c.tenant, c.id, v.incarnation, v.sequence + 1, c.detail);
  END IF;
  outcome := 'replaced';
END $body$;

/* c.after: null for an append at the end. */
CREATE FUNCTION $append_entries(
  c $change, OUT outcome text, OUT end_position bigint, OUT found_state text, OUT found_activity double precision
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_known record;
  v_after bigint;
  v_kept bigint;
  v_start bigint;
  v_superseded bigint := 0;
  v_superseded_bytes bigint := 0;
  v_is_late boolean;
  v_activity double precision;
BEGIN
  SELECT number, incarnation, status, deadline, accepts_until, grace, fencing_token, leased_until, last_activity, limit_end,
      inactivity, sequence,
      entries, position, bytes, state INTO v
    FROM $sessions
    WHERE tenant = c.tenant AND id = c.id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    outcome := 'missing';
    RETURN;
  ELSIF NOT $is_state(v.status, v.state) THEN
    outcome := 'unreadable';
    RETURN;
  END IF;
  IF c.operation IS NOT NULL THEN
    SELECT digest, position INTO v_known FROM $operations WHERE session = v.number AND operation = c.operation;
    IF FOUND THEN
      outcome := CASE WHEN v_known.digest = c.digest THEN 'repeated' ELSE 'mismatch' END;
      end_position := v_known.position;
      RETURN;
    END IF;
  END IF;
  end_position := v.position;
  v_kept := v.entries;
  v_start := v.position;
  v_is_late := v.status = 'TERMINATED' OR c.now >= v.deadline;
  IF c.now >= v.accepts_until OR (v.status = 'IDLE' AND NOT v_is_late) THEN
    outcome := 'closed';
    found_state := v.state;
    found_activity := v.last_activity;
  ELSIF c.fencing_token IS NOT NULL AND (c.fencing_token <> v.fencing_token OR c.now >= v.leased_until) THEN
    outcome := 'lease_lost';
  ELSIF c.if_position <> v.position THEN
    outcome := 'moved';
  ELSIF c.after > v.position THEN
    outcome := 'invalid_position';
  ELSIF c.after IS NOT NULL THEN
    v_after := c.after;
    v_start := v.position + 1;
    IF NOT $is_current(v.number, v_after, v.position) THEN
      outcome := 'moved';
    ELSIF v.entries + cardinality(c.entries) > c.max_entries THEN
      SELECT count(*) INTO v_kept FROM $entries WHERE session = v.number AND position <= v_after;
    END IF;
  END IF;
  IF outcome IS NULL AND v_kept + cardinality(c.entries) > c.max_entries THEN
    outcome := 'full';
  END IF;
  IF outcome IS NOT NULL THEN
    RETURN;
  END IF;
  outcome := 'appended';
  end_position := v_start + cardinality(c.entries);
  IF v_after IS NOT NULL THEN
    WITH superseded AS (
      DELETE FROM $entries
      WHERE session = v.number AND position > v_after
      RETURNING bytes
    )
    SELECT count(*), coalesce(sum(bytes), 0)
    INTO v_superseded, v_superseded_bytes
    FROM superseded;
  END IF;
  /* Plus a comma for each entry. */
  INSERT INTO $entries (session, position, bytes, entry)
    SELECT v.number, v_start + at, octet_length(entry) + 1, entry
    FROM unnest(c.entries) WITH ORDINALITY AS added (entry, at);
  IF c.operation IS NOT NULL THEN
    INSERT INTO $operations (session, operation, digest, position)
      VALUES (v.number, c.operation, c.digest, end_position);
  END IF;
  /* Entries after the end do not count as activity, because that would postpone an end by inactivity. */
  v_activity := CASE WHEN v_is_late THEN v.last_activity ELSE greatest(v.last_activity, c.now) END;
  IF v.limit_end IS NOT NULL AND v.inactivity < ${NEVER} AND NOT v_is_late THEN
    UPDATE $sessions SET deadline = least(limit_end, v_activity + inactivity),
        accepts_until = least(limit_end, v_activity + inactivity) + grace
      WHERE number = v.number;
  END IF;
  UPDATE $sessions SET entries = v.entries - v_superseded + cardinality(c.entries), position = end_position, sequence = v.sequence + 1,
      last_activity = v_activity,
      bytes = v.bytes - v_superseded_bytes + (SELECT coalesce(sum(octet_length(entry) + 1), 0) FROM unnest(c.entries) AS added (entry))
    WHERE number = v.number;
  IF c.has_events THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail) VALUES (c.tenant, c.id, v.incarnation, v.sequence + 1,
      '{"type":"appended","at":' || c.now || ',"position":' || end_position || coalesce(',"after":' || c.after, '') || '}');
  END IF;
END $body$;

/*
 * Makes changes in their order, in one transaction, and returns an outcome for each. The caller has sorted them by
 * session, because each locks its session until the end.
 */
CREATE PROCEDURE $change_all(p_changes json, INOUT results json DEFAULT NULL) LANGUAGE plpgsql AS $body$
DECLARE
  c $change;
  v record;
  v_changes $change[];
  v_results json[] := '{}';
  v_totals $total_change[] := '{}';
BEGIN
  ${READ_COMMITTED}
  v_changes := ARRAY(SELECT change FROM json_populate_recordset(NULL::$change, p_changes) AS change);
  PERFORM pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended(tenant, '$totals'::regclass::oid::bigint) AS key FROM unnest(v_changes)
      WHERE live_limit IS NOT NULL ORDER BY key
  ) AS counted;
  FOREACH c IN ARRAY v_changes LOOP
    IF c.kind = 'append' THEN
      SELECT * INTO v FROM $append_entries(c);
      v_results := v_results || row_to_json(v);
      CONTINUE;
    ELSIF c.kind = 'insert' THEN
      SELECT * INTO v FROM $insert_session(c, v_totals);
    ELSE
      SELECT * INTO v FROM $replace_state(c, v_totals);
    END IF;
    v_results := v_results || json_build_object('outcome', v.outcome);
    v_totals := v_totals || v.totals;
  END LOOP;
  IF cardinality(v_totals) > 0 THEN
    PERFORM $count_sessions(v_totals);
  END IF;
  results := array_to_json(v_results);
END $body$;

/* Replaces the texts of entries, if the session has the same incarnation. */
CREATE PROCEDURE $redact_entries(
  p_tenant text, p_id text, p_incarnation text, p_positions bigint[], p_entries text[], p_detail text,
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

/* p_remains: what is left of the session until its end is reported, as an insert; null for nothing. */
CREATE PROCEDURE $remove_session(
  p_tenant text, p_id text, p_revision double precision, p_detail text, p_remains json,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_totals $total_change[];
BEGIN
  ${READ_COMMITTED}
  SELECT number, incarnation, status, revision, sequence INTO v FROM $sessions
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
    SELECT array_agg(ROW(p_tenant, v.number, name, value, -1)::$total_change) INTO v_totals FROM removed;
  v_totals := v_totals || ROW(p_tenant, v.number, '', v.status, -1)::$total_change;
  IF p_remains IS NOT NULL THEN
    SELECT v_totals || left_over.totals INTO v_totals
      FROM $insert_session(json_populate_record(NULL::$change, p_remains), '{}') AS left_over;
  END IF;
  PERFORM $count_sessions(v_totals);
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, incarnation, sequence, detail)
      VALUES (p_tenant, p_id, v.incarnation, v.sequence + 1, p_detail);
  END IF;
  result := 'removed';
END $body$;

/* Moves a session that is due at p_from to p_to, or to its deadline if that comes first and it is not free. */
CREATE PROCEDURE $reschedule_session(
  p_tenant text, p_id text, p_from double precision, p_to double precision, p_is_free boolean,
  INOUT result text DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
BEGIN
  ${READ_COMMITTED}
  SELECT number, CASE WHEN status = 'TERMINATED' OR p_is_free THEN p_to ELSE least(p_to, deadline) END AS due_at INTO v
    FROM $sessions WHERE tenant = p_tenant AND id = p_id AND due_at = p_from FOR NO KEY UPDATE;
  UPDATE $sessions SET due_at = v.due_at WHERE number = v.number AND due_at <> v.due_at;
  result := CASE WHEN FOUND THEN 'moved' ELSE 'stale' END;
END $body$;

/*
 * Hands out sessions of these tenants that want a worker, and moves them to p_until. The limit is shared between the
 * tenants. Skips what another transaction changes just now: that is found again by the next claim.
 */
CREATE PROCEDURE $claim_sessions(
  p_tenants text[], p_now double precision, p_until double precision, p_limit bigint,
  INOUT result json DEFAULT NULL
) LANGUAGE plpgsql AS $body$
DECLARE
  v_share bigint := least(p_limit, greatest(1, p_limit / greatest(1, cardinality(p_tenants))));
BEGIN
  ${READ_COMMITTED}
  WITH found AS (
    SELECT waiting.number, waiting.wake_at
    FROM unnest(p_tenants) AS name, LATERAL (
      SELECT number, wake_at FROM $sessions
      WHERE tenant = name AND wake_at <= p_now AND wake_at < ${NEVER}
      ORDER BY wake_at
      LIMIT v_share
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS waiting
  ), moved AS (
    UPDATE $sessions AS session SET wake_at = p_until
    FROM found
    WHERE session.number = found.number
    RETURNING session.tenant, session.id, found.wake_at AS due_at
  )
  SELECT coalesce(json_agg(moved ORDER BY due_at), '[]') INTO result FROM moved;
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
