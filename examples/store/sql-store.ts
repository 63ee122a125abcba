// A whole store on SQLite to begin your own with: it passes the contract of stores without events.
// It is short and not fast: it counts totals and entries where a good store keeps them, and takes
// `reportEnds` as an argument where a good store keeps it in the database.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: to be read and copied as a whole.

import type {
  AppendOutcome,
  CorruptRecord,
  DueKey,
  EntriesOutcome,
  HistoryEntry,
  Inserted,
  ReadSize,
  Redacted,
  Replaced,
  Result,
  SessionRecord,
  SessionStore,
  StateRecord,
  StoreError,
  TakenRecord,
  TooLarge,
} from 'colloquy';
import {
  acceptsHistoryAt,
  dueAtOf,
  endsAt,
  err,
  hasRunOut,
  isLeasedWith,
  ok,
  SEARCH_LIMIT,
  usedAt,
  wakeAtOf,
  wokenState,
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
  CREATE TABLE operations (session INTEGER, id TEXT, digest TEXT, position INTEGER, PRIMARY KEY (session, id))`;

type Row = Readonly<Record<string, unknown>>;
type Value = string | number;

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
   * Another one after each rewind and redaction, and for each session, but not after an append at
   * the end.
   */
  const versionOf = ({ number, version }: Row): string => `${number}.${version}`;

  return {
    insert: (tenant, head, state, opening) =>
      atomic((): Result<Inserted, never> => {
        if (find({ tenant, id: head.id }) !== undefined) return ok('taken');
        const { entries = [], source, cap } = opening ?? {};
        const read = source && find({ tenant, id: source.id });
        if (source !== undefined && (read === undefined || versionOf(read) !== source.version))
          return ok('source_changed');
        if (cap !== undefined && liveIn(tenant, cap.now) >= cap.sessions) return ok('too_many');
        const isStarted = opening !== undefined && state.status === 'ACTIVE';
        const sequence = 1 + (isStarted ? 1 : 0) + (entries.length > 0 ? 1 : 0);
        const [inserted] = rows(
          `INSERT INTO sessions
              (tenant, id, created_at, labels, head, state, revision, status, deadline, due_at, wake_at, sequence, position)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
          ...[
            escapeText(tenant),
            escapeText(head.id),
            head.createdAt,
            labelsOf(state),
            JSON.stringify(head),
            JSON.stringify(state),
          ],
          ...[
            state.revision,
            state.status,
            endsAt(state),
            dueAtOf(state),
            wakeAtOf(state),
            sequence,
            entries.length,
          ],
        );
        addEntries(Number(inserted?.['number']), entries, 0);
        return ok('inserted');
      }),

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

    list: (tenant, range) =>
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

    replace: (key, previous, next, { event, cap, unusedSince = Number.POSITIVE_INFINITY } = {}) =>
      atomic((): Result<Replaced, CorruptRecord> => {
        const session = find(key);
        if (session === undefined) return ok('missing');
        return stateOf(session).map((state) => {
          if (state.revision !== previous.revision) return 'stale';
          if (state.lastActivityAt > unusedSince) return 'stale';
          if (cap !== undefined && liveIn(key.tenant, cap.now) >= cap.sessions) return 'too_many';
          const sequence = Number(session['sequence']) + (event === undefined ? 0 : 1);
          const stored = {
            ...next,
            lastActivityAt: Math.max(state.lastActivityAt, next.lastActivityAt),
          };
          rows(
            `UPDATE sessions SET state = ?, labels = ?, revision = ?, status = ?, deadline = ?, due_at = ?, wake_at = ?,
              sequence = ? WHERE number = ? RETURNING number`,
            ...[
              JSON.stringify(stored),
              labelsOf(stored),
              next.revision,
              next.status,
              endsAt(stored),
              dueAtOf(stored),
            ],
            ...[wakeAtOf(stored), sequence, Number(session['number'])],
          );
          return 'replaced';
        });
      }),

    append: (key, { entries, now, operation, fencingToken, ifPosition, after, maxEntries, wake }) =>
      atomic((): Result<AppendOutcome, CorruptRecord> => {
        const session = find(key);
        if (session === undefined) return ok({ outcome: 'missing' });
        return stateOf(session).map((state): AppendOutcome => {
          const number = Number(session['number']);
          const known =
            operation &&
            row('SELECT * FROM operations WHERE session = ? AND id = ?', number, operation.id);
          if (known !== undefined && known['digest'] !== operation?.digest)
            return { outcome: 'mismatch' };
          if (known !== undefined)
            return { outcome: 'appended', position: Number(known['position']), repeated: true };
          if (!acceptsHistoryAt(state, now)) return { outcome: 'closed', state };
          if (fencingToken !== undefined && !isLeasedWith(state, fencingToken, now))
            return { outcome: 'lease_lost' };
          const end = Number(session['position']);
          const moved = { outcome: 'moved', position: end } as const;
          if (ifPosition !== undefined && ifPosition !== end) return moved;
          if (after !== undefined && after > end) return { outcome: 'invalid_position' };
          if (after !== undefined && !isCurrent(session, after)) return moved;
          const count = countOf(session, after ?? end) + entries.length;
          if (maxEntries !== undefined && count > maxEntries) return { outcome: 'full' };
          if (after !== undefined)
            rows(
              'DELETE FROM entries WHERE session = ? AND position > ? RETURNING position',
              number,
              after,
            );
          const start = after === undefined ? end : end + 1;
          const position = start + entries.length;
          addEntries(number, entries, start);
          if (operation !== undefined) {
            const { id, digest } = operation;
            rows(
              'INSERT INTO operations VALUES (?, ?, ?, ?) RETURNING id',
              number,
              id,
              digest,
              position,
            );
          }
          const used = usedAt(state, now);
          const woken = wake === undefined ? used : wokenState(used, wake.revision, now);
          const isWoken = woken !== used;
          rows(
            `UPDATE sessions SET sequence = sequence + ?, position = ?, state = ?, revision = ?, deadline = ?, wake_at = ?,
              version = version + ? WHERE number = ? RETURNING number`,
            ...[isWoken ? 2 : 1, position, JSON.stringify(woken), woken.revision, endsAt(woken)],
            ...[
              isWoken ? wakeAtOf(woken) : Number(session['wake_at']),
              after === undefined ? 0 : 1,
              number,
            ],
          );
          return { outcome: 'appended', position };
        });
      }),

    redact: (key, positions) =>
      atomic((): Result<Redacted, never> => {
        const session = find(key);
        if (session === undefined) return ok('missing');
        if (positions.some((position) => position > Number(session['position'])))
          return ok('invalid_position');
        let isChanged = false;
        for (const position of positions) {
          const found = row(
            'SELECT entry FROM entries WHERE session = ? AND position = ?',
            Number(session['number']),
            position,
          );
          if (found === undefined) continue;
          const { role, content, timestamp, id, data } = entryIn(found);
          if (content === '' && id === undefined && data === undefined) continue;
          const entry = JSON.stringify({ role, content: '', timestamp });
          const sql =
            'UPDATE entries SET entry = ? WHERE session = ? AND position = ? RETURNING position';
          isChanged = rows(sql, entry, Number(session['number']), position).length > 0 || isChanged;
        }
        const count =
          'UPDATE sessions SET sequence = sequence + 1, version = version + 1 WHERE number = ? RETURNING number';
        if (isChanged) rows(count, Number(session['number']));
        return ok('redacted');
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

    remove: (key, { revision, unusedSince = Number.POSITIVE_INFINITY, remains } = {}) =>
      atomic(() => {
        const session = find(key);
        if (session === undefined) return ok('missing');
        if (revision !== undefined && revision !== session['revision']) return ok('stale');
        const used = stateOf(session).map(({ lastActivityAt }) => lastActivityAt);
        if (used.unwrapOr(0) > unusedSince) return ok('stale');
        const number = Number(session['number']);
        rows('DELETE FROM entries WHERE session = ? RETURNING session', number);
        rows('DELETE FROM operations WHERE session = ? RETURNING session', number);
        if (remains === undefined) {
          rows('DELETE FROM sessions WHERE number = ? RETURNING number', number);
          return ok('removed');
        }
        const { removal, state } = remains;
        rows(
          `UPDATE sessions SET tenant = ?, id = ?, head = '', state = ?, revision = ?, due_at = ?, wake_at = 9e999
            WHERE number = ? RETURNING number`,
          ...[
            ...storedKey({ ...key, removal }),
            JSON.stringify(state),
            state.revision,
            dueAtOf(state),
            number,
          ],
        );
        return ok('removed');
      }),

    reportsEnds: () => ok(reportEnds),

    due: (now, limit) =>
      atomic(() => {
        const { sessions, hasMore } = dueAt(now, limit);
        return ok({ sessions, failed: [], hasMore });
      }),

    claim: ({ tenant, now, until, limit, inCompany = false }) =>
      atomic(() => {
        const claimed = claimedTogether(waitingAt(now, limit, tenant), now, inCompany);
        const move = 'UPDATE sessions SET wake_at = ? WHERE number = ? RETURNING number';
        for (const { number } of claimed) rows(move, until, Number(number));
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

    reschedule: (key, { from, to, isDamaged = false }) =>
      atomic(() => {
        const session = find(key);
        if (session?.['due_at'] !== from) return ok('stale');
        const isBound =
          key.removal === undefined && session['status'] !== 'TERMINATED' && !isDamaged;
        const dueAt = isBound ? Math.min(to, Number(session['deadline'])) : to;
        rows(
          'UPDATE sessions SET due_at = ? WHERE number = ? RETURNING number',
          dueAt,
          Number(session['number']),
        );
        return ok(dueAt === from ? 'stale' : 'moved');
      }),
  };
};
