import { describe, expect, test } from 'vitest';
import { type RemoteChange, SessionClient } from '../../src/client/index.js';
import { ada, okOf, startedIn } from '../support/sessions.js';
import { openProxy } from '../support/tcp-proxy.js';
import { type Answer, problem, scripted, unplugged } from './scripted.js';
import { KEY, serve } from './served.js';

/** A stream that sends this text, and then ends, breaks off or stays open. */
const stream = (text: string, then: 'ends' | 'breaks' | 'stays' = 'ends'): Answer => {
  return ({ init }) => {
    let isSaid = false;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          init.signal?.addEventListener('abort', () => controller.error(new TypeError('aborted')), {
            once: true,
          });
        },
        pull: (controller) => {
          if (!isSaid) controller.enqueue(new TextEncoder().encode(text));
          else if (then === 'ends') controller.close();
          else if (then === 'breaks') controller.error(new TypeError('terminated'));
          isSaid = true;
        },
      },
      // A broken stream loses the data that was not read yet.
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  };
};

const session = { id: 's1', status: 'ACTIVE', history: [], created_at: 'c', duration: 0 };
const options = { face: 'a', profile: 'b', context: '', behavior: '', time_limit: 0 };

const cursor = (sequence: number) => `${sequence}-0-0-00000000-00000000-v1.0`;

const snapshot = (sequence: number) =>
  `id: ${cursor(sequence)}\nevent: session.snapshot\ndata: ${JSON.stringify({ ...session, options })}\n\n`;

const event = (sequence: number, status = 'PAUSED', more: object = {}) => {
  const { history: _, ...summary } = { ...session, options, status, ...more };
  const data = { type: 'session.changed', session: summary, entries: [], sequence, position: 0 };
  return `id: ${cursor(sequence)}\nevent: session.changed\ndata: ${JSON.stringify(data)}\n\n`;
};

const end = 'id: end\nevent: end\ndata: {"end_reason":"terminated"}\n\n';
const ended = event(4, 'TERMINATED', { end_reason: 'terminated' }) + end;
const preamble = 'retry: 3000\n\n';

const told = (change: RemoteChange): unknown => {
  if (change.type === 'session.snapshot') return 'snapshot';
  if (change.type === 'session.expiring') return `expiring ${change.endsAt}`;
  if (change.type === 'session.deleted') return 'deleted';
  return `${change.session.endReason ?? change.session.status} ${change.sequence}`;
};

const followed = async (answers: readonly Answer[], more: Parameters<typeof scripted>[1] = {}) => {
  const world = scripted(answers, more);
  const items: unknown[] = [];
  for await (const item of world.client.watch('s1')) {
    items.push(item.match(told, (error) => ({ type: error.type })));
  }
  return { ...world, items, places: world.sent.map(({ headers }) => headers.get('Last-Event-ID')) };
};

