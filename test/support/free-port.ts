import { once } from 'node:events';
import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** Finds a free TCP port on the loopback address. Another process may take it before you do. */
export async function freePort(): Promise<number> {
  const port = await listenOnce(0);
  if (port === undefined) throw new Error(`no free port on ${LOOPBACK}`);
  return port;
}

/**
 * Finds a free port with another free one at `offset`, for servers that use a second port at a
 * fixed distance.
 */
export async function freePortPair(offset: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = await freePort();
    if (port + offset < 65_536 && (await listenOnce(port + offset)) !== undefined) return port;
  }
  throw new Error(`no two free ports at a distance of ${offset} on ${LOOPBACK}`);
}

async function listenOnce(wanted: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(wanted, LOOPBACK);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  } catch {
    return undefined;
  } finally {
    if (server.listening) server.close();
  }
}
