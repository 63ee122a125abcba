import type { Result, ResultAsync } from 'neverthrow';
import {
  type ClientError,
  type RemoteChange,
  type RemoteSession,
  SessionClient,
} from '../client/index.js';
import { type Session, type SessionChange, type SessionError, SessionService } from '../index.js';
import { noEvents } from '../store/event-log.js';
import { messageOf, UsageError, unwrap } from './cli-error.js';
import { databaseHelp, databaseNames, openStore, tenantForm } from './open-store.js';
import type { Options } from './options.js';

type ReadError = SessionError | ClientError;
export type ShownSession = Session | RemoteSession;
/** A session without its history. Over HTTP its lease is unknown. */
export type ShownSummary = Omit<ShownSession, 'history'> &
  Partial<Pick<Session, 'endReason' | 'lease'>>;
export type ShownChange = SessionChange | RemoteChange;

/** The methods that `SessionService` and `SessionClient` share. Both check their arguments. */
interface Sessions {
  get(id: string): ResultAsync<ShownSession, ReadError>;
  list(query: object): ResultAsync<{ readonly total: number }, ReadError>;
  each(query: object): AsyncIterable<Result<ShownSession, ReadError>>;
  watch(id: string): AsyncIterable<Result<ShownChange, ReadError>>;
}

/**
 * The sessions of a tenant in a database, or of an API key in a running service.
 */
export interface SessionSource {
  readonly sessions: Sessions;
  readonly storeName: string;
  /** Whether events are recorded. Without them, a watch would wait forever. */
  hasEvents(): Promise<boolean>;
  close(): void;
}

export const sourceHelp = `
JSON is in the format of the HTTP interface plus end_reason; a session of a database also has its
    labels, its metadata, its current lease, its inbox and its work.

Where the sessions are, in a database or in a running service:
${databaseHelp}  --tenant NAME  The tenant in that database. Default: default.
  --url URL, $COLLOQUY_URL  URL of the service, such as http://127.0.0.1:3000. The environment variable
    COLLOQUY_API_KEY contains an API key, which also determines the tenant.

An option overrides an environment variable.
`;

const openDatabase = async (options: Options): Promise<SessionSource> => {
  const tenant = options.text('tenant', ...tenantForm) ?? 'default';
  const { store, storeName, close } = await openStore(options, { isReadOnly: true });
  const log = store.events;
  const hasEvents = async (): Promise<boolean> => {
    if (log === undefined) return false;
    const opened = (await log.open?.()) ?? (await log.latest(log.streamOf(tenant)));
    if (opened.isErr() && opened.error === noEvents) return false;
    unwrap(
      storeName,
      opened.map(() => undefined),
    );
    return true;
  };
  const sessions = new SessionService({ store, tenant });
  return {
    sessions,
    storeName: `tenant ${tenant} in ${storeName}`,
    hasEvents,
    close,
  };
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
    throw new UsageError('--tenant cannot be used with --url: the API key determines the tenant');
  const apiKey = options.variable('COLLOQUY_API_KEY')?.text;
  if (apiKey === undefined) throw new UsageError('the API key is missing: set COLLOQUY_API_KEY');
  const sessions = clientOf(baseUrl, apiKey);
  const storeName = URL.canParse(baseUrl) ? new URL(baseUrl).host : 'the service';
  return {
    sessions,
    storeName,
    hasEvents: async () => true,
    close: () => undefined,
  };
};

export const withSource = async (
  options: Options,
  work: (source: SessionSource) => Promise<void>,
): Promise<void> => {
  const given = options.oneOf([...databaseNames, 'url']);
  if (given === undefined) {
    throw new UsageError(
      `the location of the sessions is missing: set --${databaseNames.join(', --')} or --url`,
    );
  }
  const isService = given.name === 'url';
  const source = isService ? openService(given.text, options) : await openDatabase(options);
  await work(source).finally(() => source.close());
};
