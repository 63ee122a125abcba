import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { CliError, messageOf } from './cli-error.js';
import { print, printError } from './print.js';

/** Milliseconds that requests may take to finish when the server stops. */
const GRACE_MS = 3000;
/** Lines of the log that nobody reads must not fill the memory: beyond this they are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Prints a line for a request once it is over: method, path, status, milliseconds. No header and no query is in it. */
const logRequest = ({ method, url }: IncomingMessage, response: ServerResponse): void => {
  const began = performance.now();
  response.once('close', () => {
    if (process.stdout.writableLength > MAX_WAITING_BYTES) return;
    const { statusCode, headersSent } = response;
    const path = url?.replace(/[?#].*/s, '').slice(0, 200);
    const status = headersSent ? statusCode : 'unanswered';
    const ms = Math.round(performance.now() - began);
    void print(`${method} ${path} ${status} ${ms} ms`, headersSent && statusCode < 400 ? 'green' : 'red');
  });
};

/** Accepts nothing new, lets requests finish for a few seconds, and cuts off the rest. */
const close = async (server: Server): Promise<void> => {
  // A connection that is kept open becomes idle only after its last response.
  const tidy = setInterval(() => server.closeIdleConnections(), 50);
  const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(tidy);
  clearTimeout(grace);
};

/** A server that listens on every address is reached at this one from its own machine. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where a server listens, for a person, and the URL at which this machine reaches it. `host` is how it was named. */
export const addressOf = (bound: { readonly address: string; readonly port: number }, host: string) => {
  const loopback = loopbackOf[bound.address];
  const name = loopback ?? host;
  const origin = `http://${name.includes(':') ? `[${name.replace('%', '%25')}]` : name}:${bound.port}`;
  return { origin, where: loopback === undefined ? origin : `port ${bound.port} of every address of this machine` };
};

/** Listens, and logs the requests. */
export const listen = async (listener: RequestListener, host: string, port: number) => {
  const server = createServer((request, response) => {
    logRequest(request, response);
    listener(request, response);
  }).listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new CliError(`port ${port} of ${host}: ${messageOf(cause)}; choose another with --port and --host`);
  });
  server.on('error', (cause) => void printError(messageOf(cause)));
  const bound = server.address();
  const isAddress = typeof bound === 'object' && bound !== null;
  return { ...addressOf(isAddress ? bound : { address: host, port }, host), close: () => close(server) };
};
