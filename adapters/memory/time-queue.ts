import { OrderedIndex } from './ordered-index.js';
import { compare } from './page-of.js';
import type { StoredSession } from './stored-session.js';

export interface QueuedSession {
  readonly at: number;
  readonly session: StoredSession;
}

interface WaitingTenant {
  readonly name: string;
  readonly place: number;
}

const tenantOrder = (a: WaitingTenant, b: WaitingTenant): number =>
  a.place - b.place || compare(a.name, b.name);

/** The distance between two tenants that were served in the same millisecond. */
const STEP = 1 / 1024;

const nameOf = ({ removal = '', head }: StoredSession): string => `${removal}:${head.id}`;

/** Sessions by a time, for example when they are due. */
export class TimeQueue {
  readonly #timeOf: (session: StoredSession) => number;
  readonly #byTenant = new Map<string, OrderedIndex<StoredSession>>();
  /**
   * The places of tenants that have given way to others. A place is relative to the waiting
   * tenants, so that no clock decides whose turn it is.
   */
  readonly #turns = new Map<string, number>();
  /** By the earliest time of their sessions, or by their turn if that is later. */
  readonly #tenants = new OrderedIndex(tenantOrder);

  /** `Infinity` is never. The time must not change while the queue contains the session. */
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
    if (sessions.size > 0) return;
    this.#byTenant.delete(session.tenant);
    this.#turns.delete(session.tenant);
  }

  giveWay(tenant: string, now: number): void {
    const sessions = this.#byTenant.get(tenant);
    const count = this.#waitingTenants(now);
    const [last] = this.#tenants.slice(count - 1, count);
    if (sessions === undefined || last === undefined || last.name === tenant) return;
    this.#update(tenant, sessions, () => this.#turns.set(tenant, last.place + STEP));
  }

  /** The first time is exclusive. */
  between(tenant: string, after: number, until: number): readonly StoredSession[] {
    const sessions = this.#byTenant.get(tenant);
    return sessions?.slice(this.#countIn(sessions, after), this.#countIn(sessions, until)) ?? [];
  }

  /**
   * The sessions whose time has come, tenant by tenant in turn, and of each tenant the longest
   * waiting first. The tenants share the limit.
   */
  waiting(
    now: number,
    limit: number,
    tenant?: string,
  ): { readonly items: readonly QueuedSession[]; readonly hasMore: boolean } {
    const names = tenant === undefined ? this.tenantsAt(now, limit) : [tenant];
    const tenants = names.flatMap((name) => this.#byTenant.get(name) ?? []);
    const share = Math.max(1, Math.floor(limit / tenants.length));
    const found = tenants.map((sessions) =>
      sessions.slice(0, Math.min(share, this.#countIn(sessions, now))),
    );
    const items = found.flat().map((session) => ({ at: this.#timeOf(session), session }));
    return { items, hasMore: found.some(({ length }) => length >= share) };
  }

  count(tenant: string, now: number): number {
    const sessions = this.#byTenant.get(tenant);
    return sessions === undefined ? 0 : this.#countIn(sessions, now);
  }

  tenantsAt(now: number, limit = Number.POSITIVE_INFINITY): readonly string[] {
    const count = Math.min(limit, this.#waitingTenants(now));
    return this.#tenants.slice(0, count).map(({ name }) => name);
  }

  #newIndex(): OrderedIndex<StoredSession> {
    const timeOf = this.#timeOf;
    return new OrderedIndex((a, b) => timeOf(a) - timeOf(b) || compare(nameOf(a), nameOf(b)));
  }

  /** Times are integers, in milliseconds; a turn is within the millisecond after another turn. */
  #waitingTenants(now: number): number {
    return this.#tenants.leading(({ place }) => place < now + 1);
  }

  #countIn(sessions: OrderedIndex<StoredSession>, now: number): number {
    return sessions.leading((session) => this.#timeOf(session) <= now);
  }

  #placeOf(name: string, sessions: OrderedIndex<StoredSession>): number {
    const [first] = sessions.slice(0, 1);
    if (first === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(this.#timeOf(first), this.#turns.get(name) ?? 0);
  }

  #update(name: string, sessions: OrderedIndex<StoredSession>, change: () => void): void {
    const before = this.#placeOf(name, sessions);
    change();
    const after = this.#placeOf(name, sessions);
    if (before === after) return;
    if (before < Number.POSITIVE_INFINITY) this.#tenants.remove({ name, place: before });
    if (after < Number.POSITIVE_INFINITY) this.#tenants.insert({ name, place: after });
  }
}
