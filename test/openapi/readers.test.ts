import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutUnknown } from '../../src/http/body-reader.js';
import { commandRoutes } from '../../src/http/index.js';
import { parseIdempotencyKey } from '../../src/http/input-reader.js';
import {
  parseCommandOptions,
  parseId,
  parseUpdate,
  parseUpdateOptions,
} from '../../src/input/command-inputs.js';
import { parseCreate } from '../../src/input/create-input.js';
import { appendBody, parseAppend } from '../../src/input/entries-input.js';
import { parseRewind } from '../../src/input/rewind-input.js';
import { openApiDocument, type PathItem } from '../../src/openapi/index.js';
import { MISSING } from '../../src/schema/values.js';
import { defaultLimits } from '../../src/session/limits.js';
import { request } from '../http/handler-harness.js';
import { Described } from './described.js';

const limits = { ...defaultLimits, timeLimit: 100, entriesPerAppend: 3 };
const policy = {
  limits,
  hasTimeLimit: true,
  faces: undefined,
  profiles: new Set(['tutor', 'coach']),
};
const given = { sessions: { policy }, routes: [commandRoutes()] };
const described = new Described(openApiDocument(given));
const schema = (name: string) => described.document.components.schemas[name] ?? { not: {} };
const fits = (name: string, value: unknown): boolean =>
  described.against(schema(name), value) === undefined;

/** Entries as the handler reads them. */
const asRead = (entries: unknown): unknown =>
  withoutUnknown(appendBody(policy).fields.entries, entries);

/**
 * Lengths around the bounds of names, in characters of one code unit, so that both sides count
 * alike.
 */
const sized = fc.constantFrom(0, 1, 63, 64, 65, 255, 256, 257).map((length) => 'x'.repeat(length));

const junk = fc.oneof(fc.constantFrom<unknown>(null, true, 0, -1, '', [], {}), fc.jsonValue());

const text = fc.oneof(sized, fc.string({ unit: 'grapheme-ascii' }), junk);

const number = fc.oneof(
  fc.constantFrom<unknown>(0, -0, 100, 100.001, -0.001, 99.5, 1e300),
  fc.double({ noNaN: true }),
  junk,
);

const time = fc.oneof(
  fc.constantFrom(
    '2026-01-31T18:00:00.000Z',
    '2026-01-31t18:00:00z',
    '2026-01-31T18:00:00+01:00',
    '2026-02-30T18:00:00Z',
    '2024-02-29T00:00:00.123456789Z',
    '2023-02-29T00:00:00Z',
    '2026-01-31',
    '2026-01-31T24:00:00Z',
    '2026-01-31 18:00:00Z',
    '2026-01-31T18:00:00.Z',
    'now',
  ),
  fc
    .date({ min: new Date(0), max: new Date('2999-01-01T00:00:00Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  junk,
);

/** No JSON Schema says that metadata has no member with this name. */
const hasNoProto = (value: unknown): boolean => !JSON.stringify(value)?.includes('__proto__');

const flag = fc.oneof(fc.boolean(), fc.constant(null), junk);

const create = fc.record(
  {
    face: text,
    profile: fc.oneof(fc.constantFrom<unknown>('tutor', 'coach', 'Tutor'), text),
    behavior: text,
    context: text,
    time_limit: number,
    start: flag,
    wake: flag,
    from: fc.oneof(
      fc.record(
        { id: text, position: fc.oneof(fc.maxSafeNat(), fc.constant(null), junk) },
        { requiredKeys: ['id'] },
      ),
      fc.constant(null),
      junk,
    ),
    other: junk,
  },
  { requiredKeys: [] },
);

const entry = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      { role: text, content: text, timestamp: time, other: junk, position: junk },
      { requiredKeys: [] },
    ),
  },
  { weight: 5, arbitrary: fc.record({ role: fc.constant('user'), content: fc.string() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      role: fc.constant('user'),
      content: fc.string(),
      position: fc.oneof(fc.maxSafeNat(), junk),
    }),
  },
  { weight: 1, arbitrary: junk },
);

const append = fc.record(
  {
    entries: fc.oneof(fc.array(entry, { maxLength: 5 }), junk),
    if_position: fc.oneof(fc.maxSafeNat(), fc.constant(null), junk),
    wake: flag,
  },
  { requiredKeys: [] },
);

const position = fc.oneof(
  { weight: 3, arbitrary: fc.maxSafeNat() },
  { weight: 1, arbitrary: junk },
);

const rewind = fc.record(
  {
    to: position,
    entries: fc.oneof(fc.array(entry, { maxLength: 5 }), junk),
    if_position: position,
    wake: flag,
  },
  { requiredKeys: ['to', 'if_position'] },
);

