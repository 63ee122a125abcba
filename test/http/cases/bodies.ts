import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { expectInvalid, expectProblem } from '../problems.js';
import { BODY_BYTES, minimal, type World } from '../world.js';

const text = JSON.stringify(minimal);

/** `text` with a field that is ignored, so that it has just this many bytes. */
const padded = (bytes: number): string => {
  const [start, end] = [`${text.slice(0, -1)},"more":"`, '"}'];
  return start + 'x'.repeat(bytes - start.length - end.length) + end;
};

const json = [
  'application/json',
  'Application/JSON',
  'application/json;charset=utf-8',
  'application/json; charset="UTF-8"',
  'application/json ; Charset=utf-8',
  'application/json; profile="x;charset=latin1"',
];

const notJson = [
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/merge-patch+json',
  'application/json, application/json',
  'json',
  '*/*',
];

const otherCharsets = [
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json; charset="us-ascii"',
  'application/json; charset=utf-8; charset=utf-16',
];

const notJsonTexts = [
  ' ',
  '{',
  '}',
  'hello',
  text.slice(0, -1),
  `${text},`,
  `${text}{}`,
  "{'face':'ada'}",
  '\u0000',
];

const notObjects = ['null', 'true', '5', '"text"', '[]', `[${text}]`];

/**
 * Bytes that are no UTF-8, within a string of JSON: a lone byte, an overlong slash, a surrogate, a
 * cut-off start.
 */
const notUtf8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82]];

