import { NEVER } from '../../src/store/never.js';

/*
 * Each change of a session is one call of one of these functions: one statement, and one transaction. They compare and
 * set; what a session may do is decided before. `$` stands for the quoted schema and a dot. A null p_detail: no event.
 */
export const changes = `
/* Whether this version can read a state. */
CREATE FUNCTION $is_state(p_status text, p_state text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $body$
  SELECT p_status IN ('IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED') AND p_state LIKE '{"status":"' || p_status || '",%}'
$body$;

CREATE FUNCTION $insert_session(
  p_tenant text, p_id text, p_status text, p_deadline double precision, p_accepts_until double precision,
  p_fencing_token double precision, p_leased_until double precision, p_unleased_since double precision,
  p_reports_end boolean, p_limit_ms double precision, p_limit_end double precision,
  p_inactivity double precision, p_last_activity double precision, p_revision bigint, p_state text,
  p_created_ms bigint, p_birth text, p_head text, p_names text[], p_values text[], p_detail text
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
BEGIN
  INSERT INTO $sessions (tenant, id, created_ms, birth, status, deadline, due_at, accepts_until, fencing_token,
      leased_until, unleased_since, reports_end, limit_ms, limit_end, inactivity, last_activity, revision, sequence, entries, bytes, head, state)
    VALUES (p_tenant, p_id, p_created_ms, p_birth, p_status, p_deadline, p_deadline, p_accepts_until, p_fencing_token,
      p_leased_until, p_unleased_since, p_reports_end, p_limit_ms, p_limit_end, p_inactivity, p_last_activity, p_revision, 1, 0, 0, p_head, p_state)
    ON CONFLICT (tenant, id) DO NOTHING RETURNING number INTO v_number;
  IF v_number IS NULL THEN
    RETURN 'taken';
  END IF;
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
    SELECT p_tenant, name, value, p_created_ms, p_id, v_number FROM unnest(p_names, p_values) AS label (name, value);
  PERFORM $count_sessions(p_tenant, v_number, array_prepend(''::text, p_names), array_prepend(p_status, p_values),
    array_fill(1, ARRAY[cardinality(p_names) + 1]));
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, birth, sequence, detail) VALUES (p_tenant, p_id, p_birth, 1, p_detail);
  END IF;
  RETURN 'inserted';
END $body$;

/* Number of a tenant's ACTIVE sessions at p_now. Until the transaction ends, no other one counts them. */
CREATE FUNCTION $lock_active_sessions(p_tenant text, p_now double precision) RETURNS bigint LANGUAGE plpgsql AS $body$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(p_tenant, '$totals'::regclass::oid::bigint));
  RETURN (SELECT coalesce(sum(sessions), 0) FROM $totals WHERE tenant = p_tenant AND name = '' AND value = 'ACTIVE')
    - (SELECT count(*) FROM $sessions WHERE tenant = p_tenant AND due_at <= p_now AND due_at < ${NEVER}
        AND deadline <= p_now AND status = 'ACTIVE');
END $body$;

/* p_detail_from_paused: the event if the session was PAUSED. p_lease_detail: the event if its status stays
   and its lease is another. p_extension_detail: the event if only its time limit is another. p_active_limit: null
   for none. */
CREATE FUNCTION $replace_state(
  p_tenant text, p_id text, p_status text, p_deadline double precision, p_accepts_until double precision,
  p_fencing_token double precision, p_leased_until double precision, p_unleased_since double precision,
  p_reports_end boolean, p_limit_ms double precision, p_limit_end double precision,
  p_inactivity double precision, p_last_activity double precision, p_revision bigint, p_state text,
  p_since double precision, p_detail text, p_detail_from_paused text, p_lease_detail text, p_extension_detail text,
  p_active_limit double precision, p_now double precision
) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_is_lease boolean;
  v_is_change boolean;
  v_is_end boolean;
  v_waits boolean;
  v_detail text;
BEGIN
  SELECT number, birth, status, fencing_token, leased_until, reports_end, limit_ms, last_activity,
      revision, sequence, state INTO v
    FROM $sessions
    WHERE tenant = p_tenant AND id = p_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'missing';
  ELSIF NOT $is_state(v.status, v.state) THEN
    RETURN 'unreadable';
  ELSIF v.revision <> p_revision - 1 THEN
    RETURN 'stale';
  END IF;
  /* Not in one condition: both sides of an operator are computed, and this one takes a lock of the tenant. */
  IF p_active_limit IS NOT NULL THEN
    IF p_active_limit <= $lock_active_sessions(p_tenant, p_now) THEN
      RETURN 'too_many';
    END IF;
  END IF;
  v_is_lease := p_fencing_token > 0
    AND (v.fencing_token <> p_fencing_token OR (p_leased_until = 0 AND v.leased_until <> 0));
  v_is_change := v.status <> p_status OR v_is_lease OR v.limit_ms <> p_limit_ms;
  v_is_end := p_status = 'TERMINATED' AND v.status <> 'TERMINATED' AND v.reports_end;
  v_waits := v_is_end;
  IF v.status = 'TERMINATED' THEN
    v_waits := EXISTS (SELECT FROM $ends WHERE tenant = p_tenant AND id = p_id AND birth = v.birth);
  END IF;
  /* A later activity that is stored puts off the end of an ACTIVE session. */
  IF p_limit_end IS NOT NULL THEN
    p_deadline := least(p_limit_end, greatest(v.last_activity, p_last_activity) + p_inactivity);
    p_accepts_until := p_deadline;
  END IF;
  UPDATE $sessions SET status = p_status, deadline = p_deadline, accepts_until = p_accepts_until,
      fencing_token = p_fencing_token, leased_until = p_leased_until, unleased_since = p_unleased_since,
      reports_end = p_reports_end, limit_ms = p_limit_ms, limit_end = p_limit_end,
      inactivity = p_inactivity, last_activity = greatest(last_activity, p_last_activity),
      revision = p_revision, state = p_state, due_at = CASE WHEN v_waits THEN ${NEVER} ELSE p_deadline END,
      sequence = CASE WHEN v_is_change THEN sequence + 1 ELSE sequence END
    WHERE number = v.number;
  IF v_is_end THEN
    INSERT INTO $ends (tenant, id, birth, due_at) VALUES (p_tenant, p_id, v.birth, p_since);
  END IF;
  IF v.status <> p_status THEN
    PERFORM $count_sessions(p_tenant, v.number, ARRAY['', ''], ARRAY[v.status, p_status], ARRAY[-1, 1]);
    v_detail := CASE WHEN v.status = 'PAUSED' THEN p_detail_from_paused ELSE p_detail END;
  ELSIF v_is_lease THEN
    v_detail := p_lease_detail;
  ELSIF v_is_change THEN
    v_detail := p_extension_detail;
  END IF;
  IF v_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, birth, sequence, detail)
      VALUES (p_tenant, p_id, v.birth, v.sequence + 1, v_detail);
  END IF;
  RETURN 'replaced';
END $body$;

CREATE FUNCTION $append_entries(
  p_tenant text, p_id text, p_now double precision, p_entries text[], p_operation text, p_digest text,
  p_fencing_token double precision, p_if_position double precision, p_max_entries double precision, p_has_events boolean,
  OUT outcome text, OUT end_position bigint, OUT found_state text, OUT found_activity double precision
) LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_known record;
BEGIN
  SELECT number, birth, status, accepts_until, fencing_token, leased_until, last_activity, limit_end, inactivity, sequence, entries, bytes, state INTO v
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
  end_position := v.entries;
  IF p_now >= v.accepts_until THEN
    outcome := 'closed';
    found_state := v.state;
    found_activity := v.last_activity;
  ELSIF p_fencing_token IS NOT NULL AND (p_fencing_token <> v.fencing_token OR p_now >= v.leased_until) THEN
    outcome := 'lease_lost';
  ELSIF p_if_position <> v.entries THEN
    outcome := 'moved';
  ELSIF v.entries + cardinality(p_entries) > p_max_entries THEN
    outcome := 'full';
  ELSE
    outcome := 'appended';
    end_position := v.entries + cardinality(p_entries);
  END IF;
  IF outcome <> 'appended' THEN
    RETURN;
  END IF;
  /* Each entry counts with a comma. */
  INSERT INTO $entries (session, position, bytes, entry)
    SELECT v.number, v.entries + at, v.bytes + sum(octet_length(entry) + 1) OVER (ORDER BY at), entry
    FROM unnest(p_entries) WITH ORDINALITY AS added (entry, at);
  IF p_operation IS NOT NULL THEN
    INSERT INTO $operations (session, operation, digest, position)
      VALUES (v.number, p_operation, p_digest, end_position);
  END IF;
  IF v.limit_end IS NOT NULL AND v.inactivity < ${NEVER} THEN
    UPDATE $sessions SET deadline = least(limit_end, greatest(last_activity, p_now) + inactivity),
        accepts_until = least(limit_end, greatest(last_activity, p_now) + inactivity)
      WHERE number = v.number;
  END IF;
  UPDATE $sessions SET entries = end_position, sequence = v.sequence + 1, last_activity = greatest(last_activity, p_now),
      bytes = v.bytes + (SELECT sum(octet_length(entry) + 1) FROM unnest(p_entries) AS added (entry))
    WHERE number = v.number;
  IF p_has_events THEN
    INSERT INTO $outbox (tenant, id, birth, sequence, detail) VALUES (p_tenant, p_id, v.birth, v.sequence + 1,
      '{"type":"appended","at":' || p_now || ',"position":' || end_position || '}');
  END IF;
END $body$;

CREATE FUNCTION $remove_session(
  p_tenant text, p_id text, p_revision double precision, p_now double precision, p_detail text)
RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v record;
  v_names text[];
  v_values text[];
BEGIN
  SELECT number, birth, status, reports_end, last_activity, revision, sequence, state INTO v FROM $sessions
    WHERE tenant = p_tenant AND id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 'missing';
  ELSIF p_revision <> v.revision THEN
    RETURN 'stale';
  END IF;
  DELETE FROM $sessions WHERE number = v.number;
  DELETE FROM $entries WHERE session = v.number;
  DELETE FROM $operations WHERE session = v.number;
  WITH removed AS (DELETE FROM $labels WHERE session = v.number RETURNING name, value)
    SELECT coalesce(array_agg(name), '{}'), coalesce(array_agg(value), '{}') INTO v_names, v_values FROM removed;
  /* What remains until the end is reported. */
  IF v.reports_end AND v.status <> 'TERMINATED' AND $is_state(v.status, v.state) THEN
    INSERT INTO $ends (tenant, id, birth, due_at) VALUES (p_tenant, p_id, v.birth, p_now);
  END IF;
  IF v.reports_end THEN
    UPDATE $ends SET removed_ms = p_now, last_activity = v.last_activity, state = v.state,
        labels = (SELECT string_agg(name || '=' || value, ' ') FROM unnest(v_names, v_values) AS label (name, value))
      WHERE tenant = p_tenant AND id = p_id AND birth = v.birth;
  END IF;
  PERFORM $count_sessions(p_tenant, v.number, array_prepend(''::text, v_names), array_prepend(v.status::text, v_values),
    array_fill(-1, ARRAY[cardinality(v_names) + 1]));
  IF p_detail IS NOT NULL THEN
    INSERT INTO $outbox (tenant, id, birth, sequence, detail)
      VALUES (p_tenant, p_id, v.birth, v.sequence + 1, p_detail);
  END IF;
  RETURN 'removed';
END $body$;

/* Locks the session first, as the other changes do. */
CREATE FUNCTION $settle_end(p_tenant text, p_id text, p_birth text) RETURNS text LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
BEGIN
  SELECT number INTO v_number FROM $sessions
    WHERE tenant = p_tenant AND id = p_id AND birth = p_birth FOR NO KEY UPDATE;
  DELETE FROM $ends WHERE tenant = p_tenant AND id = p_id AND birth = p_birth;
  IF NOT FOUND THEN
    RETURN 'missing';
  END IF;
  UPDATE $sessions SET due_at = deadline WHERE number = v_number;
  RETURN 'settled';
END $body$;

/*
 * Moves the events of all committed changes to the log, trims the log, and wakes its listeners. One call at a time does
 * so. Its commit does not wait for the disk: what a crash undoes here is still in the outbox.
 */
CREATE FUNCTION $publish(p_length bigint, p_channel text) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
  v_number bigint;
  v_ms bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(1131376748, ('$events'::regclass::oid::bigint & 2147483647)::integer);
  SELECT number, ms INTO v_number, v_ms FROM $events ORDER BY number DESC LIMIT 1;
  WITH published AS (DELETE FROM $outbox RETURNING *)
  INSERT INTO $events (number, ms, tenant, id, birth, sequence, detail)
    SELECT coalesce(v_number, 0) + row_number() OVER (ORDER BY number),
      greatest(v_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)), tenant, id, birth, sequence, detail
    FROM published;
  IF FOUND THEN
    DELETE FROM $events WHERE number <= (SELECT max(number) FROM $events) - p_length;
    PERFORM pg_notify(p_channel, '');
  END IF;
END $body$;
`;