describe('a client watch', () => {
  test('yields new entries, and the position at the end of the history', async () => {
    const entries = [{ role: 'user', content: 'Hello', timestamp: 't', position: 12 }];
    const text = event(3)
      .replace('"entries":[]', `"entries":${JSON.stringify(entries)}`)
      .replace('3-0-0-', '3-0-12-');
    const { client } = scripted([stream(preamble + snapshot(1) + text + ended)]);
    const items: RemoteChange[] = [];
    for await (const item of client.watch('s1')) items.push(item._unsafeUnwrap());
    expect(items[0]).toMatchObject({
      session: { id: 's1', history: [] },
      position: 0,
      cursor: cursor(1),
    });
    expect(items[1]).toMatchObject({ type: 'session.changed', entries, sequence: 3, position: 12 });
    expect(items[2]).toMatchObject({ session: { status: 'TERMINATED', endReason: 'terminated' } });
  });

  test('yields a deletion as the last item', async () => {
    const deleted = `id: ${cursor(1)}\nevent: session.deleted\ndata: {"type":"session.deleted"}\n\n`;
    const over = 'id: end\nevent: end\ndata: {}\n\n';
    const { items } = await followed([stream(snapshot(1) + deleted + over)]);
    expect(items).toEqual(['snapshot', 'deleted']);
  });

  test('resumes after the last event wherever it is cut off', async () => {
    const { items, places, sent } = await followed([
      unplugged,
      problem(503, 'store_unavailable'),
      stream(preamble + snapshot(1) + event(2)),
      stream(`${event(3)}id: 4\nevent: session.chan`, 'breaks'),
      stream(ended, 'stays'),
    ]);
    expect(items).toEqual(['snapshot', 'PAUSED 2', 'PAUSED 3', 'terminated 4']);
    expect(places).toEqual([null, null, null, cursor(2), cursor(3)]);
    expect(sent.at(-1)?.init.signal?.aborted).toBe(true);
    expect(sent[0]?.headers.get('Accept')).toBe('text/event-stream');
  });

  test('asks for a warning before the end, and yields it between the changes', async () => {
    const { client, sent } = scripted([
      stream(
        preamble +
          snapshot(1) +
          `id: ${cursor(1)}\nevent: session.expiring\ndata: {"type":"session.expiring","at":"t","ends_at":"u","end_reason":"time_limit"}\n\n` +
          event(2),
      ),
      stream(event(3) + ended),
    ]);
    const items: unknown[] = [];
    for await (const item of client.watch('s1', { warnBefore: 30 }))
      items.push(item.map(told)._unsafeUnwrap());
    expect(items).toEqual(['snapshot', 'expiring u', 'PAUSED 2', 'PAUSED 3', 'terminated 4']);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?warn_before=30',
      '?warn_before=30',
    ]);
  });

  test("reconnects after the server's delay, and backs off while nothing arrives", async () => {
    const { timing } = await followed([
      stream(preamble + snapshot(1)),
      stream(preamble),
      stream(preamble),
      stream(ended),
    ]);
    expect(timing.waits).toEqual([1500, 3000, 5000]);
  });

  test('treats silence as a broken connection, and heartbeats as a working one', async () => {
    const { items, timing } = await followed([
      stream(snapshot(1), 'stays'),
      stream(`: heartbeat\n\n${ended}`),
    ]);
    expect(items).toEqual(['snapshot', 'terminated 4']);
    expect(timing.waits).toContain(45_000);
  });

  test('skips event types of later versions', async () => {
    const later = `event: weather\ndata: 1\n\n${event(3).replace('session.changed', 'session.sang')}`;
    const { items } = await followed([stream(snapshot(1) + later + ended)]);
    expect(items).toEqual(['snapshot', 'terminated 4']);
  });

  test('ends when the session is over', async () => {
    expect((await followed([() => new Response(null, { status: 204 })])).items).toEqual([]);
    const gone = await followed([stream(snapshot(1)), problem(404, 'not_found')]);
    expect(gone.items).toEqual(['snapshot']);
  });

  test.each<readonly [string, readonly Answer[], string]>([
    ['no such session', [problem(404, 'not_found')], 'not_found'],
    ['no such key', [stream(snapshot(1)), problem(401, 'unauthenticated')], 'unauthenticated'],
    ['a page in place of a stream', [() => new Response('<html>')], 'unexpected_answer'],
    [
      'events of another kind',
      [stream(`id: ${cursor(1)}\nevent: session.changed\ndata: {}\n\n`)],
      'unexpected_answer',
    ],
    ['a cursor of another kind', [stream(event(1).replace('id: 1', 'id: ü'))], 'unexpected_answer'],
    [
      'a session of another kind',
      [stream(`id: ${cursor(1)}\nevent: session.snapshot\ndata: {"id":1}\n\n`)],
      'unexpected_answer',
    ],
    [
      'what cannot be read',
      [stream('event: unavailable\ndata: {"code":"corrupt_record"}\n\n')],
      'corrupt_record',
    ],
    ['a store that stays away', [problem(503, 'store_unavailable')], 'store_unavailable'],
    ['no network', [stream(snapshot(1)), unplugged], 'unreachable'],
  ])('ends with %s, and leaves no connection open', async (_, answers, type) => {
    const { items, sent } = await followed(answers);
    expect(items.at(-1)).toEqual({ type });
    expect(sent.map(({ init }) => init.signal?.aborted)).toEqual(sent.map(() => true));
  });

  test('resumes after a temporary store outage', async () => {
    const away = stream(`${snapshot(1)}event: unavailable\ndata: {"code":"store_unavailable"}\n\n`);
    expect((await followed([away, stream(ended)])).items).toEqual(['snapshot', 'terminated 4']);
  });

  test('does not reconnect if that cannot succeed', async () => {
    const { items, sent } = await followed([stream(snapshot(1))], { retries: 0 });
    expect(items).toEqual(['snapshot', { type: 'unreachable' }]);
    expect(sent).toHaveLength(1);
  });

  test('limits the memory for an endless event', async () => {
    const long = stream(`data: ${'x'.repeat(2000)}`, 'stays');
    expect((await followed([long], { maxResponseBytes: 1000 })).items).toEqual([
      { type: 'unexpected_answer' },
    ]);
  });

  test('accepts any number of heartbeats and events', async () => {
    const events = Array.from({ length: 1000 }, (_, at) => event(at + 2)).join('');
    const { items } = await followed([
      stream(snapshot(1) + ': heartbeat\n'.repeat(2000) + events + end),
    ]);
    expect(items).toHaveLength(1001);
  });

  test('sends nothing until it is read, and ends immediately when it is left or aborted', async () => {
    const { client, sent } = scripted([stream(snapshot(1), 'stays')], {
      silenceMs: 2 ** 30,
      timeoutMs: 2 ** 30,
    });
    const abort = new AbortController();
    const watched = client.watch('s1', { signal: abort.signal })[Symbol.asyncIterator]();
    const left = client.watch('s1')[Symbol.asyncIterator]();
    expect(sent).toHaveLength(0);
    await watched.next();
    await left.next();
    const waiting = [watched.next(), left.next()];
    abort.abort();
    await left.return?.();
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(sent.map(({ init }) => init.signal?.aborted)).toEqual([true, true]);
    for await (const _ of client.watch('s1', { signal: abort.signal })) expect.unreachable();
    expect(sent).toHaveLength(2);
  });
});

