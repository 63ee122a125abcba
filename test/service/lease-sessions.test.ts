import type { ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import type { RemoteErrors } from '../../src/client/index.js';
import type { OperationErrors, SessionOperations } from '../../src/index.js';
import { serve } from '../client/served.js';
import { errorOf, type Failure, okOf, startedIn } from '../support/sessions.js';

type Either = SessionOperations<OperationErrors | RemoteErrors>;

const worker = { holder: 'worker-1', seconds: 30 };
const words = [{ role: 'assistant', content: 'hello' }];

/** Calls `use` with the sessions of a lease, and returns its result. */
const underLease = async <T>(
  sessions: Either,
  id: string,
  use: (leased: Either, fencingToken: number) => Promise<T>,
): Promise<T> => {
  const seen: T[] = [];
  const collect = async ({
    sessions: leased,
    fencingToken,
  }: {
    sessions: Either;
    fencingToken: number;
  }) => {
    seen.push(await use(leased, fencingToken));
  };
  await sessions.withLease(id, worker, collect);
  const [first] = seen;
  if (first === undefined) throw new Error('the function was not called');
  return first;
};

/** Every write on a session that a lease guards. */
const writes = (sessions: Either, id: string): readonly ResultAsync<unknown, Failure>[] => [
  sessions.append(id, words),
  sessions.rewind(id, { to: 0, entries: words, ifPosition: 0 }),
  sessions.extend(id, { timeLimit: 600 }),
  sessions.update(id, { metadata: { title: 'Tax return' } }),
  sessions.pause(id),
  sessions.resume(id),
  sessions.terminate(id),
  sessions.fail(id),
];

const open = async (kind: string) => {
  const { sessions, client } = await serve();
  const id = await startedIn(sessions);
  return { sessions: kind === 'a service' ? sessions : client, service: sessions, id };
};

describe.each(['a service', 'a client'])('the sessions of a lease, of %s', (kind) => {
  test('change the session while the lease is held', async () => {
    const { sessions, service, id } = await open(kind);
    const appended = await underLease(sessions, id, (leased) => okOf(leased.append(id, words)));
    expect(appended.position).toBeGreaterThan(0);
    expect((await okOf(service.get(id))).history).toMatchObject(words);
  });

  test('change nothing after another worker has taken the lease over', async () => {
    const { sessions, service, id } = await open(kind);
    const errors = await underLease(sessions, id, async (leased) => {
      await okOf(service.lease(id, worker));
      return Promise.all(writes(leased, id).map((write) => errorOf(write)));
    });
    expect(errors.map(({ type }) => type)).toEqual(errors.map(() => 'lease_lost'));
    expect(await okOf(service.get(id))).toMatchObject({ status: 'ACTIVE', history: [] });
  });

  test('send the fencing token to no other session', async () => {
    const { sessions, service, id } = await open(kind);
    const other = await startedIn(service);
    const appended = await underLease(sessions, id, (leased) => okOf(leased.append(other, words)));
    expect(appended.position).toBeGreaterThan(0);
  });

  test('send the fencing token of a call instead of their own', async () => {
    const { sessions, service, id } = await open(kind);
    const appended = await underLease(sessions, id, async (leased, fencingToken) => {
      const second = await okOf(service.lease(id, worker));
      await okOf(leased.append(id, words, { fencingToken: second.fencingToken }));
      return errorOf(leased.append(id, words, { fencingToken }));
    });
    expect(appended).toMatchObject({ type: 'lease_lost' });
  });

  test('keep the error of the function, even after another worker has taken the lease over', async () => {
    const { sessions, service, id } = await open(kind);
    const cause = new TypeError('a defect');
    const fail = async () => {
      await okOf(service.lease(id, worker));
      throw cause;
    };
    expect(await errorOf(sessions.withLease(id, worker, fail))).toMatchObject({
      type: 'callback_failed',
      cause,
    });
    const refuse = async ({ sessions: leased }: { sessions: Either }) => {
      await okOf(service.lease(id, worker));
      return leased.start('nobody');
    };
    expect(await errorOf(sessions.withLease(id, worker, refuse))).toMatchObject({
      type: 'not_found',
    });
  });

  test('return the error of the function as the error of withLease', async () => {
    const { sessions, id } = await open(kind);
    const refuse = ({ sessions: leased }: { sessions: Either }) => leased.append('nobody', words);
    expect(await errorOf(sessions.withLease(id, worker, refuse))).toMatchObject({
      type: 'not_found',
    });
    const accept = ({ sessions: leased }: { sessions: Either }) => leased.append(id, words);
    expect(await okOf(sessions.withLease(id, worker, accept))).toMatchObject({
      position: expect.any(Number),
    });
  });
});
