import type { ResultAsync } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import type { Script } from '../../../adapters/redis/connection.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { writeScripts } from '../../../adapters/redis/write-scripts.js';
import { SessionService } from '../../../src/service/session-service.js';
import type { SessionError } from '../../../src/session/errors.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ManualClock } from '../../support/manual-clock.js';
import { PATIENT_MS } from '../../support/patience.js';
import {
  clientVersions,
  isConnected,
  isNodeRedis,
  openClient,
} from '../../support/redis-clients.js';
import { ada, createdIn, errorOf, okOf, startedIn } from '../../support/sessions.js';
import { openProxy } from '../../support/tcp-proxy.js';

const unknown = { type: 'store_unavailable', outcome: 'unknown' };

/** Longer than any test: `losing` lets it pass. */
const TIMEOUT = 600_000;

let prefixes = 0;

/**
 * With `autoResendUnfulfilledCommands: false`, ioredis neither repeats a lost command nor reports
 * the loss: the store fails with an unknown outcome, and the caller repeats the call. node-redis
 * always reports the loss.
 */
describeWithRedis('a repeated call whose outcome was unknown', ({ port }) => {
  describe.each(clientVersions.filter((version) => !isNodeRedis(version)))('%s', (version) => {
    const open = async () => {
      prefixes += 1;
      const prefix = `unknown-outcomes-${process.pid}-${prefixes}`;
      const proxy = await openProxy(port);
      const clock = new ManualClock();
      const direct = openClient(version, { port });
      const others = new SessionService({
        store: new RedisSessionStore({ client: direct, prefix, timeoutMs: PATIENT_MS }),
        clock,
      });
      // The server knows the scripts from here on, so the lost reply is a script's.
      const first = await startedIn(others);
      await okOf(others.append(first, [{ role: 'user', content: 'first' }]));
      await okOf(others.delete(first));
      const client = openClient(version, {
        port: proxy.port,
        autoResendUnfulfilledCommands: false,
      });
      const sessions = new SessionService({
        store: new RedisSessionStore({ client, prefix, timeoutMs: TIMEOUT }),
        clock,
      });
      await okOf(sessions.list());
      /** The error of a call that loses the reply of a script, and then times out. */
      const losing = async (
        { sha1 }: Script,
        call: () => ResultAsync<unknown, SessionError>,
      ): Promise<SessionError> => {
        const timers = vi.spyOn(globalThis, 'setTimeout');
        const lost = proxy.loseReply(sha1);
        const error = errorOf(call());
        await lost;
        while (isConnected(client)) await new Promise(setImmediate);
        for (const [end, ms = 0, ...values] of timers.mock.calls) {
          if (ms > TIMEOUT / 2) Reflect.apply(end, undefined, values);
        }
        timers.mockRestore();
        return error;
      };
      return { sessions, others, clock, losing };
    };
    const contentsOf = async (sessions: SessionService, id: string): Promise<readonly string[]> =>
      (await okOf(sessions.get(id))).history.map(({ content }) => content);

    test('creates one session, for create with an idempotencyKey', async () => {
      const { sessions, others, losing } = await open();
      expect(
        await losing(writeScripts.change, () => sessions.create({ ...ada, idempotencyKey: 'k' })),
      ).toMatchObject(unknown);
      const repeated = await okOf(sessions.create({ ...ada, idempotencyKey: 'k' }));
      const page = await okOf(others.list());
      expect(repeated).toHaveProperty('repeated', true);
      expect([page.total, page.sessions[0]?.id]).toEqual([1, repeated.id]);
    });

    test('starts once and keeps the first start time, for start with an operationId', async () => {
      const { sessions, others, clock, losing } = await open();
      const id = await createdIn(others);
      expect(
        await losing(writeScripts.change, () => sessions.start(id, { operationId: 'op' })),
      ).toMatchObject(unknown);
      clock.pass(5000);
      expect(await okOf(sessions.start(id, { operationId: 'op' }))).toMatchObject({
        id,
        status: 'ACTIVE',
        duration: 5,
        repeated: true,
      });
      await okOf(others.pause(id));
      await okOf(others.resume(id));
      await okOf(others.pause(id));
      expect(await okOf(sessions.start(id, { operationId: 'op' }))).toMatchObject({
        id,
        status: 'PAUSED',
        duration: 5,
        repeated: true,
      });
      expect(await errorOf(sessions.start(id))).toMatchObject({
        type: 'invalid_transition',
        status: 'PAUSED',
      });
    });

    test.each([0, 300])(
      'appends once, with an operationId and %i entries of others in between',
      async (between) => {
        const { sessions, others, losing } = await open();
        const id = await startedIn(others);
        const mine = [{ role: 'user', content: 'mine' }];
        expect(
          await losing(writeScripts.append, () => sessions.append(id, mine, { operationId: 'op' })),
        ).toMatchObject(unknown);
        const theirs = upTo(between).map((other) => ({ role: 'user', content: `${other}` }));
        for (const entry of theirs) await okOf(others.append(id, [entry]));
        const repeated = await okOf(sessions.append(id, mine, { operationId: 'op' }));
        expect(repeated).toHaveProperty('repeated', true);
        expect(await okOf(others.append(id, mine, { operationId: 'op' }))).toEqual(repeated);
        expect(await contentsOf(others, id)).toEqual([
          'mine',
          ...theirs.map(({ content }) => content),
        ]);
        const after = await okOf(others.append(id, mine));
        expect(after.position).toBeGreaterThan(repeated.position);
      },
    );

    test('appends at most as often as it was called, without an operationId', async () => {
      const { sessions, others, losing } = await open();
      const id = await startedIn(others);
      expect(
        await losing(writeScripts.append, () =>
          sessions.append(id, [{ role: 'user', content: 'mine' }]),
        ),
      ).toMatchObject(unknown);
      expect(await contentsOf(others, id)).toEqual(['mine']);
    });

    test('ends and deletes once, and succeeds when repeated, for terminate and delete', async () => {
      const { sessions, others, clock, losing } = await open();
      const id = await startedIn(others);
      expect(await losing(writeScripts.change, () => sessions.terminate(id))).toMatchObject(
        unknown,
      );
      clock.pass(5000);
      const ended = { id, status: 'TERMINATED', endReason: 'terminated', duration: 0 };
      expect(await okOf(sessions.terminate(id))).toMatchObject(ended);
      expect(await losing(writeScripts.remove, () => sessions.delete(id))).toMatchObject(unknown);
      await okOf(sessions.delete(id));
      expect((await okOf(others.list())).total).toBe(0);
    });
  });
});
