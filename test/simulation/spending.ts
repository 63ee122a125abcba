import { unwrap } from '../../src/index.js';
import {
  type SimulatedHost,
  type SimulationOptions,
  simulate,
} from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { eventsOf, wait } from './steps.js';

const ids = ['s1', 's2', 's3'] as const;
const BUDGET = 200;

/** What the callers know of one session. */
interface Account {
  /** Acknowledged sum. */
  told: number;
  /** Sum of the spends whose answers were lost. */
  doubtful: number;
}

type Spend = (host: SimulatedHost, id: string, tokens: number, name: string) => Promise<Sent>;
type Sent = 'ok' | 'refused' | 'unknown';

interface Failed {
  readonly type: string;
  readonly outcome?: string;
}

const sentOf = (result: { isOk(): boolean; error?: Failed }): Sent => {
  if (result.isOk()) return 'ok';
  const isUnknown = result.error?.outcome === 'unknown' || result.error?.type === 'callback_failed';
  return isUnknown ? 'unknown' : 'refused';
};

const spend: Spend = async ({ sessions }, id, tokens, operationId) =>
  sentOf(await sessions.spend(id, { tokens }, { operationId }));

const append: Spend = async ({ sessions }, id, tokens, operationId) =>
  sentOf(
    await sessions.append(id, [{ role: 'user', content: operationId }], {
      ...{ usage: { tokens }, operationId },
    }),
  );

/** Spends during the run of a turn, and with its result. */
const answer: Spend = async (host, id, tokens, name) => {
  const half = Math.floor(tokens / 2);
  const spent: Sent[] = [];
  const reply = await host.sessions.reply(id, name, async (turn) => {
    const inside = await turn.sessions.spend(id, { tokens: half }, { operationId: `${name}-in` });
    spent.push(sentOf(inside));
    return { entries: 'Yes.', usage: { tokens: tokens - half } };
  });
  if (reply.isOk() && spent.length === 1 && spent[0] === 'ok') return 'ok';
  return 'unknown';
};

const kinds: readonly Spend[] = [spend, spend, append, answer];

/**
 * Spends until the session has ended. A spend with an operation id is repeated until it is
 * answered or refused.
 */
const work =
  (accounts: () => ReadonlyMap<string, Account>) =>
  async (host: SimulatedHost): Promise<void> => {
    const { random } = host;
    for (let turn = 0; turn < 20; turn += 1) {
      const id = ids[Math.floor(ids.length * random())] ?? 's1';
      const kind = kinds[Math.floor(kinds.length * random())] ?? spend;
      const account = accounts().get(id);
      if (account === undefined) return;
      const tokens = Math.floor(30 * random());
      const name = `${host.host}-${random()}`;
      account.doubtful += tokens;
      let sent = await kind(host, id, tokens, name);
      const isDoubtful = sent === 'unknown';
      for (let tries = 0; sent === 'unknown' && kind !== answer && tries < 5; tries += 1) {
        await wait(host, 0.5);
        sent = await kind(host, id, tokens, name);
      }
      // A refused repetition stores nothing, but the call before may have been applied.
      if (sent === 'ok' || !isDoubtful) account.doubtful -= tokens;
      if (sent === 'ok') account.told += tokens;
      await wait(host, random());
    }
  };

const check = async (
  sessions: SimulatedHost['sessions'],
  store: SessionStore,
  accounts: ReadonlyMap<string, Account>,
): Promise<void> => {
  const events = await eventsOf(store);
  for (const [id, { told, doubtful }] of accounts) {
    const { usage, endReason, status } = unwrap(await sessions.get(id));
    const sum = usage?.['tokens'] ?? 0;
    if (sum < told || sum > told + doubtful)
      throw new Error(`${id} has spent ${sum} of ${told}, and ${doubtful} in doubt`);
    const isOver = sum >= BUDGET;
    if (isOver !== (endReason === 'budget')) throw new Error(`${id} is ${status} with ${sum}`);
    const own = events.filter(({ sessionId }) => sessionId === id);
    const ends = own.filter(({ type }) => type === 'session.terminated');
    if (ends.length > 1) throw new Error(`${id} has ended ${ends.length} times`);
    const last = own.findLast(
      ({ type }) => type === 'session.spent' || type === 'session.appended',
    );
    const [end] = ends;
    if (end !== undefined && last !== undefined && last.sequence > end.sequence)
      throw new Error(`${id} was written after its end`);
  }
};

/**
 * Hosts spend in three sessions until their budgets are reached: separately, with entries and in
 * turns.
 */
export const simulateSpending = (
  makeStore: (seed: number) => SessionStore | Promise<SessionStore>,
  seeds: number | readonly number[],
  options: Partial<SimulationOptions> = {},
) => {
  let accounts: ReadonlyMap<string, Account> = new Map();
  let store: SessionStore;
  return simulate({
    seeds,
    hosts: 3,
    duration: 30,
    calm: 100,
    store: async (seed) => {
      store = await makeStore(seed);
      return store;
    },
    setup: async ({ sessions }) => {
      accounts = new Map(ids.map((id) => [id, { told: 0, doubtful: 0 }]));
      for (const _ of ids)
        unwrap(
          await sessions.create({
            ...{ face: 'ada', profile: 'tutor', start: true, budget: { tokens: BUDGET } },
          }),
        );
    },
    host: work(() => accounts),
    check: ({ sessions }) => check(sessions, store, accounts),
    onProgress: () => {},
    ...options,
  });
};
