import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchHandler } from '../../adapters/fetch/index.js';
import type { HandlerResponse, SessionHandler } from '../../src/http/index.js';
import { listening } from '../http/serve.js';
import { turns, until } from '../support/event-loop.js';
import { mounts } from './mounts.js';

const LARGE = 'x'.repeat(24 * 1024 * 1024);

/** Turns of the event loop in which nothing happens: the answer waits for its client. */
const STILL = 500;

async function* texts(): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(LARGE);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const responses: Readonly<Record<string, () => HandlerResponse>> = {
  'a large answer': () => ({ status: 200, headers: {}, body: LARGE }),
  'a stream': () => ({ status: 200, headers: {}, stream: texts() }),
};

/** A handler that always returns this response, and counts the calls of its close listener. */
const watched = (respond: () => HandlerResponse) => {
  const seen = { asked: 0, closed: 0 };
  const handler: SessionHandler = async (request) => {
    seen.asked += 1;
    request.onClose?.(() => {
      seen.closed += 1;
    });
    return respond();
  };
  return { seen, handler };
};

const cases = mounts.flatMap(([name, mount]) =>
  Object.entries(responses).map(([kind, respond]) => [name, kind, mount, respond] as const),
);

describe.each(cases)(
  'an onClose listener, mounted by %s, for %s',
  (_name, _kind, mount, respond) => {
    const opened = async () => {
      const { seen, handler } = watched(respond);
      const server = await listening(mount(handler));
      onTestFinished(() => server.close());
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await until(() => seen.asked === 1);
      await turns(STILL);
      expect(seen.closed).toBe(0);
      return { seen, socket };
    };

    test('is called once, after the client has received the complete response', async () => {
      const { seen, socket } = await opened();
      let taken = 0;
      socket.on('data', ({ length }) => {
        taken += length;
      });
      socket.resume();
      await until(() => seen.closed > 0);
      await until(() => taken >= LARGE.length);
      socket.resetAndDestroy();
      await turns(STILL);
      expect(seen).toEqual({ asked: 1, closed: 1 });
    });

    test('is called once when the client disconnects', async () => {
      const { seen, socket } = await opened();
      socket.resetAndDestroy();
      await until(() => seen.closed > 0);
      await turns(STILL);
      expect(seen).toEqual({ asked: 1, closed: 1 });
    });
  },
);

describe.each(mounts)('an onClose listener, mounted by %s', (_name, mount) => {
  const ask = async (handler: SessionHandler, method: string) => {
    const server = await listening(mount(handler));
    onTestFinished(() => server.close());
    await fetch(server.origin, { method });
  };

  test('is called for responses without a body and for small ones', async () => {
    const { seen, handler } = watched(() => ({ status: 200, headers: {}, body: '{}' }));
    await ask(handler, 'GET');
    const empty = watched(() => ({ status: 200, headers: {} }));
    await ask(empty.handler, 'HEAD');
    await until(() => seen.closed + empty.seen.closed === 2);
  });

  test('is called immediately if the response is already over', async () => {
    let told = 0;
    const late: SessionHandler = async (request) => {
      request.onClose?.(() => {
        request.onClose?.(() => {
          told += 1;
        });
      });
      return { status: 200, headers: {}, body: '{}' };
    };
    await ask(late, 'GET');
    await until(() => told === 1);
  });
});

describe('an unread Fetch response', () => {
  test.each(Object.entries(responses))(
    '%s is closed when it is garbage-collected',
    async (_name, respond) => {
      setFlagsFromString('--expose-gc');
      const collect: () => void = runInNewContext('gc');
      const { seen, handler } = watched(respond);
      const serve = fetchHandler(handler);
      for (let at = 0; at < 3; at += 1) await serve(new Request('http://localhost/'));
      for (let turn = 0; turn < 100 && seen.closed < 3; turn += 1) {
        collect();
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(seen).toEqual({ asked: 3, closed: 3 });
    },
  );

  test('is closed when it is cancelled', async () => {
    const { seen, handler } = watched(() => ({ status: 200, headers: {}, body: LARGE }));
    const response = await fetchHandler(handler)(new Request('http://localhost/'));
    expect(seen.closed).toBe(0);
    await response.body?.cancel();
    expect(seen.closed).toBe(1);
  });
});
