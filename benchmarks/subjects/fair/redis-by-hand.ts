import { createHash } from 'node:crypto';
import { Redis } from 'ioredis';
import { fromNoon } from '../../clock.js';
import { loadScript } from '../scripts.js';
import type { Entry, WireSession } from '../stores/compared-store.js';
import { expect } from '../suite.js';
import appendLua from './append.lua';
import createLua from './create.lua';

/** How long a call may take, as the engine's by default. */
const BOUND_MS = 5000;
const MAX_ENTRIES = '100000';

/** The writes that keep the engine's promises, one script a call. */
export interface FairWrites {
  create(tenant: string, session: WireSession): Promise<void>;
  append(tenant: string, id: string, entry: Omit<Entry, 'timestamp'>, name: string): Promise<void>;
  /** Begins a session that was created. */
  start(tenant: string, id: string): Promise<unknown>;
  close(): void;
}

const prefixOf = (tenant: string, kind: string): string => `fair:${kind}:${tenant}`;

const digestOf = (entry: object): string =>
  createHash('sha256').update(JSON.stringify(entry)).digest('base64url');

/** Answers of a script other than this one end the run. */
const isAnswer = (answer: unknown, expected: string): void =>
  expect(String(answer).startsWith(expected), `${expected}, not ${String(answer)}`);

export const fairWrites = async (url: string): Promise<FairWrites> => {
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
      const event = JSON.stringify({
        type: 'created',
        session: { tenant, id },
        at: now,
        sequence: 1,
      });
      const args = [till(), String(now), id, record, deadline, event];
      isAnswer(await createScript(keys, args), 'created');
    },
    append: async (tenant, id, entry, name) => {
      const now = fromNoon.now();
      const line = `${JSON.stringify({ ...entry, timestamp: new Date(now).toISOString() })},\n`;
      const session = JSON.stringify({ tenant, id });
      const event = `{"type":"appended","session":${session},"at":${now},"position":`;
      const keys = [
        `${prefixOf(tenant, 'counters')}:${id}`,
        `${prefixOf(tenant, 'journal')}:${id}`,
        noteOf(tenant),
        prefixOf(tenant, 'events'),
      ];
      const args = [till(), String(now), line, '1', MAX_ENTRIES, event];
      if (name !== '') {
        keys.push(`${prefixOf(tenant, 'operations')}:${id}`);
        args.push(name, digestOf(entry));
      }
      isAnswer(await appendScript(keys, args), 'appended');
    },
    start: (tenant, id) =>
      client.hset(`${prefixOf(tenant, 'counters')}:${id}`, {
        status: 'ACTIVE',
        deadline: Number.MAX_SAFE_INTEGER,
      }),
    close: () => client.disconnect(),
  };
};
