import { MemorySessionStore } from '../../colloquy.js';
import type { ByHand, ComparedStore, Start, WireSession } from './compared-store.js';
import { createdMsOf, idOf, TEMPLATES } from './compared-store.js';
import { writeSessions } from './fill.js';

const PAGE = 10;

/** Sessions in arrays, oldest first. */
const arrays = (): ByHand & { copy(tenant: string, count: number): void } => {
  const tenants = new Map<string, WireSession[]>();
  const histories = new Map<string, unknown[]>();
  const of = (tenant: string): WireSession[] => {
    const known = tenants.get(tenant) ?? [];
    tenants.set(tenant, known);
    return known;
  };
  const copyOf = (
    { options, history, ...session }: WireSession,
    isLight: boolean,
  ): WireSession => ({
    ...session,
    options: { ...options },
    history: isLight ? [] : history.map((entry) => ({ ...entry })),
  });
  /** The times of creation are unique. */
  const endOf = (all: readonly WireSession[], start: Start): number => {
    if ('skip' in start) return all.length - start.skip;
    const createdAt = new Date(start.createdMs).toISOString();
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle]?.created_at ?? '') < createdAt) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: async (tenant, sessions) => void of(tenant).push(...sessions),
    page: async (tenant, start, isLight) => {
      const all = of(tenant);
      const end = endOf(all, start);
      const page = all.slice(Math.max(0, end - PAGE), end).reverse();
      return page.map((session) => copyOf(session, isLight));
    },
    get: async (tenant, id) => {
      const found = of(tenant).find((session) => session.id === id);
      if (found === undefined) throw new Error(`${id} is not there`);
      return copyOf(found, false);
    },
    create: async (tenant, session) =>
      of(tenant).push({ ...session, options: { ...session.options } }),
    append: async (_, id, _position, entry) => {
      const history = histories.get(id);
      if (history === undefined) histories.set(id, [{ ...entry }]);
      else history.push({ ...entry });
    },
    copy: (tenant, count) => {
      const all = of(tenant);
      for (let number = all.length; number < count; number += 1) {
        const template = all[number % TEMPLATES];
        const created_at = new Date(createdMsOf(number)).toISOString();
        if (template !== undefined)
          all.push({ ...copyOf(template, false), id: idOf(number), created_at });
      }
    },
  };
};

/** A process can only look at its own memory, so an HTTP server has to fill it again. */
export const memory: ComparedStore = {
  name: 'memory',
  open: async () => {
    const stores = { off: new MemorySessionStore(), on: new MemorySessionStore({ events: true }) };
    const byHand = arrays();
    return {
      address: undefined,
      durability: 'nothing survives the process',
      open: (events) => (events ? stores.on : stores.off),
      byHand,
      copy: async ({ tenant, count }) => {
        await writeSessions(stores.off, tenant, { from: TEMPLATES, to: count });
        byHand.copy(tenant, count);
      },
      close: async () => undefined,
    };
  },
};
