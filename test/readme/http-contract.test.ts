import { describe, expect, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSessionHandler, staticApiKeys } from '../../src/http/index.js';
import { problemStatuses } from '../../src/http/problem-body.js';
import { SessionService, unwrap } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { documentOf, rowsOf } from './documents.js';
import { blocksIn } from './samples.js';

const page = documentOf('docs/reference/http-contract.md');
const [create, created, listed, got, refused] = blocksIn(page, 'json').map(({ code }) => code);
const jsonOf = (text = ''): unknown => JSON.parse(text);

const ID = 'V1StGXR8_Z5jdHi6B-myT';
const CREATED_AT = Date.UTC(2026, 0, 31, 18, 0, 2);

/** A service at the time of the page, and a function that sends it a request. */
const open = () => {
  const clock = new ManualClock();
  clock.pass(CREATED_AT - clock.now());
  const store = new MemorySessionStore();
  const sessions = new SessionService({ store, clock, ids: { next: () => ID } });
  const authenticate = staticApiKeys([{ key: 'change-me', tenant: 'default' }]);
  const respond = fetchHandler(createSessionHandler({ sessions, authenticate }));
  const send = (path: string, body?: string) =>
    respond(
      new Request(`http://localhost${path}`, {
        headers: { 'X-API-KEY': 'change-me', 'Content-Type': 'application/json' },
        ...(body !== undefined && { method: 'POST', body }),
      }),
    );
  return { clock, sessions, send };
};

describe('the page of the HTTP contract', () => {
  test('shows the response to the create that it shows', async () => {
    const response = await open().send('/create-session', create);
    expect(response.status).toBe(201);
    expect(page.text).toContain(`\`Location: ${response.headers.get('location')}\``);
    expect(await response.json()).toEqual(jsonOf(created));
  });

  test('shows the list and the session that follow', async () => {
    const { clock, sessions, send } = open();
    await send('/create-session', create);
    expect(await (await send('/sessions?limit=2&page=1')).json()).toEqual(jsonOf(listed));
    await unwrap(sessions.start(ID));
    clock.pass(2000);
    await unwrap(sessions.append(ID, [{ role: 'user', content: 'What is 6 times 7?' }]));
    expect(await (await send(`/session/${ID}`)).json()).toEqual(jsonOf(got));
  });

  test('shows the response to an invalid create', async () => {
    const response = await open().send('/create-session', '{"face":"ada","time_limit":-1}');
    expect(await response.json()).toEqual(jsonOf(refused));
  });

  test('lists the status of each code', () => {
    const rows = rowsOf(page, 'Status', 'code', 'Create');
    const codes = rows.flatMap(([status, names = '']) =>
      names.split(', ').map((name) => [name, Number(status)] as const),
    );
    expect(codes.length).toBeGreaterThan(10);
    const statuses = new Map<string, number>(Object.entries(problemStatuses));
    expect(codes.filter(([name, status]) => statuses.get(name) !== status)).toEqual([]);
  });
});
