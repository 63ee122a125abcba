import { describe, expect, test } from 'vitest';
import { expectInvalid } from '../problems.js';
import { minimal, type World } from '../world.js';

const strict = { Prefer: 'handling=strict' };

const entry = { role: 'user', content: 'Hello' };

export const strictHandlingCases = (world: World): void => {
  describe('Prefer: handling=strict', () => {
    test.each([
      'handling=strict',
      'respond-async, Handling="strict"; foo',
      'wait=5,handling = strict',
    ])('rejects unknown fields of a body by their names: %s', async (Prefer) => {
      const body = { ...minimal, timelimit: 5, color: 'red' };
      const reply = await world.client().create(body, { Prefer });
      expectInvalid(reply, 'timelimit', 'color');
      expect(reply.text).toContain('"is unknown (did you mean time_limit?)"');
    });

    test.each([
      'handling=lenient',
      'handling=lenient, handling=strict',
      'strict',
      'x-handling=strict',
    ])('is not enabled by %s, which ignores unknown fields', async (Prefer) => {
      const created = await world.client().create({ ...minimal, color: 'red' }, { Prefer });
      expect(created.status).toBe(201);
    });

    test('rejects unknown nested fields together with those of the body', async () => {
      const client = world.client();
      const { id } = await client.created();
      const from = { id, positon: 1 };
      const body = { ...minimal, color: 'red', from, entries: [entry, { ...entry, dta: 1 }] };
      const reply = await client.create(body, strict);
      expectInvalid(reply, 'color', 'from.positon', 'entries[1].dta');
      expect(reply.text).toContain('"is unknown (did you mean position?)"');
      expect(Object((await client.send('/sessions')).json())).toHaveLength(1);
    });

    test('rejects unknown query parameters, similar to known ones or not', async () => {
      const client = world.client();
      const { id } = await client.created();
      for (const path of ['/sessions', `/session/${id}`, `/session/${id}/history`]) {
        const reply = await client.send(`${path}?utm_source=a&limt=5`, { headers: strict });
        expectInvalid(reply, 'utm_source', 'limt');
      }
      const command = `/start-session/${id}?force=1`;
      expectInvalid(await client.command(command, strict), 'force');
      expectInvalid(
        await client.send('/create-session?dry=1', { method: 'POST', headers: strict }),
        'dry',
      );
      expect((await client.command(command)).status).toBe(200);
    });

    test('accepts requests without unknown names', async () => {
      const client = world.client();
      const created = await client.create({ ...minimal, entries: [], start: true }, strict);
      expect(created.status).toBe(201);
      expect((await client.send('/sessions?limit=1&page=1', { headers: strict })).status).toBe(200);
    });

    test('lists at most as many unknown names as an error may have issues', async () => {
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field${at}`, at]));
      const reply = await world.client().create({ ...minimal, ...many }, strict);
      expect(Object(reply.json()).errors).toHaveLength(20);
    });
  });
};
