import { err, ok, Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { sessionStatuses } from '../../src/session/session-status.js';
import { endsAt } from '../../src/session/time-limits.js';
import type { SessionKey } from '../../src/store/session-store.js';
import type { Sender } from './clients.js';
import type { Connection, Route } from './connection.js';
import type { OpenCall } from './deployment.js';
import { closed, failureOf, withOutcome } from './failure.js';
import { entriesOf, listsOf } from './index-entries.js';
import { type Keyspace, keyOf, type SessionKeys } from './keyspace.js';
import { findSession, findState } from './read-sessions.js';
import { revisionText } from './record.js';
import { asList, asListOf, asText, type ReplyForm } from './reply-form.js';
import { type Mutation, writeScripts } from './write-scripts.js';
import type { Writer } from './writer.js';

const INDEXES = new Set([
  ...['index', 'label', 'work', 'deadlines'],
  ...sessionStatuses.map((status) => status.toLowerCase()),
]);

const PARTS = ['record', 'journal', 'operations', 'inbox'] as const;
type SessionPart = (typeof PARTS)[number];

const isPart = (kind: string): kind is SessionPart => PARTS.some((part) => part === kind);

const belongsTo = (index: string, keys: SessionKeys, state: StateRecord): boolean => {
  const { lists, due, work } = entriesOf(keys, state);
  if (index === keys.deadlines) return due !== 'never';
  return index === keys.work ? work !== 'never' : lists.includes(index);
};

/** Makes the index entries of a session match its record, also in a `list` that it may be in. */
const repairOf = (
  keys: SessionKeys,
  state: StateRecord | undefined,
  list: string | undefined,
  hasRemains: boolean,
): Mutation => {
  const { lists: gained, due, work } = entriesOf(keys, state);
  // Claims remove a session after its expiry from the queue, whatever its record says.
  const isOver = state !== undefined && work !== 'never' && endsAt(state) <= Date.now();
  const others = keys.isLeft ? [] : listsOf(keys);
  const all = new Set(list === undefined ? others : [list, ...others]);
  const lost = [...all].filter((each) => !gained.includes(each));
  // An activity postpones the expiry without a new due time, which a sweep moves later.
  const mayBeEarly =
    state?.status === 'ACTIVE' &&
    state.terms.inactivityTimeoutMs < Number.POSITIVE_INFINITY &&
    state.report === undefined;
  const { record: name, journal, operations, inbox, deadlines, tenants, waiting } = keys;
  return {
    script: writeScripts.repair,
    keys: [
      ...[name, journal, operations, inbox, deadlines, tenants, keys.work, waiting],
      ...[...gained, ...lost],
    ],
    args: [
      ...[keys.idKey, keys.tenantKey, state === undefined ? '' : revisionText(state.revision)],
      ...[due, isOver ? '-' : work, mayBeEarly ? '1' : '', hasRemains ? '1' : ''],
      ...[String(gained.length), String(lost.length)],
    ],
  };
};

/** Options of `repair`. */
export interface RepairOptions {
  /** Change the stored settings to the options of this process. Default: false. */
  readonly reconfigure?: boolean | undefined;
}

/** The result of a repair. */
export interface RepairReport {
  /** Number of sessions that were checked. */
  readonly sessions: number;
  /** Number of sessions that were missing in a list, or in the wrong place. */
  readonly listed: number;
  /** Number of due times that were missing or wrong. */
  readonly rescheduled: number;
  /** Number of removed entries and other remains of sessions that no longer exist. */
  readonly removed: number;
  /** Sessions that cannot be read. They stay unchanged: the host decides whether to delete them. */
  readonly unreadable: readonly SessionKey[];
}

const PAGE = '200';

interface Scan {
  readonly command: 'scan' | 'zscan';
  readonly argsAt: (cursor: string) => readonly string[];
  readonly route?: Route;
}

const asPage: ReplyForm<{ readonly next: string; readonly items: readonly string[] }> = (reply) => {
  const [cursor, list] = asList(reply) ?? [];
  const [next, items] = [asText(cursor), asListOf(asText)(list)];
  return next !== undefined && items !== undefined ? { next, items } : undefined;
};

const mastersOf = Result.fromThrowable(
  (sender: Sender): readonly Route[] => sender.masters(),
  (cause) => withOutcome(failureOf(cause), 'not_applied'),
);

/**
 * Checks all data of a store, page by page. Crashes of the engine cause no errors that need it. It
 * may run while sessions are used and in several processes, and can be stopped at any time. Damaged
 * data is reported or skipped, and does not affect the rest.
 */
export class Repair {
  readonly #connection: Connection;
  readonly #writer: Writer;
  readonly #keys: Keyspace;
  readonly #kept: string;
  readonly #report = { sessions: 0, listed: 0, rescheduled: 0, removed: 0 };
  readonly #unreadable = new Map<string, SessionKey>();

  constructor(connection: Connection, writer: Writer, { keys, eventsLength }: OpenCall) {
    this.#connection = connection;
    this.#writer = writer;
    this.#keys = keys;
    this.#kept = eventsLength;
  }

  async run(): Promise<Result<RepairReport, StoreUnavailable | Misconfigured>> {
    const { sender } = this.#connection;
    const masters = mastersOf(sender);
    if (masters.isErr()) return err(masters.error);
    // A closed client of a cluster knows no masters.
    if (masters.value.length === 0) return err(closed.error);
    const { keyPrefix } = sender;
    const pattern = this.#keys.pattern(keyPrefix);
    const argsAt = (cursor: string) => [cursor, 'MATCH', pattern, 'COUNT', PAGE];
    for (const route of masters.value) {
      const scanned = await this.#each({ command: 'scan', argsAt, route }, (name) =>
        this.#repairKey(name.slice(keyPrefix.length)),
      );
      if (scanned.isErr()) return err(scanned.error);
    }
    return ok({ ...this.#report, unreadable: [...this.#unreadable.values()] });
  }

  async #each(
    { command, argsAt, route }: Scan,
    repair: (item: string) => Promise<void>,
    step = 1,
  ): Promise<Result<void, StoreUnavailable | Misconfigured>> {
    let cursor = '0';
    do {
      const call = this.#connection.begin();
      const page = await call.readCommand(command, argsAt(cursor), asPage, route);
      // A key of a wrong type contains no entries.
      if (page.isErr() && page.error.code === 'WRONGTYPE') return ok(undefined);
      if (page.isErr()) return err(page.error.error);
      const { next, items } = page.value;
      await Promise.all(items.filter((_, place) => place % step === 0).map(repair));
      cursor = next;
    } while (cursor !== '0');
    return ok(undefined);
  }

  async #repairKey(name: string): Promise<void> {
    const { kind, rest } = this.#keys.parse(name) ?? { kind: '', rest: '' };
    if (isPart(kind)) return this.#repairSession(kind, keyOf(rest));
    if (kind === 'remains') return this.#repairIndexes(this.#keys.of(keyOf(rest)));
    if (!INDEXES.has(kind)) return;
    const [tenantKey] = rest.split(':');
    const argsAt = (cursor: string) => [name, cursor, 'COUNT', PAGE];
    const repair = (idKey: string) =>
      this.#repairIndexes({ ...this.#keys.of(keyOf(`${tenantKey}:${idKey}`)), idKey }, name);
    await this.#each({ command: 'zscan', argsAt }, repair, 2);
  }

  async #repairIndexes(keys: SessionKeys, index?: string): Promise<void> {
    const found = await findState(this.#connection.begin(), keys);
    if (found.isErr()) return;
    const state = found.value;
    if (state === undefined && index === undefined) return;
    if (index !== undefined && state !== undefined && belongsTo(index, keys, state)) return;
    const isQueue = index === keys.deadlines || index === keys.work;
    await this.#make(keys, repairOf(keys, state, isQueue ? undefined : index, false));
  }

  async #make(keys: SessionKeys, mutation: Mutation): Promise<void> {
    const made = await this.#writer.run(this.#connection.begin(), keys, mutation, this.#kept);
    const [outcome, listed, moved, removed] = made.unwrapOr('').split(' ');
    if (outcome !== 'repaired') return;
    const report = this.#report;
    report.listed += Number(listed);
    report.rescheduled += Number(moved);
    report.removed += Number(removed);
  }

  async #repairSession(kind: SessionPart, key: SessionKey): Promise<void> {
    const call = this.#connection.begin();
    const keys = this.#keys.of(key);
    const found = await findSession(call, keys, {});
    if (found.isErr()) {
      if (found.error.type !== 'corrupt_record') return;
      // The scan also reaches the session by its journal.
      if (!this.#unreadable.has(keys.sessionKey)) this.#report.sessions += 1;
      this.#unreadable.set(keys.sessionKey, key);
      return;
    }
    if (found.value === undefined) {
      await this.#make(keys, repairOf(keys, undefined, undefined, true));
      return;
    }
    // The scan repairs a session when it reaches its record.
    if (kind !== 'record') return;
    this.#report.sessions += 1;
    await this.#repairIndexes(keys);
  }
}
