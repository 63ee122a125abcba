import { err } from 'neverthrow';
import { afterEach, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import type { HandlerRequest, SessionHandler } from '../../../src/http/index.js';
import { type SessionLimits, SessionService, type SessionStore } from '../../../src/index.js';
import { corruptRecord, storeUnavailable } from '../../../src/session/errors.js';
import { ManualClock, NOON } from '../../support/manual-clock.js';
import { changed } from '../../support/store-doubles.js';
import { wireHandler } from './wire-handler.js';
import { type WireRequest, wireRequests } from './wire-requests.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What differs from run to run: the version of the history in the id of an event. */
const steady = (text: string): string =>
  text
    .replace(/(?<=^id: \d+-\d+-\d+-[0-9a-f]{8}-[0-9a-f]{8}-)[\w.-]+$/gm, 'VERSION')
    .replace(/(?<="revision":)\d+/g, 'REVISION')
    .replace(/(?<="fencing_token":)\d+/g, 'TOKEN');

const requestOf = ([method, url, headers = {}, body]: WireRequest): HandlerRequest => {
  const all: Readonly<Record<string, string>> = { 'x-api-key': 'key', ...headers };
  return {
    method,
    url,
    prefix: '/api',
    header: (name) => all[name],
    body: async (maxBytes) => {
      const bytes = encoder.encode(body ?? '');
      return bytes.length > maxBytes ? { outcome: 'too_large' } : { outcome: 'read', bytes };
    },
  };
};

/** Request and answer, every byte of them: the headers in their order, streams as their text. */
const exchange = async (handler: SessionHandler, asked: WireRequest): Promise<string> => {
  const [method, url, headers = {}, body] = asked;
  const head = Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`);
  const question = [
    `> ${method} ${url}`,
    ...head,
    ...(body === undefined ? [] : [`> ${body.slice(0, 200)}`]),
  ];
  const response = await handler(requestOf(asked));
  if (response === undefined) return [...question, 'is left to others', ''].join('\n');
  const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
  let text = response.body ?? '';
  for await (const bytes of response.stream ?? []) text += decoder.decode(bytes, { stream: true });
  return steady(
    [...question, String(response.status), ...lines, ...(text === '' ? [] : ['', text]), ''].join(
      '\n',
    ),
  );
};

const open = (store: SessionStore, limits: Partial<SessionLimits> = {}) => {
  let ids = 0;
  const clock = new ManualClock();
  const sessions = new SessionService({
    store,
    clock,
    idleTimeout: 3600,
    limits,
    ids: {
      next: () => {
        ids += 1;
        return `s${ids}`;
      },
    },
  });
  return { clock, sessions };
};

const transcript = async (
  handler: SessionHandler,
  asked: readonly WireRequest[],
): Promise<string> => {
  const exchanges: string[] = [];
  for (const each of asked) exchanges.push(await exchange(handler, each));
  return exchanges.join('\n');
};

afterEach(() => {
  vi.useRealTimers();
});

const snapshot = (name: string): string => `./recorded/${name}.http`;

test('a complete service responds as recorded, byte for byte', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  const { clock, sessions } = open(new MemorySessionStore({ events: true }), { historyEntries: 5 });
  const acme = sessions.forTenant('acme');
  const handler = wireHandler({ sessions, maxBodyBytes: 2000 });
  for (const face of ['ada', 'grace', 'linus']) {
    await acme.create({ face, profile: 'tutor', context: 'é"\n', timeLimit: 60 });
    clock.pass(1000);
  }
  await acme.start('s1');
  await acme.append('s1', [
    { role: 'user', content: 'Hello', timestamp: '2026-01-31T12:00:00Z' },
    { role: 'assistant', content: 'Höi\u2028', timestamp: '2026-01-31T12:00:01Z' },
  ]);
  clock.pass(1500);
  await expect(await transcript(handler, wireRequests)).toMatchFileSnapshot(snapshot('whole'));
});

test('a host that shows work sends it with the waiting messages as recorded', async () => {
  const { clock, sessions } = open(new MemorySessionStore({ events: true }));
  const acme = sessions.forTenant('acme');
  await acme.create({ face: 'ada', profile: 'tutor' });
  await acme.start('s1');
  await acme.send('s1', { id: 'm/1', content: 'A bridge', data: { isUrgent: true } });
  const { claimed } = (await acme.claim({ holder: 'worker-1', seconds: 60 }))._unsafeUnwrap();
  const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
  await acme.release('s1', { fencingToken, error: 'no model' });
  clock.pass(1);
  await acme.send('s1', { id: 'm-2', content: 'A tunnel', role: 'caller' });
  const handler = wireHandler({ sessions, work: true });
  const shown = await transcript(handler, [['GET', '/session/s1']]);
  await acme.terminate('s1');
  const ended = await transcript(handler, [['GET', '/session/s1/events']]);
  await expect([shown, ended].join('\n')).toMatchFileSnapshot(snapshot('work'));
});

test('a host that shows usage sends it with the budgets as recorded', async () => {
  const { sessions } = open(new MemorySessionStore({ events: true }));
  const handler = wireHandler({ sessions, usage: true });
  const post = (path: string, body: object): WireRequest => [
    'POST',
    path,
    { 'content-type': 'application/json' },
    JSON.stringify(body),
  ];
  const budget = { micro_usd: 10, inputTokens: 500 };
  const asked: readonly WireRequest[] = [
    post('/create-session', { face: 'ada', profile: 'tutor', budget, start: true }),
    post('/spend-budget/s1', { usage: { inputTokens: 7 } }),
    post('/spend-budget/s1', { usage: { input_tokens: 7 } }),
    post('/extend-session/s1', { budget: { inputTokens: 800 } }),
    ['GET', '/session/s1'],
    ['GET', '/sessions'],
    post('/spend-budget/s1', { usage: { micro_usd: 10 } }),
    ['GET', '/session/s1/events'],
  ];
  await expect(await transcript(handler, asked)).toMatchFileSnapshot(snapshot('usage'));
});

test('the three basic operations respond as recorded, and leave every other path to the host', async () => {
  const { sessions } = open(new MemorySessionStore());
  const handler = wireHandler({ sessions, isBare: true });
  await sessions.forTenant('acme').create({ face: 'ada', profile: 'tutor' });
  await expect(await transcript(handler, wireRequests)).toMatchFileSnapshot(snapshot('bare'));
});

const bodyFor = (path: string): string => {
  if (path.startsWith('/append')) return '{"entries":[{"role":"user","content":"x"}]}';
  if (path.startsWith('/rewind')) return '{"to":0,"if_position":0}';
  return '{"face":"ada","profile":"tutor"}';
};

const one = (method: string, path: string): WireRequest => [
  method,
  path,
  { 'content-type': 'application/json' },
  bodyFor(path),
];

const everyOperation: readonly WireRequest[] = [
  one('POST', '/create-session'),
  one('GET', '/sessions'),
  one('HEAD', '/sessions'),
  one('GET', '/session/s1'),
  ...['start', 'pause', 'resume', 'terminate', 'fail', 'delete'].map((name) =>
    one('POST', `/${name}-session/s1`),
  ),
  one('POST', '/append-history/s1'),
  one('POST', '/rewind-history/s1'),
  one('GET', '/session/s1/events'),
];

const secret = new Error('redis://user:password@10.0.0.1');

const failing = {
  unavailable: storeUnavailable('secret', 'not_applied', secret),
  corrupt: corruptRecord('s1', 'secret'),
} as const;

test.for(Object.entries(failing))(
  'every operation over a store that is %s responds as recorded',
  async ([name, error]) => {
    const fail = () => err(error);
    const broken = {
      begin: fail,
      change: fail,
      remove: fail,
      find: fail,
      findState: fail,
      page: fail,
    };
    const { sessions } = open(changed(new MemorySessionStore({ events: true }), broken));
    await expect(await transcript(wireHandler({ sessions }), everyOperation)).toMatchFileSnapshot(
      snapshot(name),
    );
  },
);

test('every operation of a misconfigured host responds as recorded', async () => {
  const { sessions } = open(new MemorySessionStore());
  const nameless = wireHandler({ sessions, authenticate: () => Object('acme') });
  const handlers = [nameless, wireHandler({ sessions: { forTenant: () => ({}) } })];
  const all = await Promise.all(handlers.map((handler) => transcript(handler, everyOperation)));
  await expect(all.join('\n')).toMatchFileSnapshot(snapshot('misconfigured'));
});

test('unchecked keys, too many answers and too large answers respond as recorded', async () => {
  const { sessions } = open(new MemorySessionStore({ events: true }), { pageBytes: 100 });
  const acme = sessions.forTenant('acme');
  await acme.create({ face: 'ada', profile: 'tutor' });
  await acme.create({ face: 'ada', profile: 'tutor' });
  const closed = wireHandler({ sessions, authenticate: () => Promise.reject(secret) });
  const small = wireHandler({ sessions });
  const full = wireHandler({ sessions, maxPendingBytes: 1 });
  const first = await full({ ...requestOf(one('GET', '/session/s1')), onClose: () => undefined });
  expect(first?.status).toBe(200);
  const crowded = wireHandler({ sessions, maxStreams: 1 });
  const stream = await crowded(requestOf(one('GET', '/session/s1/events')));
  const texts = [
    await transcript(closed, everyOperation.slice(0, 4)),
    await transcript(small, [one('GET', '/sessions')]),
    await transcript(full, [one('GET', '/sessions'), one('GET', '/session/s1')]),
    await transcript(crowded, [
      one('GET', '/session/s1/events'),
      one('HEAD', '/session/s1/events'),
    ]),
  ];
  await stream?.stream?.[Symbol.asyncIterator]().return?.();
  await expect(texts.join('\n')).toMatchFileSnapshot(snapshot('turned-away'));
});
