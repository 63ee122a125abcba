import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { cutText } from '../session/cut-text.js';
import { CliError, messageOf } from './cli-error.js';
import { print, printError } from './print.js';

const GRACE_MS = 3000;
/** Maximum bytes of log lines that wait for a slow reader. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Returns the tenant of a request, if its key is valid. Must not throw or reject. */
type TenantOf = (request: IncomingMessage) => string | undefined | PromiseLike<string | undefined>;

/**
 * Prints a line when a request has ended: method, path, status, milliseconds, tenant. It contains
 * no header and no query.
 */
const logRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  tenantOf: TenantOf,
): void => {
  const began = performance.now();
  response.once('close', async () => {
    if (process.stdout.writableLength > MAX_WAITING_BYTES) return;
    const { statusCode, headersSent } = response;
    const path = cutText(request.url?.replace(/[?#].*/s, '') ?? '', 200);
    const status = headersSent ? statusCode : 'aborted';
    const ms = Math.round(performance.now() - began);
    const style = headersSent && statusCode < 400 ? 'green' : 'red';
    const tenant = (await tenantOf(request)) ?? '-';
    void print(`${request.method} ${path} ${status} ${ms} ms ${tenant}`, style);
  });
};

/**
 * Stops accepting connections, waits up to `GRACE_MS` for running requests, and closes the rest.
 */
const close = async (server: Server): Promise<void> => {
  // A connection that is kept open becomes idle only after its last response.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(tidy);
  clearTimeout(grace);
};

/** The loopback address that reaches a server on all addresses. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Where a server listens, as text, and the URL at which this machine reaches it. `host` is the name
 * that the user gave.
 */
export const addressOf = (
  bound: { readonly address: string; readonly port: number },
  host: string,
) => {
  const loopback = loopbackOf[bound.address];
  const name = loopback ?? host;
  const origin = `http://${name.includes(':') ? `[${name.replace('%', '%25')}]` : name}:${bound.port}`;
  return {
    origin,
    where: loopback ? `port ${bound.port} of all addresses of this machine` : origin,
  };
};

const nobody: TenantOf = () => undefined;

export const listen = async (
  listener: RequestListener,
  host: string,
  port: number,
  tenantOf = nobody,
) => {
  const server = createServer((request, response) => {
    logRequest(request, response, tenantOf);
    listener(request, response);
  }).listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new CliError(
      `cannot listen on port ${port} of ${host}: ${messageOf(cause)}; set --port or --host`,
    );
  });
  server.on('error', (cause) => void printError(messageOf(cause)));
  const bound = server.address();
  const isAddress = typeof bound === 'object' && bound !== null;
  return {
    ...addressOf(isAddress ? bound : { address: host, port }, host),
    close: () => close(server),
  };
};