describe('a client watch over a network', () => {
  test('misses nothing while connections are cut', async () => {
    const { server, sessions } = await serve();
    const proxy = await openProxy(Number(new URL(server.origin).port));
    const client = new SessionClient({
      baseUrl: `http://127.0.0.1:${proxy.port}/api`,
      apiKey: KEY,
      timing: {
        now: () => Date.now(),
        random: () => 0,
        after: (ms, done) => clear(setTimeout(done, ms)),
      },
    });
    const { id } = (await client.create(ada))._unsafeUnwrap();
    await client.start(id);
    const said: string[] = [];
    let items = 0;
    for await (const item of client.watch(id)) {
      const change = item._unsafeUnwrap();
      items += 1;
      if (change.type === 'session.changed')
        said.push(...change.entries.map(({ content }) => content));
      if (items < 4) {
        proxy.speak();
        await sessions.append(id, [{ role: 'user', content: `while away ${items}` }]);
      } else {
        await sessions.terminate(id);
      }
    }
    expect(said).toEqual(['while away 1', 'while away 2', 'while away 3']);
  });
});

const clear = (timer: ReturnType<typeof setTimeout>) => () => clearTimeout(timer);

test('a watch over HTTP delivers the waiting messages and the work of each item of the service', async () => {
  const { client, sessions } = await serve({ work: true });
  const id = await startedIn(sessions);
  await okOf(sessions.send(id, { id: 'm/1', content: 'A bridge', data: { isUrgent: true } }));
  const here = sessions.orThrow.watch(id)[Symbol.asyncIterator]();
  const there = client.orThrow.watch(id)[Symbol.asyncIterator]();
  const turnOf = (change: RemoteChange) => {
    if (change.type === 'session.deleted' || change.type === 'session.expiring') return change.type;
    const { session, messages } = change;
    return { type: change.type, messages, inbox: session.inbox, work: session.work };
  };
  const steps = [
    () => sessions.send(id, { id: 'm-2', content: 'A tunnel' }),
    () => sessions.withdraw(id, ['m/1']),
    () => sessions.claim({ holder: 'worker-1', seconds: 60 }),
    () => sessions.terminate(id),
  ];
  const items: unknown[] = [];
  for (const step of [undefined, ...steps]) {
    await step?.();
    const [local, remote] = await Promise.all([here.next(), there.next()]);
    items.push(turnOf(remote.value));
    expect(items.at(-1)).toEqual(turnOf(local.value));
  }
  const [first, second] = ['A bridge', 'A tunnel'].map((content) => ({ content, role: 'user' }));
  expect(items).toMatchObject([
    { type: 'session.snapshot', messages: [{ ...first, id: 'm/1', data: { isUrgent: true } }] },
    { messages: [first, second], inbox: 2, work: { state: 'waiting' } },
    { messages: [second], inbox: 1 },
    { messages: undefined, inbox: 0, work: { state: 'running', attempt: 1 } },
    { messages: undefined, inbox: 0, work: undefined },
  ]);
});

test('a watch over HTTP delivers neither messages nor work unless the host shows work', async () => {
  const { client, sessions } = await serve();
  const id = await startedIn(sessions);
  await okOf(sessions.send(id, 'A bridge'));
  for await (const item of client.orThrow.watch(id)) {
    expect(item).not.toHaveProperty('messages');
    expect(item).not.toHaveProperty('session.work');
    break;
  }
});
