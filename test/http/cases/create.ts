import { describe, expect, test } from 'vitest';
import { expectInvalid, expectProblem } from '../problems.js';
import { minimal, type World } from '../world.js';

const full = {
  face: 'Ada Lovelace',
  profile: 'tutor-v2',
  behavior: 'You are a patient tutor. "Quotes", \\ and\nnew lines.',
  context: 'Grüße, 世界 👋🏽 \u0000 \u2028',
  time_limit: 90.5,
};

const KIB = 1024;

export const createCases = (world: World): void => {
  describe('POST /create-session', () => {
    test('answers 201 with a JSON object of one field, session_id', async () => {
      const reply = await world.client().create(full);
      expect(reply.status).toBe(201);
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      expect(reply.json()).toEqual({ session_id: expect.stringMatching(/^[\w.~-]+$/) });
    });

    test('returns the Location of the new session, including the prefix', async () => {
      const client = world.client();
      const reply = await client.create(full);
      const { session_id: id } = Object(reply.json());
      expect(reply.headers['location']).toBe(client.at(`/session/${id}`));
    });

    test('creates a session that get returns with the five options as they were sent', async () => {
      const client = world.client();
      const { session_id: id } = Object((await client.create(full)).json());
      const session = await client.send(`/session/${id}`);
      expect(session.json()).toMatchObject({
        id,
        options: full,
        status: 'IDLE',
        history: [],
        duration: 0,
      });
    });

    test('requires face and profile only; behavior and context default to empty, time_limit to 0', async () => {
      const client = world.client();
      const { session_id: id } = Object((await client.create(minimal)).json());
      const session = (await client.send(`/session/${id}`)).json();
      expect(session).toHaveProperty('options', {
        ...minimal,
        behavior: '',
        context: '',
        time_limit: 0,
      });
    });

    test('treats null in an optional field as absent', async () => {
      const client = world.client();
      const reply = await client.create({
        ...minimal,
        behavior: null,
        context: null,
        time_limit: null,
      });
      const { session_id: id } = Object(reply.json());
      const session = (await client.send(`/session/${id}`)).json();
      expect(session).toHaveProperty('options', {
        ...minimal,
        behavior: '',
        context: '',
        time_limit: 0,
      });
    });

    test('creates another session each time', async () => {
      const client = world.client();
      const first = await client.create(minimal);
      const second = await client.create(minimal);
      expect(second.text).not.toBe(first.text);
      expect((await client.send('/sessions')).headers['x-total-count']).toBe('2');
    });

    test('names all invalid fields in one response', async () => {
      const reply = await world
        .client()
        .create({ profile: 5, behavior: 0, time_limit: -1, context: [] });
      expectInvalid(reply, 'face', 'profile', 'context', 'behavior', 'time_limit');
    });

    test.each(['face', 'profile'])('rejects a body without %s', async (field) => {
      expectInvalid(await world.client().create({ ...full, [field]: undefined }), field);
    });

    const wrong: readonly unknown[] = [null, true, 7, '', [], {}, ['ada'], { toString: 'ada' }];
    test.each(['face', 'profile'])('rejects a %s that is empty or not a string', async (field) => {
      const client = world.client();
      for (const value of wrong)
        expectInvalid(await client.create({ ...full, [field]: value }), field);
    });

    test.each(['behavior', 'context'])(
      'rejects a %s that is not a string, and accepts an empty one',
      async (field) => {
        const client = world.client();
        for (const value of wrong.filter((each) => each !== '' && each !== null)) {
          expectInvalid(await client.create({ ...full, [field]: value }), field);
        }
        expect((await client.create({ ...full, [field]: '' })).status).toBe(201);
      },
    );

    test.each<unknown>([true, '60', '', [], {}, -1, -0.001, 1e300])(
      'rejects a time_limit of %j',
      async (value) => {
        expectInvalid(await world.client().create({ ...full, time_limit: value }), 'time_limit');
      },
    );

    test.each([0, 1, 0.5, 86_400])('accepts a time_limit of %d seconds', async (value) => {
      expect((await world.client().create({ ...full, time_limit: value })).status).toBe(201);
    });

    test('rejects a time_limit that is larger than any number', async () => {
      const reply = await world
        .client()
        .createText('{"face":"ada","profile":"tutor","time_limit":1e309}');
      expectInvalid(reply, 'time_limit');
    });

    test.each(['face', 'profile'])('accepts a %s of up to 256 characters', async (field) => {
      const client = world.client();
      expect((await client.create({ ...full, [field]: 'x'.repeat(256) })).status).toBe(201);
      expectInvalid(await client.create({ ...full, [field]: 'x'.repeat(257) }), field);
    });

    test.each(['behavior', 'context'])('accepts a %s of up to 64 KiB in UTF-8', async (field) => {
      const client = world.client();
      expect((await client.create({ ...full, [field]: 'é'.repeat(32 * KIB) })).status).toBe(201);
      expectInvalid(
        await client.create({ ...full, [field]: `é${'x'.repeat(64 * KIB - 1)}` }),
        field,
      );
    });

    test('ignores unknown fields, and never stores them', async () => {
      const client = world.client();
      const more = {
        id: 'mine',
        status: 'ACTIVE',
        tenant: 'other',
        history: [{ role: 'user' }],
        duration: 9,
      };
      const { session_id: id } = Object((await client.create({ ...minimal, ...more })).json());
      expect(id).not.toBe('mine');
      const session = (await client.send(`/session/${id}`)).json();
      expect(session).toMatchObject({ id, status: 'IDLE', history: [], duration: 0 });
      expect(session).not.toHaveProperty('tenant');
    });

    test('ignores the names idempotencyKey and timeLimit in the body', async () => {
      const client = world.client();
      const body = { ...minimal, idempotencyKey: 'k', timeLimit: 60 };
      const first = Object((await client.create(body)).json());
      const second = Object((await client.create(body)).json());
      expect(second.session_id).not.toBe(first.session_id);
      expect((await client.send(`/session/${first.session_id}`)).json()).toHaveProperty(
        'options.time_limit',
        0,
      );
    });
  });

  describe('the Idempotency-Key of a create', () => {
    test('answers 201 with the same session_id for the same key and body, and reports the repetition', async () => {
      const client = world.client();
      const first = await client.create(full, { 'Idempotency-Key': 'once' });
      const again = await client.create(full, { 'Idempotency-Key': 'once' });
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers['location']).toBe(first.headers['location']);
      expect(first.headers).not.toHaveProperty('idempotent-replayed');
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect((await client.send('/sessions')).headers['x-total-count']).toBe('1');
    });

    test('is the text between its quotes, as in the IETF draft', async () => {
      const client = world.client();
      const first = await client.create(full, { 'Idempotency-Key': 'once' });
      const again = await client.create(full, { 'Idempotency-Key': '"once"' });
      expect([again.status, again.text]).toEqual([201, first.text]);
      expectInvalid(await client.create(full, { 'Idempotency-Key': '""' }), 'Idempotency-Key');
      expectInvalid(await client.create(full, { 'Idempotency-Key': '"once' }), 'Idempotency-Key');
      const other = await client.create(full, { 'Idempotency-Key': String.raw`"\"once"` });
      expect([other.status, other.text === first.text]).toEqual([201, false]);
    });

    test('is answered with 422, and changes nothing, if the body differs', async () => {
      const client = world.client();
      await client.create(full, { 'Idempotency-Key': 'once' });
      const reply = await client.create({ ...full, face: 'bob' }, { 'Idempotency-Key': 'once' });
      expectProblem(reply, 422, 'idempotency_mismatch');
      expect((await client.send('/sessions')).json()).toMatchObject([{ options: full }]);
    });

    test('creates a session for each of two tenants that use the same key', async () => {
      const [ours, theirs] = [world.client(), world.client()];
      const first = await ours.create(full, { 'Idempotency-Key': 'once' });
      const second = await theirs.create(full, { 'Idempotency-Key': 'once' });
      expect(second.status).toBe(201);
      expect(second.text).not.toBe(first.text);
    });

    test('may have 1 to 256 characters', async () => {
      const client = world.client();
      expect((await client.create(full, { 'Idempotency-Key': 'k'.repeat(256) })).status).toBe(201);
      expectInvalid(
        await client.create(full, { 'Idempotency-Key': 'k'.repeat(257) }),
        'Idempotency-Key',
      );
      expectInvalid(await client.create(full, { 'Idempotency-Key': '' }), 'Idempotency-Key');
    });

    test('creates one session for ten concurrent requests with one key', async () => {
      const client = world.client();
      const calls = Array.from({ length: 10 }, () =>
        client.create(full, { 'Idempotency-Key': 'race' }),
      );
      const replies = await Promise.all(calls);
      expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect((await client.send('/sessions')).headers['x-total-count']).toBe('1');
    });
  });
};
