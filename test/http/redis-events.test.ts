import { expect, test } from 'vitest';
import { nodeListener } from '../../adapters/node/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { createSessionHandler, eventRoutes } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { PATIENT_MS } from '../support/patience.js';
import { clientVersions, openClient } from '../support/redis-clients.js';
import { createdIn, okOf } from '../support/sessions.js';
import { EventReader } from './event-reader.js';
import { listening } from './serve.js';

describeWithRedis('events over HTTP, through Redis', ({ port }) => {
  test.each(clientVersions)(
    "contain another service's changes, and resume at another server, with %s",
    async (version) => {
      const prefix = `sse-${process.pid}-${version.at(-1)}`;
      const serviceOf = () =>
        new SessionService({
          store: new RedisSessionStore({
            client: openClient(version, { port }),
            prefix,
            events: true,
            timeoutMs: PATIENT_MS,
          }),
        });
      const serve = () =>
        listening(
          nodeListener(
            createSessionHandler({
              sessions: serviceOf(),
              authenticate: () => 'default',
              routes: [eventRoutes()],
            }),
          ),
        );
      const [elsewhere, first, second] = [serviceOf(), await serve(), await serve()];
      const id = await createdIn(elsewhere);
      const path = `/session/${id}/events`;
      const reader = await EventReader.open(first.origin, path, { 'X-API-KEY': 'key' });
      expect(await reader.next()).toMatchObject({
        event: 'session.snapshot',
        data: { id, status: 'IDLE' },
      });
      await okOf(elsewhere.start(id));
      const started = await reader.next();
      expect(started).toMatchObject({
        id: expect.stringMatching(/^\S+$/),
        event: 'session.changed',
      });
      reader.close();
      await first.close();
      const { position } = await okOf(
        elsewhere.append(id, [{ role: 'user', content: 'while away' }]),
      );
      const headers = { 'X-API-KEY': 'key', 'Last-Event-ID': started?.id ?? '' };
      const again = await EventReader.open(second.origin, path, headers);
      expect(await again.next()).toMatchObject({
        event: 'session.changed',
        data: { entries: [{ content: 'while away', position }], sequence: 3 },
      });
      await okOf(elsewhere.terminate(id));
      expect(await again.rest()).toMatchObject([
        { event: 'session.changed', data: { session: { status: 'TERMINATED' }, entries: [] } },
        { event: 'end', data: { end_reason: 'terminated' } },
      ]);
      await second.close();
    },
  );
});
