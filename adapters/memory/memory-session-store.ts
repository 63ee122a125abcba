import { ok, type Result } from 'neverthrow';
import type { SessionHead, SessionRecord, StateRecord } from '../../src/session/record.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import type {
  AppendOutcome,
  DueSession,
  HistoryAppend,
  RecordPage,
  SessionKey,
  SessionStore,
} from '../../src/store.js';
import { HistoryLog } from './history-log.js';
import { OrderedIndex } from './ordered-index.js';
import { ownedHead, ownedState } from './owned.js';

/** What is kept of one session. */
interface Kept {
  readonly tenant: string;
  readonly log: HistoryLog;
  /** As it was handed out last. */
  record: SessionRecord;
  /** Whether the history has grown since. */
  grown: boolean;
}

interface Tenant {
  readonly sessions: Map<string, Kept>;
  readonly byCreation: OrderedIndex<Kept>;
}

const compare = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Timestamps of one form and length sort as text. */
const newestFirst = ({ record: { head: a } }: Kept, { record: { head: b } }: Kept): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

const deadlineOrder = (a: Kept, b: Kept): number =>
  a.record.state.deadline - b.record.state.deadline ||
  compare(a.tenant, b.tenant) ||
  compare(a.record.head.id, b.record.head.id);

const recordOf = (kept: Kept): SessionRecord => {
  if (kept.grown) {
    const { head, state } = kept.record;
    kept.record = Object.freeze({ head, state, history: kept.log.snapshot() });
    kept.grown = false;
  }
  return kept.record;
};

/**
 * Keeps sessions in this process: for tests, for hosts with one process, and for sessions that may go when it ends.
 * Every operation is done when its method returns; a call that races another does not exist here.
 */
export class MemorySessionStore implements SessionStore {
  readonly #tenants = new Map<string, Tenant>();
  /** The sessions that have a deadline. A session stands here by it: take it out before its state changes. */
  readonly #deadlines = new OrderedIndex<Kept>(deadlineOrder);

  insert(tenant: string, head: SessionHead, state: StateRecord): Result<'inserted' | 'taken', never> {
    const { sessions, byCreation } = this.#tenantOf(tenant);
    if (sessions.has(head.id)) return ok('taken');
    const log = new HistoryLog();
    const record = Object.freeze({ head: ownedHead(head), state: ownedState(state), history: log.snapshot() });
    const kept = { tenant, log, record, grown: false };
    sessions.set(head.id, kept);
    byCreation.insert(kept);
    this.#schedule(kept);
    return ok('inserted');
  }

  find(key: SessionKey): Result<SessionRecord | undefined, never> {
    const kept = this.#keptOf(key);
    return ok(kept && recordOf(kept));
  }

  findState(key: SessionKey): Result<StateRecord | undefined, never> {
    return ok(this.#keptOf(key)?.record.state);
  }

  list(tenant: string, page: { readonly offset: number; readonly limit: number }): Result<RecordPage, never> {
    const byCreation = this.#tenants.get(tenant)?.byCreation;
    if (byCreation === undefined) return ok({ records: [], total: 0, unreadable: [] });
    const { offset, limit } = page;
    const records = byCreation.slice(offset, offset + limit).map(recordOf);
    return ok({ records, total: byCreation.size, unreadable: [] });
  }

  replace(key: SessionKey, next: StateRecord): Result<'replaced' | 'stale' | 'missing', never> {
    const kept = this.#keptOf(key);
    if (kept === undefined) return ok('missing');
    const { head, state, history } = kept.record;
    if (state.revision !== next.revision - 1) return ok('stale');
    this.#unschedule(kept);
    kept.record = Object.freeze({ head, state: ownedState(next), history });
    this.#schedule(kept);
    return ok('replaced');
  }

  append(key: SessionKey, { entries, now, operationId }: HistoryAppend): Result<AppendOutcome, never> {
    const kept = this.#keptOf(key);
    if (kept === undefined) return ok({ outcome: 'missing' });
    const known = operationId === undefined ? undefined : kept.log.positionAfter(operationId);
    if (known !== undefined) return ok({ outcome: 'appended', position: known });
    const { state } = kept.record;
    if (now >= acceptsHistoryUntil(state)) return ok({ outcome: 'closed', state });
    kept.grown = true;
    return ok({ outcome: 'appended', position: kept.log.append(entries, operationId) });
  }

  remove(key: SessionKey, revision?: number): Result<'removed' | 'stale' | 'missing', never> {
    const tenant = this.#tenants.get(key.tenant);
    const kept = tenant?.sessions.get(key.id);
    if (tenant === undefined || kept === undefined) return ok('missing');
    if (revision !== undefined && revision !== kept.record.state.revision) return ok('stale');
    this.#unschedule(kept);
    tenant.byCreation.remove(kept);
    tenant.sessions.delete(key.id);
    if (tenant.sessions.size === 0) this.#tenants.delete(key.tenant);
    return ok('removed');
  }

  due(now: number, limit: number): Result<readonly DueSession[], never> {
    const first = this.#deadlines.slice(0, limit).filter(({ record }) => record.state.deadline <= now);
    return ok(first.map(({ tenant, record: { head, state } }) => ({ tenant, id: head.id, deadline: state.deadline })));
  }

  #tenantOf(name: string): Tenant {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const tenant = { sessions: new Map<string, Kept>(), byCreation: new OrderedIndex(newestFirst) };
    this.#tenants.set(name, tenant);
    return tenant;
  }

  #keptOf({ tenant, id }: SessionKey): Kept | undefined {
    return this.#tenants.get(tenant)?.sessions.get(id);
  }

  #schedule(kept: Kept): void {
    if (kept.record.state.deadline !== Number.POSITIVE_INFINITY) this.#deadlines.insert(kept);
  }

  #unschedule(kept: Kept): void {
    if (kept.record.state.deadline !== Number.POSITIVE_INFINITY) this.#deadlines.remove(kept);
  }
}
