import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createdIn, okOf } from '../support/sessions.js';
import { codeOf, openInspector as open } from './open-inspector.js';

describe("the inspector's list stream", () => {
  test("contains the events that change the tenant's list, and no others", async () => {
    const { ask, sessions, others } = open();
    const { status, stream } = await ask('GET', '/inspector/events');
    if (stream === undefined) throw new Error(`${status}, and nothing is streamed`);
    await createdIn(others);
    const id = await createdIn(sessions);
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(sessions.terminate(id));
    let text = '';
    for await (const bytes of stream) {
      text += new TextDecoder().decode(bytes);
      if (text.includes('session.terminated')) break;
    }
    const events = [...text.matchAll(/^(.*)\nevent: (.+)\ndata: (.+)$/gm)];
    // No line before them, so no id: a page that reconnects reads its list again.
    expect(events.map(([, line, name, data]) => [line, name, data])).toEqual(
      ['session.created', 'session.started', 'session.terminated'].map((type, at) => [
        at === 0 ? 'retry: 1000' : '',
        'change',
        `{"type":"${type}"}`,
      ]),
    );
    expect((await ask('HEAD', '/inspector/events')).stream).toBeUndefined();
  });

  test('answers 404 without a report to the host if sessions cannot be watched together', async () => {
    const { ask, told } = open(
      {},
      { change: (sessions) => Object.defineProperty(sessions, 'watchAll', { value: undefined }) },
    );
    expect((await ask('GET', '/inspector/events')).status).toBe(404);
    expect(told).toEqual([]);
  });

  test('is refused if the store has no events', async () => {
    const { ask } = open({}, { store: new MemorySessionStore() });
    const answer = await ask('GET', '/inspector/events');
    expect([answer.status, codeOf(answer)]).toEqual([500, 'misconfigured']);
  });

  test('is limited to a hundred per tenant, and available again when others close', async () => {
    const { ask } = open();
    const opened = await Promise.all(
      Array.from({ length: 100 }, () => ask('GET', '/inspector/events')),
    );
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
    expect(codeOf(await ask('GET', '/inspector/events'))).toBe('too_many_streams');
    for (const { stream } of opened) await stream?.[Symbol.asyncIterator]().return?.();
    const again = await ask('GET', '/inspector/events');
    expect(again.status).toBe(200);
    await again.stream?.[Symbol.asyncIterator]().return?.();
  });
});
