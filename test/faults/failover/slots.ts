import { Redis } from 'ioredis';
import type { RedisServer } from '../../support/redis-server.js';

interface Master {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly id: string;
}

const SLOTS = 16_384;

/** So few keys at first that calls meet slots of which a part has moved. */
const FIRST_KEYS = 10;
const MORE_KEYS = 300;

/**
 * Moves slots from master to master, some keys at a time, as `redis-cli --cluster reshard` does.
 */
export class Slots {
  movedKeys = 0;
  readonly #masters: readonly Master[];
  readonly #owners: number[];

  /** The masters must share the slots evenly at first. */
  static async of(servers: readonly RedisServer[]): Promise<Slots> {
    const masters = servers.map(async (server) => {
      const client = new Redis({ host: server.host, port: server.port });
      client.on('error', () => {});
      return { server, client, id: String(await client.call('CLUSTER', 'MYID')) };
    });
    return new Slots(await Promise.all(masters));
  }

  private constructor(masters: readonly Master[]) {
    this.#masters = masters;
    this.#owners = masters.flatMap((_, at) => {
      const [from, end] = [at, at + 1].map((part) => Math.floor((part * SLOTS) / masters.length));
      return Array<number>((end ?? 0) - (from ?? 0)).fill(at);
    });
  }

  /** The slot of what is in braces in a key. */
  async slotOf(tag: string): Promise<number> {
    return Number(await this.#masters[0]?.client.call('CLUSTER', 'KEYSLOT', `{${tag}}`));
  }

  /** The master that has most of these slots. */
  busiest(slots: readonly number[]): RedisServer {
    const counts = this.#masters.map(({ server }, at) => ({
      server,
      count: slots.filter((slot) => this.#owners[slot] === at).length,
    }));
    const [first] = counts.sort((a, b) => b.count - a.count);
    if (first === undefined) throw new Error('there are no masters');
    return first.server;
  }

  isOn(slot: number, server: RedisServer): boolean {
    return this.#masters[this.#owners[slot] ?? -1]?.server === server;
  }

  /**
   * Moves slots of one master to the next one, all of them concurrently, and gives how many: at
   * most `some` of `busy`, and about three times as many others.
   */
  async moveSome(some: number, busy: readonly number[], random: () => number): Promise<number> {
    const owner = Math.floor(random() * this.#masters.length);
    const next = (owner + 1) % this.#masters.length;
    const [from, to] = [this.#masters[owner], this.#masters[next]];
    if (from === undefined || to === undefined) throw new Error('there are no masters');
    const owned = (slot: number): boolean => this.#owners[slot] === owner;
    const any = Array.from({ length: some * 9 }, () => Math.floor(random() * SLOTS));
    const slots = [
      ...new Set([...shuffled(busy.filter(owned), random).slice(0, some), ...any.filter(owned)]),
    ];
    await Promise.all(
      slots.map((slot) => to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)),
    );
    await Promise.all(
      slots.map((slot) => from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)),
    );
    await Promise.all(slots.map((slot) => this.#moveKeys(slot, from, to)));
    // First where they go: were the old owner to let go of a slot before, nobody would have it for
    // a moment.
    for (const { client } of [
      to,
      from,
      ...this.#masters.filter((master) => master !== to && master !== from),
    ])
      await Promise.all(
        slots.map((slot) => client.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id)),
      );
    for (const slot of slots) this.#owners[slot] = next;
    return slots.length;
  }

  async #moveKeys(slot: number, from: Master, to: Master): Promise<void> {
    for (let count = FIRST_KEYS; ; count = MORE_KEYS) {
      const keys: unknown = await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, count);
      if (!Array.isArray(keys) || keys.length === 0) return;
      const { host, port } = to.server;
      await from.client.call('MIGRATE', host, port, '', 0, 5000, 'KEYS', ...keys.map(String));
      this.movedKeys += keys.length;
    }
  }

  close(): void {
    for (const { client } of this.#masters) client.disconnect();
  }
}

const shuffled = (slots: readonly number[], random: () => number): readonly number[] =>
  slots
    .map((slot) => ({ slot, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ slot }) => slot);
