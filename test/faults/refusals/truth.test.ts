import { beforeAll, expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService, type SessionStatus } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { openClient } from '../../support/redis-clients.js';
import { okOf } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import type { WrittenLedger } from '../../support/workers/blunt-writers.js';
import { audit } from '../crashes/audit.js';
import { effort, record } from '../support/effort.js';
import { refusals } from './refusals.js';
import { Writing } from './writing.js';

const PROCESSES = effort(2, 3);
const WRITERS = 8;
const ROUNDS = effort(1, 12);
const CALLS = effort(40, 2500);
const PROMISE = 'an answer is true, whatever the server refuses';
const statuses: readonly SessionStatus[] = ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'];

/** Ids in a list, each as often as it stands there. */
const listed = async (
  sessions: SessionService,
  status: SessionStatus,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await okOf(
      sessions.list({ status, limit: 100, ...(after === undefined ? {} : { cursor: after }) }),
    );
    ids.push(...page.sessions.map(({ id }) => id));
    if (page.nextCursor === undefined) return ids;
    after = page.nextCursor;
  }
};

/** Sessions that are not in exactly the one list by status that they belong to. */
const misplaced = async (
  sessions: SessionService,
  ledgers: readonly WrittenLedger[],
): Promise<readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const status of statuses)
    for (const id of await listed(sessions, status))
      found.set(id, [...(found.get(id) ?? []), status]);
  const wrong: string[] = [];
  for (const { id } of ledgers) {
    const session = (await sessions.get(id)).unwrapOr(undefined);
    const expected = session === undefined ? '' : session.status;
    const actual = (found.get(id) ?? []).join();
    if (actual !== expected)
      wrong.push(`${id} is ${expected || 'gone'} and listed as ${actual || 'nothing'}`);
  }
  return wrong;
};

/** Reads in every way. Fails if one of them is refused. */
const readAll = async (sessions: SessionService): Promise<void> => {
  for (const status of [undefined, ...statuses]) {
    const page = await okOf(
      sessions.list({ limit: 5, ...(status === undefined ? {} : { status }) }),
    );
    for (const { id } of page.sessions) {
      for (const read of [sessions.get(id), sessions.history(id)]) {
        const found = await read;
        // Somebody else may delete it just now.
        if (found.isErr() && found.error.type !== 'not_found')
          throw new Error(`${found.error.type} of a read`);
      }
    }
  }
};

describeWithRedis('processes that write while a Redis server refuses repeatedly', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('blunt-writers');
  });

  const both = Object.keys(refusals).flatMap((name) => [
    { name, events: false, told: 'without events' },
    { name, events: true, told: 'with events' },
  ]);
  // Each refusal once, by turns with events and without.
  const cases = effort(
    both.filter((_, at) => at % 4 === 0 || at % 4 === 3),
    both,
  );

  test.each(cases)(
    '$name, $told: lose and duplicate no acknowledged write, answer truthfully, and list and read every session',
    async ({ name, events, told }) => {
      const refusal = await refusals[name]?.();
      if (refusal === undefined) throw new Error('no such refusal');
      const { port, begin, end, isReadable } = refusal;
      const client = openClient('ioredis 5', { port });
      const store = new RedisSessionStore({
        client,
        prefix: 'refused',
        timeoutMs: 30_000,
      });
      const service = new SessionService({ store });
      const writing = new Writing(worker, PROCESSES, WRITERS, port, 'refused', events);
      try {
        for (const _ of upTo(ROUNDS)) {
          await writing.calls(CALLS);
          await begin();
          // While there is no server at all every call waits for its time to be over.
          if (isReadable) await writing.calls(CALLS / 2);
          else await writing.refusals(Math.max(16, CALLS / 20));
          if (isReadable) await readAll(service.forTenant('tenant 0'));
          await end();
        }
        await writing.calls(CALLS);
        const { answers, ledgers } = await writing.end();
        const wrong: Record<string, readonly string[]> = {};
        for (const tenant of new Set(ledgers.map((ledger) => ledger.tenant))) {
          const theirs = ledgers.filter((ledger) => ledger.tenant === tenant);
          const sessions = service.forTenant(tenant);
          const books = theirs.map(({ doubtful, statuses: possible, ...ledger }) => ({
            ...ledger,
            doubtful: new Set(doubtful),
            statuses: new Set(possible),
          }));
          const { sessions: _, ...found } = await audit(sessions, books);
          const all = { ...found, misplaced: await misplaced(sessions, theirs) };
          for (const [kind, items] of Object.entries(all))
            wrong[kind] = [...(wrong[kind] ?? []), ...items];
        }
        const { listed: missing, unreadable } = await okOf(store.repair());
        const tell = (figure: string, value: number, bar?: string) =>
          record({
            promise: PROMISE,
            figure: `${name}, ${told}: ${figure}`,
            value,
            ...(bar === undefined ? {} : { bar }),
          });
        tell('acknowledged', answers.acknowledged);
        tell('answered not_applied', answers.notApplied);
        tell('answered unknown', answers.unknown);
        tell('acknowledged and lost', wrong['lost']?.length ?? 0, '0');
        tell('doubled', wrong['doubled']?.length ?? 0, '0');
        tell(
          'answers that were false',
          (wrong['others']?.length ?? 0) + (wrong['outOfOrder']?.length ?? 0),
          '0',
        );
        const unlisted =
          (wrong['unlisted']?.length ?? 0) + (wrong['misplaced']?.length ?? 0) + missing;
        tell('sessions missing in a list', unlisted, '0');
        const nothing: readonly string[] = [];
        const none = {
          lost: nothing,
          doubled: nothing,
          outOfOrder: nothing,
          unlisted: nothing,
          others: nothing,
        };
        expect({ ...wrong, missing, unreadable }).toEqual({
          ...none,
          misplaced: [],
          missing: 0,
          unreadable: [],
        });
        expect(answers.acknowledged).toBeGreaterThan(CALLS);
        expect(answers.notApplied + answers.unknown).toBeGreaterThan(0);
      } finally {
        writing.kill();
      }
    },
    effort(120_000, 600_000),
  );
});
