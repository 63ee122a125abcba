import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTelemetry } from '../../src/telemetry/index.js';
import { errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { exportedSpans } from './exported.js';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterAll(() => context.disable());

const open = async () => {
  const { tracerProvider, spans } = exportedSpans();
  const { sessions } = openSessions({ observers: [openTelemetry({ tracerProvider })] });
  const id = await startedIn(sessions);
  return { sessions, id, named: (name: string) => spans().filter((span) => span.name === name) };
};

test('each attempt of a turn has a span with its number, its attempt and its outcome', async () => {
  const { sessions, id, named } = await open();
  const message = { id: 'm-1', content: 'A bridge' };
  await errorOf(sessions.reply(id, message, () => Promise.reject(new Error('no model'))));
  await okOf(sessions.reply(id, message, () => 'Built'));
  const about = { 'colloquy.operation.name': 'turn', 'gen_ai.conversation.id': id };
  expect(named('run turn').map(({ attributes }) => attributes)).toEqual([
    {
      ...about,
      'colloquy.turn.number': 1,
      'colloquy.turn.attempt': 1,
      'colloquy.turn.outcome': 'failed',
      'error.type': 'callback_failed',
    },
    {
      ...about,
      'colloquy.turn.number': 1,
      'colloquy.turn.attempt': 2,
      'colloquy.turn.outcome': 'done',
    },
  ]);
});

test('the operations of a turn are children of its span, which is a child of the reply', async () => {
  const { sessions, id, named } = await open();
  await okOf(sessions.reply(id, 'A bridge', () => 'Built'));
  const [turn] = named('run turn');
  const [reply] = named('reply to message');
  const [release] = named('release session');
  expect(release?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
  expect(turn?.parentSpanContext?.spanId).toBe(reply?.spanContext().spanId);
});

test.each([
  ['says its last words', () => 'Bui'],
  ['throws', () => Promise.reject(new Error('aborted'))],
])('a turn that is cancelled and then %s is marked as stopped, not failed', async (_, last) => {
  const { sessions, id, named } = await open();
  await sessions.reply(id, 'A bridge', async () => {
    await okOf(sessions.cancel(id));
    return last();
  });
  const outcomes = named('run turn').map(({ attributes }) => attributes['colloquy.turn.outcome']);
  expect(outcomes).toEqual(['stopped']);
});
