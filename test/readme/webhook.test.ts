import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSweeper, type EndedSession, SessionService } from '../../src/index.js';
import { isFields } from '../../src/session/fields.js';
import { ManualClock } from '../support/manual-clock.js';
import { documentOf } from './documents.js';
import { SampleFolder } from './run-sample.js';
import { blocksIn } from './samples.js';

const MINUTE = 60_000;

/** What the sample exports. */
interface Exported {
  readonly webhookTo: (url: string, secret: string) => (end: EndedSession) => Promise<void>;
}

const isExported = (module: unknown): module is Exported =>
  isFields(module) && typeof module['webhookTo'] === 'function';

const folder = new SampleFolder();
afterAll(() => folder.remove());

/** The code of the page, as it stands there. */
const loadSample = async (): Promise<Exported> => {
  const samples = blocksIn(documentOf('docs/time-limits.md'), 'ts');
  const [sample] = samples.filter(({ code }) => code.includes('webhookTo'));
  const module = sample === undefined ? undefined : await folder.run(sample);
  if (!isExported(module)) throw new Error('docs/time-limits.md has no webhookTo');
  return module;
};

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that gives these answers in turn, and 204 after them. */
const openReceiver = async (...answers: readonly number[]) => {
  const left = [...answers];
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    deliveries.push({ headers: request.headers, body: await text(request) });
    response.writeHead(left.shift() ?? 204, { location: '/elsewhere', connection: 'close' }).end();
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no port');
  return { url: `http://127.0.0.1:${address.port}/hook`, deliveries };
};

/**
 * By the specification:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
const isSigned = ({ headers, body }: Delivery, secret: string): boolean => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  return (
    headers['webhook-signature'] ===
    `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  );
};

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const openWebhook = async (...answers: readonly number[]) => {
  const secret = newSecret();
  const { url, deliveries } = await openReceiver(...answers);
  const { webhookTo } = await loadSample();
  const clock = new ManualClock();
  const store = new MemorySessionStore({ reportEnds: true });
  const sessions = new SessionService({ store, clock, tenant: 'Łódź 1.0' }).orThrow;
  const failures: string[] = [];
  const sweeper = createSweeper(new SessionService({ store, clock }), {
    onEnded: webhookTo(url, secret),
    onError: (error) => failures.push('cause' in error ? String(error.cause) : error.type),
  });
  const sweep = async () => (await sweeper.sweepOnce())._unsafeUnwrap();
  return { secret, deliveries, clock, sessions, failures, sweep };
};

describe('the webhook in docs/time-limits.md', () => {
  test('notifies a receiver of an end, signed by Standard Webhooks', async () => {
    const { secret, deliveries, clock, sessions, sweep } = await openWebhook();
    const { id } = await sessions.create({ start: true, labels: { user: 'u-1' } });
    clock.pass(90_000);
    const ended = await sessions.terminate(id);
    const before = Math.floor(Date.now() / 1000);
    expect(await sweep()).toMatchObject({ reported: 1, failed: 0 });
    const [delivery = { headers: {}, body: '' }, ...more] = deliveries;
    expect(more).toEqual([]);
    expect(isSigned(delivery, secret)).toBe(true);
    expect(isSigned(delivery, newSecret())).toBe(false);
    expect(delivery.headers['content-type']).toBe('application/json');
    const sentAt = Number(delivery.headers['webhook-timestamp']);
    expect([sentAt >= before, sentAt <= Date.now() / 1000]).toEqual([true, true]);
    const data = {
      tenant: 'Łódź 1.0',
      id,
      endReason: 'terminated',
      duration: 90,
      labels: { user: 'u-1' },
    };
    const { endedAt } = ended.status === 'TERMINATED' ? ended : { endedAt: '' };
    expect(JSON.parse(delivery.body)).toMatchObject({
      type: 'session.ended',
      timestamp: endedAt,
      data,
    });
  });

  test('retries a failing receiver under the same id until it answers 2xx', async () => {
    const { secret, deliveries, clock, sessions, failures, sweep } = await openWebhook(
      500,
      302,
      204,
    );
    const { id } = await sessions.create({ start: true });
    await sessions.terminate(id);
    for (const reported of [0, 0, 1, 0]) {
      expect(await sweep()).toMatchObject({ reported });
      clock.pass(MINUTE);
    }
    expect(failures).toEqual([
      'Error: the webhook answered 500',
      'Error: the webhook answered 302',
    ]);
    expect(deliveries.map((delivery) => isSigned(delivery, secret))).toEqual([true, true, true]);
    expect(new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('sends each end with its own id, even if a session is recreated with the same id', async () => {
    const { deliveries, clock, sessions, sweep } = await openWebhook();
    for (const id of ['call-1', 'call-2', 'call-1']) {
      await sessions.create({ id, start: true });
      clock.pass(1000);
      await sessions.terminate(id);
      await sweep();
      await sessions.delete(id);
    }
    const ids = deliveries.map(({ headers }) => String(headers['webhook-id']));
    expect(new Set(ids).size).toBe(3);
    expect(ids.filter((id) => !/^[\w-]+$/.test(id))).toEqual([]);
  });
});
