import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
} from '../../src/http/index.js';
import type { SessionServiceOptions } from '../../src/index.js';
import { ada, okOf, openSessions } from '../support/sessions.js';

const budget = { micro_usd: 50, inputTokens: 1000 };
const said = [{ role: 'assistant', content: 'Yes.' }];

/** A handler with one session, `s1`, which has two budgets with odd names. */
const open = async (
  options: { readonly usage?: boolean } = {},
  service: Partial<SessionServiceOptions> = {},
) => {
  const store = new MemorySessionStore({ events: true });
  const { sessions } = openSessions({ store, ...service });
  const routes = [commandRoutes(), historyRoutes(), eventRoutes()];
  const handler = createSessionHandler({
    sessions,
    authenticate: () => 'acme',
    routes,
    ...options,
  });
  const serve = fetchHandler(handler);
  const send = (path: string, init: RequestInit) =>
    serve(new Request(`http://localhost${path}`, init));
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await send(path, {
      method: 'POST',
      headers: { 'X-Api-Key': 'key', 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const { status } = response;
    return { status, headers: response.headers, body: Object(await response.json()) };
  };
  const get = (path: string) => send(path, { headers: { 'X-Api-Key': 'key' } });
  const created = await post('/create-session', { ...ada, budget, start: true });
  const id = String(created.body.session_id);
  const acme = sessions.forTenant('acme');
  const usage = async () => (await okOf(acme.get(id))).usage;
  return { post, get, sessions: acme, id, usage };
};

describe('a budget over HTTP', () => {
  test("counts spends under the host's counter names, unchanged", async () => {
    const { post, id, usage, sessions } = await open();
    const spent = await post(`/spend-budget/${id}`, { usage: { inputTokens: 7 } });
    expect([spent.status, spent.body]).toEqual([200, {}]);
    const appended = { entries: said, usage: { micro_usd: 2 } };
    expect((await post(`/append-history/${id}`, appended)).status).toBe(200);
    const rewound = { to: 0, if_position: 1, usage: { micro_usd: 3, inputTokens: 1 } };
    expect((await post(`/rewind-history/${id}`, rewound)).status).toBe(200);
    expect(await usage()).toEqual({ inputTokens: 8, micro_usd: 5 });
    expect((await okOf(sessions.get(id))).budget).toEqual(budget);
  });

  test('counts the usage of a release that is done, and rejects usage of one that is not', async () => {
    const { post, id, usage, sessions } = await open();
    await okOf(sessions.send(id, 'Hello'));
    const { claimed } = await okOf(sessions.claim({ holder: 'worker-1', seconds: 30 }));
    const fencing_token = claimed[0]?.lease.fencingToken;
    const release = { fencing_token, usage: { inputTokens: 4 } };
    const refused = await post(`/release-session/${id}`, release);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ path: 'usage', message: 'is only for work that is done' }],
    ]);
    expect((await post(`/release-session/${id}`, { ...release, done: true })).status).toBe(200);
    expect(await usage()).toEqual({ inputTokens: 4, micro_usd: 0 });
  });

  test('is shown with the usage in reads and lists if the host enables it', async () => {
    for (const isShown of [true, false]) {
      const { post, get, id } = await open({ usage: isShown });
      await post(`/spend-budget/${id}`, { usage: { micro_usd: 1 } });
      const shown = isShown ? { usage: { inputTokens: 0, micro_usd: 1 }, budget } : {};
      const [read, list] = [await get(`/session/${id}`), await get('/sessions')];
      const { usage, budget: limits } = Object(await read.json());
      expect({ ...(usage && { usage }), ...(limits && { budget: limits }) }).toEqual(shown);
      const [first] = Object(await list.json());
      expect(first).toMatchObject(shown);
      expect('usage' in first).toBe(isShown);
    }
  });

  test('rejects usage with unknown, too large or non-integer counters', async () => {
    const { post, id, usage } = await open();
    const errorsOf = async (path: string, body: object) => {
      const reply = await post(path, body);
      return [reply.status, reply.body.code, reply.body.errors];
    };
    const unknown =
      'is no counter of this session: it needs a budget, or a name in limits.counters';
    const faults = [
      [{ input_tokens: 1 }, 'usage.input_tokens', unknown],
      [{ microUsd: 1 }, 'usage.microUsd', unknown],
      [{ micro_usd: -1 }, 'usage.micro_usd', 'must be a whole number, at least 0'],
      [{ micro_usd: 0.5 }, 'usage.micro_usd', 'must be a whole number, at least 0'],
      [{}, 'usage', 'must have 1 to 8 counters, such as { tokens: 900 }'],
    ] as const;
    for (const [given, path, message] of faults) {
      const expected = [400, 'invalid_input', [{ path, message }]];
      expect(await errorsOf(`/spend-budget/${id}`, { usage: given })).toEqual(expected);
      const append = { entries: said, usage: given };
      expect(await errorsOf(`/append-history/${id}`, append)).toEqual(expected);
      const rewind = { to: 0, if_position: 0, usage: given };
      expect(await errorsOf(`/rewind-history/${id}`, rewind)).toEqual(expected);
    }
    const most = Number.MAX_SAFE_INTEGER;
    await post(`/extend-session/${id}`, { budget: { inputTokens: most } });
    await post(`/spend-budget/${id}`, { usage: { inputTokens: most - 1 } });
    expect(await errorsOf(`/spend-budget/${id}`, { usage: { inputTokens: 2 } })).toEqual([
      400,
      'invalid_input',
      [{ path: 'usage.inputTokens', message: 'would make a sum above 2^53 - 1' }],
    ]);
    expect(await usage()).toEqual({ inputTokens: most - 1, micro_usd: 0 });
  });

  test('rejects a body without usage, and a budget of non-integers', async () => {
    const { post, id } = await open();
    const { body } = await post(`/spend-budget/${id}`, {});
    expect(body.errors).toMatchObject([{ path: 'usage' }]);
    for (const [path, input] of [
      ['/create-session', ada],
      [`/extend-session/${id}`, {}],
    ] as const) {
      const refused = await post(path, { ...input, budget: { micro_usd: 0 } });
      expect([refused.status, refused.body.errors]).toEqual([
        400,
        [{ path: 'budget.micro_usd', message: 'must be a whole number, at least 1' }],
      ]);
    }
    expect((await post(`/extend-session/${id}`, {})).body.errors).toEqual([
      { path: 'time_limit', message: 'or budget is required' },
    ]);
  });

  test('rejects unknown fields next to the usage under strict handling', async () => {
    const { post, id } = await open();
    const body = { usage: { inputTokens: 1 }, usge: { inputTokens: 1 } };
    const strict = { Prefer: 'handling=strict' };
    const refused = await post(`/spend-budget/${id}`, body, strict);
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ path: 'usge', message: 'is unknown (did you mean usage?)' }],
    ]);
    expect((await post(`/spend-budget/${id}`, body)).status).toBe(200);
  });

  test('counts a spend once that is repeated with its idempotency key', async () => {
    const { post, id, usage } = await open();
    const key = { 'Idempotency-Key': '"call-1"' };
    const replayedOf = async (tokens: number) => {
      const reply = await post(`/spend-budget/${id}`, { usage: { inputTokens: tokens } }, key);
      return [reply.status, reply.headers.get('Idempotent-Replayed'), reply.body.code];
    };
    expect(await replayedOf(7)).toEqual([200, null, undefined]);
    expect(await replayedOf(7)).toEqual([200, 'true', undefined]);
    expect(await replayedOf(8)).toEqual([422, null, 'operation_mismatch']);
    expect(await usage()).toEqual({ inputTokens: 7, micro_usd: 0 });
  });

  test('ends the session for the next request', async () => {
    const { post, id } = await open({ usage: true });
    expect((await post(`/spend-budget/${id}`, { usage: { micro_usd: 50 } })).status).toBe(200);
    const late = await post(`/spend-budget/${id}`, { usage: { micro_usd: 1 } });
    expect([late.status, late.body.code]).toEqual([409, 'invalid_transition']);
    const extended = await post(`/extend-session/${id}`, { budget: { micro_usd: 99 } });
    expect([extended.status, extended.body.code]).toEqual([409, 'invalid_transition']);
  });

  test('sends a warning at the share that the query asks for', async () => {
    const { post, get, id } = await open();
    const response = await get(`/session/${id}/events?warn_at=0.5`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    onTestFinished(() => reader?.cancel());
    let text = '';
    const told = async (type: string): Promise<string> => {
      while (!text.includes(`event: ${type}\n`) || !text.endsWith('\n\n')) {
        const { value } = (await reader?.read()) ?? {};
        if (value === undefined) throw new Error(`the stream has ended: ${text}`);
        text += value;
      }
      const [, data = ''] = text.split(`event: ${type}\ndata: `);
      return data.split('\n')[0] ?? '';
    };
    await told('session.snapshot');
    await post(`/spend-budget/${id}`, { usage: { micro_usd: 24 } });
    await told('session.changed');
    expect(text).not.toContain('session.expiring');
    await post(`/spend-budget/${id}`, { usage: { micro_usd: 1 } });
    expect(JSON.parse(await told('session.expiring'))).toEqual({
      type: 'session.expiring',
      at: expect.any(String),
      end_reason: 'budget',
      counter: 'micro_usd',
    });
  });

  test.each([
    ['0', 'must be above 0'],
    ['1.5', 'must be a number from 0 to 1'],
    ['-1', 'must be a number in decimal digits'],
    ['half', 'must be a number in decimal digits'],
  ])('rejects a warning at the share %s', async (share, message) => {
    const { get, id } = await open();
    const response = await get(`/session/${id}/events?warn_at=${share}`);
    expect(response.status).toBe(400);
    expect(Object(await response.json()).errors).toEqual([{ path: 'warn_at', message }]);
  });
});
