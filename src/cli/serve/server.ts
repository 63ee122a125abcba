import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err, ok, type Result } from 'neverthrow';
import { nodeListener } from '../../../adapters/node/index.js';
import type { SessionHandler } from '../../http/message.js';
import { codeOf, type Failure, failure, textOf } from '../failure.js';

export interface RunningServer {
  readonly address: AddressInfo;
  /** Accepts nothing new, lets what runs finish for a few seconds, and ends the rest. */
  close(): Promise<void>;
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

const GRACE_MS = 3000;
const TIDY_EVERY_MS = 50;

const explain = ({ host, port }: Place, cause: unknown): Failure => {
  switch (codeOf(cause)) {
    case 'EADDRINUSE':
      return failure(
        `port ${port} of ${host} is taken: stop what listens there, or choose another with --port or PORT`,
      );
    case 'EACCES':
      return failure(
        `port ${port} of ${host} is not permitted to this user: choose another, such as 3000, with --port or PORT`,
      );
    case 'EADDRNOTAVAIL':
      return failure(`${host} is no address of this machine: choose another with --host or HOST`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failure(`${host} is a name that cannot be looked up: choose another with --host or HOST`);
    default:
      return failure(`cannot listen on port ${port} of ${host}: ${textOf(cause)}`);
  }
};

const closeGently = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    // A connection that is kept open counts as idle only once its last answer is out.
    const tidy = setInterval(() => server.closeIdleConnections(), TIDY_EVERY_MS);
    const patience = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearInterval(tidy);
      clearTimeout(patience);
      resolve();
    });
  });

/** Serves the handler over node:http, or says why it cannot. */
export const listen = (handler: SessionHandler, place: Place): Promise<Result<RunningServer, Failure>> =>
  new Promise((resolve) => {
    const server = createServer(nodeListener(handler));
    server.once('error', (cause) => resolve(err(explain(place, cause))));
    server.listen(place.port, place.host, () => {
      const address = server.address();
      if (typeof address !== 'object' || address === null) return;
      resolve(ok({ address, close: () => closeGently(server) }));
    });
  });
