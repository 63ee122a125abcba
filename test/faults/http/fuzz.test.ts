import fc from 'fast-check';
import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import type { StoreError } from '../../../src/session/errors.js';
import { corruptRecord, storeUnavailable } from '../../../src/session/errors.js';
import type { Answer } from '../../../src/store/session-store.js';
import { changed } from '../../support/store-doubles.js';
import { effort, record, seeds } from '../support/effort.js';
import { type Exchange, exchange } from './exchange.js';
import { requests, type Sent } from './requests.js';
import { insidesIn, type Served, STORE_TEXT, secretsIn, serve } from './served.js';

const REQUESTS = effort(120, 10_000);
const PROMISE = 'any request over HTTP is answered, and tells no secret';

/** What a bad request may be answered with; 431 is Node's own. */
const refusals = [400, 401, 404, 405, 413, 415, 422, 431];
const statuses = [200, 201, ...refusals];

/** Ways for a store to fail, each with a text that is for the host alone. */
const failures: readonly (() => Answer<never, StoreError>)[] = [
  () => err(storeUnavailable(STORE_TEXT, 'unknown', new Error(STORE_TEXT))),
  () => err(corruptRecord(STORE_TEXT, STORE_TEXT)),
  () => Promise.reject(new Error(STORE_TEXT)),
  () => {
    throw new Error(STORE_TEXT);
  },
];

/** An error of ours is a problem in JSON; one of Node's parser has no body. */
const isWhole = ({ method }: Sent, { status, head, body }: Exchange): boolean => {
  if (method === 'HEAD') return body === '';
  if (!/^content-type: application\/json\r?$/im.test(head)) return status >= 400 && body === '';
  const value: unknown = JSON.parse(body);
  return status < 400 || (typeof value === 'object' && value !== null && 'code' in value);
};

const judge = (sent: Sent, answer: Exchange, allowed: readonly number[]): void => {
  const told = { target: sent.target, status: answer.status };
  expect(allowed, JSON.stringify(told)).toContain(answer.status);
  if (!sent.hasKey) expect(answer.status).toBeGreaterThanOrEqual(400);
  expect({ ...told, whole: isWhole(sent, answer) }).toEqual({ ...told, whole: true });
  expect(secretsIn(answer.head + answer.body)).toEqual([]);
  // What a list holds has been sent by strangers, and may look like anything.
  expect(insidesIn(answer.status < 400 ? answer.head : answer.head + answer.body)).toEqual([]);
};

/** Sends many requests, and gives what was answered to those that were carried out. */
const fuzz = async (
  served: Served,
  ids: readonly string[],
  check: (sent: Sent, answer: Exchange) => void,
) => {
  const [seed = 1] = seeds(1);
  let longest = 0;
  const property = fc.asyncProperty(requests(ids), async (sent) => {
    const answer = await exchange(served.origin, sent.bytes, { method: sent.method });
    longest = Math.max(longest, answer.ms);
    check(sent, answer);
  });
  await fc.assert(property, { numRuns: REQUESTS, seed });
  return Math.round(longest);
};

describe('random malformed requests', () => {
  test(
    'are answered without a 500, and only take effect as far as they are valid',
    async () => {
      const served = await serve();
      const ours = (await served.ours.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
      const created = new Set<string>([ours.id]);
      const counts = new Map<number, number>();
      const longest = await fuzz(served, [ours.id, served.theirId, 'none'], (sent, answer) => {
        judge(sent, answer, sent.expected ?? statuses);
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        if (sent.target === `/session/${served.theirId}`)
          expect(answer.status).toBeGreaterThanOrEqual(400);
        if (answer.status === 201) created.add(JSON.parse(answer.body).session_id);
      });
      const { total } = (await served.ours.list({ limit: 1 }))._unsafeUnwrap();
      await served.close();
      expect(total).toBe(created.size);
      for (const status of [200, 201, 400, 401, 404, 405, 415])
        expect(counts.get(status)).toBeGreaterThan(0);
      record({ promise: PROMISE, figure: 'requests, fuzzed', value: REQUESTS });
      record({ promise: PROMISE, figure: 'answers of 500 and above, or none', value: 0, bar: '0' });
      record({ promise: PROMISE, figure: 'longest answer, ms', value: longest, bar: 'under 1000' });
    },
    effort(120_000, 600_000),
  );

  test(
    'reveal nothing about a failing store, whatever its error says',
    async () => {
      let turn = 0;
      const failing = (): Answer<never, StoreError> => {
        turn += 1;
        return failures[turn % failures.length]?.() ?? err(storeUnavailable(STORE_TEXT, 'unknown'));
      };
      const store = changed(new MemorySessionStore(), {
        begin: failing,
        find: failing,
        page: failing,
      });
      const served = await serve(store);
      await fuzz(served, ['known'], (sent, answer) => judge(sent, answer, [...refusals, 500, 503]));
      await served.close();
      expect(turn).toBeGreaterThan(REQUESTS / 20);
    },
    effort(120_000, 600_000),
  );
});
