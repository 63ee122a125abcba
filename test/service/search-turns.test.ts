import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { SearchTurns } from '../../src/service/search-turns.js';
import { upTo } from '../../src/testing/samples.js';
import { describeStores } from '../support/describe-stores.js';
import { intercepting } from '../support/intercepting-client.js';
import { ManualClock } from '../support/manual-clock.js';
import { okOf } from '../support/sessions.js';

const later = () => {
  let resolve: (value: string) => void = () => {};
  let reject: (cause: Error) => void = () => {};
  const promise = new Promise<string>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
};

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Runs everything that needs no timer. */
const turns = async (): Promise<void> => {
  for (const _ of upTo(20)) await nextTurn();
};

describe('label searches of a store', () => {
  test('run one after another for one tenant, in order of arrival', async () => {
    const searches = new SearchTurns();
    const held = upTo(3).map(later);
    const begun: number[] = [];
    const answers = held.map(({ promise }, at) =>
      searches.run('acme', () => {
        begun.push(at);
        return promise;
      }),
    );
    for (const [at, each] of held.entries()) {
      await turns();
      expect(begun).toEqual(upTo(at + 1));
      each.resolve(`answer ${at}`);
    }
    expect(await Promise.all(answers)).toEqual(['answer 0', 'answer 1', 'answer 2']);
  });

  test('do not wait for searches of another tenant', async () => {
    const searches = new SearchTurns();
    const { promise, resolve } = later();
    const first = searches.run('acme', () => promise);
    expect(await searches.run('other', () => 'theirs')).toBe('theirs');
    resolve('mine');
    expect(await first).toBe('mine');
  });

  test('let the next one run if they fail', async () => {
    const searches = new SearchTurns();
    const { promise, reject } = later();
    const first = searches.run('acme', () => promise);
    const second = searches.run('acme', () => 'second');
    reject(new Error('failed'));
    await expect(first).rejects.toThrow('failed');
    expect(await second).toBe('second');
  });

  test('are skipped if they have waited too long, and later ones run', async () => {
    const searches = new SearchTurns();
    const { promise, resolve } = later();
    const first = searches.run('acme', () => promise);
    const late = searches.run('acme', () => 'late', 0);
    const third = searches.run('acme', () => 'third');
    expect(await late).toBeUndefined();
    resolve('first');
    expect([await first, await third]).toEqual(['first', 'third']);
  });
});

const queries = [{ order: 'updated' }, { labels: { a: 'b' }, status: 'ACTIVE' }] as const;

describeStores('label searches of one tenant', (open) => {
  test.each(queries)(
    '%j yield to the event loop in between, and return the same result',
    async (query) => {
      const sessions = new SessionService({ store: await open(), clock: new ManualClock() });
      for (const _ of upTo(3)) await okOf(sessions.create({ labels: { a: 'b' }, start: true }));
      let isOver = false;
      let turnCount = 0;
      const counting = (async () => {
        for (; !isOver; turnCount += 1) await nextTurn();
      })();
      const pages = await Promise.all(upTo(10).map(() => okOf(sessions.list({ ...query }))));
      isOver = true;
      await counting;
      expect(turnCount).toBeGreaterThan(9);
      for (const page of pages) expect(page).toEqual(pages[0]);
      expect(pages[0]?.sessions).toHaveLength(3);
    },
  );
});

test('label searches of several services on one store take turns, and lists do not wait', async () => {
  const store = new MemorySessionStore();
  let under = 0;
  let most = 0;
  const slow = intercepting(store, async (name, _, run) => {
    if (name !== 'page') return run();
    under += 1;
    most = Math.max(most, under);
    await turns();
    under -= 1;
    return run();
  });
  const services = upTo(4).map(() => new SessionService({ store: slow }));
  await Promise.all(services.map((each) => okOf(each.list({ order: 'updated' }))));
  expect(most).toBe(1);
  await Promise.all(services.map((each) => okOf(each.list())));
  expect(most).toBe(4);
});
