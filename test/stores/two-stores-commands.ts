import fc from 'fast-check';
import { sessionStatuses } from '../../src/session/session-status.js';

const session = fc.nat({ max: 9 });
const name = fc.constantFrom(undefined, 'a', 'a:1', 'b');
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
/** Lets some sessions expire, and others not. */
const ms = fc.constantFrom(0, 1, 2, 999, 1000, 2500);

const user = optional(fc.constantFrom('u-1', 'u-2'));
/** The latest known fencing token of the session, or the previous one. */
const fencingToken = optional(fc.constantFrom('latest' as const, 'earlier' as const));

const status = fc.constantFrom(...sessionStatuses);

const listQuery = fc.record({
  user,
  status: optional(fc.oneof(status, fc.uniqueArray(status, { minLength: 1 }))),
  limit: fc.integer({ min: 1, max: 5 }),
  place: fc.oneof(
    fc.record({ page: fc.integer({ min: 1, max: 3 }) }),
    fc.constant('next' as const),
  ),
  order: optional(fc.constantFrom('newest' as const, 'oldest' as const, 'updated' as const)),
  after: fc.option(ms, { nil: undefined, freq: 2 }),
  before: fc.option(ms, { nil: undefined, freq: 2 }),
  historyLimit: optional(fc.nat({ max: 3 })),
});

const create = fc.record({
  does: fc.constant('create' as const),
  timeLimit: fc.constantFrom(0, 1, 2, 5),
  idempotencyKey: fc.constantFrom(undefined, undefined, undefined, 'k1', 'k2'),
  user,
});
const change = fc.record({
  does: fc.constantFrom(
    'start' as const,
    'pause' as const,
    'resume' as const,
    'terminate' as const,
    'fail' as const,
  ),
  session,
  name,
  fencingToken,
});

const started = {
  does: fc.constant('start' as const),
  name: fc.constant(undefined),
  fencingToken: fc.constant(undefined),
};

const command = fc.oneof(
  { weight: 3, arbitrary: create },
  { weight: 3, arbitrary: change },
  { weight: 4, arbitrary: fc.record({ ...started, session }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('append' as const),
      session,
      name,
      entries: fc.integer({ min: 1, max: 2 }),
      fencingToken,
      ifPosition: optional(fc.constantFrom('start' as const, 'known' as const)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('lease' as const),
      session,
      holder: fc.constantFrom('a', '@1:2 b'),
      ms,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('renew' as const), session, fencingToken, ms }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('release' as const),
      session,
      fencingToken: fc.constant('latest' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), session }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('get' as const),
      session,
      historyLimit: optional(fc.nat({ max: 3 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('history' as const),
      session,
      last: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('sweep' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass' as const), ms }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('list' as const), query: listQuery }) },
);

/** Creates sessions for the following commands. */
export const sequences = fc
  .tuple(
    fc.array(create, { minLength: 3, maxLength: 8 }),
    fc.array(command, { minLength: 10, maxLength: 60 }),
  )
  .map(([first, rest]) => [...first, ...rest]);

/** What a caller of one of the services does. */
export type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;
