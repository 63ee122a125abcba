/**
 * The part of an ioredis client (5 or 6, `Redis` or `Cluster`) that the store uses. The client stays the host's: it is
 * never reconfigured, extended or closed. Declared here, so that nobody needs ioredis to compile against this store.
 */
export interface RedisClient {
  /** `end` once the client has been closed for good. */
  readonly status: string;
  get(key: string): Promise<string | null>;
  mget(...keys: string[]): Promise<(string | null)[]>;
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  zadd(key: string, score: string, member: string): Promise<unknown>;
  zrangebyscore(
    key: string,
    least: string,
    most: number,
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>;
  /** The next three are for events alone. */
  xadd?(
    key: string,
    cap: 'MAXLEN',
    about: '~',
    length: string,
    id: '*',
    field: string,
    value: string,
  ): Promise<unknown>;
  xrange?(key: string, from: string, to: string, count: 'COUNT', size: number): Promise<readonly unknown[]>;
  xrevrange?(key: string, from: string, to: string, count: 'COUNT', size: number): Promise<readonly unknown[]>;
  /** For `RedisClock` alone: seconds and microseconds. */
  time?(): Promise<readonly (number | string)[]>;
  /** The rest is for `repair` alone. */
  readonly options?: { readonly keyPrefix?: string | undefined };
  nodes?(role: 'master'): readonly RedisClient[];
  scan?(
    cursor: string,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    size: number,
  ): Promise<[cursor: string, keys: string[]]>;
  zscan?(
    key: string,
    cursor: string,
    count: 'COUNT',
    size: number,
  ): Promise<[cursor: string, membersAndScores: string[]]>;
}