export const bodyCases = (world: World): void => {
  /** A parser that came first may have refused in its own words. */
  const expectRefused = (reply: Reply, status: number, code: string): void => {
    if (world.parsesBodies) expect(reply.status).toBe(status);
    else expectProblem(reply, status, code);
  };

  describe('a request body', () => {
    test.each(json)('is parsed as JSON with the type %s', async (type) => {
      expect((await world.client().createText(text, { 'Content-Type': type })).status).toBe(201);
    });

    test('is answered with 415 if its media type is another or missing', async () => {
      const client = world.client();
      for (const type of notJson) {
        expectRefused(
          await client.createText(text, { 'Content-Type': type }),
          415,
          'unsupported_media_type',
        );
      }
      expectRefused(
        await client.send('/create-session', { method: 'POST', body: text }),
        415,
        'unsupported_media_type',
      );
      expectRefused(
        await client.send('/create-session', { method: 'POST' }),
        415,
        'unsupported_media_type',
      );
    });

    test('is answered with 415 if its charset is not UTF-8', async () => {
      const client = world.client();
      for (const type of otherCharsets) {
        const reply = await client.createText(text, { 'Content-Type': type });
        if (world.parsesBodies) expect([400, 415]).toContain(reply.status);
        else expectProblem(reply, 415, 'unsupported_media_type');
      }
    });

    test('is answered with 415 if it is compressed, and accepted with the identity encoding', async () => {
      const client = world.client();
      const zipped = await client.createText(gzipSync(text), { 'Content-Encoding': 'gzip' });
      expectRefused(zipped, 415, 'unsupported_media_type');
      expect((await client.createText(text, { 'Content-Encoding': 'identity' })).status).toBe(201);
    });

    test('leaves the connection usable for the next request if its media type is rejected', async () => {
      const client = world.client();
      for (let round = 0; round < 3; round += 1) {
        await client.createText(padded(1000), { 'Content-Type': 'text/plain' });
        expect((await client.send('/sessions')).text).toBe('[]');
      }
    });

    test('is answered with 400 if it is empty', async () => {
      const client = world.client();
      for (const body of ['', [''], []]) {
        const reply = await client.createText(body);
        if (world.parsesBodies) expect(reply.status).toBe(400);
        else expectInvalid(reply, 'body');
      }
    });

    test('is answered with 400, naming the body, if it is not JSON', async () => {
      const client = world.client();
      for (const body of notJsonTexts) {
        const reply = await client.createText(body);
        if (world.parsesBodies) expect(reply.status).toBe(400);
        else expectInvalid(reply, 'body');
      }
    });

    test('is answered with 400, naming the body, if it is JSON but not an object', async () => {
      const client = world.client();
      for (const body of notObjects) {
        const reply = await client.createText(body);
        if (world.parsesBodies) expect(reply.status).toBe(400);
        else expectInvalid(reply, 'body');
      }
    });

    if (!world.parsesBodies) {
      test('is answered with 400, naming the body, if it is not UTF-8', async () => {
        const client = world.client();
        for (const bytes of notUtf8) {
          const body = Buffer.concat([
            Buffer.from('{"face":"'),
            Buffer.from(bytes),
            Buffer.from('","profile":"b"}'),
          ]);
          expectInvalid(await client.createText(body), 'body');
        }
      });
    }

    test('may begin with a byte order mark', async () => {
      expect((await world.client().createText(`\ufeff${text}`)).status).toBe(201);
    });

    test('may be split within a character', async () => {
      const client = world.client();
      const bytes = Buffer.from(JSON.stringify({ face: '世界👋', profile: 'é' }));
      const reply = await client.createText([...bytes].map((byte) => Uint8Array.of(byte)));
      const { session_id: id } = Object(reply.json());
      expect((await client.send(`/session/${id}`)).json()).toMatchObject({
        options: { face: '世界👋', profile: 'é' },
      });
    });

    test('is accepted up to 256 KiB', async () => {
      const client = world.client();
      expect((await client.createText(padded(BODY_BYTES))).status).toBe(201);
      expect((await client.createText([padded(BODY_BYTES)])).status).toBe(201);
    });

    test('is answered with 413 if it has 256 KiB and one byte', async () => {
      const client = world.client();
      expectRefused(await client.createText(padded(BODY_BYTES + 1)), 413, 'body_too_large');
      expect((await client.send('/sessions')).text).toBe('[]');
    });

    if (!world.parsesBodies) {
      test('is answered with 413 in chunks too, without a Content-Length, if it is too large', async () => {
        const client = world.client();
        expectProblem(await client.createText([padded(BODY_BYTES), ' ']), 413, 'body_too_large');
        expect((await client.send('/sessions')).text).toBe('[]');
      });
    }

    test('is rejected if it nests 100,000 levels where a string is needed, and harmless in ignored fields', async () => {
      const client = world.client();
      const deep = '['.repeat(100_000) + ']'.repeat(100_000);
      expect((await client.createText(`{"face":"a","profile":"b","more":${deep}}`)).status).toBe(
        201,
      );
      expectInvalid(await client.createText(`{"face":${deep},"profile":"b"}`), 'face');
    });

    if (!world.parsesBodies) {
      test('may contain __proto__ and constructor as plain fields, which change nothing', async () => {
        const client = world.client();
        const poison = '{"polluted":true,"behavior":"evil","prototype":{"polluted":true}}';
        const reply = await client.createText(
          `{"face":"a","profile":"b","__proto__":${poison},"constructor":${poison}}`,
        );
        const { session_id: id } = Object(reply.json());
        expect((await client.send(`/session/${id}`)).json()).toHaveProperty('options.behavior', '');
        expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
        expectInvalid(await client.createText(`{"__proto__":${text}}`), 'face', 'profile');
      });
    }

    test('keeps a lone surrogate as it was sent', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.createText('{"face":"\\ud800","profile":"b"}')).json(),
      );
      expect((await client.send(`/session/${id}`)).json()).toHaveProperty('options.face', '\ud800');
    });

    test('uses the last value of a duplicate field', async () => {
      const client = world.client();
      const { session_id: id } = Object(
        (await client.createText('{"face":1,"face":"b","profile":"c"}')).json(),
      );
      expect((await client.send(`/session/${id}`)).json()).toHaveProperty('options.face', 'b');
    });
  });
};
