import { ok, type Result } from 'neverthrow';
import type { EndedRecord } from '../../src/session/ended-session.js';
import type { DueEnd, DueEnds, EndKey, EndQueue, UnreportedEnd } from '../../src/store/end-queue.js';
import { DueTenants } from './due-tenants.js';
import { OrderedIndex } from './ordered-index.js';
import { compare } from './page-of.js';
import { keyOf, type StoredSession } from './stored-session.js';

/** An end, and the data for its report. */
interface Waiting extends EndKey {
  readonly dueAt: number;
  readonly from: { readonly session: StoredSession } | { readonly remains: EndedRecord };
}

const dueOrder = (a: Waiting, b: Waiting): number => a.dueAt - b.dueAt || compare(a.endId, b.endId);

const recordOf = ({ state }: StoredSession): EndedRecord => ({ state });

const unreported = ({ from, ...end }: Waiting): UnreportedEnd => ({
  ...end,
  ended: ok('session' in from ? recordOf(from.session) : structuredClone(from.remains)),
});

/** The ends of a memory store that must be reported. */
export class MemoryEndQueue implements EndQueue {
  readonly #onSettled: (session: StoredSession) => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #byTenant = new Map<string, OrderedIndex<Waiting>>();
  readonly #tenants = new DueTenants();
  #count = 0;

  /** `onSettled` is called for each session whose end is settled, unless it was removed. */
  constructor(onSettled: (session: StoredSession) => void) {
    this.#onSettled = onSettled;
  }

  /** Adds the end of a session. */
  add(session: StoredSession, dueAt: number): void {
    this.#count += 1;
    session.endId = String(this.#count);
    this.#put({ ...keyOf(session), endId: session.endId, dueAt, from: { session } });
  }

  /** Keeps the data for the report of a removed session, if its end waits. */
  keep(session: StoredSession, removedAt: number): void {
    const waiting = this.#take(session.endId ?? '');
    if (waiting !== undefined) this.#put({ ...waiting, from: { remains: { ...recordOf(session), removedAt } } });
  }

  due(now: number, limit: number): Result<DueEnds, never> {
    const { items, hasMore } = this.#tenants.due(now, limit, (name, share) => {
      const index = this.#byTenant.get(name);
      return (
        index?.slice(
          0,
          Math.min(
            share,
            index.leading(({ dueAt }) => dueAt <= now),
          ),
        ) ?? []
      );
    });
    return ok({ ends: items.map(unreported), failed: [], hasMore });
  }

  postpone({ endId, dueAt }: DueEnd, to: number): Result<'moved' | 'stale', never> {
    const waiting = this.#waiting.get(endId);
    if (waiting?.dueAt !== dueAt || to === dueAt) return ok('stale');
    this.#take(endId);
    this.#put({ ...waiting, dueAt: to });
    return ok('moved');
  }

  settle({ endId, dueAt }: DueEnd): Result<'settled' | 'stale', never> {
    const waiting = this.#waiting.get(endId);
    if (waiting?.dueAt !== dueAt) return ok('stale');
    this.#take(endId);
    const { from } = waiting;
    if ('session' in from) {
      from.session.endId = undefined;
      this.#onSettled(from.session);
    }
    return ok('settled');
  }

  #put(waiting: Waiting): void {
    this.#waiting.set(waiting.endId, waiting);
    this.#change(waiting.tenant, (index) => index.insert(waiting));
  }

  #take(endId: string): Waiting | undefined {
    const waiting = this.#waiting.get(endId);
    if (waiting === undefined) return undefined;
    this.#waiting.delete(endId);
    this.#change(waiting.tenant, (index) => index.remove(waiting));
    return waiting;
  }

  #change(tenant: string, change: (index: OrderedIndex<Waiting>) => void): void {
    const index = this.#byTenant.get(tenant) ?? new OrderedIndex(dueOrder);
    const firstDue = () => index.slice(0, 1).at(0)?.dueAt ?? Number.POSITIVE_INFINITY;
    const before = firstDue();
    change(index);
    this.#tenants.move(tenant, before, firstDue());
    if (index.size === 0) this.#byTenant.delete(tenant);
    else this.#byTenant.set(tenant, index);
  }
}
