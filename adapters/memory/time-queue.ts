import { OrderedIndex } from './ordered-index.js';
import { compare } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/** A session and its time in a queue. */
export interface QueuedSession {
  readonly at: number;
  readonly session: StoredSession;
}

/** A tenant and the earliest time of its sessions. */
interface WaitingTenant {
  readonly name: string;
  readonly first: number;
}

const tenantOrder = (a: WaitingTenant, b: WaitingTenant): number =>
  a.first - b.first || compare(a.name, b.name);

const nameOf = ({ removal = '', head }: StoredSession): string => `${removal}:${head.id}`;

/**
 * The sessions of all tenants that have a time: when they are due, or when they wait for a worker.
 */
export class TimeQueue {
  readonly #timeOf: (session: StoredSession) => number;
  readonly #byTenant = new Map<string, OrderedIndex<StoredSession>>();
  /** The tenants by the earliest time of their sessions. */
  readonly #tenants = new OrderedIndex(tenantOrder);

  /** The time of a session must not change while the queue contains it; `Infinity` for never. */
  constructor(timeOf: (session: StoredSession) => number) {
    this.#timeOf = timeOf;
  }

  add(session: StoredSession): void {
    if (this.#timeOf(session) === Number.POSITIVE_INFINITY) return;
    const sessions = this.#byTenant.get(session.tenant) ?? this.#newIndex();
    this.#byTenant.set(session.tenant, sessions);
    this.#update(session.tenant, sessions, () => sessions.insert(session));
  }

  remove(session: StoredSession): void {
    const sessions = this.#byTenant.get(session.tenant);
    if (sessions === undefined) return;
    this.#update(session.tenant, sessions, () => sessions.remove(session));
    if (sessions.size === 0) this.#byTenant.delete(session.tenant);
  }

  /** The sessions of a tenant whose time is between the two times, the first one exclusive. */
  between(tenant: string, after: number, until: number): readonly StoredSession[] {
    const sessions = this.#byTenant.get(tenant);
    return sessions?.slice(this.#countIn(sessions, after), this.#countIn(sessions, until)) ?? [];
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
    const tenants = this.#tenantsAt(now, limit, tenant);
    const share = Math.max(1, Math.floor(limit / tenants.length));
    const found = tenants.map((sessions) =>
      sessions.slice(0, Math.min(share, this.#countIn(sessions, now))),
    );
    const items = found
      .flat()
      .map((session) => ({ at: this.#timeOf(session), session }))
      .sort((a, b) => a.at - b.at)
      .slice(0, limit);
    return { items, hasMore: found.some(({ length }) => length >= share) };
  }

  /**
   * The number of sessions whose time has come at `now`, of one tenant or of all; `limit` if there
   * are more.
   */
  count(now: number, limit: number, tenant?: string): number {
    const counts = this.#tenantsAt(now, limit, tenant).map((each) => this.#countIn(each, now));
    return Math.min(
      limit,
      counts.reduce((sum, count) => sum + count, 0),
    );
  }

  #newIndex(): OrderedIndex<StoredSession> {
    const timeOf = this.#timeOf;
    return new OrderedIndex((a, b) => timeOf(a) - timeOf(b) || compare(nameOf(a), nameOf(b)));
  }

  /** The given tenant, or those with a session whose time has come, at most `limit`. */
  #tenantsAt(
    now: number,
    limit: number,
    tenant: string | undefined,
  ): readonly OrderedIndex<StoredSession>[] {
    const count = Math.min(
      limit,
      this.#tenants.leading(({ first }) => first <= now),
    );
    const first = this.#tenants.slice(0, count).map(({ name }) => name);
    const names = tenant === undefined ? first : [tenant];
    return names.flatMap((name) => this.#byTenant.get(name) ?? []);
  }

  /** Number of sessions whose time has come. */
  #countIn(sessions: OrderedIndex<StoredSession>, now: number): number {
    return sessions.leading((session) => this.#timeOf(session) <= now);
  }

  #firstIn(sessions: OrderedIndex<StoredSession>): number {
    const [first] = sessions.slice(0, 1);
    return first === undefined ? Number.POSITIVE_INFINITY : this.#timeOf(first);
  }

  /** Changes the sessions of a tenant, and moves it among the tenants. */
  #update(name: string, sessions: OrderedIndex<StoredSession>, change: () => void): void {
    const before = this.#firstIn(sessions);
    change();
    const after = this.#firstIn(sessions);
    if (before === after) return;
    if (before < Number.POSITIVE_INFINITY) this.#tenants.remove({ name, first: before });
    if (after < Number.POSITIVE_INFINITY) this.#tenants.insert({ name, first: after });
  }
}
