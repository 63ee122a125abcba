// A complete store on SQLite to begin your own with: it passes the contract of stores without
// events. It is short and not fast: it counts totals and entries where a good store keeps them, and
// takes `reportEnds` as an argument where a good store keeps it in the database.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: to be read and copied as a whole.

import type {
  Begun,
  Changed,
  CorruptRecord,
  DueKey,
  EntriesOutcome,
  Facts,
  HistoryEntry,
  MessageEntry,
  Move,
  PositionedEntry,
  ReadSize,
  Redaction,
  Removed,
  Result,
  SessionRecord,
  SessionStore,
  StateChange,
  StateRecord,
  StoredMessage,
  StoreError,
  TakenRecord,
  TooLarge,
  UseChange,
} from 'colloquy';
import {
  dueAtOf,
  endsAt,
  err,
  hasRunOut,
  isMove,
  isRedaction,
  judgeBegin,
  judgeChange,
  judgeMove,
  judgeRedaction,
  judgeRemoval,
  ok,
  SEARCH_LIMIT,
  stateAfter,
  wakeAtOf,
} from 'colloquy';
import type Database from 'libsql';

/** The tables, to be created once. */
export const tables = `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT, id TEXT, created_at TEXT, labels TEXT, head TEXT,
    state TEXT, revision INTEGER, status TEXT, deadline REAL, due_at REAL, wake_at REAL, sequence INTEGER,
    position INTEGER, version INTEGER DEFAULT 0,
    UNIQUE (tenant, id)
  );
  CREATE INDEX by_creation ON sessions (tenant, created_at, id);
  CREATE INDEX by_due ON sessions (due_at);
  CREATE INDEX by_wake ON sessions (tenant, wake_at);
  CREATE TABLE turn (tenant TEXT);
  INSERT INTO turn VALUES ('');
  CREATE TABLE entries (session INTEGER, position INTEGER, entry TEXT, PRIMARY KEY (session, position));
  CREATE TABLE operations (session INTEGER, id TEXT, digest TEXT, position INTEGER, PRIMARY KEY (session, id));
  CREATE TABLE messages (
    number INTEGER PRIMARY KEY, session INTEGER, id TEXT, digest TEXT, entry TEXT, position INTEGER,
    UNIQUE (session, id)
  )`;

type Row = Readonly<Record<string, unknown>>;
type Value = string | number | null;

/**
 * Any text of JavaScript as ASCII that keeps the order of plain ids. A database may refuse NUL and
 * lone surrogates.
 */
