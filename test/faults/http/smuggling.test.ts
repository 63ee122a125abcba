import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { RawConnection } from '../../http/raw.js';
import { record } from '../support/effort.js';
import { insidesIn, type Served, secretsIn, serve } from './served.js';
import { refusedShapes, singleShapes } from './shapes.js';

let served: Served;
beforeEach(async () => {
  served = await serve();
});
afterEach(() => served.close());
afterAll(() => {
  const value = refusedShapes.length + singleShapes.length;
  record({
    promise: 'no request is carried out that was not sent',
    figure: 'shapes that could hide one',
    value,
  });
});

const facesIn = async (): Promise<readonly string[]> => {
  const page = (await served.ours.list({ limit: 100 }))._unsafeUnwrap();
  return page.sessions.map(({ options }) => options.face);
};

/** Sends bytes and waits until the server hangs up; answers with the statuses of what came back. */
const sent = async (bytes: string): Promise<readonly number[]> => {
  const connection = new RawConnection(served.origin);
  connection.write(Buffer.from(bytes, 'latin1'));
  await connection.closed();
  expect(secretsIn(connection.received)).toEqual([]);
  expect(insidesIn(connection.received)).toEqual([]);
  return [...connection.received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
    Number(status),
  );
};

test.each(refusedShapes)(
  '$name is rejected, and nothing after it is executed',
  async ({ bytes }) => {
    const statuses = await sent(bytes);
    expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
    expect(await facesIn()).toEqual([]);
  },
);

test.each(singleShapes)('$name is one request', async ({ bytes, carriedOut }) => {
  const statuses = await sent(bytes);
  expect(statuses).toHaveLength(1);
  expect(statuses.filter((status) => status < 300)).toHaveLength(carriedOut);
  expect(await facesIn()).not.toContain('smuggled');
});
