import { expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { upTo } from '../../src/testing/samples.js';
import { databasesAndClients, describeDatabases, newDatabase } from '../support/databases.js';
import { describeStores } from '../support/describe-stores.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, countingIds, okOf } from '../support/sessions.js';

const CALLERS = 20;
const SESSIONS = 100;

const waitingIn = async (sessions: SessionService, count: number): Promise<readonly string[]> => {
  const created = upTo(count).map(() => okOf(sessions.create({ ...ada, wake: true })));
  return (await Promise.all(created)).map(({ id }) => id);
};

describeDatabases(
  `${CALLERS} callers and ${SESSIONS} sessions`,
  (kind) => {
    test('claim every session, and no session twice concurrently', async () => {
      const database = await newDatabase(kind);
      const clock = new ManualClock();
      const stores = upTo(2).map(() => database.open());
      const services = stores.map((store) => new SessionService({ store, clock }));
      const [service] = services;
      if (service === undefined) throw new Error('there is no service');
      const ids = await waitingIn(service, SESSIONS);
      const held = new Map<string, number>();
      const claimed: string[] = [];
      const finished: string[] = [];
      const work = async (caller: number): Promise<void> => {
        const sessions = services[caller % 2] ?? service;
        const input = { holder: `worker-${caller}`, seconds: 86_400, limit: 1 + (caller % 4) };
        for (;;) {
          const { claimed: given } = await okOf(sessions.claim(input));
          // Each session is given back once before it is done.
          if (given.length === 0 && finished.length === SESSIONS) return;
          // Makes the returned sessions claimable again.
          if (given.length === 0) clock.pass(1000);
          for (const { session } of given) {
            expect(held.get(session.id), `who holds ${session.id}`).toBeUndefined();
            held.set(session.id, caller);
          }
          for (const { session, lease } of given) {
            const { fencingToken } = lease;
            const done = claimed.includes(session.id);
            claimed.push(session.id);
            held.delete(session.id);
            await okOf(sessions.release(session.id, { fencingToken, done }));
            if (done) finished.push(session.id);
          }
        }
      };
      await Promise.all(upTo(CALLERS).map(work));
      expect(finished.toSorted()).toEqual(ids.toSorted());
      expect(claimed).toHaveLength(2 * SESSIONS);
    });
  },
  databasesAndClients,
);

describeStores('claims of the service', (open) => {
  test('return after a crash, once each, and not after done', async () => {
    const store = await open();
    const clock = new ManualClock();
    const sessions = new SessionService({ store, clock, ids: countingIds() });
    const ids = await waitingIn(sessions, 3);
    const claim = async (limit: number) =>
      (await okOf(sessions.claim({ holder: 'worker', seconds: 5, limit }))).claimed;
    const idsOf = (claimed: Awaited<ReturnType<typeof claim>>) =>
      claimed.map(({ session }) => session.id);
    const [first] = await claim(1);
    expect(idsOf(await claim(10))).toHaveLength(2);
    if (first === undefined) throw new Error('nothing was claimed');
    const { fencingToken } = first.lease;
    await okOf(sessions.release(first.session.id, { fencingToken, done: true }));
    clock.pass(6000);
    // A session that may have killed its worker is claimed alone.
    const again = [...idsOf(await claim(10)), ...idsOf(await claim(10))];
    expect([...again, first.session.id].toSorted()).toEqual(ids.toSorted());
    await okOf(sessions.wake(first.session.id, { at: new Date(clock.now() + 1000) }));
    clock.pass(999);
    expect(await claim(10)).toEqual([]);
    clock.pass(1);
    expect(idsOf(await claim(10))).toEqual([first.session.id]);
  });
});
