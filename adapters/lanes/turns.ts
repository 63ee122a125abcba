/** A first-in, first-out queue in which each step is O(1) on average. */
class Queue<T> {
  #items: T[] = [];
  #begin = 0;

  get size(): number {
    return this.#items.length - this.#begin;
  }

  get first(): T | undefined {
    return this.#items[this.#begin];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): void {
    this.#begin += 1;
    if (this.#begin * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#begin);
    this.#begin = 0;
  }
}

interface Member {
  isWaiting: boolean;
}

/** Members that take turns. Each is waiting at most once. */
class Rotation<M extends Member> {
  readonly #members = new Queue<M>();

  get first(): M | undefined {
    return this.#members.first;
  }

  add(member: M): void {
    if (member.isWaiting) return;
    member.isWaiting = true;
    this.#members.push(member);
  }

  removeFirst(): void {
    const { first } = this.#members;
    if (first === undefined) return;
    first.isWaiting = false;
    this.#members.shift();
  }
}

export interface Turn {
  readonly tenant: string;
  /**
   * Items of a tenant with the same key keep their order, and wait while one of them is under way.
   * Items without a key keep their order, and never wait for each other.
   */
  readonly key?: string | undefined;
}

interface Line<T> extends Member {
  readonly items: Queue<T>;
  isHeld: boolean;
}

interface Tenant<T> extends Member {
  readonly lines: Map<string | undefined, Line<T>>;
  readonly free: Rotation<Line<T>>;
}

/** Tenants take turns, and so do the keys of a tenant. Each step takes constant time. */
export class Turns<T extends Turn> {
  readonly #tenants = new Map<string, Tenant<T>>();
  readonly #rotation = new Rotation<Tenant<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T): void {
    const tenant = this.#tenantOf(item.tenant);
    const line = tenant.lines.get(item.key) ?? {
      items: new Queue<T>(),
      isHeld: false,
      isWaiting: false,
    };
    tenant.lines.set(item.key, line);
    line.items.push(item);
    this.#size += 1;
    if (!line.isHeld) this.#free(tenant, line);
  }

  take(fits: (item: T) => boolean): T | undefined {
    for (let tenant = this.#rotation.first; tenant; tenant = this.#rotation.first) {
      const line = tenant.free.first;
      const item = line?.items.first;
      if (line === undefined) this.#rotation.removeFirst();
      else if (line.isHeld || item === undefined) tenant.free.removeFirst();
      else if (!fits(item)) return undefined;
      else return this.#taken(tenant, line, item);
    }
    return undefined;
  }

  #taken(tenant: Tenant<T>, line: Line<T>, item: T): T {
    line.items.shift();
    this.#size -= 1;
    this.#rotation.removeFirst();
    tenant.free.removeFirst();
    if (line.items.size > 0) tenant.free.add(line);
    if (tenant.free.first !== undefined) this.#rotation.add(tenant);
    return item;
  }

  /** Items with the same keys wait until `release`. */
  hold(items: readonly T[]): void {
    for (const { tenant, key } of items) {
      const line = this.#tenants.get(tenant)?.lines.get(key);
      if (line !== undefined) line.isHeld = key !== undefined;
    }
  }

  release(items: readonly T[]): void {
    for (const { tenant: name, key } of items) {
      const tenant = this.#tenants.get(name);
      const line = tenant?.lines.get(key);
      if (tenant === undefined || line === undefined) continue;
      line.isHeld = false;
      if (line.items.size > 0) this.#free(tenant, line);
      else tenant.lines.delete(key);
      if (tenant.lines.size === 0) this.#tenants.delete(name);
    }
  }

  #free(tenant: Tenant<T>, line: Line<T>): void {
    tenant.free.add(line);
    this.#rotation.add(tenant);
  }

  #tenantOf(name: string): Tenant<T> {
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const tenant = { lines: new Map(), free: new Rotation<Line<T>>(), isWaiting: false };
    this.#tenants.set(name, tenant);
    return tenant;
  }
}
