import fc from 'fast-check';
import { bodies, doubtful, type Part, valid } from './bodies.js';
import { OUR_KEY, THEIR_KEY } from './served.js';

/** One request, whole and rightly framed, whatever else is wrong with it. */
export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly bytes: Uint8Array;
  /** Whether it carries the one key that it may. */
  readonly hasKey: boolean;
  /** What it must be answered with, where all of it is as it should be. */
  readonly expected: readonly number[] | undefined;
}

/** Any bytes that stay in their line of a request's head. */
const inLine = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) =>
    Buffer.from(bytes)
      .toString('latin1')
      .replace(/[\r\n]/g, '_'),
  );

const digits = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map((whole) => valid(String(whole))),
  fc
    .constantFrom(
      '0',
      '-1',
      '+1',
      '1.5',
      '1e3',
      '0x10',
      '',
      '01',
      '%31',
      '9'.repeat(400),
      '\u00b2',
      'NaN',
      '1%00',
    )
    .map(doubtful),
  inLine(10).map(doubtful),
);

const query: fc.Arbitrary<Part<string>> = fc.oneof(
  fc.constant(valid('')),
  fc.tuple(digits, digits).map(([limit, page]) => ({
    value: `?limit=${limit.value}&page=${page.value}`,
    valid: limit.valid && page.valid,
  })),
  fc
    .constantFrom(
      '?',
      '?limit',
      '?limit=1&limit=2',
      '?page=%',
      '?__proto__=1',
      '?limit[]=1',
      `?${'&'.repeat(5000)}`,
    )
    .map(doubtful),
  inLine(40).map((text) => doubtful(`?${text}`)),
);

const idsOf = (known: readonly string[]): fc.Arbitrary<Part<string>> =>
  fc.oneof(
    fc.constantFrom(...known).map(valid),
    fc
      .constantFrom(
        '%',
        '%zz',
        '%00',
        '%2F',
        '..',
        '.',
        '%ED%A0%80',
        '*',
        '__proto__',
        'a'.repeat(257),
        'a'.repeat(8000),
      )
      .map(doubtful),
    fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
      .map((id) => doubtful(encodeURIComponent(id))),
    inLine(60).map(doubtful),
  );

/** What somebody might take for the same path. */
const misspelt = (path: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    path.toUpperCase(),
    `${path}/`,
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `${path};v=1`,
    `${path}#x`,
    path.replace('s', '%73'),
    path.replaceAll('/', '\\'),
    path.slice(1),
    `http://x${path}`,
    `HTTP://user:pass@x:1${path}`,
    '*',
    '//',
  );

const targetOf = (path: string): fc.Arbitrary<Part<string>> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(valid(path)) },
    { weight: 1, arbitrary: misspelt(path).map(doubtful) },
    { weight: 1, arbitrary: inLine(60).map((text) => doubtful(`/${text}`)) },
  );

const usual = (value: string, others: readonly string[]): fc.Arbitrary<Part<string>> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(valid(value)) },
    { weight: 1, arbitrary: fc.constantFrom(...others).map(doubtful) },
    { weight: 1, arbitrary: inLine(30).map(doubtful) },
  );

const methods = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'G',
];

/** Keys that open nothing; the last is another tenant's with something after it. */
const wrongKeys = [
  '',
  ' ',
  'wrong',
  OUR_KEY.slice(1),
  `${OUR_KEY}x`,
  `${OUR_KEY}, ${OUR_KEY}`,
  `${THEIR_KEY}0`,
];

const contentTypes = [
  'text/plain',
  'application/json;charset=latin1',
  'application/jsonp',
  ' ',
  ';',
  'application/json;',
];

const further: fc.Arbitrary<Part<string>> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(valid('')) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('k1', 'k2', 'k3', 'x'.repeat(257))
      .map((key) => `Idempotency-Key: ${key}\r\n`)
      .map(doubtful),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('gzip', 'identity', 'br, gzip', 'x')
      .map((code) => `Content-Encoding: ${code}\r\n`)
      .map(doubtful),
  },
  {
    weight: 1,
    arbitrary: inLine(40)
      .map((text) => `Idempotency-Key: ${text}\r\n`)
      .map(doubtful),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(inLine(10), inLine(40))
      .map(([name, text]) => `X-${name}: ${text}\r\n`)
      .map(doubtful),
  },
);

/** The body with its length, or in chunks of some size. */
const framed = (body: Uint8Array, chunk: number): Uint8Array => {
  if (chunk === 0)
    return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  const parts = [Buffer.from('Transfer-Encoding: chunked\r\n\r\n')];
  for (let at = 0; at < body.length; at += chunk) {
    const part = body.subarray(at, at + chunk);
    parts.push(
      Buffer.from(`${part.length.toString(16)}\r\n`),
      Buffer.from(part),
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
};

interface Shape {
  readonly method: string;
  readonly target: fc.Arbitrary<Part<string>>;
  readonly query: fc.Arbitrary<Part<string>>;
  readonly body: fc.Arbitrary<Part<Uint8Array>>;
  readonly answers: readonly number[];
}

const nothing = fc.constant(valid(new Uint8Array()));

/**
 * The handler's own description: each operation with its method, its path, its query and its body.
 */
const shapes = (ids: readonly string[]): readonly Shape[] => {
  const create = targetOf('/create-session');
  return [
    { method: 'POST', target: create, query: fc.constant(valid('')), body: bodies, answers: [201] },
    {
      method: 'GET',
      target: targetOf('/sessions'),
      query,
      body: fc.oneof(nothing, bodies),
      answers: [200],
    },
    { method: 'HEAD', target: targetOf('/sessions'), query, body: nothing, answers: [200] },
    {
      method: 'GET',
      target: idsOf(ids).chain((id) =>
        targetOf(`/session/${id.value}`).map(({ value, valid }) => ({
          value,
          valid: valid && id.valid,
        })),
      ),
      query,
      body: nothing,
      answers: [200, 404],
    },
  ];
};

const requestOf = (shape: Shape): fc.Arbitrary<Sent> =>
  fc
    .record({
      method: usual(shape.method, methods),
      target: shape.target,
      query: shape.query,
      key: usual(OUR_KEY, wrongKeys),
      type: usual('application/json', contentTypes),
      further,
      body: shape.body,
      chunk: fc.constantFrom(0, 0, 1000, 70_000),
    })
    .map(({ method, target, query, key, type, further, body, chunk }) => {
      const line = `${method.value} ${target.value}${query.value} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      const head = `${line}X-API-KEY: ${key.value}\r\nContent-Type: ${type.value}\r\n${further.value}`;
      const isValid = [method, target, query, key, type, further, body].every((part) => part.valid);
      return {
        method: method.value,
        target: target.value + query.value,
        bytes: Buffer.concat([Buffer.from(head, 'latin1'), framed(body.value, chunk)]),
        hasKey: key.value.trim() === OUR_KEY,
        expected: isValid ? shape.answers : undefined,
      };
    });

/** Requests of all operations: valid, nearly valid, and garbage. */
export const requests = (ids: readonly string[]): fc.Arbitrary<Sent> =>
  fc.oneof(...shapes(ids).map(requestOf));
