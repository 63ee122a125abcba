import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSweeper, SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openClient } from '../../support/redis-clients.js';
import { missingEntries } from '../../support/redis-indexes.js';
import { refusals, refusing } from '../../support/refusing-client.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { record } from '../support/effort.js';

const PROMISE =
  'an end by the clock is reported at least once, whichever command of its sweep is refused';
const SESSIONS = 3;

describeWithRedis('a Redis sweep of which one command is refused', ({ port }) => {
  test.each(Object.entries(refusals))(
    'has its ends reported by itself or by a later sweep, each command in turn: %s',
    async (name, refusal) => {
      const client = openClient('ioredis 5', { port });
      let missing = 0;
      let doubled = 0;
      let listed = 0;
      let number = 1;
      for (let isLast = false; !isLast; number += 1) {
        const prefix = `refused-sweep-${process.pid}-${name.replaceAll(' ', '-')}-${number}`;
        const clock = new ManualClock();
        const refused = refusing(client, refusal, (at) => at === number);
        const [whole, failing] = [client, refused.client].map((connected) => {
          const store = new RedisSessionStore({
            client: connected,
            prefix,
            reportEnds: true,
            events: true,
          });
          return new SessionService({ store, clock, retention: 24 * 60 * 60 });
        });
        if (whole === undefined || failing === undefined) throw new Error('there are two');
        const ids: string[] = [];
        while (ids.length < SESSIONS) ids.push(await startedIn(whole, { timeLimit: 60 }));
        clock.pass(60_000);
        const told: string[] = [];
        const sweep = (sessions: SessionService) =>
          createSweeper(sessions, { onEnded: ({ id }) => told.push(id) }).sweepOnce();
        const count = async () =>
          (await okOf(whole.list({ status: 'TERMINATED', limit: 1 }))).total;
        await sweep(failing);
        listed += Number((await count()) === SESSIONS);
        isLast = refused.sent() < number;
        for (let later = 0; later < 2; later += 1) {
          clock.pass(60_000);
          await okOf(sweep(whole));
          listed += Number((await count()) === SESSIONS);
        }
        missing += ids.filter((id) => !told.includes(id)).length;
        doubled += told.length - new Set(told).size;
        expect(await missingEntries(client, { prefix })).toEqual([]);
      }
      const commands = number - 2;
      const tell = (figure: string, value: number, bar?: string) =>
        record({
          promise: PROMISE,
          figure: `${name}: ${figure}`,
          value,
          ...(bar === undefined ? {} : { bar }),
        });
      tell('commands refused, one a sweep', commands);
      tell('ends', commands * SESSIONS);
      tell('told more than once', doubled);
      tell('missing', missing, '0');
      expect(commands).toBeGreaterThan(SESSIONS);
      expect(missing).toBe(0);
      // Whatever is refused, the ends are in the list by status, written down or not. Only what the
      // server calls damaged is put off before it is ended.
      if (name !== 'WRONGTYPE') expect(listed).toBe(3 * (commands + 1));
    },
    60_000,
  );
});
