import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { startMortalRedis } from '../../support/mortal-redis.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { okOf } from '../../support/sessions.js';
import { effort, record, seeds, triedClients } from '../support/effort.js';
import { audit } from './audit.js';
import { type Ledger, type Run, Writer } from './writer.js';

const KILLS = effort(1, 25);
const WRITERS = effort(20, 200);
const WRITES_BETWEEN = effort(100, 2000);
const TIMEOUT_MS = 2000;
const PROMISE = 'acknowledged writes survive a crash of the server';

/** Counts acknowledged writes, and lets somebody wait for more of them. */
class Progress implements Run {
  isOver = (): boolean => this.over;
  over = false;
  writes = 0;
  longestMs = 0;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => undefined;

  count = (): void => {
    this.writes += 1;
    if (this.writes >= this.#wanted) this.#reached();
  };

  took = (ms: number): void => {
    this.longestMs = Math.max(this.longestMs, ms);
  };

  more(count: number): Promise<void> {
    this.#wanted = this.writes + count;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }
}

describeWithRedis('a Redis server that is killed during writes', () => {
  test.each(triedClients)(
    'loses and duplicates no acknowledged write, and lists every session, with %s',
    async (version) => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const server = await startMortalRedis();
      const { port } = server;
      const killServer = async () => {
        await server.kill();
        await server.restart();
      };
      const progress = new Progress();
      const services = Array.from({ length: 4 }, () => {
        const store = new RedisSessionStore({
          ...{ client: openClient(version, { port }), timeoutMs: TIMEOUT_MS },
        });
        return new SessionService({ store });
      });
      const writing = Array.from({ length: WRITERS }, (_, at): Promise<readonly Ledger[]> => {
        const sessions = services[at % services.length];
        if (sessions === undefined) throw new Error('no service');
        return new Writer(sessions, `w${at}`, progress, randomFrom(seed * 1000 + at)).write();
      });
      for (let kill = 0; kill < KILLS; kill += 1) {
        await progress.more(WRITES_BETWEEN * (0.5 + random()));
        await killServer();
      }
      await progress.more(WRITES_BETWEEN);
      progress.over = true;
      const ledgers = (await Promise.all(writing)).flat();
      await killServer();
      const store = new RedisSessionStore({
        client: openClient(version, { port }),
      });
      const { sessions, ...wrong } = await audit(new SessionService({ store }), ledgers);
      const { listed } = await okOf(store.repair());
      const tell = (figure: string, value: number | string, bar?: string) =>
        record({
          promise: PROMISE,
          figure: `${figure}, ${version}`,
          value,
          ...(bar === undefined ? {} : { bar }),
        });
      tell('kills', KILLS + 1);
      tell('acknowledged writes', progress.writes);
      tell('sessions at the end', sessions);
      for (const [figure, cases] of Object.entries(wrong)) tell(figure, cases.length, '0');
      tell('sessions that an index lacked', listed, '0');
      tell(
        'longest call over timeoutMs, ms',
        Math.max(0, Math.round(progress.longestMs - TIMEOUT_MS)),
      );
      expect(wrong).toEqual({ lost: [], doubled: [], outOfOrder: [], unlisted: [], others: [] });
      expect(listed).toBe(0);
      expect(progress.writes).toBeGreaterThan(KILLS * WRITES_BETWEEN * 0.5);
    },
    effort(120_000, 900_000),
  );
});
