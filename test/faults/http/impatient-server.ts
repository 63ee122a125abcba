import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { type Subject, subject } from './served.js';

/** A server that waits for slow clients as any host's does, though not for a minute. */
export interface ImpatientServer extends Subject {
  readonly origin: string;
  /** Waits until the server itself has let go of every connection. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const serveImpatiently = async (requestTimeout: number): Promise<ImpatientServer> => {
  const made = await subject();
  const times = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 50 };
  const server = createServer(times, made.listener);
  const connections: Promise<void>[] = [];
  server.on('connection', (socket: Socket) => {
    connections.push(new Promise((resolve) => socket.once('close', () => resolve())));
  });
  // Many come concurrently: none is to wait in front of the server itself.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address');
  return {
    ...made,
    origin: `http://127.0.0.1:${address.port}`,
    empty: async () => {
      await Promise.all(connections);
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
