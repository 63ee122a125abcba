import { OrderedIndex } from './ordered-index.js';
import { compare } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/**
 * A session and its time in a queue. A separate object, because an index may keep references to
 * items that it no longer contains.
 */
export interface QueuedSession {
  readonly at: number;
  readonly session: StoredSession;
}

const nameOf = ({ session }: QueuedSession): string =>
  `${session.removal ?? ''}:${session.head.id}`;

const queueOrder = (a: QueuedSession, b: QueuedSession): number =>
  a.at - b.at || compare(nameOf(a), nameOf(b));

/** A tenant and the earliest time of its sessions. */
interface WaitingTenant {
  readonly name: string;
  readonly first: number;
}

const tenantOrder = (a: WaitingTenant, b: WaitingTenant): number =>
  a.first - b.first || compare(a.name, b.name);

const isQueuedBy =
  (now: number) =>
  ({ at }: QueuedSession): boolean =>
    at <= now;

const firstIn = (sessions: OrderedIndex<QueuedSession> | undefined): number =>
  sessions?.slice(0, 1)[0]?.at ?? Number.POSITIVE_INFINITY;

/** The sessions of all tenants that have a time: when they are due, or when they want a worker. */
export class TimeQueue {
  readonly #byTenant = new Map<string, OrderedIndex<QueuedSession>>();
  /** The tenants by the earliest time of their sessions. */
  readonly #tenants = new OrderedIndex(tenantOrder);

  /** Adds a session at a time; `Infinity` for never. */
  add(at: number, session: StoredSession): void {
    if (at === Number.POSITIVE_INFINITY) return;
    const { tenant } = session;
    const sessions = this.#byTenant.get(tenant) ?? new OrderedIndex(queueOrder);
    this.#byTenant.set(tenant, sessions);
    this.#update(tenant, sessions, () => sessions.insert({ at, session }));
  }

  /** Removes a session that was added at this time. */
  remove(at: number, session: StoredSession): void {
    const { tenant } = session;
    const sessions = this.#byTenant.get(tenant);
    if (at === Number.POSITIVE_INFINITY || sessions === undefined) return;
    this.#update(tenant, sessions, () => sessions.remove({ at, session }));
    if (sessions.size === 0) this.#byTenant.delete(tenant);
  }

  /** The sessions of a tenant whose time is between the two times, the first one exclusive. */
  between(tenant: string, after: number, until: number): readonly StoredSession[] {
    const sessions = this.#byTenant.get(tenant);
    if (sessions === undefined) return [];
    const [from, to] = [sessions.leading(isQueuedBy(after)), sessions.leading(isQueuedBy(until))];
    return sessions.slice(from, to).map(({ session }) => session);
  }

  /**
   * The sessions whose time has come at `now`, the longest waiting first, of one tenant or of all.
   * The limit is shared between the tenants.
   */
  waiting(
    now: number,
    limit: number,
    tenant?: string,
  ): { readonly items: readonly QueuedSession[]; readonly hasMore: boolean } {
    const tenants = tenant === undefined ? this.#tenantsAt(now, limit) : [tenant];
    const share = Math.max(1, Math.floor(limit / tenants.length));
    const found = tenants.map((name) => this.#waitingOf(name, now, share));
    const items = found
      .flat()
      .sort((a, b) => a.at - b.at)
      .slice(0, limit);
    return { items, hasMore: found.some(({ length }) => length >= share) };
  }

  /**
   * The number of sessions whose time has come at `now`, of one tenant or of all; `limit` if there
   * are more.
   */
  count(now: number, limit: number, tenant?: string): number {
    const tenants = tenant === undefined ? this.#tenantsAt(now, limit) : [tenant];
    const counts = tenants.map((name) => this.#byTenant.get(name)?.leading(isQueuedBy(now)) ?? 0);
    return Math.min(
      limit,
      counts.reduce((sum, count) => sum + count, 0),
    );
  }

  /** The tenants with a session whose time has come, at most `limit`. */
  #tenantsAt(now: number, limit: number): readonly string[] {
    const count = this.#tenants.leading(({ first }) => first <= now);
    return this.#tenants.slice(0, Math.min(count, limit)).map(({ name }) => name);
  }

  #waitingOf(tenant: string, now: number, limit: number): readonly QueuedSession[] {
    const sessions = this.#byTenant.get(tenant);
    if (sessions === undefined) return [];
    return sessions.slice(0, Math.min(limit, sessions.leading(isQueuedBy(now))));
  }

  /** Changes the sessions of a tenant, and moves it among the tenants. */
  #update(name: string, sessions: OrderedIndex<QueuedSession>, change: () => void): void {
    const before = firstIn(sessions);
    change();
    const after = firstIn(sessions);
    if (before === after) return;
    if (before < Number.POSITIVE_INFINITY) this.#tenants.remove({ name, first: before });
    if (after < Number.POSITIVE_INFINITY) this.#tenants.insert({ name, first: after });
  }
}
