import type { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { SessionService } from '../../../src/index.js';
import { endByClock } from '../../../src/session/timeline.js';
import { answerOf, dueOf } from '../../../src/testing/steps.js';
import { NOON } from '../../support/manual-clock.js';
import type { TestClient } from '../../support/redis-clients.js';
import { ada, okOf } from '../../support/sessions.js';

/** What one who writes works with. */
export interface Bench {
  readonly client: TestClient;
  readonly store: RedisSessionStore;
  readonly sessions: SessionService;
  /** The same sessions, for which a limit holds how long they may be idle. */
  readonly impatient: SessionService;
}

/** One kind of write: what is there before it, and the write itself, which its caller may repeat. */
export interface Write {
  readonly name: string;
  readonly prepare: (bench: Bench) => Promise<unknown>;
  readonly run: (bench: Bench) => Promise<unknown>;
  /** Whether doing it once more, by its name, must change nothing. */
  readonly isRepeatable: boolean;
  /** Whether it is among the few of a short run. */
  readonly isShort: boolean;
}

/** The session that the writes are about; another one, that none of them touches, is `s1`. */
export const TARGET = 's2';

const target = { tenant: 'default', id: TARGET };

const HOUR = 60 * 60 * 1000;

/** Later than any deadline. */
export const FAR = Date.UTC(2100, 0);

export const said = (content: string) => ({ role: 'user', content, timestamp: '2026-01-31T12:00:00.000Z' });

const named = { operationId: 'the-write' };
const keyed = { ...ada, idempotencyKey: 'the-write' };

const talk = async ({ sessions }: Bench): Promise<void> => {
  await okOf(sessions.append(TARGET, [said('one'), said('two')]));
  await okOf(sessions.append(TARGET, [said('three')], { operationId: 'third' }));
};

const started = (timeLimit: number) => async (bench: Bench) => {
  await okOf(bench.sessions.create({ ...ada, timeLimit }));
  await okOf(bench.sessions.start(TARGET));
  await talk(bench);
};

const nothing = async (): Promise<void> => {};

const write = (
  name: string,
  prepare: Write['prepare'],
  run: Write['run'],
  { isRepeatable = true, isShort = false }: Partial<Write> = {},
): Write => ({ name, prepare, run, isRepeatable, isShort });

export const writes: readonly Write[] = [
  write('create', nothing, ({ sessions }) => okOf(sessions.create(keyed))),
  write('create with a deadline', nothing, ({ impatient }) => okOf(impatient.create(keyed))),
  write(
    'create in the place of one that was deleted',
    async ({ sessions }) => {
      const { id } = await okOf(sessions.create(keyed));
      await okOf(sessions.delete(id));
    },
    ({ impatient }) => okOf(impatient.create(keyed)),
  ),
  write(
    'start with a deadline',
    ({ sessions }) => okOf(sessions.create({ ...ada, timeLimit: 600 })),
    (bench) => okOf(bench.sessions.start(TARGET, named)),
  ),
  write(
    'start, which takes a deadline away',
    ({ impatient }) => okOf(impatient.create(ada)),
    (bench) => okOf(bench.sessions.start(TARGET, named)),
  ),
  write('pause, which puts a deadline off', started(600), ({ impatient }) => okOf(impatient.pause(TARGET, named))),
  write('terminate', started(600), ({ sessions }) => okOf(sessions.terminate(TARGET, named))),
  write('append', started(0), ({ sessions }) => okOf(sessions.append(TARGET, [said('last'), said('of all')])), {
    isRepeatable: false,
  }),
  write(
    'append by name',
    started(0),
    ({ sessions }) => okOf(sessions.append(TARGET, [said('last'), said('of all')], named)),
    { isShort: true },
  ),
  write('delete', started(600), ({ sessions }) => okOf(sessions.delete(TARGET))),
  write(
    'sweep that forgets what was deleted an hour ago',
    async (bench) => {
      await started(600)(bench);
      await okOf(bench.sessions.delete(TARGET));
    },
    ({ store }) => answerOf(store.purge(NOON + HOUR, 100)),
  ),
  write(
    'sweep that claims an end to tell of it',
    async (bench) => {
      await started(600)(bench);
      const state = await answerOf(bench.store.findState(target));
      const ended = state && endByClock(state, FAR, Number.POSITIVE_INFINITY);
      if (ended !== undefined) await answerOf(bench.store.replace(target, ended));
    },
    ({ store }) => answerOf(store.reschedule(target, { from: NOON + 600_000, to: NOON + 660_000 })),
  ),
  write(
    'look at deadlines of which one is too early',
    async (bench) => {
      await started(600)(bench);
      await bench.client.call('zadd', 'colloquy:{0}:deadlines:default', '1', TARGET);
      await bench.client.call('zadd', 'colloquy:{0}:tenants', '1', 'default');
    },
    ({ store }) => dueOf(store, NOON, 100),
  ),
];
