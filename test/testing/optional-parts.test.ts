import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { misconfigured } from '../../src/session/errors.js';
import type { PageRange, SessionStore } from '../../src/store/session-store.js';
import { describeSessionStore, type OptionalPart } from '../../src/testing/index.js';
import { eventsWith, memoryStoreWith } from './planted-bug.js';
import { runContract } from './run-contract.js';

const everything = () => memoryStoreWith(() => ({}));

const notChecked = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith('not checked: '));

const refusal = misconfigured('the store counts no live sessions');

/**
 * A store that refuses lists by status alone and limits, as one without an index of the statuses
 * does.
 */
const withoutStatuses = (): SessionStore =>
  memoryStoreWith((inner) => ({
    page: (tenant, range) =>
      range.status && !range.labels ? err(refusal) : inner.page(tenant, range),
    begin: (commit) => (commit.guards.live ? err(refusal) : inner.begin(commit)),
    put: (commit) => (commit.guards.live ? err(refusal) : inner.change(commit)),
    use: (commit) => (commit.guards.live ? err(refusal) : inner.change(commit)),
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
  test('is checked as a whole without any option, but for records that nobody can damage', async () => {
    const { names, skipped } = await runContract('', everything);
    expect(notChecked(names)).toEqual([]);
    expect(skipped).toEqual([
      'not checked: records that cannot be read (the option corrupt is absent)',
    ]);
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
    const { failed } = await runContract('', ignoringStatuses);
    const cases = [...failed.keys()].filter((name) => name.includes('live'));
    expect(cases).toHaveLength(3);
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

describe('what a store lacks', () => {
  const lacking: readonly [OptionalPart[], string[], () => SessionStore, string][] = [
    [
      ['statuses'],
      [
        'not checked: lists by status alone and limits of live sessions, which the store refuses (without: statuses)',
      ],
      withoutStatuses,
      'guards:',
    ],
    [
      ['events'],
      [
        'not checked: events, which the store does not have (without: events)',
        'not checked: listeners, which the log of events does not take (without: listen)',
      ],
      () => new MemorySessionStore(),
      'events:',
    ],
    [
      ['listen'],
      ['not checked: listeners, which the log of events does not take (without: listen)'],
      () =>
        memoryStoreWith((inner) => ({ events: eventsWith(inner, () => ({ listen: undefined })) })),
      'events: a listener',
    ],
  ];

  test.for(lacking)(
    'fails its cases unless the options name it: %s',
    async ([, , makeStore, group]) => {
      const { failed } = await runContract(group, makeStore);
      expect(failed.size).toBeGreaterThan(0);
    },
  );

  test.for(lacking)(
    'is named in the report, and the rest is checked: %s',
    async ([without, titles, makeStore]) => {
      const { names, failed } = await runContract('', makeStore, { without });
      expect([...failed]).toEqual([]);
      expect(notChecked(names)).toEqual(titles);
    },
  );

  test.for(lacking)('may not be named of a store that has it: %s', async ([without, titles]) => {
    const { failed } = await runContract('not checked:', everything, { without });
    expect([...failed.keys()].toSorted()).toEqual(titles.toSorted());
  });

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
