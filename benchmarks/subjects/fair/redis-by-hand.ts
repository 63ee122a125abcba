import { Redis } from 'ioredis';
import { fromNoon } from '../../clock.js';
import { loadScript } from '../scripts.js';
import { expect } from '../suite.js';
import appendLua from './append.lua';
import createLua from './create.lua';
import { digestOf, eventOf, type FairWrites, MAX_ENTRIES } from './fair-writes.js';

/** How long a call may take, as the engine's by default. */
const BOUND_MS = 5000;
const prefixOf = (tenant: string, kind: string): string => `fair:${kind}:${tenant}`;

export const fairOnRedis = async (url: string): Promise<FairWrites> => {
  const client = new Redis(url, { commandTimeout: BOUND_MS });
  const [appendScript, createScript] = await Promise.all([
    loadScript(client, appendLua),
    loadScript(client, createLua),
  ]);
  const process = `${Math.random()}`.slice(2);
  let requests = 0;
  const noteOf = (tenant: string): string => {
    requests += 1;
    return `${prefixOf(tenant, 'note')}:${process}:${requests}`;
  };
  const till = (): string => String(Date.now() + BOUND_MS);
  return {
    create: async (tenant, { history, ...session }) => {
      const { id, options } = session;
      const now = fromNoon.now();
      const keys = [
        `${prefixOf(tenant, 'counters')}:${id}`,
        `${prefixOf(tenant, 'record')}:${id}`,
        noteOf(tenant),
        ...['created', 'live', 'events'].map((kind) => prefixOf(tenant, kind)),
      ];
      const record = JSON.stringify({ ...session, created_at: new Date(now).toISOString() });
      const deadline = String(now + options.time_limit * 1000);
      const event = eventOf.created({ tenant, id }, now);
      const args = [till(), String(now), id, record, deadline, event];
      const answer = await createScript(keys, args);
      expect(answer === 'created', `created, not ${String(answer)}`);
    },
    append: async (append) => {
      const { tenant, id, entry, name } = append;
      const now = fromNoon.now();
      const line = `${JSON.stringify({ ...entry, timestamp: new Date(now).toISOString() })},\n`;
      const keys = [
        `${prefixOf(tenant, 'counters')}:${id}`,
        `${prefixOf(tenant, 'journal')}:${id}`,
        noteOf(tenant),
        prefixOf(tenant, 'events'),
      ];
      const args = [
        till(),
        String(now),
        line,
        '1',
        String(MAX_ENTRIES),
        eventOf.appended(append, now),
      ];
      if (name !== '') {
        keys.push(`${prefixOf(tenant, 'operations')}:${id}`);
        args.push(name, digestOf(entry));
      }
      const [outcome = ''] = String(await appendScript(keys, args)).split(' ');
      return outcome;
    },
    start: (tenant, id) =>
      client.hset(`${prefixOf(tenant, 'counters')}:${id}`, {
        status: 'ACTIVE',
        deadline: Number.MAX_SAFE_INTEGER,
      }),
    close: () => client.disconnect(),
  };
};
