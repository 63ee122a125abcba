import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { type Session, SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { randomFrom } from '../../support/random.js';
import { openClient } from '../../support/redis-clients.js';
import { createdIn, okOf } from '../../support/sessions.js';
import { openProxy } from '../../support/tcp-proxy.js';
import { effort, record, seeds, triedClients } from '../support/effort.js';
import { type Append, anomaliesOf, type Look } from './anomalies.js';

const CLIENTS = 6;
const CALLS = effort(60, 1500);
const CUT_EVERY = 40;

describeWithRedis('clients whose connections are cut all the time', ({ port }) => {
  test.each(triedClients)(
    'see one history, and states in a legal order, with %s',
    async (version) => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const proxy = await openProxy(port);
      const prefix = `histories-${process.pid}-${version.replace(' ', '-')}`;
      const direct = new SessionService({
        store: new RedisSessionStore({ client: openClient(version, { port }), prefix }),
      });
      const id = await createdIn(direct);
      await okOf(direct.start(id));
      const appends: Append[] = [];
      const looks: Look[] = [];
      let instant = 0;
      let calls = 0;
      const next = (): number => {
        instant += 1;
        return instant;
      };
      const cutNowAndThen = (): void => {
        calls += 1;
        if (calls % CUT_EVERY === 0) proxy.speak();
      };
      const working = Array.from({ length: CLIENTS }, async (_, at) => {
        const client = openClient(version, { port: proxy.port });
        const sessions = new SessionService({ store: new RedisSessionStore({ client, prefix, timeoutMs: 3000 }) });
        for (let call = 0; call < CALLS; call += 1) {
          cutNowAndThen();
          const began = next();
          const dice = random();
          if (dice < 0.5) {
            const content = `${at}.${call}`;
            const name = dice < 0.25 ? { operationId: content } : {};
            const answer = await sessions.append(id, [{ role: 'user', content }], name);
            const outcome = answer.match(
              () => 'applied' as const,
              (error) => (error.type === 'store_unavailable' ? error.outcome : ('not_applied' as const)),
            );
            appends.push({ content, outcome, began, ended: next() });
          } else if (dice < 0.9) {
            const found: Session | undefined = (await sessions.get(id)).unwrapOr(undefined);
            if (found === undefined) continue;
            const history = found.history.map(({ content }) => content);
            looks.push({ status: found.status, history, began, ended: next() });
          } else {
            await sessions[dice < 0.95 ? 'pause' : 'resume'](id);
          }
        }
      });
      await Promise.all(working);
      const end = await okOf(direct.terminate(id));
      const last = await okOf(direct.get(id));
      const history = last.history.map(({ content }) => content);
      looks.push({ status: end.status, history, began: next(), ended: next() });
      const anomalies = anomaliesOf(appends, looks, history);
      const promise = 'what concurrent clients saw while connections were cut fits one history';
      record({ promise, figure: `appends and looks, ${version}`, value: appends.length + looks.length });
      record({ promise, figure: `cuts, ${version}`, value: Math.floor(calls / CUT_EVERY) });
      record({ promise, figure: `anomalies, ${version}`, value: anomalies.length, bar: '0' });
      expect(anomalies).toEqual([]);
      expect(appends.filter(({ outcome }) => outcome === 'applied').length).toBeGreaterThan(CALLS);
    },
    effort(30_000, 600_000),
  );
});
