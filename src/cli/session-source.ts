import type { Result, ResultAsync } from 'neverthrow';
import { type ClientError, type RemoteChange, type RemoteSession, SessionClient } from '../client/index.js';
import { type Session, type SessionChange, type SessionError, SessionService } from '../index.js';
import { CliError, messageOf, UsageError } from './cli-error.js';
import { openStore, redisHelp, tenantForm } from './open-store.js';
import type { Options } from './options.js';

type ReadError = SessionError | ClientError;
export type ShownSession = Session | RemoteSession;
export type ShownChange = SessionChange | RemoteChange;

/** What a service in this process and the client of one elsewhere have in common. Both check what they are given. */
interface Sessions {
  get(id: string): ResultAsync<ShownSession, ReadError>;
  list(query: object): ResultAsync<{ readonly total: number }, ReadError>;
  each(query: object): AsyncIterable<Result<ShownSession, ReadError>>;
  watch(id: string): AsyncIterable<Result<ShownChange, ReadError>>;
}

/** Sessions to read: a tenant's in a Redis, or those of an API key in a running service. */
export interface SessionSource {
  readonly sessions: Sessions;
  /** Where they are, for a person. */
  readonly place: string;
  /** Whether it can list by status. A Redis has an index of that only if its host has switched it on. */
  readonly listsByStatus: boolean;
  /** Whether events are recorded. Where none are, a watch would wait for ever. */
  hasEvents(): Promise<boolean>;
  close(): void;
}

/** The part of a help that names the options of `withSource`. */
export const sourceHelp = `
Where the sessions are, in a Redis or in a running service:
  --redis URL, $REDIS_URL               The Redis, such as redis://127.0.0.1:6379.
${redisHelp}
  --tenant NAME                         The tenant in that Redis. Default: default.
  --url URL, $COLLOQUY_URL              The service, such as http://127.0.0.1:3000. The variable COLLOQUY_API_KEY holds
                                        an API key for it, which also decides the tenant.
An option wins over a variable.
`;

/** The value of a result. An error is thrown, for a person. */
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

const openService = (baseUrl: string, options: Options): SessionSource => {
  if (options.given.get('tenant')) throw new UsageError('--tenant is for a Redis: the API key of a service decides it');
  const apiKey = options.variable('COLLOQUY_API_KEY')?.text;
  if (apiKey === undefined) throw new UsageError('a service needs an API key: set COLLOQUY_API_KEY');
  const sessions = new SessionClient({ baseUrl, apiKey, timeoutMs: 10_000 });
  const place = URL.canParse(baseUrl) ? new URL(baseUrl).host : 'the service';
  return { sessions, place, listsByStatus: true, hasEvents: async () => true, close: () => undefined };
};

/** Does its work on the Redis or the service that the options name. */
export const withSource = async (options: Options, work: (source: SessionSource) => Promise<void>): Promise<void> => {
  const [redis, url] = [options.given.get('redis'), options.given.get('url')];
  const [isRedis, isUrl] = [redis?.label === '--redis', url?.label === '--url'];
  if (redis && url && isRedis === isUrl)
    throw new UsageError(`${redis.label} and ${url.label} are both set: choose one`);
  if (!redis && !url) throw new UsageError('where are the sessions? give --redis URL or --url URL');
  const source = url && !isRedis ? openService(url.text, options) : await openRedis(options);
  await work(source).finally(() => source.close());
};
