import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import {
  ada,
  call,
  errorOf,
  type Operation,
  openSessions,
  startedIn,
} from '../support/sessions.js';

const entries = [{ role: 'user', content: 'hello' }];

const misspelt: readonly (readonly [Operation, readonly unknown[], string])[] = [
  ['create', [{ ...ada, timelimit: 5 }], 'timelimit is unknown (did you mean timeLimit?)'],
  ['create', [{ ...ada, behaviour: 'kind' }], 'behaviour is unknown (did you mean behavior?)'],
  ['create', [{ ...ada, time_limit: 5 }], 'time_limit is unknown (did you mean timeLimit?)'],
  ['create', [{ ...ada, color: 'red' }], 'color is unknown'],
  ['get', ['s1', { historylimit: 5 }], 'historylimit is unknown (did you mean historyLimit?)'],
  ['history', ['s1', { befor: 5 }], 'befor is unknown (did you mean before?)'],
  ['list', [{ limt: 5 }], 'limt is unknown (did you mean limit?)'],
  ['list', [{}, { maxByte: 5 }], 'maxByte is unknown (did you mean maxBytes?)'],
  ['start', ['s1', { operationid: 'a' }], 'operationid is unknown (did you mean operationId?)'],
  ['pause', ['s1', { fencingTokn: 1 }], 'fencingTokn is unknown (did you mean fencingToken?)'],
  [
    'append',
    ['s1', entries, { ifposition: 0 }],
    'ifposition is unknown (did you mean ifPosition?)',
  ],
  ['lease', ['s1', { holder: 'a', second: 1 }], 'second is unknown (did you mean seconds?)'],
  ['renew', ['s1', { fencingToken: 1, second: 1 }], 'second is unknown (did you mean seconds?)'],
  [
    'release',
    ['s1', { fencingToken: 1, fencingTokens: 2 }],
    'fencingTokens is unknown (did you mean fencingToken?)',
  ],
  ['sweep', [10, { onended: () => {} }], 'onended is unknown (did you mean onEnded?)'],
];

describe('a misspelt option', () => {
  test.for(misspelt)(
    'of %s fails with invalid_input that names the nearest option: %j',
    async ([operation, args, message]) => {
      const { sessions } = openSessions();
      const error = await errorOf(call(sessions, operation, ...args));
      expect(error).toMatchObject({
        type: 'invalid_input',
        message: expect.stringContaining(message),
      });
    },
  );

  test.for([
    ['each', [{ ordr: 'oldest' }], 'ordr is unknown (did you mean order?)'],
    ['watch', ['s1', { warnbefore: 5 }], 'warnbefore is unknown (did you mean warnBefore?)'],
    ['watchAll', [{ curser: '1' }], 'curser is unknown (did you mean cursor?)'],
    ['watchAll', [{ warnBefore: 5 }], 'warnBefore is unknown'],
  ] as const)('of %s is its first and only item: %j', async ([operation, args, message]) => {
    const { sessions } = openSessions();
    const items: unknown[] = [];
    for await (const item of Reflect.apply(sessions[operation], sessions, [...args]))
      items.push(item._unsafeUnwrapErr());
    expect(items).toMatchObject([{ type: 'invalid_input', message }]);
  });

  test('changes nothing', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    await errorOf(call(sessions, 'append', id, entries, { operationID: 'turn-1' }));
    await errorOf(call(sessions, 'terminate', id, { reason: 'enough' }));
    expect((await sessions.get(id))._unsafeUnwrap()).toMatchObject({
      status: 'ACTIVE',
      historyCount: 0,
    });
  });

  test('is quoted without control characters and bidirectional overrides', async () => {
    const { sessions } = openSessions();
    const { message } = await errorOf(
      call(sessions, 'create', { ...ada, 'face\u001b[31m\u202e\u2028': 1 }),
    );
    expect(message).toBe('face\\u{1b}[31m\\u{202e}\\u{2028} is unknown');
  });

  test('is quoted in part if it is very long', async () => {
    const { sessions } = openSessions();
    const { message } = await errorOf(
      call(sessions, 'create', { ...ada, ['x'.repeat(1_000_000)]: 1 }),
    );
    expect(message).toBe(`${'x'.repeat(64)} is unknown`);
  });
});

test('an option of limits at the top of the service options is named with its place', () => {
  const options = { store: new MemorySessionStore(), timeLimit: 600 };
  expect(() => Reflect.construct(SessionService, [options])).toThrow(
    new TypeError('SessionService: timeLimit is unknown (did you mean limits.timeLimit?)'),
  );
});

describe('an entry with an unknown field', () => {
  const hello = { role: 'user', content: 'hello' };

  test.each([
    ['timestmp', 'entries[1].timestmp is unknown (did you mean timestamp?)'],
    ['Content', 'entries[1].Content is unknown (did you mean content?)'],
    ['toolCalls', 'entries[1].toolCalls is unknown'],
    ['\u001b[31m\u202e', 'entries[1].\\u{1b}[31m\\u{202e} is unknown'],
  ])('is rejected for %j, and nothing is appended', async (name, message) => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const entries = [hello, { ...hello, [name]: 'x' }];
    expect(await errorOf(sessions.append(id, entries))).toMatchObject({
      type: 'invalid_input',
      message,
    });
    expect((await sessions.get(id))._unsafeUnwrap().historyCount).toBe(0);
  });
});
