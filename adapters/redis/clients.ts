import { hasMethods } from '../../src/session/fields.js';
import { isError } from '../../src/session/native-kinds.js';

/*
 * The clients of hosts, and the one thing that the store needs of them: sending a command. A client
 * belongs to the host: the store never configures, extends or closes it. The types are declared
 * here, so that compiling against this store requires no client.
 */

/** An ioredis client (5 or 6, `Redis` or `Cluster`) or an iovalkey client. */
export interface IoredisClient {
  /** `end` after the client has been closed for good. */
  readonly status: string;
  /** Runs a script that the server does not know. */
  eval(script: string, keyCount: string, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs a script by its SHA-1. */
  evalsha(sha1: string, keyCount: string, ...keysAndArguments: string[]): Promise<unknown>;
  /** `keyPrefix` is honoured. */
  readonly options?: { readonly keyPrefix?: string | undefined } | undefined;
  /** Only a `Cluster` has this method. */
  nodes?(role: 'master'): readonly IoredisClient[];
}

/** The form of replies that the store asks node-redis for, whatever the host has chosen. */
interface ReplyOptions {
  readonly typeMapping: { readonly 37: ArrayConstructor; readonly 44: StringConstructor };
}

/** A node-redis client (6.1 or later) by `createClient` or `createClientPool`. */
export interface NodeRedisClient {
  /** False before `connect`, and after the client has been closed. */
  readonly isOpen: boolean;
  /** Sends a command. */
  sendCommand(args: string[], options?: ReplyOptions): Promise<unknown>;
}

/** A node-redis client (6.1 or later) by `createCluster`. */
export interface NodeRedisCluster {
  /** False before `connect`, and after the client has been closed. */
  readonly isOpen: boolean;
  /** The masters that `repair` visits. */
  readonly masters: readonly object[];
  /** The client of a master. */
  nodeClient(master: object): Promise<NodeRedisClient>;
  /** Sends a command to the master of its first key. */
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
    options?: ReplyOptions,
  ): Promise<unknown>;
}

/** A node-redis client (6.1 or later) by `createSentinel`. */
export interface NodeRedisSentinel {
  /** False before `connect`, and after the client has been closed. */
  readonly isOpen: boolean;
  /** Distinguishes it from other clients; never called. */
  getMasterNode(): unknown;
  /** Sends a command to the present master. */
  sendCommand(
    isReadonly: boolean | undefined,
    args: string[],
    options?: ReplyOptions,
  ): Promise<unknown>;
}

/** A client of the host, which has connected it and closes it. */
export type RedisClient = IoredisClient | NodeRedisClient | NodeRedisCluster | NodeRedisSentinel;

/** A client of the host that waits for events: any but one of a cluster. */
export type BlockingRedisClient = IoredisClient | NodeRedisClient | NodeRedisSentinel;

/** The fate of a command that an error other than its own reply ended: not sent, or unknown. */
export type Fate = 'unsent' | 'lost';

export interface Sender {
  readonly client: RedisClient;
  isClosed(): boolean;
  /** Sends a command to a master. `command` is in lower case, like the methods of ioredis. */
  send(command: string, args: readonly string[]): Promise<unknown>;
  masters(): readonly Pick<Sender, 'send'>[];
  fateOf(cause: unknown): Fate | undefined;
  /**
   * The client adds this prefix to keys, but not to patterns, and does not remove it from replies.
   */
  readonly keyPrefix: string;
  /** The prefix that the store has to add because the client does not. */
  readonly ownPrefix: string;
}

const isIoredis = (client: unknown): client is IoredisClient => hasMethods(client, 'evalsha');

const isCluster = (client: RedisClient): client is NodeRedisCluster =>
  hasMethods(client, 'nodeClient');

const isSentinel = (client: RedisClient): client is NodeRedisSentinel =>
  hasMethods(client, 'getMasterNode');

/**
 * Refuses node-redis 5: what it writes to a connection that has just broken counts among the
 * commands of the next connection, so each later command gets the reply to a different one. It
 * lacks `_keyPrefix`.
 */
export const isClient = (value: unknown): value is RedisClient =>
  isIoredis(value) || (hasMethods(value, 'sendCommand') && '_keyPrefix' in Object(value));

/** A cluster's blocking read could not reach several partitions. */
export const isBlockingClient = (value: unknown): value is BlockingRedisClient =>
  isClient(value) && !hasMethods(value, 'nodes') && !isCluster(value);

const ioredisSender = (client: IoredisClient): Sender => ({
  client,
  // QUIT sets `manuallyClosing`, after which the server accepts nothing. `status` changes only when
  // the connection has ended.
  isClosed: () => client.status === 'end' || Reflect.get(client, 'manuallyClosing') === true,
  send: (command, args) => {
    const method: unknown = Reflect.get(client, command);
    if (typeof method !== 'function') throw new Error(`ERR the client has no ${command}`);
    return Promise.resolve(Reflect.apply(method, client, args));
  },
  masters: () => (client.nodes?.('master') ?? [client]).map(ioredisSender),
  // ioredis resends commands by itself, so its last error says nothing about the first attempt.
  fateOf: () => undefined,
  keyPrefix: client.options?.keyPrefix ?? '',
  ownPrefix: '',
});

/** Requests maps as flat lists and doubles as strings, as in RESP 2. */
const replies: ReplyOptions = { typeMapping: { 37: Array, 44: String } };

/** The position of the first key among the arguments, if it is not the first. */
const KEY_AT: Readonly<Record<string, number>> = { eval: 2, evalsha: 2, xinfo: 1 };

/** Errors of node-redis for commands that it did not send. */
const UNSENT = /^(The client is offline|The queue is full|Timeout waiting for a client.*)$/;

/**
 * Replies to the login of a connection. node-redis sends queued commands together with the login,
 * and the server may run them although the login fails.
 */
const OF_LOGIN = /^(WRONGPASS |NOPERM .* '(select|readonly|client\b.*)')/;

const nodeRedisSender = (client: Exclude<RedisClient, IoredisClient>): Sender => {
  const sender = {
    client,
    // A pool that is closing is still open.
    isClosed: () => !client.isOpen || Reflect.get(client, 'isClosing') === true,
    keyPrefix: '',
    // node-redis does not apply its `keyPrefix` to commands that it does not know.
    ownPrefix: String(Reflect.get(client, '_keyPrefix') ?? ''),
  };
  const fateOf = (cause: unknown): Fate | undefined => {
    const text = isError(cause) ? cause.message : '';
    if (OF_LOGIN.test(text)) return 'lost';
    // A client from `createSentinel` resends commands by itself.
    return UNSENT.test(text) && !isSentinel(client) ? 'unsent' : undefined;
  };
  if (isCluster(client)) {
    return {
      ...sender,
      fateOf,
      send: (command, args) =>
        client.sendCommand(args[KEY_AT[command] ?? 0], false, [command, ...args], replies),
      masters: () =>
        client.masters.map((master) => ({
          send: async (command, args) =>
            (await client.nodeClient(master)).sendCommand([command, ...args], replies),
        })),
    };
  }
  const send: Sender['send'] = isSentinel(client)
    ? (command, args) => client.sendCommand(false, [command, ...args], replies)
    : (command, args) => client.sendCommand([command, ...args], replies);
  return { ...sender, fateOf, send, masters: () => [{ send }] };
};

export const senderOf = (client: RedisClient): Sender =>
  isIoredis(client) ? ioredisSender(client) : nodeRedisSender(client);
