import { createHash } from 'node:crypto';
import type { Entry, WireSession } from '../stores/compared-store.js';
import { expect } from '../suite.js';

export const MAX_ENTRIES = 100_000;

/** An entry that is appended, and what names the append. Without a name, it is `''`. */
export interface FairAppend {
  readonly tenant: string;
  readonly id: string;
  readonly entry: Omit<Entry, 'timestamp'>;
  readonly name: string;
}

/** The writes that keep the engine's promises, one transaction a call. */
export interface FairWrites {
  create(tenant: string, session: WireSession): Promise<void>;
  /** `appended`, or why it was not. */
  append(append: FairAppend): Promise<string>;
  /** Begins a session that was created. */
  start(tenant: string, id: string): Promise<unknown>;
  close(): unknown;
}

export const digestOf = (entry: object): string =>
  createHash('sha256').update(JSON.stringify(entry)).digest('base64url');

/** The event of a create, and that of an append up to its position. */
export const eventOf = {
  created: (session: Pick<FairAppend, 'tenant' | 'id'>, at: number): string =>
    JSON.stringify({ type: 'created', session, at, sequence: 1 }),
  appended: ({ tenant, id }: FairAppend, at: number): string =>
    `{"type":"appended","session":${JSON.stringify({ tenant, id })},"at":${at},"position":`,
};

/** Fails unless the writes refuse what Colloquy refuses, and store a repeated append once. */
export const proveFair = async (fair: FairWrites): Promise<void> => {
  const [tenant, id, name] = ['proof', 'session', 'first'];
  const options = { face: 'ada', profile: 'tutor', behavior: '', context: '', time_limit: 600 };
  const created_at = new Date(0).toISOString();
  const facts = { id, status: 'IDLE', options, history: [], created_at, duration: 0 };
  const append = (content: string) =>
    fair.append({ tenant, id, entry: { role: 'user', content }, name });
  await fair.create(tenant, facts);
  const outcomes = [await append('one')];
  await fair.start(tenant, id);
  for (const content of ['one', 'one', 'two']) outcomes.push(await append(content));
  const expected = 'closed, appended, repeated, mismatch';
  expect(outcomes.join(', ') === expected, `${expected}, not ${outcomes.join(', ')}`);
};
