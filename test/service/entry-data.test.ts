import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const call = { toolCalls: [{ toolName: 'search', input: { q: 'weather' } }], tokens: 12 };

const append = (
  sessions: ReturnType<typeof openSessions>['sessions'],
  id: string,
  entry: object,
  options = {},
) =>
  sessions.append(
    id,
    [Object.assign({ role: 'assistant', content: 'Let me see.' }, entry)],
    options,
  );

describe('entry data', () => {
  test('is returned by reads, history parts and snapshots, as are entry ids', async () => {
    const { sessions } = openSessions({ store: new MemorySessionStore({ events: true }) });
    const id = await startedIn(sessions);
    const { position } = await okOf(append(sessions, id, { id: 'm-1', data: call }));
    const entry = { role: 'assistant', content: 'Let me see.', id: 'm-1', data: call };
    expect((await okOf(sessions.get(id))).history).toMatchObject([entry]);
    expect((await okOf(sessions.history(id))).entries).toMatchObject([{ ...entry, position }]);
    for await (const change of sessions.watch(id)) {
      expect(change._unsafeUnwrap()).toMatchObject({ session: { history: [entry] } });
      break;
    }
  });

  test('is absent from entries without it, as are entry ids', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    await okOf(append(sessions, id, { id: null, data: null }));
    await okOf(append(sessions, id, { id: undefined, data: undefined }));
    for (const entry of (await okOf(sessions.get(id))).history) {
      expect(Object.keys(entry)).toEqual(['role', 'content', 'timestamp']);
    }
  });

  test("stays the same if the caller's object changes", async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const data = { list: [1] };
    await okOf(append(sessions, id, { data }));
    data.list.push(2);
    expect((await okOf(sessions.get(id))).history[0]?.data).toEqual({ list: [1] });
  });

  test('is a mismatch under a known operation id if it differs, and a repetition if it is equal', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    await okOf(append(sessions, id, { data: call }, { operationId: 'turn-1' }));
    clock.pass(5);
    const again = await okOf(
      append(sessions, id, { data: structuredClone(call) }, { operationId: 'turn-1' }),
    );
    expect(again).toMatchObject({ repeated: true });
    const other = await errorOf(
      append(sessions, id, { data: { ...call, tokens: 13 } }, { operationId: 'turn-1' }),
    );
    expect(other).toMatchObject({ type: 'operation_mismatch' });
  });

  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  test.each([
    ['a function', { now: () => 1 }, 'must be a JSON value'],
    ['a symbol', Symbol('x'), 'must be a JSON value'],
    ['a bigint', { n: 1n }, 'must be a JSON value'],
    ['a hole', Array.from({ length: 1 }), 'must be a JSON value'],
    ['NaN', [Number.NaN], 'must contain only finite numbers'],
    ['a Date', { at: new Date(0) }, 'must contain only plain objects and arrays'],
    ['a Map', new Map(), 'must contain only plain objects and arrays'],
    ['a circle', cyclic, 'must have at most 64 nested objects and arrays'],
    ['65 arrays', nested(65), 'must have at most 64 nested objects and arrays'],
  ])('rejects %s, and nothing is appended', async (_, data, rule) => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const error = await errorOf(append(sessions, id, { data }));
    expect(error).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'entries[0].data', message: rule }],
    });
    expect((await okOf(sessions.get(id))).historyCount).toBe(0);
  });

  test('counts together with the content towards limits.contentBytes', async () => {
    const { sessions } = openSessions({ limits: { contentBytes: 20 } });
    const id = await startedIn(sessions);
    const sized = (content: string, data: unknown) => append(sessions, id, { content, data });
    await okOf(sized('12345678', '8901234567'));
    await okOf(sized('', { a: '234567890123' }));
    for (const [content, data] of [
      ['123456789', '8901234567'],
      ['', { a: '2345678901234' }],
      ['ä', '12345678901234567'],
    ] as const) {
      expect(await errorOf(sized(content, data))).toMatchObject({
        issues: [
          {
            path: 'entries[0].data',
            message: 'must have at most 20 bytes of UTF-8 as JSON, together with the content',
          },
        ],
      });
    }
  });

  test.each(['', 'x'.repeat(257), 5, {}])('rejects the id %j', async (given) => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    expect(await errorOf(append(sessions, id, { id: given }))).toMatchObject({
      issues: [{ path: 'entries[0].id' }],
    });
  });

  test('rejects an unknown field with the nearest known name', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const issue = { path: 'entries[0].date', message: 'is unknown (did you mean data?)' };
    expect(await errorOf(append(sessions, id, { date: {} }))).toMatchObject({ issues: [issue] });
  });
});

test('a watch with historyLimit starts with the latest entries', async () => {
  const { sessions } = openSessions({ store: new MemorySessionStore({ events: true }) });
  const id = await startedIn(sessions);
  for (const content of ['a', 'b', 'c'])
    await okOf(sessions.append(id, [{ role: 'user', content }]));
  const shown = async (historyLimit?: number) => {
    for await (const change of sessions.watch(
      id,
      historyLimit === undefined ? {} : { historyLimit },
    )) {
      const item = change._unsafeUnwrap();
      if (item.type !== 'session.snapshot') throw new Error(`${item.type} came first`);
      return [
        item.session.history.map(({ content }) => content).join(''),
        item.session.historyCount,
      ];
    }
    return undefined;
  };
  expect([await shown(), await shown(2), await shown(0)]).toEqual([
    ['abc', 3],
    ['bc', 3],
    ['', 3],
  ]);
});
