import { describe, expect, test } from 'vitest';
import type { SessionService } from '../../src/index.js';
import { ada, call, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const FAR = Number.MAX_SAFE_INTEGER;

/** Each call with a limit: its default and its maximum, and where its error is. */
const limited: readonly {
  readonly name: string;
  readonly most: number;
  readonly normal: number;
  readonly path: string;
  readonly ask: (sessions: SessionService, id: string, limit?: unknown) => ReturnType<typeof call>;
}[] = [
  {
    name: 'list',
    most: 100,
    normal: 10,
    path: 'limit',
    ask: (sessions, _, limit) => call(sessions, 'list', { limit }),
  },
  {
    ...{ name: 'history, from the end', most: 1000, normal: 100, path: 'last' },
    ask: (sessions, id, last) => call(sessions, 'history', id, { last }),
  },
  {
    ...{ name: 'history, after a position', most: 1000, normal: 100, path: 'limit' },
    ask: (sessions, id, limit) => call(sessions, 'history', id, { after: 0, limit }),
  },
  {
    ...{ name: 'history, before a position', most: 1000, normal: 100, path: 'limit' },
    ask: (sessions, id, limit) => call(sessions, 'history', id, { before: 1, limit }),
  },
  {
    ...{ name: 'claim', most: 100, normal: 1, path: 'limit' },
    ask: (sessions, _, limit) => call(sessions, 'claim', { holder: 'worker', seconds: 30, limit }),
  },
  {
    name: 'sweep',
    most: 10_000,
    normal: 500,
    path: 'limit',
    ask: (sessions, _, limit) => call(sessions, 'sweep', limit),
  },
];

describe.each(limited)('the limit of $name', ({ most, normal, path, ask }) => {
  const open = async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    return { sessions, id };
  };

  test('is applied as its maximum if it is larger, and the result says so', async () => {
    const { sessions, id } = await open();
    for (const [limit, applied] of [
      [undefined, normal],
      [1, 1],
      [most, most],
      [most + 1, most],
      [FAR, most],
    ] as const) {
      expect((await ask(sessions, id, limit))._unsafeUnwrap()).toMatchObject({ limit: applied });
    }
  });

  test('is invalid_input below 1 or if it is not a whole number', async () => {
    const { sessions, id } = await open();
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, {}, true]) {
      const error = (await ask(sessions, id, limit))._unsafeUnwrapErr();
      expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
    }
  });
});

test('a claim above the maximum returns the maximum, and the next claim the others', async () => {
  const { sessions } = openSessions();
  for (let count = 0; count < 101; count += 1) await okOf(sessions.create({ ...ada, wake: true }));
  const claim = () => okOf(sessions.claim({ holder: 'worker', seconds: 30, limit: 1000 }));
  expect((await claim()).claimed).toHaveLength(100);
  expect((await claim()).claimed).toHaveLength(1);
});

test('historyLimit has no maximum', async () => {
  const { sessions } = openSessions();
  const id = await startedIn(sessions);
  expect(await okOf(sessions.get(id, { historyLimit: FAR }))).toMatchObject({ history: [] });
  expect(await okOf(sessions.list({ historyLimit: FAR }))).toMatchObject({ total: 1 });
  expect(await errorOf(sessions.get(id, { historyLimit: -1 }))).toMatchObject({
    type: 'invalid_input',
  });
});
