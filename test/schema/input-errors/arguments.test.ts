import { describe, expect, test } from 'vitest';
import { TranscriptStore } from '../../../adapters/claude-agent/index.js';
import { expressMiddleware } from '../../../adapters/express/index.js';
import { fetchHandler } from '../../../adapters/fetch/index.js';
import { koaMiddleware } from '../../../adapters/koa/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import { EngineSession, TurnSession } from '../../../adapters/openai-agents/index.js';
import { SessionClient } from '../../../src/client/index.js';
import { SessionService } from '../../../src/index.js';
import { revoked } from '../../support/hostile-values.js';
import { commonOperations, serviceOperations, withoutFields } from './operations.js';

const sessions = new SessionService({ store: new MemorySessionStore() });
const session = new EngineSession(sessions, 's1');
const turn = { session: { id: 's1' }, history: [], sessions, take: async () => [] };
const turnSession = new TurnSession(turn);
const transcripts = new TranscriptStore(sessions);
const key = { projectKey: 'p', sessionId: 's' };

const handlerRule = 'handler must be the result of createSessionHandler';
const sessionsRule = 'sessions must be a SessionService or a SessionClient';

const calls: Readonly<Record<string, readonly [call: (given: never) => unknown, rule: string]>> = {
  expressMiddleware: [expressMiddleware, handlerRule],
  koaMiddleware: [koaMiddleware, handlerRule],
  fetchHandler: [fetchHandler, handlerRule],
  nodeListener: [nodeListener, handlerRule],
  EngineSession: [(given) => new EngineSession(given, 's1'), sessionsRule],
  TranscriptStore: [(given) => new TranscriptStore(given), sessionsRule],
  'EngineSession.getItems': [(given) => session.getItems(given), 'limit must be a number'],
  'EngineSession.turnItems': [(given) => session.turnItems(given), 'turn must be a string'],
  'EngineSession.addItems': [(given) => session.addItems(given), 'items must be an array'],
  'EngineSession.addItems with one': [
    (given) => session.addItems([given]),
    'items[0] must be an object',
  ],
  TurnSession: [(given) => new TurnSession(given), 'turn must be the argument of run'],
  'TurnSession.getItems': [(given) => turnSession.getItems(given), 'limit must be a number'],
  'TurnSession.addItems': [(given) => turnSession.addItems(given), 'items must be an array'],
  'TranscriptStore.load': [(given) => transcripts.load(given), 'key must be an object'],
  'TranscriptStore.append': [(given) => transcripts.append(key, given), 'entries must be an array'],
  'TranscriptStore.listSessions': [
    (given) => transcripts.listSessions(given),
    'projectKey must be a string',
  ],
};

describe('an invalid argument without fields is reported with its name and rule', () => {
  test.each(Object.entries(calls))('%s', async (_, [call, rule]) => {
    const thrown = await (async () => Reflect.apply(call, undefined, [null]))().catch(
      (cause: unknown) => cause,
    );
    expect(thrown).toBeInstanceOf(TypeError);
    expect(String(thrown)).toContain(`: ${rule}`);
  });

  test.each(Object.entries(calls))('%s, also for a revoked proxy', async (_, [call]) => {
    const thrown = await (async () => Reflect.apply(call, undefined, [revoked()]))().catch(
      (cause: unknown) => cause,
    );
    expect(String(thrown)).toMatch(/TypeError: \w+: \w+(\[0\])? (must|cannot be read)/);
  });
});

test.each([SessionService, SessionClient])(
  'these tests call every operation of %o',
  ({ prototype }) => {
    const walked = [...commonOperations, ...serviceOperations].map(({ method }) => method);
    const known = new Set(['constructor', 'forTenant', 'within', ...walked, ...withoutFields]);
    const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([, { value }]) => typeof value === 'function')
      .map(([name]) => name);
    expect(methods.filter((name) => !known.has(name))).toEqual([]);
  },
);
