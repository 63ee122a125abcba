import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { nodeListener } from '../../adapters/node/index.js';
import {
  type ApiKey,
  type Authenticate,
  commandRoutes,
  createSessionHandler,
  eventRoutes,
  historyRoutes,
  messageRoutes,
  type SessionHandler,
  staticApiKeys,
} from '../http/index.js';
import { apiKeyAsPassword, inspectorRoutes } from '../inspector/index.js';
import { openApiRoute } from '../openapi/index.js';
import { SessionService } from '../service/session-service.js';
import { createSweeper } from '../service/sweeper.js';
import type { SessionStore } from '../store/session-store.js';
import { messageOf, UsageError } from './cli-error.js';
import { demoOf } from './demo.js';
import { greeting } from './greeting.js';
import { listen } from './listen.js';
import { databaseHelp, openStore } from './open-store.js';
import type { Options } from './options.js';
import { print, printError, printText } from './print.js';

const help = `Usage: colloquy serve [options]

Serves sessions over HTTP until Ctrl-C or SIGTERM, and prints a line for each request. An option
    overrides its environment variable. The variable of an option without a value is on or off.

  --host HOST, $HOST  Name or address to listen on. Default: 127.0.0.1, reachable from this machine only.
  --port N, $PORT  Port to listen on; 0 for any free port. Default: 3000.
  --commands, $COLLOQUY_COMMANDS  Lets clients start, append to, send messages to, pause, resume, end
    and delete sessions.
  --events, $COLLOQUY_EVENTS  Records events, and lets clients follow a session by Server-Sent Events.
  --inspector, $COLLOQUY_INSPECTOR  Serves a page at /inspector to watch and end sessions. Its password
    is an API key.
  --sweep, $COLLOQUY_SWEEP  Stores expiries in the database, and deletes sessions after their retention.
    Refused if the database reports ends: that needs the sweeper of an application, with its onEnded.
    In memory, serve always sweeps.
  --demo, $COLLOQUY_DEMO  Turns on --commands, --events and --inspector, stores a sample conversation, and
    answers its messages after three seconds.

Where the sessions are stored. Default: in memory.
${databaseHelp}
COLLOQUY_API_KEYS contains the API keys: tenant:key,tenant:key,... A tenant may have several. Instead
    of a key, you can give its SHA-256 as tenant:sha256=<64 hexadecimal digits>: printf %s "$KEY" |
    sha256sum. Default: one random key, which is printed.
`;

/**
 * The authenticator for the keys in `tenant:key,tenant:sha256=<hex>,...`, and the first tenant.
 * No message contains a key.
 */
const parseApiKeys = (list: string) => {
  const keys = list.split(',').map((entry): ApiKey => {
    const [, tenant = '', sha256, key = ''] =
      /^([^:]+):(?:sha256=(.*)|(.*))$/s.exec(entry.trim()) ?? [];
    return sha256 === undefined ? { tenant, key } : { tenant, sha256 };
  });
  try {
    return { authenticate: staticApiKeys(keys), tenant: keys[0]?.tenant ?? '' };
  } catch (cause) {
    const message = messageOf(cause).replace(
      /keys\[(\d+)\]\.?/g,
      (_, at) => `entry ${Number(at) + 1}: `,
    );
    throw new UsageError(message.replace('staticApiKeys', 'COLLOQUY_API_KEYS'), { cause });
  }
};

/**
 * Finds the tenant of a request for its log line. The inspector's page sends its key as a password.
 */
const tenantBy = (byKey: Authenticate) => {
  const { authenticate: byPassword } = apiKeyAsPassword(byKey);
  return ({ method = '', url = '', headers }: IncomingMessage) => {
    const header = (name: string): string | undefined => headers[name]?.toString();
    const request = { method, url, prefix: '', header };
    if (/^\/inspector\b/.test(url)) return byPassword(request);
    return byKey(header('x-api-key') ?? '', request);
  };
};

const onError = (error: {
  readonly type: string;
  readonly message: string;
  readonly cause?: unknown;
}): void =>
  void printError(
    [error.type, error.message, error.cause && messageOf(error.cause)].filter(Boolean).join(': '),
  );

/** A database that reports ends needs the sweeper of an application. */
const isSweptByApplication = async (store: SessionStore, sweeps: boolean): Promise<boolean> => {
  const reports = await store.reportsEnds();
  if (!reports.unwrapOr(false)) return false;
  if (!sweeps) return true;
  const cure = 'leave out --sweep, and let the application that has onEnded sweep';
  throw new UsageError(`the database has reportEnds, and serve reports no ends: ${cure}`);
};

const hostForm = /^([\w.-]{1,253}|[\da-f:.]*:[\da-f:.]*(%\w+)?)$/i;
const hostRule = 'be a name or an address, such as 127.0.0.1, 0.0.0.0 or ::1';

const readOptions = (options: Options) => {
  const keys = options.variable('COLLOQUY_API_KEYS')?.text;
  const generatedKey = keys === undefined ? randomBytes(16).toString('hex') : undefined;
  const demo = options.isOn('demo');
  return {
    host: options.text('host', hostForm, hostRule) ?? '127.0.0.1',
    port: options.integer('port', 0, 65_535, 3000),
    demo,
    commands: options.isOn('commands') || demo,
    events: options.isOn('events') || demo,
    inspector: options.isOn('inspector') || demo,
    isSweepOn: options.isOn('sweep'),
    generatedKey,
    ...parseApiKeys(keys ?? `default:${generatedKey}`),
  };
};

type Asked = ReturnType<typeof readOptions>;

const handlerOf = (sessions: SessionService, asked: Asked, signal: AbortSignal): SessionHandler => {
  const { authenticate, commands, events, inspector } = asked;
  const groups = [
    historyRoutes(),
    openApiRoute(),
    commands && commandRoutes(),
    commands && messageRoutes(),
    events && eventRoutes(),
    inspector && inspectorRoutes(apiKeyAsPassword(authenticate)),
  ];
  const routes = groups.filter((group) => group !== false);
  return createSessionHandler({ sessions, authenticate, onError, routes, signal });
};

const run = async (options: Options): Promise<void> => {
  const asked = readOptions(options);
  const { store, storeName, isShared, close } = await openStore(options, asked);
  const sessions = new SessionService({ store });
  // No other process can sweep this memory.
  const sweeps = asked.isSweepOn || !isShared;
  const sweeper = createSweeper(sessions, { onError });
  const demo = asked.demo && demoOf(sessions.forTenant(asked.tenant), onError);
  const stopping = new AbortController();
  const listener = nodeListener(handlerOf(sessions, asked, stopping.signal));
  // npm repeats a Ctrl-C, so a second signal must not mean more than the first.
  const stop = new Promise((resolve) => process.on('SIGINT', resolve).on('SIGTERM', resolve));
  try {
    const isSwept = await isSweptByApplication(store, sweeps);
    const tenantOf = tenantBy(asked.authenticate);
    const { where, origin, ...server } = await listen(listener, asked.host, asked.port, tenantOf);
    const ends = { sweeps: sweeps || isSwept, isDurable: isShared };
    const served = { ...asked, ...ends, where, origin, storeName };
    if (demo) await demo.start();
    await printText(greeting(served));
    if (sweeps) sweeper.start();
    await stop;
    stopping.abort();
    await server.close();
  } finally {
    if (demo) await demo.stop();
    await sweeper.stop();
    await sessions.drain();
    close();
  }
  await print('Colloquy has stopped.');
};

export const serve = { summary: 'serve sessions over HTTP', help, operands: 0, run };
