import { afterAll, describe, type ExpectStatic, test } from 'vitest';
import { EventReader } from '../http/event-reader.js';
import { type RunningExample, runExample, stopAll } from './run-example.js';

afterAll(stopAll);

const KEY = { 'X-API-KEY': 'change-me' };

/** Where the list of a running example is. */
const serving = async (example: RunningExample): Promise<URL> => {
  const [url] = await example.printed(/http:\/\/\S+\/api\/sessions/);
  return new URL(url);
};

const create = async (list: URL): Promise<string> => {
  const headers = { ...KEY, 'Content-Type': 'application/json' };
  const body = '{"face":"ada","profile":"tutor"}';
  const response = await fetch(new URL('/api/create-session', list), {
    method: 'POST',
    headers,
    body,
  });
  return Object(await response.json()).session_id;
};

const post = async (url: URL, content?: string): Promise<number> => {
  const body = JSON.stringify(
    content === undefined ? {} : { entries: [{ role: 'user', content }] },
  );
  const headers = { ...KEY, 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
};

type More = (expect: ExpectStatic, list: URL, id: string) => Promise<void>;

const answersAt =
  (path: string): More =>
  async (expect, list) =>
    expect((await fetch(new URL(path, list))).status).toBe(200);

const takesCommands: More = async (expect, list, id) => {
  expect(await post(new URL(`/api/start-session/${id}`, list))).toBe(200);
  expect(await post(new URL(`/api/append-history/${id}`, list), 'a secret')).toBe(200);
};

const letsPagesFollow: More = async (expect, list, id) => {
  const other = await fetch(new URL(`/live/${id}`, list), { headers: { cookie: 'session=other' } });
  expect(other.status).toBe(404);
  const events = await EventReader.open(list.origin, `/live/${id}`, { cookie: `session=${id}` });
  expect(events.status).toBe(200);
  expect((await events.next())?.event).toBe('session.snapshot');
  // It stays open: streams do not hold up a stop.
};

// Each is a process that compiles what it runs: on a busy machine, many seconds.
describe.concurrent('examples that serve', () => {
  test.for<[string, More]>([
    ['express', answersAt('/healthz')],
    ['koa', answersAt('/')],
    ['fastify', takesCommands],
    ['hono', letsPagesFollow],
    ['inversify', takesCommands],
  ])(
    '%s creates, lists and gets, rejects requests without a key, and stops on demand',
    async (row, { expect }) => {
      const [name, more] = row;
      const example = runExample(name);
      const list = await serving(example);
      const id = await create(list);
      const listed = await fetch(list, { headers: KEY });
      expect(await listed.json()).toMatchObject([{ id, status: 'IDLE' }]);
      const got = await fetch(new URL(`/api/session/${id}`, list), { headers: KEY });
      expect(await got.json()).toMatchObject({ id });
      expect((await fetch(list)).status).toBe(401);
      await more(expect, list, id);
      const { exitCode, stdout, stderr } = await example.stop();
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/\bstopped\n$/);
      expect(stdout).not.toMatch(/change-me|secret/);
      if (name !== 'inversify') return;
      const audit = stdout.split('\n').filter((line) => line.startsWith('{'));
      expect(audit.map((line) => JSON.parse(line))).toEqual(
        ['create', 'to ACTIVE', 'append 1'].map((action) => ({
          action,
          tenant: 'acme',
          id,
          outcome: 'done',
        })),
      );
    },
  );

  test('chat creates a chat, answers a message, shows both, and stops on demand', async ({
    expect,
  }) => {
    const example = runExample('chat');
    const [origin] = await example.printed(/http:\/\/\S+/);
    const page = await fetch(origin);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await (await fetch(new URL('/page.js', origin))).text()).toContain('/api/chat');
    const id = new URL(page.url).pathname.split('/').at(-1) ?? '';
    const message = { id: 'u-1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
    const body = JSON.stringify({ id, message, trigger: 'submit-message' });
    const answer = await fetch(new URL('/api/chat', origin), { method: 'POST', body });
    expect(await answer.text()).toContain('"delta":"question."');
    const loaded = await fetch(new URL(`/api/chats/${id}`, origin));
    expect(await loaded.json()).toMatchObject({ messages: [message, { role: 'assistant' }] });
    const { exitCode, stdout, stderr } = await example.stop();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/\bstopped\n$/);
  });

  test.for([
    ['express', { API_KEY: 'two words' }, 'staticApiKeys: keys[0].key must be'],
    ['koa', { API_KEYS: '' }, 'API_KEYS must be tenant:key'],
  ] as const)('%s does not start without a key', async ([name, settings, message], { expect }) => {
    const { exitCode, stderr } = await runExample(name, settings).finished;
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });
});
