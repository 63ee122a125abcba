import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { SessionService } from '../../src/service/session-service.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { type Bench, interleavingsOf, type Race, type Step } from '../support/interleavings.js';
import { ada, okOf } from '../support/sessions.js';

const said = (content: string) => [{ role: 'user', content }];
const worker = { holder: 'worker-1', seconds: 30 };

const created: Step = (sessions) =>
  sessions.create({
    ...ada,
    id: 'call',
    start: true,
    wake: true,
    entries: [...said('one'), ...said('two')],
  });

const firstOf = async (sessions: SessionService): Promise<number> =>
  (await sessions.history('call')).map(({ entries }) => entries[0]?.position ?? 0).unwrapOr(0);

const endOf = async (sessions: SessionService): Promise<number> =>
  (await sessions.history('call')).map(({ position }) => position).unwrapOr(0);

const removed: Step = (sessions) => sessions.delete('call');

/** Commands of other callers. */
const rivals: Readonly<Record<string, Step>> = {
  'a message': (sessions) => sessions.send('call', { id: 'three', content: 'three' }),
  'an append': (sessions) => sessions.append('call', said('four')),
  'an update': (sessions) =>
    sessions.update('call', { labels: { other: 'yes' }, metadata: { by: 'other' } }),
  'a termination': (sessions) => sessions.terminate('call'),
  'a deletion': removed,
  'a deletion and a creation of the id': async (sessions, bench) => {
    const deleted = await removed(sessions, bench);
    if (deleted.isErr()) return deleted;
    return sessions.create({ ...ada, id: 'call', entries: said('new') });
  },
  'a redaction': async (sessions) => sessions.redact('call', [await firstOf(sessions)]),
  'a rewind': async (sessions) =>
    sessions.rewind('call', { to: await firstOf(sessions), ifPosition: await endOf(sessions) }),
  'a claim': (sessions) => sessions.claim({ ...worker, holder: 'worker-2' }),
  'a creation of the id': (sessions) => sessions.getOrCreate({ ...ada, id: 'call' }),
  'a creation with the key': (sessions) =>
    sessions.create({ ...ada, idempotencyKey: 'key-1', entries: said('one') }),
  'a sweep': (sessions, bench) => sweep(sessions, bench),
};

const sweep: Step = async (sessions, { told }) => {
  const onEnded = (session: (typeof told)[number]) => void told.push(session);
  const swept = await sessions.sweep(100, { onEnded });
  // A store without reports refuses a listener.
  return swept.isErr() ? sessions.sweep(100) : swept;
};

const later =
  (ms: number): Step =>
  async (sessions, bench) => {
    await created(sessions, bench);
    bench.clock.pass(ms);
    return ok();
  };

/** Reads the sessions, the work that waits, and hours later all reported ends. */
const observe = async (bench: Bench) => {
  const { other, clock, told } = bench;
  const { sessions } = await okOf(other.list());
  const all: unknown[] = [];
  for (const { id } of sessions) all.push(await okOf(other.get(id)));
  clock.pass(100_000);
  const { claimed } = await okOf(other.claim({ ...worker, limit: 10 }));
  const waiting = claimed.map(({ session }) => session.id).sort();
  for (let round = 0; round < 4; round += 1) {
    clock.pass(3_600_000);
    expect((await sweep(other, bench)).isOk()).toBe(true);
  }
  const left = (await okOf(other.list())).total;
  return { sessions: all, waiting, told: told.map((end) => JSON.stringify(end)).sort(), left };
};

/** Each command with the sessions before it, and whether a later call handles a rival's change. */
const commands: Readonly<Record<string, Pick<Race, 'given' | 'command' | 'isPartial'>>> = {
  delete: { given: created, command: removed },
  getOrCreate: {
    given: created,
    command: (sessions) => sessions.getOrCreate({ ...ada, id: 'call', entries: said('mine') }),
  },
  'getOrCreate of a new id': {
    given: async () => ok(),
    command: (sessions) => sessions.getOrCreate({ ...ada, id: 'call', entries: said('mine') }),
  },
  'create with an idempotencyKey': {
    given: created,
    command: (sessions) =>
      sessions.create({ ...ada, idempotencyKey: 'key-1', entries: said('one') }),
  },
  'a fork': {
    given: created,
    command: (sessions) => sessions.create({ ...ada, id: 'fork', from: { id: 'call' } }),
  },
  'a fork with an idempotencyKey': {
    given: created,
    command: (sessions) =>
      sessions.create({ ...ada, idempotencyKey: 'key-1', from: { id: 'call' } }),
  },
  rewind: {
    given: created,
    command: (sessions) =>
      sessions.rewind('call', { to: 0, ifPosition: 2, entries: said('again'), wake: true }),
  },
  redact: { given: created, command: (sessions) => sessions.redact('call', [2]) },
  claim: { given: created, command: (sessions) => sessions.claim({ ...worker, historyLimit: 9 }) },
  'a sweep that ends and reports': { given: later(600_000), command: sweep, isPartial: true },
  'a sweep that deletes': {
    given: async (sessions, bench) => {
      await later(600_000 + 3_600_000)(sessions, bench);
      return sweep(sessions, bench);
    },
    command: sweep,
    isPartial: true,
  },
};

const pairs = Object.entries(commands).flatMap(([name, given]) =>
  Object.entries(rivals).map(
    ([rivalName, rival]) => [name, rivalName, { ...given, rival }] as const,
  ),
);

describe.each([
  ['reported', true],
  ['not reported', false],
])('concurrent calls, with ends %s,', (_, reportEnds) => {
  test.each(pairs)(
    '%s takes effect before or after %s that runs between its store calls',
    async (_name, _rival, pair) => {
      const makers = reportEnds ? [true, false] : moreIfLong([false], [true, false]);
      for (const isOwn of makers) {
        const race = { ...pair, reportEnds, isOwn, observe };
        for (const { before, outcome, orders } of await interleavingsOf(race))
          expect(orders, `before call ${before}`).toContainEqual(outcome);
      }
    },
  );
});