const labelChange = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 5 }),
  fc.constant(null),
  junk,
);

const update = fc.record(
  {
    labels: fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'pageTitle', '', 'a b'), labelChange),
      fc.constant(null),
      junk,
    ),
    metadata: fc.oneof(
      fc.constant({ title: 'Tax return', draft: null }),
      fc.constant(null),
      junk.filter(hasNoProto),
    ),
    if_revision: fc.oneof(fc.maxSafeNat(), fc.constant(null), junk),
  },
  { requiredKeys: [] },
);

const asHeader = (value: string) => request('POST', '/', { header: () => value });

/** Minimum number of inputs of each kind, so that the property tests both. */
const check = async <T>(
  values: fc.Arbitrary<T>,
  isAllowed: (value: T) => boolean,
  isRead: (value: T) => boolean,
): Promise<void> => {
  const seen = { true: 0, false: 0 };
  await fc.assert(
    fc.property(values, (value) => {
      const expected = isAllowed(value);
      seen[`${expected}`] += 1;
      expect(isRead(value)).toBe(expected);
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(30);
};

describe('OpenAPI schemas and parsers accept the same input', () => {
  test('for create', async () => {
    const good = fc.record({ face: fc.constant('ada'), profile: fc.constant('tutor') });
    const mixed = fc.tuple(good, create).map(([start, rest]) => ({ ...start, ...rest }));
    await check(
      fc.oneof(create, mixed),
      (input) => fits('CreateSession', input),
      (input) => {
        // The handler leaves out the fields of a body that it does not know.
        const { time_limit: timeLimit, other: _, ...rest } = input;
        const sent = {
          ...rest,
          face: rest['face'] ?? MISSING,
          profile: rest['profile'] ?? MISSING,
        };
        return parseCreate('time_limit' in input ? { ...sent, timeLimit } : sent, policy).isOk();
      },
    );
  });

  test('for append', async () => {
    await check(
      append,
      (input) => fits('AppendHistory', input),
      ({ entries, if_position: ifPosition }) =>
        parseAppend(asRead(entries), { ifPosition: ifPosition ?? undefined }, policy).isOk(),
    );
  });

  test('for rewind', async () => {
    await check(
      rewind,
      // Where `to` is given, the readers require `if_position`.
      (input) => fits('RewindHistory', input) && input.if_position !== null,
      ({ to, entries, if_position: ifPosition, wake }) =>
        parseRewind(
          { to, entries: asRead(entries), ifPosition, wake: wake ?? undefined },
          policy,
        ).isOk(),
    );
  });

  test('for update', async () => {
    await check(
      update,
      (input) => fits('UpdateSession', input),
      ({ if_revision: ifRevision, ...changes }) =>
        parseUpdate(changes, policy).isOk() &&
        parseUpdateOptions({ ifRevision: ifRevision ?? undefined }).isOk(),
    );
  });

  test.each([
    ['session_id', '/session/{session_id}', 'get', (value: string) => parseId(value).isOk()],
    [
      'Idempotency-Key',
      '/create-session',
      'post',
      (sent: string) =>
        parseIdempotencyKey(asHeader(sent))
          .andThen((idempotencyKey) =>
            parseCreate({ face: 'ada', profile: 'tutor', idempotencyKey }, policy),
          )
          .isOk(),
    ],
    [
      'Idempotency-Key',
      '/start-session/{session_id}',
      'post',
      (sent: string) =>
        parseIdempotencyKey(asHeader(sent))
          .andThen((operationId) => parseCommandOptions({ operationId }))
          .isOk(),
    ],
  ] as const)('for %s of %s', async (name, path, method, isRead) => {
    const item: PathItem = described.document.paths[path] ?? {};
    const operation = item[method];
    const parameter =
      operation && described.parametersOf(operation).find((each) => each.name === name);
    const values = fc.oneof(
      sized,
      fc.string({ unit: 'grapheme-ascii' }),
      fc.stringMatching(/^[\w.~:-]*$/),
      fc.stringMatching(/^"[\w.~:-]{1,20}"$/),
      fc.stringMatching(/^"?[\w.~:-]{1,20} ?"?$/),
      fc.stringMatching(/^[\w.~:-]+[ /]?$/),
      fc.stringMatching(/^"(?:[ !#-[\]-~]|\\["\\]){0,10}"$/),
      fc.stringMatching(/^ ?"?[ -~]{250,260}"?$/),
    );
    const isAllowed = (value: string) =>
      described.against(parameter?.schema ?? {}, value) === undefined;
    await fc.assert(
      fc.property(values, (value) => isRead(value) === isAllowed(value)),
      { numRuns: 2000 },
    );
    expect([isAllowed('turn-2'), isAllowed('')]).toEqual([true, false]);
  });
});
