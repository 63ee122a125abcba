import { serviceOf } from '../clock.js';
import { RedisSessionStore, type SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSession } from '../seed.js';
import { type Context, expect, must, type Suite } from './suite.js';

const ENTRY = [
  { role: 'user', content: 'Could you tell me how long the appointment takes before we go on?' },
];

/** Longer than the measurement. */
const LEASE = { holder: 'worker-1', seconds: 3600 } as const;

/** Appends to a session of its own, with the options for the next position. */
const appending = async (
  name: string,
  sessions: SessionService,
  optionsOf: (id: string) => Promise<(position: number) => object>,
): Promise<Subject> => {
  const id = await seedSession(sessions, 10, 1);
  const options = await optionsOf(id);
  let last = (await must(sessions.history(id, { last: 1 }))).position;
  return {
    name,
    call: async () => {
      const { position } = await must(sessions.append(id, ENTRY, options(last)));
      expect(position > last, 'a further position');
      last = position;
    },
    check: async () =>
      expect(
        (await must(sessions.get(id, { historyLimit: 0 }))).historyCount > 10,
        'a longer history',
      ),
  };
};

/**
 * Appends that are checked, beside one that is not; and a lease beside another change of the state.
 */
async function* groups({ redis }: Context): AsyncGenerator<Group> {
  const sessions = serviceOf(new RedisSessionStore({ client: redis }));
  yield {
    name: 'redis append with checks',
    callers: 1,
    limits: ['append'],
    subjects: [
      await appending('append', sessions, async () => () => ({})),
      await appending('with operationId', sessions, async () => (position) => ({
        operationId: `append-${position}`,
      })),
      await appending('with ifPosition', sessions, async () => (ifPosition) => ({ ifPosition })),
      await appending('with fencing token', sessions, async (id) => {
        const { fencingToken } = await must(sessions.lease(id, LEASE));
        return () => ({ fencingToken });
      }),
    ],
  };
  const [leased, changed] = [
    await seedSession(sessions, 10, 2),
    await seedSession(sessions, 10, 3),
  ];
  let isPaused = false;
  yield {
    name: 'redis lease beside pause and resume',
    callers: 1,
    limits: ['pause, then resume'],
    subjects: [
      {
        name: 'pause, then resume',
        call: () => {
          isPaused = !isPaused;
          return must(isPaused ? sessions.pause(changed) : sessions.resume(changed));
        },
      },
      {
        name: 'lease',
        call: () => must(sessions.lease(leased, LEASE)),
        check: async () =>
          expect((await must(sessions.get(leased))).lease?.holder === LEASE.holder, 'a lease'),
      },
    ],
  };
  await redis.flushdb();
}

export const leases: Suite = { name: 'leases', groups };
