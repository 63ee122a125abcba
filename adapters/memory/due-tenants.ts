import { OrderedIndex } from './ordered-index.js';
import { compare } from './page-of.js';

/** A tenant and the earliest due time of its items. */
interface TenantDue {
  readonly name: string;
  readonly firstDue: number;
}

const tenantOrder = (a: TenantDue, b: TenantDue): number => a.firstDue - b.firstDue || compare(a.name, b.name);

/** The tenants with due times, sorted by the earliest. */
export class DueTenants {
  readonly #byDue = new OrderedIndex(tenantOrder);

  /** Moves a tenant from one due time to another; `Infinity` for none. */
  move(name: string, from: number, to: number): void {
    if (from === to) return;
    if (from < Number.POSITIVE_INFINITY) this.#byDue.remove({ name, firstDue: from });
    if (to < Number.POSITIVE_INFINITY) this.#byDue.insert({ name, firstDue: to });
  }

  /** The items that are due at `now`, the longest overdue first. `limit` is shared between the tenants. */
  due<T extends { readonly dueAt: number }>(
    now: number,
    limit: number,
    dueOf: (name: string, share: number) => readonly T[],
  ): { readonly items: readonly T[]; readonly hasMore: boolean } {
    const count = this.#byDue.leading(({ firstDue }) => firstDue <= now);
    const waiting = this.#byDue.slice(0, Math.min(count, limit));
    const share = Math.max(1, Math.floor(limit / waiting.length));
    const due = waiting.map(({ name }) => dueOf(name, share));
    const items = due
      .flat()
      .sort((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit);
    return { items, hasMore: count > limit || due.some(({ length }) => length >= share) };
  }
}
