import type { Result, ResultAsync } from 'neverthrow';
import { type ClientError, type RemoteChange, type RemoteSession, SessionClient } from '../client/index.js';
import { type Session, type SessionChange, type SessionError, SessionService } from '../index.js';
import { CliError, messageOf, UsageError } from './cli-error.js';
import { openStore, redisHelp, tenantForm } from './open-store.js';
import type { Options } from './options.js';

type ReadError = SessionError | ClientError;
export type ShownSession = Session | RemoteSession;
export type ShownChange = SessionChange | RemoteChange;

/** The methods that `SessionService` and `SessionClient` share. Both check their arguments. */
interface Sessions {
  get(id: string): ResultAsync<ShownSession, ReadError>;
  list(query: object): ResultAsync<{ readonly total: number }, ReadError>;
  each(query: object): AsyncIterable<Result<ShownSession, ReadError>>;
  watch(id: string): AsyncIterable<Result<ShownChange, ReadError>>;
}

/** Sessions to read: those of a tenant in Redis, or those of an API key in a running service. */
export interface SessionSource {
  readonly sessions: Sessions;
  /** Where the sessions are, as text. */
  readonly place: string;
  /** Whether it can list by status. Redis can only if the host has enabled `statusIndex`. */
  readonly listsByStatus: boolean;
  /** Whether events are recorded. Without them, a watch would wait forever. */
  hasEvents(): Promise<boolean>;
  close(): void;
}

/** The help text for the options of `withSource`. */
export const sourceHelp = `
Where the sessions are, in Redis or in a running service:
  --redis URL, $REDIS_URL               URL of the Redis, such as redis://127.0.0.1:6379.
${redisHelp}
  --tenant NAME                         The tenant in that Redis. Default: default.
  --url URL, $COLLOQUY_URL              URL of the service, such as http://127.0.0.1:3000. The environment variable
                                        COLLOQUY_API_KEY contains an API key, which also determines the tenant.
An option overrides an environment variable.
`;

/** The value of a result. Throws an error with a message for the user. */
export const unwrap = <T>(place: string, result: Result<T, ReadError>): T => {
  if (result.isOk()) return result.value;
  const { type, message, cause }: { type: string; message: string; cause?: unknown } = result.error;
  if (type === 'invalid_input') throw new UsageError(message);
  throw new CliError(`${place}: ${message}${cause === undefined ? '' : ` (${messageOf(cause)})`}`);
};

const openRedis = async (options: Options): Promise<SessionSource> => {
  const tenant = options.text('tenant', ...tenantForm) ?? 'default';
  const { store, place, close } = await openStore(options, true);
  const log = store.events;
  // '0-0' is the position before the first event.
  const hasEvents = async () => !!log && unwrap(place, await log.latest(log.streamOf(tenant))) !== '0-0';
  const sessions = new SessionService({ store, tenant });
  return { sessions, place: `tenant ${tenant} in ${place}`, listsByStatus: false, hasEvents, close };
};

/** A client. Throws a `UsageError` if the URL or the key is invalid. */
const clientOf = (baseUrl: string, apiKey: string): SessionClient => {
  try {
    return new SessionClient({ baseUrl, apiKey, timeoutMs: 10_000 });
  } catch (cause) {
    throw new UsageError(messageOf(cause).replace('SessionClient: ', ''), { cause });
  }
};

const openService = (baseUrl: string, options: Options): SessionSource => {
  if (options.given.get('tenant'))
    throw new UsageError('--tenant is for Redis only: with --url, the API key determines the tenant');
  const apiKey = options.variable('COLLOQUY_API_KEY')?.text;
  if (apiKey === undefined) throw new UsageError('the API key is missing: set COLLOQUY_API_KEY');
  const sessions = clientOf(baseUrl, apiKey);
  const place = URL.canParse(baseUrl) ? new URL(baseUrl).host : 'the service';
  return { sessions, place, listsByStatus: true, hasEvents: async () => true, close: () => undefined };
};

/** Runs `work` with the Redis or the service that the options name. */
export const withSource = async (options: Options, work: (source: SessionSource) => Promise<void>): Promise<void> => {
  const [redis, url] = [options.given.get('redis'), options.given.get('url')];
  const [isRedis, isUrl] = [redis?.label === '--redis', url?.label === '--url'];
  if (redis && url && isRedis === isUrl)
    throw new UsageError(`${redis.label} and ${url.label} are both set: set one of them`);
  if (!redis && !url) throw new UsageError('the location of the sessions is missing: set --redis URL or --url URL');
  const source = url && !isRedis ? openService(url.text, options) : await openRedis(options);
  await work(source).finally(() => source.close());
};
