import { serviceOf } from '../../clock.js';
import { SessionService, type SessionStore } from '../../colloquy.js';
import { utterances } from '../../seed.js';
import { pageText } from '../pages.js';
import { expect, must, resultOf } from '../suite.js';
import {
  createdMsOf,
  type Entry,
  idOf,
  type OpenStore,
  TEMPLATES,
  type WireSession,
} from './compared-store.js';

export const ENTRIES = 10;

const SETTINGS = {
  face: 'ada',
  profile: 'tutor',
  behavior: 'Be kind and patient with the learner, and give one hint at a time.',
  context: 'They are learning fractions.',
} as const;

const historyOf = (seed: number, entries: number): Entry[] => {
  const next = utterances(seed);
  const timestamp = new Date(createdMsOf(0)).toISOString();
  return Array.from({ length: entries }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: next(),
    timestamp,
  }));
};

/** Writes ACTIVE sessions with the numbers from `from` to below `to` through the service. */
export const writeSessions = async (
  store: SessionStore,
  tenant: string,
  {
    from = 0,
    to,
    entries = ENTRIES,
  }: { readonly from?: number; readonly to: number; readonly entries?: number },
): Promise<void> => {
  let number = from;
  const sessions = new SessionService({
    store,
    clock: { now: () => createdMsOf(number), after: () => () => undefined },
    ids: { next: () => idOf(number) },
  }).forTenant(tenant);
  for (; number < to; number += 1) {
    const { id } = await must(sessions.create(SETTINGS));
    await must(sessions.start(id));
    const history = historyOf(number % TEMPLATES, entries);
    for (let at = 0; at < entries; at += 1000)
      await must(sessions.append(id, history.slice(at, at + 1000)));
  }
};

/** The sessions of a tenant as the wire has them, oldest first. */
export const wireSessionsOf = async (sessions: SessionService): Promise<readonly WireSession[]> => {
  const all: WireSession[] = [];
  for await (const session of sessions.each({ order: 'oldest' })) {
    const [one]: readonly WireSession[] = JSON.parse(pageText([resultOf(session)]));
    if (one !== undefined) all.push(one);
  }
  return all;
};

/**
 * Fills a tenant with sessions of ten entries, in the store and by hand: some through the service,
 * the others copied.
 */
export const fill = async (database: OpenStore, tenant: string, count: number): Promise<void> => {
  const store = database.open(false);
  await writeSessions(store, tenant, { to: Math.min(count, TEMPLATES) });
  const sessions = serviceOf(store).forTenant(tenant);
  await database.byHand.add(tenant, await wireSessionsOf(sessions));
  if (count > TEMPLATES) await database.copy({ tenant, count });
  const { total } = await must(sessions.list({ limit: 1, historyLimit: 0 }));
  expect(total === count, `a total of ${count}`);
};
