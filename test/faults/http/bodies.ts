import fc from 'fast-check';
import { hostileTexts } from '../../../src/testing/hostile-texts.js';

/** One part of a request, and whether a server must take it. */
export interface Part<T> {
  readonly value: T;
  readonly valid: boolean;
}

export const valid = <T>(value: T): Part<T> => ({ value, valid: true });
export const doubtful = <T>(value: T): Part<T> => ({ value, valid: false });

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostileTexts));
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 });

const TEXT_BYTES = 64 * 1024;

const good = fc
  .record(
    {
      face: name,
      profile: name,
      behavior: text,
      context: text,
      time_limit: fc.nat(2_592_000),
      more: fc.jsonValue(),
    },
    { requiredKeys: ['face', 'profile'] },
  )
  .map((fields) => JSON.stringify(fields));

const oddNumbers = [-1, 2_592_001, '60', null, true, [60]];

/** What looks like a body, with something in it that is of a wrong type or of a doubtful length. */
const near = fc
  .record(
    {
      face: fc.oneof(text, fc.jsonValue(), fc.constant('x'.repeat(257))),
      profile: fc.oneof(text, fc.jsonValue()),
      behavior: fc.oneof(
        fc.jsonValue(),
        fc.integer({ min: -1, max: 1 }).map((more) => '\u20ac'.repeat(TEXT_BYTES / 3 + more)),
      ),
      context: fc.oneof(
        fc.jsonValue(),
        fc.integer({ min: -1, max: 1 }).map((more) => 'x'.repeat(TEXT_BYTES + more)),
      ),
      time_limit: fc.oneof(fc.double(), fc.constantFrom(...oddNumbers)),
      id: text,
      tenant: fc.constant('theirs'),
      status: fc.constant('ACTIVE'),
    },
    { requiredKeys: [] },
  )
  .map((fields) => JSON.stringify(fields));

const strangeObjects = [
  '{"__proto__":{"face":"ada","profile":"tutor"}}',
  '{"face":"ada","profile":"tutor","__proto__":null,"constructor":{"prototype":{"face":1}}}',
  '{"face":"ada","face":"eve","profile":"tutor"}',
  '{"face":"ada","profile":"tutor","time_limit":1e400}',
  '{"face":"\\ud800","profile":"\\udc00"}',
  `{"more":${'['.repeat(50_000)}${']'.repeat(50_000)},"face":"ada","profile":"tutor"}`,
  '{"a":'.repeat(40_000),
];

const cut = (given: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(given, fc.nat()).map(([whole, at]) => whole.slice(0, at % (whole.length + 1)));

const encoder = new TextEncoder();
const encoded = (given: fc.Arbitrary<string>) => given.map((body) => encoder.encode(body));

/** Bodies of create requests: valid ones, nearly valid ones, and garbage. */
export const bodies: fc.Arbitrary<Part<Uint8Array>> = fc.oneof(
  { weight: 3, arbitrary: encoded(good).map(valid) },
  { weight: 3, arbitrary: encoded(near).map(doubtful) },
  { weight: 1, arbitrary: encoded(fc.constantFrom(...strangeObjects)).map(doubtful) },
  { weight: 1, arbitrary: encoded(cut(good)).map(doubtful) },
  { weight: 1, arbitrary: encoded(fc.json()).map(doubtful) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(doubtful) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(-1, 0, 1)
      .map((more) => new Uint8Array(256 * 1024 + more).fill(0x20))
      .map(doubtful),
  },
);
