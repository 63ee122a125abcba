import { describe, expect, test } from 'vitest';
import { expectInvalid } from '../problems.js';
import { type Client, minimal, type World } from '../world.js';

/** The integers that JSON.parse replaces by others, from the lowest on. */
const inexact = ['9007199254740993', '-9007199254740993', '12345678901234567891'];

/** The same of so many digits that a value does not show whether it was sent so. */
const long = [`1${'0'.repeat(23)}`, '9'.repeat(400)];

/** Numbers that are kept, or rounded as everywhere. */
const kept = [
  '9007199254740991',
  '-9007199254740991',
  '0.1',
  '0.12345678901234567890',
  '1e23',
  '-0',
  '1234567890.1234567890123456',
];

const json = { 'Content-Type': 'application/json' };

export const exactIntegerCases = (world: World): void => {
  const send = (client: Client, path: string, body: string) =>
    client.send(path, { method: 'POST', headers: json, body });

  const startedWith = async (client: Client, metadata: string) => {
    const { face, profile } = minimal;
    const body = `{"face":"${face}","profile":"${profile}","start":true,"metadata":${metadata}}`;
    return client.createText(body);
  };

  describe('an integer in a request body', () => {
    test.each(world.parsesBodies ? inexact : [...inexact, ...long])(
      'is rejected by its path if it is %s, and nothing is stored',
      async (literal) => {
        const client = world.client();
        const metadata = `{"a":"x","b":[1,{"say \\"id\\"":${literal}}],"c":${literal}}`;
        const refused = await startedWith(client, metadata);
        expectInvalid(refused, 'metadata.b[1].say "id"', 'metadata.c');
        expect((await client.send('/sessions')).text).toBe('[]');
        const { id } = await client.created();
        await client.sessions.start(id);
        const entries = `[{"role":"user","content":"}],\\"","data":[${literal}]}]`;
        const append = await send(client, `/append-history/${id}`, `{"entries":${entries}}`);
        expectInvalid(append, 'entries[0].data[0]');
        const update = await send(client, `/update-session/${id}`, `{"metadata":{"n":${literal}}}`);
        expectInvalid(update, 'metadata.n');
        expect((await client.sessions.get(id))._unsafeUnwrap()).toMatchObject({
          historyCount: 0,
          metadata: {},
        });
      },
    );

    test('is exact if a number can hold it, and fractions are rounded as in JavaScript', async () => {
      const client = world.client();
      const created = await startedWith(client, `{"n":[${kept.join()}]}`);
      const { session_id: id } = Object(created.json());
      const { metadata } = (await client.sessions.get(id))._unsafeUnwrap();
      expect(metadata).toEqual({ n: kept.map((literal) => Number(literal) + 0) });
    });

    test('is accepted in ignored fields and inside strings, whatever its size', async () => {
      const client = world.client();
      const [big] = inexact;
      const body = `{"face":"${big}","profile":"tutor","trace":{"id":${big}},"metadata":{"id":"${big}"}}`;
      const { session_id: id } = Object((await client.createText(body)).json());
      expect((await client.sessions.get(id))._unsafeUnwrap()).toMatchObject({
        options: { face: big },
        metadata: { id: big },
      });
    });

    test('is rejected if it overflows', async () => {
      const client = world.client();
      for (const literal of ['1e400', '-1e400'])
        expectInvalid(await startedWith(client, `{"n":${literal}}`), 'metadata');
    });
  });
};
