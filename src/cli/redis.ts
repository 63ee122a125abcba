import type { Redis } from 'ioredis';
import { err, ok, type Result } from 'neverthrow';
import { codeOf, type Failure, failure, textOf } from './failure.js';

/** A connection to Redis that is made anew whenever it breaks. */
export interface RedisConnection {
  readonly client: Redis;
  /** Where the server is, without the user name and the password. */
  readonly name: string;
  close(): Promise<void>;
}

/** Milliseconds until a Redis that does not answer counts as not there. */
const PATIENCE_MS = 4000;
const LONGEST_PAUSE_MS = 2000;
const GOODBYE_MS = 1000;

const nameOf = ({ hostname, port }: URL): string => `${hostname}:${port || 6379}`;

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'it did not answer in time',
  WRONGPASS: 'it refuses the user name or the password',
  NOAUTH: 'it asks for a password, and the URL has none',
};

/** What is wrong, in a few words. */
const reasonOf = (cause: unknown): string => {
  const text = textOf(cause);
  const code = codeOf(cause) || text.split(' ', 1)[0];
  if (cause instanceof Error && cause.name === 'ParserError') return 'what answers there is not Redis';
  return (code && reasons[code]) ?? text;
};

const load = async (): Promise<Result<typeof Redis, Failure>> => {
  try {
    return ok((await import('ioredis')).Redis);
  } catch (cause) {
    return err(
      failure(
        codeOf(cause) === 'ERR_MODULE_NOT_FOUND'
          ? 'Redis needs the package ioredis, which is not installed here: npm install ioredis'
          : `the package ioredis cannot be loaded: ${textOf(cause)}`,
      ),
    );
  }
};

/** Resolves once the server has answered. Until then every error is final, such as that of a database it has not got. */
const firstAnswer = (client: Redis, name: string): Promise<Result<void, Failure>> =>
  new Promise((resolve) => {
    const settle = (result: Result<void, Failure>) => {
      clearTimeout(timer);
      resolve(result);
    };
    const fail = (cause: unknown) => settle(err(failure(`Redis at ${name}: ${reasonOf(cause)}`)));
    const timer = setTimeout(fail, PATIENCE_MS, 'it did not answer in time');
    client.once('error', fail);
    client
      .connect()
      .then(() => client.ping())
      .then(() => settle(ok(undefined)), fail);
  });

/** Tells whoever watches when the connection breaks and when it is back, once each. */
const reportOutages = (client: Redis, name: string): void => {
  let lost = false;
  client.on('close', () => {
    if (!lost) console.error(`Redis at ${name}: the connection is lost; trying again`);
    lost = true;
  });
  client.on('ready', () => {
    if (lost) console.error(`Redis at ${name}: connected again`);
    lost = false;
  });
};

const closeGently = async (client: Redis): Promise<void> => {
  client.removeAllListeners('close');
  const timer = setTimeout(() => client.disconnect(), GOODBYE_MS);
  if (client.status === 'ready') await client.quit().catch(() => undefined);
  clearTimeout(timer);
  client.disconnect();
};

/** Connects to a Redis, or says within a few seconds why it cannot. */
export const connectRedis = async (url: URL): Promise<Result<RedisConnection, Failure>> => {
  const driver = await load();
  if (driver.isErr()) return err(driver.error);
  const name = nameOf(url);
  let answered = false;
  const client = new driver.value(url.href, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    retryStrategy: (times) => (answered ? Math.min(times * 100, LONGEST_PAUSE_MS) : null),
  });
  // Without a listener the client prints every one of them with its stack.
  client.on('error', () => undefined);
  const answer = await firstAnswer(client, name);
  if (answer.isErr()) {
    client.disconnect();
    return err(answer.error);
  }
  answered = true;
  reportOutages(client, name);
  return ok({ client, name, close: () => closeGently(client) });
};
