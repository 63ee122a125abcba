import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { misconfigured } from '../../src/session/errors.js';
import type { PageRange, SessionStore } from '../../src/store/session-store.js';
import { describeSessionStore, type OptionalPart } from '../../src/testing/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import type { Changes } from '../support/store-doubles.js';
import { eventsWith, memoryStoreWith } from './planted-bug.js';
import { casesOf, runContract } from './run-contract.js';

const everything = () => memoryStoreWith(() => ({}));

const notChecked = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith('not checked: '));

const refusal = misconfigured('the store counts no live sessions');

/**
 * A store that refuses lists by status alone and limits, as one without an index of the statuses
 * does.
 */
const withoutStatuses = (changes: Changes = {}): SessionStore =>
  memoryStoreWith((inner) => ({
    page: (tenant, range) =>
      range.status && !range.labels ? err(refusal) : inner.page(tenant, range),
    begin: (commit) => (commit.guards.live ? err(refusal) : inner.begin(commit)),
    put: (commit) => (commit.guards.live ? err(refusal) : inner.change(commit)),
    use: (commit) => (commit.guards.live ? err(refusal) : inner.change(commit)),
    ...changes,
  }));

/** A store that never looks at a status or at a limit. */
const ignoringStatuses = (): SessionStore =>
  memoryStoreWith((inner) => ({
    page: (tenant, { status: _, ...range }: PageRange) => inner.page(tenant, range),
    begin: ({ guards: { live: _, ...guards }, ...commit }) => inner.begin({ ...commit, guards }),
    put: ({ guards: { live: _, ...guards }, ...commit }) => inner.change({ ...commit, guards }),
    use: ({ guards: { live: _, ...guards }, ...commit }) => inner.change({ ...commit, guards }),
  }));

describe('the contract of a store', () => {
  test('is checked completely without any option, except records that nobody can damage', () => {
    const { names, skipped } = casesOf();
    expect(notChecked(names)).toEqual([]);
    expect(skipped).toEqual(['not checked: damaged records (without the option corrupt)']);
    const topics = new Set(names.map((name) => name.slice(0, name.indexOf(':'))));
    expect([...topics]).toEqual(
      expect.arrayContaining([
        'begin',
        'guards',
        'take',
        'races',
        'random commits',
        'status',
        'events',
      ]),
    );
  });

  test('finds, without any option, a store that ignores limits of live sessions', async () => {
    const cases = casesOf().names.filter((name) => /\blive\b/.test(name));
    const { failed } = await runContract(new Set(cases), ignoringStatuses);
    expect(failed.size).toBe(3);
  });

  test('takes no part that may not be absent', () => {
    const parts: readonly string[] = ['appends'];
    const describeWithout = () =>
      describeSessionStore(() => undefined, everything, {
        without: parts as readonly OptionalPart[],
      });
    expect(describeWithout).toThrow(
      new TypeError('describeSessionStore: without[0] must be one of statuses, events, listen'),
    );
  });

  test('reports what is not checked as passed where the runner can skip nothing', () => {
    const names: string[] = [];
    describeSessionStore((name) => names.push(name), everything);
    expect(notChecked(names)).toHaveLength(1);
  });
});

const NO_STATUSES = 'not checked: lists by status, limits of live sessions (without: statuses)';
const NO_EVENTS = 'not checked: events (without: events)';
const NO_LISTENERS = 'not checked: listeners of events (without: listen)';

type Lacking = readonly [
  without: readonly OptionalPart[],
  titles: readonly string[],
  makeStore: () => SessionStore,
  failing: string,
];

describe('what a store lacks', () => {
  const all: Lacking = [
    ['statuses', 'events'],
    [NO_STATUSES, NO_EVENTS, NO_LISTENERS],
    () => withoutStatuses({ events: undefined }),
    'events:',
  ];
  const lacking = [
    all,
    [
      ['statuses'],
      [NO_STATUSES],
      () => withoutStatuses(),
      'guards: a change that passes live is made',
    ],
    [['events'], [NO_EVENTS, NO_LISTENERS], () => new MemorySessionStore(), 'events:'],
    [
      ['listen'],
      [NO_LISTENERS],
      () =>
        memoryStoreWith((inner) => ({ events: eventsWith(inner, () => ({ listen: undefined })) })),
      'events: a listener',
    ],
  ] satisfies readonly Lacking[];

  test.for<Lacking>(lacking)(
    'fails its cases unless the options name it: %s',
    async ([, , makeStore, failing]) => {
      const { failed } = await runContract(failing, makeStore);
      expect(failed.size).toBeGreaterThan(0);
    },
  );

  test.for<Lacking>(lacking)('is named in the report: %s', ([without, titles]) => {
    expect(notChecked(casesOf({ without }).names)).toEqual(titles);
  });

  test.for<Lacking>(moreIfLong([all], lacking))(
    'fails none of the other cases: %s',
    async ([without, , makeStore]) => {
      const { failed } = await runContract('', makeStore, { without });
      expect([...failed]).toEqual([]);
    },
  );

  test.for<Lacking>(lacking)(
    'may not be named of a store that has it: %s',
    async ([without, titles]) => {
      const { failed } = await runContract('not checked:', everything, { without });
      expect([...failed.keys()].toSorted()).toEqual(titles.toSorted());
    },
  );

  test('must be refused, not ignored', async () => {
    const { failed } = await runContract('not checked:', ignoringStatuses, {
      without: ['statuses'],
    });
    expect(failed.size).toBe(1);
  });

  test.each([
    ['latest', { latest: () => err(refusal) }],
    ['open', { open: () => err(refusal) }],
  ])('may be a log with `listen` that refuses `%s`', async (_, refused) => {
    const refusing = () =>
      memoryStoreWith((inner) => ({ events: eventsWith(inner, () => refused) }));
    const { failed } = await runContract('not checked:', refusing, { without: ['events'] });
    expect([...failed]).toEqual([]);
  });
});