export const escapeText = (text: string): string =>
  text.replace(/[^\w.~-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const unescapeText = (text: string): string =>
  text.replace(/%(....)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/**
 * The tenant and id of a row. No session has a colon in them, so only `due` finds what is left of a
 * removed one.
 */
const storedKey = ({ tenant, id, removal }: DueKey): [string, string] =>
  removal === undefined
    ? [escapeText(tenant), escapeText(id)]
    : [`${escapeText(tenant)}:`, `${escapeText(id)}:${removal}`];
const keyIn = (row: Row): DueKey => {
  const [tenant = ''] = String(row['tenant']).split(':');
  const [id = '', removal] = String(row['id']).split(':');
  return {
    tenant: unescapeText(tenant),
    id: unescapeText(id),
    ...(removal !== undefined && { removal }),
  };
};

/** JSON has no Infinity: null stands for it in these properties. */
const infinite = new Set([
  'deadline',
  'limitMs',
  'idleTimeoutMs',
  'inactivityTimeoutMs',
  'retentionMs',
]);
const readState = (text: unknown): StateRecord =>
  JSON.parse(String(text), (name, value: unknown) =>
    infinite.has(name) && value === null ? Number.POSITIVE_INFINITY : value,
  );

const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

const labelOf = (name: string, value: string): string =>
  `|${escapeText(name)}=${escapeText(value)}|`;
const labelsOf = ({ labels = {} }: StateRecord): string =>
  Object.entries(labels)
    .map(([name, value]) => labelOf(name, value))
    .join('');

/** The columns that follow from a state. */
const stateColumns = 'state, labels, revision, status, deadline, due_at, wake_at';
const stateValues = (state: StateRecord): Value[] => [
  ...[JSON.stringify(state), labelsOf(state), state.revision, state.status],
  ...[endsAt(state), dueAtOf(state), wakeAtOf(state)],
];

/** What `read` returns, or `corrupt_record` where a stored text cannot be read. */
const readable = <T>(id: string, read: () => T): Result<T, CorruptRecord> => {
  try {
    return ok(read());
  } catch {
    return err({ type: 'corrupt_record', message: `session ${id} cannot be read`, id });
  }
};

/** The store on a database that has the tables. */
export const sqlStore = (database: Database.Database, reportEnds: boolean): SessionStore => {
  const rows = (sql: string, ...values: Value[]): Row[] =>
    database.prepare(sql).all(...values) as Row[];
  const row = (sql: string, ...values: Value[]): Row | undefined => rows(sql, ...values)[0];
  const find = (key: DueKey) =>
    row('SELECT * FROM sessions WHERE tenant = ? AND id = ?', ...storedKey(key));

  /** One transaction. A failed one is undone, so its outcome is certain; a failed COMMIT is not. */
  const atomic = <T, E>(work: () => Result<T, E>): Result<T, E | StoreError> => {
    let outcome: 'not_applied' | 'unknown' = 'not_applied';
    try {
      database.exec('BEGIN IMMEDIATE');
      const result = work();
      outcome = 'unknown';
      database.exec(result.isOk() ? 'COMMIT' : 'ROLLBACK');
      return result;
    } catch (cause) {
      if (database.inTransaction) database.exec('ROLLBACK');
      return err({
        type: 'store_unavailable',
        message: 'the database refused the call',
        outcome,
        cause,
      });
    }
  };

  const countOf = ({ number }: Row, upTo: number): number => {
    const sql = 'SELECT count(*) AS entries FROM entries WHERE session = ? AND position <= ?';
    return Number(row(sql, Number(number), upTo)?.['entries']);
  };

  /** The latest entries up to a position. A limit of -1 is none. */
  const latestOf = ({ number }: Row, upTo: number, limit: number): Row[] => {
    const sql =
      'SELECT * FROM entries WHERE session = ? AND position <= ? ORDER BY position DESC LIMIT ?';
    return rows(sql, Number(number), upTo, limit).reverse();
  };

  const nextOf = ({ number }: Row, after: number, limit: number): Row[] =>
    rows(
      'SELECT * FROM entries WHERE session = ? AND position > ? ORDER BY position LIMIT ?',
      Number(number),
      after,
      limit,
    );

  const entryIn = ({ entry }: Row): HistoryEntry => JSON.parse(String(entry));

  const bytesOf = (session: Row, { historyLimit = -1 }: ReadSize): number => {
    const sql = `SELECT sum(bytes) AS bytes FROM (
        SELECT length(CAST(entry AS BLOB)) + 1 AS bytes FROM entries WHERE session = ? ORDER BY position DESC LIMIT ?)`;
    const history = Number(row(sql, Number(session['number']), historyLimit)?.['bytes']);
    return bytesIn(String(session['head'])) + bytesIn(String(session['state'])) + history;
  };

  const tooLarge = (sessions: readonly Row[], size: ReadSize): TooLarge | undefined => {
    const bytes = sessions.reduce((sum, session) => sum + bytesOf(session, size), 0);
    if (size.maxBytes === undefined || bytes <= size.maxBytes) return undefined;
    return {
      type: 'too_large',
      message: `the sessions have ${bytes} bytes`,
      bytes,
      sessions: sessions.length,
    };
  };

  const recordOf = (
    session: Row,
    { historyLimit = -1 }: ReadSize,
  ): Result<SessionRecord, CorruptRecord> =>
    readable(keyIn(session).id, () => {
      const end = Number(session['position']);
      return {
        head: JSON.parse(String(session['head'])),
        state: readState(session['state']),
        history: latestOf(session, end, historyLimit).map(entryIn),
        historyCount: countOf(session, end),
        sequence: Number(session['sequence']),
        historyVersion: versionOf(session),
        historyPosition: end,
      };
    });

  const stateOf = (session: Row): Result<StateRecord, CorruptRecord> =>
    readable(keyIn(session).id, () => readState(session['state']));

  const liveIn = (tenant: string, now: number): number => {
    const sql = `SELECT count(*) AS live FROM sessions
      WHERE tenant = ? AND status IN ('ACTIVE', 'PAUSED') AND deadline > ?`;
    return Number(row(sql, escapeText(tenant), now)?.['live']);
  };

  const addEntries = (session: number, entries: readonly HistoryEntry[], start: number): void => {
    for (const [at, entry] of entries.entries()) {
      rows(
        'INSERT INTO entries VALUES (?, ?, ?) RETURNING position',
        session,
        start + at + 1,
        JSON.stringify(entry),
      );
    }
  };

  /**
   * Whether a position is the beginning, the end, that of an entry, or of the rewind in front of
   * one.
   */
  const isCurrent = ({ number, position: end }: Row, position: number): boolean => {
    const sql = 'SELECT position FROM entries WHERE session = ? AND position IN (?, ?)';
    return (
      position === 0 ||
      position === Number(end) ||
      row(sql, Number(number), position, position + 1) !== undefined
    );
  };

  /**
   * The first session of each tenant, then the second of each, so that a tenant with many does not
   * delay the others.
   */
  const dueAt = (now: number, limit: number) => {
    const sql = `SELECT * FROM (
        SELECT *, row_number() OVER (PARTITION BY tenant ORDER BY due_at) AS place FROM sessions
        WHERE due_at <= ?
      ) ORDER BY place, due_at LIMIT ?`;
    const found = rows(sql, now, limit + 1);
    const page = found.slice(0, limit);
    const sessions = page.map((each) => ({ ...keyIn(each), dueAt: Number(each['due_at']) }));
    sessions.sort((a, b) => a.dueAt - b.dueAt);
    return { sessions, hasMore: found.length > limit };
  };

  /** The same for workers. The tenant after the one that was served last comes first. */
  const waitingAt = (now: number, limit: number, tenant?: string) => {
    const sql = `SELECT * FROM (
        SELECT *, row_number() OVER (PARTITION BY tenant ORDER BY wake_at) AS place FROM sessions
        WHERE wake_at <= ? AND deadline > ? AND ? IN ('', tenant)
      ) ORDER BY place, tenant > (SELECT tenant FROM turn) DESC, tenant LIMIT ?`;
    return rows(sql, now, now, tenant === undefined ? '' : escapeText(tenant), limit);
  };

  /** A session whose worker has crashed is claimed alone. */
  const claimedTogether = (waiting: readonly Row[], now: number, inCompany: boolean) => {
    const isAlone = (each: Row) =>
      stateOf(each)
        .map((state) => hasRunOut(state, now))
        .unwrapOr(false);
    const [first] = waiting;
    if (first !== undefined && !inCompany && isAlone(first)) return [first];
    return waiting.filter((each) => !isAlone(each));
  };

  /**
   * Different after each rewind and redaction, and for each session, but not after an append at
   * the end.
   */
  const versionOf = ({ number, version }: Row): string => `${number}.${version}`;

  /** The messages that wait, oldest first, or those with some ids. */
  const messagesOf = (session: number, ids?: readonly string[]): StoredMessage[] => {
    const sql = `SELECT * FROM messages WHERE session = ? AND
      ${ids === undefined ? 'entry IS NOT NULL' : 'id IN (SELECT value FROM json_each(?))'} ORDER BY number`;
    const asked = ids === undefined ? [] : [JSON.stringify(ids)];
    return rows(sql, session, ...asked).map(({ id, digest, entry, position }) => ({
      id: String(id),
      digest: String(digest),
      ...(entry !== null && { entry: JSON.parse(String(entry)) as MessageEntry }),
      ...(position !== null && { position: Number(position) }),
    }));
  };

  const leave = (session: number, id: string, position: number | null): void => {
    const sql = `UPDATE messages SET entry = NULL, position = ? WHERE session = ? AND id = ?
      RETURNING number`;
    rows(sql, position, session, id);
  };

  /** Sends, withdraws and takes messages. Returns those that are taken, after a position. */
  const moveMessages = (
    session: number,
    { effects }: StateChange | UseChange,
    end: number,
  ): PositionedEntry[] | undefined => {
    const { send } = effects;
    if (send !== undefined) {
      const sql = `INSERT INTO messages (session, id, digest, entry) VALUES (?, ?, ?, ?)
        RETURNING number`;
      rows(sql, session, send.entry.id, send.digest, JSON.stringify(send.entry));
    }
    if (effects.put === undefined) return undefined;
    for (const id of effects.withdraw ?? []) leave(session, id, null);
    const { take } = effects;
    if (take === undefined) return undefined;
    const oldest = messagesOf(session).slice(0, take.messages);
    return oldest.flatMap(({ id, entry }, at) => {
      const position = end + at + 1;
      leave(session, id, position);
      return entry === undefined ? [] : [{ ...entry, turn: take.turn, position }];
    });
  };

  const factsOf = (
    session: Row | undefined,
    state: StateRecord | undefined,
    { key, guards: { operation }, effects: { truncate, send } }: StateChange | UseChange,
  ): Facts => {
    const number = Number(session?.['number'] ?? 0);
    const sql = 'SELECT * FROM operations WHERE session = ? AND id = ?';
    const known = operation && row(sql, number, operation.id);
    const [sent] = send === undefined ? [] : messagesOf(number, [send.entry.id]);
    const end = Number(session?.['position'] ?? 0);
    const isThere =
      session !== undefined && (truncate === undefined || isCurrent(session, truncate));
    return {
      state,
      known: known && { digest: String(known['digest']), position: Number(known['position']) },
      sent,
      end,
      kept: isThere ? countOf(session, truncate ?? end) : undefined,
      liveAt: (now) => liveIn(key.tenant, now),
    };
  };

  /** Stores a state, and the times that follow from it. */
  const store = (session: Row, state: StateRecord, { effects }: StateChange | UseChange): void => {
    const { due_at: dueAt, wake_at: wakeAt, deadline } = session;
    const columns = stateValues(state);
    // Others than a whole state leave the times to which a sweep or a claim has moved the session.
    const isMoved = effects.put !== undefined || endsAt(state) !== Number(deadline);
    const isWoken = effects.put !== undefined || effects.send !== undefined;
    const times = [
      isMoved ? dueAtOf(state) : Number(dueAt),
      isWoken ? wakeAtOf(state) : Number(wakeAt),
    ];
    const sql = `UPDATE sessions SET (${stateColumns}) = (?, ?, ?, ?, ?, ?, ?)
      WHERE number = ? RETURNING number`;
    rows(sql, ...columns.slice(0, -2), ...times, Number(session['number']));
  };

  const move = (commit: Move): Result<Changed, CorruptRecord> => {
    const session = find(commit.key);
    const isRead = session !== undefined && commit.guards.revision !== undefined;
    const read = isRead ? stateOf(session) : ok(undefined);
    if (read.isErr()) return err(read.error);
    const dueAt = Number(session?.['due_at'] ?? Number.POSITIVE_INFINITY);
    const moved = judgeMove(read.value, dueAt, commit);
    if (session === undefined || moved.outcome !== 'made') return ok(moved);
    const sql = 'UPDATE sessions SET due_at = ? WHERE number = ? RETURNING number';
    rows(sql, commit.effects.dueAt, Number(session['number']));
    return ok(moved);
  };

  const redact = (commit: Redaction): Result<Changed, never> => {
    const session = find(commit.key);
    const redacted = judgeRedaction(session && Number(session['position']), commit);
    if (session === undefined || redacted.outcome !== 'made') return ok(redacted);
    const number = Number(session['number']);
    let isChanged = false;
    for (const position of commit.effects.redact) {
      const sql = 'SELECT entry FROM entries WHERE session = ? AND position = ?';
      const found = row(sql, number, position);
      if (found === undefined) continue;
      const { id, data, content, ...rest } = entryIn(found);
      if (content === '' && id === undefined && data === undefined) continue;
      rows(
        'UPDATE entries SET entry = ? WHERE session = ? AND position = ? RETURNING position',
        ...[JSON.stringify({ ...rest, content: '' }), number, position],
      );
      isChanged = true;
    }
    const count = `UPDATE sessions SET sequence = sequence + 1, version = version + 1
      WHERE number = ? RETURNING number`;
    if (isChanged) rows(count, number);
    return ok(redacted);
  };

  return {
    begin: (commit) =>
      atomic((): Result<Begun, never> => {
        const { key, guards, effects } = commit;
        const source = guards.source && find({ tenant: key.tenant, id: guards.source.id });
        const isTaken = find(key) !== undefined;
        const sourceVersion = source && versionOf(source);
        const liveAt = (now: number) => liveIn(key.tenant, now);
        const begun = judgeBegin({ isTaken, sourceVersion, liveAt }, commit);
        if (begun.outcome === 'refused') return ok(begun);
        const { head, state, entries, events } = effects;
        const [inserted] = rows(
          `INSERT INTO sessions (tenant, id, created_at, head, sequence, position, ${stateColumns})
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
          ...[...storedKey(key), head.createdAt, JSON.stringify(head)],
          ...[events.length, entries.length, ...stateValues(state)],
        );
        addEntries(Number(inserted?.['number']), entries, 0);
        return ok(begun);
      }),

    change: (commit) => {
      if (isMove(commit)) return atomic(() => move(commit));
      if (isRedaction(commit)) return atomic(() => redact(commit));
      return atomic((): Result<Changed, CorruptRecord> => {
        const session = find(commit.key);
        const read = session === undefined ? ok(undefined) : stateOf(session);
        if (read.isErr()) return err(read.error);
        const changed = judgeChange(factsOf(session, read.value, commit), commit);
        if (session === undefined || read.value === undefined || changed.outcome !== 'made')
          return ok(changed);
        const { entries: given = [], truncate, events } = commit.effects;
        const number = Number(session['number']);
        if (truncate !== undefined) {
          const sql = 'DELETE FROM entries WHERE session = ? AND position > ? RETURNING position';
          rows(sql, number, truncate);
        }
        const start = Number(session['position']) + (truncate === undefined ? 0 : 1);
        const messages = moveMessages(number, commit, start + given.length);
        const taken = messages?.map(({ position: _, ...entry }) => entry) ?? [];
        const entries = [...given, ...taken];
        const position = start + entries.length;
        addEntries(number, entries, start);
        const isWritten = truncate !== undefined || entries.length > 0 || messages !== undefined;
        const told = isWritten ? position : 0;
        const { operation } = commit.guards;
        if (operation !== undefined) {
          const sql = 'INSERT INTO operations VALUES (?, ?, ?, ?) RETURNING id';
          rows(sql, number, operation.id, operation.digest, told);
        }
        store(session, stateAfter(read.value, commit), commit);
        const sql = `UPDATE sessions SET sequence = sequence + ?, position = ?, version = version + ?
          WHERE number = ? RETURNING number`;
        rows(sql, events.length, position, truncate === undefined ? 0 : 1, number);
        return ok({ outcome: 'made', position: told, ...(messages && { messages }) });
      });
    },

    find: (key, size = {}) =>
      atomic((): Result<SessionRecord | undefined, CorruptRecord | TooLarge> => {
        const session = find(key);
        if (session === undefined) return ok(undefined);
        const refusal = tooLarge([session], size);
        return refusal === undefined ? recordOf(session, size) : err(refusal);
      }),

    findState: (key) =>
      atomic(() => {
        const session = find(key);
        return session === undefined ? ok(undefined) : stateOf(session);
      }),

    messages: (key, ids) =>
      atomic((): Result<StoredMessage[], CorruptRecord> => {
        const session = find(key);
        if (session === undefined) return ok([]);
        return readable(key.id, () => messagesOf(Number(session['number']), ids));
      }),

    page: (tenant, range) =>
      atomic(() => {
        const {
          offset,
          limit,
          order = 'newest',
          status,
          createdAfter = '',
          createdBefore = '~',
          cursor,
          now = 0,
        } = range;
        const labels = Object.entries(range.labels ?? {});
        const conditions = ['tenant = ? AND created_at > ? AND created_at < ?'];
        const values: Value[] = [escapeText(tenant), createdAfter, createdBefore];
        const count = (more: readonly string[], ...texts: Value[]): number => {
          const all = [...conditions, ...more].join(' AND ');
          return Number(
            row(`SELECT count(*) AS total FROM sessions WHERE ${all}`, ...values, ...texts)?.[
              'total'
            ],
          );
        };
        const counts = labels.map((label) => count(['instr(labels, ?) > 0'], labelOf(...label)));
        for (const label of labels) {
          conditions.push('instr(labels, ?) > 0');
          values.push(labelOf(...label));
        }
        if (status !== undefined) {
          // A session past its deadline has ended, although its end may not be stored yet.
          const anyOf = status.anyOf.map(() => '?').join(', ');
          conditions.push(
            `CASE WHEN deadline <= ? THEN 'TERMINATED' ELSE status END IN (${anyOf})`,
          );
          values.push(status.now, ...status.anyOf);
        }
        const total = count([]);
        const isSearch =
          order === 'updated' || labels.length > 1 || (labels.length > 0 && status !== undefined);
        const examined = labels.length > 0 ? Math.min(...counts) : total;
        if (isSearch && examined > SEARCH_LIMIT) {
          const message = `the list examines more than ${SEARCH_LIMIT} sessions`;
          return err({ type: 'search_too_large', message, limit: SEARCH_LIMIT });
        }
        const isByUpdate = order === 'updated';
        // The clock has updated a session past its deadline by ending it.
        const updated = `max(json_extract(state, '$.lastActivityAt'),
          CASE WHEN status <> 'TERMINATED' AND deadline <= ${Number(now)} THEN deadline ELSE 0 END)`;
        const time = isByUpdate ? updated : 'created_at';
        if (cursor !== undefined) {
          conditions.push(`(${time}, id) ${order === 'oldest' ? '>' : '<'} (?, ?)`);
          values.push(isByUpdate ? Date.parse(cursor.at) : cursor.at, escapeText(cursor.id));
        }
        const direction = order === 'oldest' ? 'ASC' : 'DESC';
        const sql = `SELECT *, ${time} AS time FROM sessions WHERE ${conditions.join(' AND ')}
          ORDER BY time ${direction}, id ${direction} LIMIT ? OFFSET ?`;
        const found = rows(sql, ...values, limit + 1, offset);
        const page = found.slice(0, limit);
        const refusal = tooLarge(page, range);
        if (refusal !== undefined) return err(refusal);
        const records: SessionRecord[] = [];
        const unreadable: string[] = [];
        for (const session of page) {
          recordOf(session, range).match(
            (record) => records.push(record),
            ({ id }) => unreadable.push(id),
          );
        }
        const last = found.length > limit ? page.at(-1) : undefined;
        const timeOf = ({ time: at }: Row) =>
          isByUpdate ? new Date(Number(at)).toISOString() : String(at);
        const nextCursor = last && { id: unescapeText(String(last['id'])), at: timeOf(last) };
        return ok({ records, total, unreadable, ...(nextCursor && { nextCursor }) });
      }),

    entries: (key, slice) =>
      atomic((): Result<EntriesOutcome, CorruptRecord> => {
        const session = find(key);
        if (session === undefined) return ok({ outcome: 'missing' });
        const state = stateOf(session);
        if (state.isErr()) return err(state.error);
        const end = Number(session['position']);
        const { after, before = end, limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
        const given = after ?? before;
        if (given < 0 || given > end) return ok({ outcome: 'invalid_position' });
        return readable(key.id, () => {
          const found =
            after === undefined ? latestOf(session, before, limit) : nextOf(session, after, limit);
          const entries = found.map((each) => ({
            ...entryIn(each),
            position: Number(each['position']),
          }));
          // Reading back leaves out the oldest entries, reading on the latest.
          while (entries.length > 1 && bytesIn(JSON.stringify(entries)) > maxBytes) {
            if (after === undefined) entries.shift();
            else entries.pop();
          }
          const last = after === undefined ? before : (entries.at(-1)?.position ?? after);
          const [previous] = latestOf(session, (entries[0]?.position ?? 0) - 1, 1);
          const hasMore = nextOf(session, last, 1).length > 0;
          const start = after ?? Number(previous?.['position'] ?? 0);
          const around = { start, position: after === undefined || hasMore ? last : end, hasMore };
          const isSuperseded = !isCurrent(session, given);
          return {
            outcome: 'found',
            entries,
            ...around,
            isSuperseded,
            version: versionOf(session),
          };
        });
      }),

    remove: (commit) =>
      atomic((): Result<Removed, never> => {
        const { key, effects } = commit;
        const session = find(key);
        const read = session && stateOf(session);
        // A session that cannot be read can still be removed.
        const isFree = read?.isErr() === true && commit.guards.revision === undefined;
        const state = read?.unwrapOr(undefined);
        const removed: Removed = isFree ? { outcome: 'made' } : judgeRemoval(state, commit);
        if (session === undefined || removed.outcome === 'refused') return ok(removed);
        const number = Number(session['number']);
        rows('DELETE FROM entries WHERE session = ? RETURNING session', number);
        rows('DELETE FROM operations WHERE session = ? RETURNING session', number);
        rows('DELETE FROM messages WHERE session = ? RETURNING session', number);
        rows('DELETE FROM sessions WHERE number = ? RETURNING number', number);
        const { remains } = effects;
        if (remains === undefined) return ok(removed);
        rows(
          `INSERT INTO sessions (tenant, id, head, sequence, position, ${stateColumns})
            VALUES (?, ?, '', 0, 0, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
          ...[...storedKey({ ...key, removal: remains.removal }), ...stateValues(remains.state)],
        );
        return ok(removed);
      }),

    reportsEnds: () => ok(reportEnds),

    due: (now, limit) =>
      atomic(() => {
        const { sessions, hasMore } = dueAt(now, limit);
        return ok({ sessions, failed: [], hasMore });
      }),

    take: ({ tenant, now, until, limit, inCompany = false }) =>
      atomic(() => {
        const claimed = claimedTogether(waitingAt(now, limit, tenant), now, inCompany);
        const sql = 'UPDATE sessions SET wake_at = ? WHERE number = ? RETURNING number';
        for (const { number } of claimed) rows(sql, until, Number(number));
        const last = claimed.at(-1)?.['tenant'];
        if (tenant === undefined && last !== undefined)
          rows('UPDATE turn SET tenant = ? RETURNING tenant', String(last));
        const sessions: TakenRecord[] = [];
        const failed: CorruptRecord[] = [];
        for (const each of claimed) {
          recordOf(each, { historyLimit: 0 }).match(
            (record) => sessions.push({ ...keyIn(each), dueAt: Number(each['wake_at']), record }),
            (error) => failed.push(error),
          );
        }
        sessions.sort((a, b) => a.dueAt - b.dueAt);
        return ok({ sessions, failed, hasMore: claimed.length > 0 });
      }),

    countWaiting: ({ tenant, now, limit }) =>
      atomic(() => ok(waitingAt(now, limit, tenant).length)),
  };
};
