import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { openProxy } from '../../support/tcp-proxy.js';
import { effort, record } from '../support/effort.js';
import { wrongEntries, wrongEvents } from '../support/stored.js';

const PROMISE = 'a reset connection doubles no append without an operationId';
const CALLERS = 200;
const ROUNDS = effort(2, 40);
/** Calls that are answered between two resets. */
const CALLS = effort(150, 1000);

describeWithRedis('200 callers of one session whose connection is reset repeatedly', ({ port }) => {
  test.each(clientVersions)(
    'lose and duplicate no acknowledged append with %s and its default settings',
    async (version) => {
      const prefix = `reset-${process.pid}-${version.replace(' ', '-')}`;
      const proxy = await openProxy(port);
      const client = openClient(version, { port: proxy.port });
      client.on('error', () => undefined);
      const direct = openClient(version, { port });
      const options = { prefix, events: true };
      const sessions = new SessionService({
        store: new RedisSessionStore({ ...options, client }),
      });
      const reader = new RedisSessionStore({ ...options, client: direct });
      const id = await startedIn(sessions);

      const told = {
        ok: new Set<string>(),
        not_applied: new Set<string>(),
        unknown: new Set<string>(),
      };
      let answered = 0;
      let wanted = Number.POSITIVE_INFINITY;
      let reached = (): void => {};
      let isOver = false;
      const calls = (count: number): Promise<void> => {
        wanted = answered + count;
        return new Promise((resolve) => {
          reached = resolve;
        });
      };
      const writing = upTo(CALLERS).map(async (caller) => {
        for (let turn = 1; !isOver; turn += 1) {
          const content = `${caller} ${turn}`;
          const answer = await sessions.append(id, [{ role: 'user', content }]);
          if (answer.isOk()) told.ok.add(content);
          else if (answer.error.type === 'store_unavailable')
            told[answer.error.outcome].add(content);
          else throw new Error(answer.error.message);
          answered += 1;
          if (answered >= wanted) reached();
        }
      });
      for (const round of upTo(ROUNDS)) {
        await calls(CALLS);
        // By turns the replies to what has reached the server are lost, and the connections are
        // cut wherever they are.
        if (round % 3 > 0) await proxy.loseReply('evalsha');
        else proxy.speak();
      }
      await calls(CALLS);
      isOver = true;
      await Promise.all(writing);

      const history = await okOf(new SessionService({ store: reader }).get(id)).then(
        (session) => session.history,
      );
      const times = new Map<string, number>();
      for (const { content } of history) times.set(content, (times.get(content) ?? 0) + 1);
      const found = {
        lost: [...told.ok].filter((content) => !times.has(content)),
        doubled: [...times].filter(([, count]) => count > 1).map(([content]) => content),
        applied: [...told.not_applied].filter((content) => times.has(content)),
      };
      const tell = (figure: string, value: number, bar?: string) =>
        record({
          promise: PROMISE,
          figure: `${figure}, ${version}`,
          value,
          ...(bar === undefined ? {} : { bar }),
        });
      tell('callers', CALLERS);
      tell('resets', ROUNDS);
      tell('acknowledged', told.ok.size);
      tell('answered unknown', told.unknown.size);
      tell('acknowledged and lost', found.lost.length, '0');
      tell('there twice', found.doubled.length, '0');
      tell('answered not_applied and there', found.applied.length, '0');
      expect(found).toEqual({ lost: [], doubled: [], applied: [] });
      expect(await wrongEntries(direct, prefix)).toEqual([]);
      const { wrong, ghosts } = await wrongEvents(direct, prefix);
      expect([wrong, ghosts]).toEqual([[], []]);
      expect(told.ok.size).toBeGreaterThan(CALLS);
    },
    effort(60_000, 900_000),
  );
});
