import { hasMethods } from '../../src/session/fields.js';
import { isError } from '../../src/session/native-kinds.js';

/*
 * The clients of hosts, and what the store needs of them: to send a command. A client belongs to
 * the host: the store never configures, extends or closes it. The types are declared here, so that
 * no client is needed to compile against this store.
 */

/** An ioredis client (5 or 6, `Redis` or `Cluster`), or one of iovalkey. */
export interface IoredisClient {
  /** `end` after the client has been closed for good. */
  readonly status: string;
  /** Runs a script that the server does not know. */
  eval(script: string, keyCount: string, ...keysAndArguments: string[]): Promise<unknown>;
  /** Runs a script by its SHA-1. */
  evalsha(sha1: string, keyCount: string, ...keysAndArguments: string[]): Promise<unknown>;
  /** `keyPrefix` is honoured. */
  readonly options?: { readonly keyPrefix?: string | undefined } | undefined;
  /** Of a `Cluster`. */
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

/**
 * What became of a command without a reply: it was not sent, or that is not known. What else an
 * error says is not about the command.
 */
export type Fate = 'unsent' | 'lost';

/** What sends commands to the server, with the client of the host. */
export interface Sender {
  readonly client: RedisClient;
  /** Whether the host has closed the client. */
  isClosed(): boolean;
  /** Sends a command to a master. Its name is in lower case, as the method of ioredis. */
  send(command: string, args: readonly string[]): Promise<unknown>;
  /** The masters of a cluster, or the only one. */
  masters(): readonly Pick<Sender, 'send'>[];
  /** What an error says that is no reply to the command; undefined for all others. */
  fateOf(cause: unknown): Fate | undefined;
  /** What the client writes before names of keys, but neither in patterns nor in replies. */
  readonly keyPrefix: string;
  /** What the store has to write before names of keys, as the client itself does not. */
  readonly ownPrefix: string;
}

const isIoredis = (client: unknown): client is IoredisClient => hasMethods(client, 'evalsha');

const isCluster = (client: RedisClient): client is NodeRedisCluster =>
  hasMethods(client, 'nodeClient');

const isSentinel = (client: RedisClient): client is NodeRedisSentinel =>
  hasMethods(client, 'getMasterNode');

/**
 * Whether a value has the methods of a client. node-redis 5 is none: what it writes to a connection
 * that has just broken it counts among the commands of the next one, where each of them then gets
 * the reply to another. It is recognised by what it lacks.
 */
export const isClient = (value: unknown): value is RedisClient =>
  isIoredis(value) || (hasMethods(value, 'sendCommand') && '_keyPrefix' in Object(value));

/** Whether a value has the methods of a client that can wait for events. */
export const isBlockingClient = (value: unknown): value is BlockingRedisClient =>
  isClient(value) && !hasMethods(value, 'nodes') && !isCluster(value);

const ioredisSender = (client: IoredisClient): Sender => ({
  client,
  // QUIT sets `manuallyClosing`, after which the server carries out nothing more, and `status` only
  // changes when the connection has ended.
  isClosed: () => client.status === 'end' || Reflect.get(client, 'manuallyClosing') === true,
  send: (command, args) => {
    const method: unknown = Reflect.get(client, command);
    if (typeof method !== 'function') throw new Error(`ERR the client has no ${command}`);
    return Promise.resolve(Reflect.apply(method, client, args));
  },
  masters: () => (client.nodes?.('master') ?? [client]).map(ioredisSender),
  // ioredis sends commands again by itself, so that what it says of the last time says nothing of
  // the first.
  fateOf: () => undefined,
  keyPrefix: client.options?.keyPrefix ?? '',
  ownPrefix: '',
});

/** Maps as flat lists and doubles as text: what RESP 2 has for them. All else is the default. */
const replies: ReplyOptions = { typeMapping: { 37: Array, 44: String } };

/** Where the first key is among the arguments; for all other commands it is the first. */
const KEY_AT: Readonly<Record<string, number>> = { eval: 2, evalsha: 2, xinfo: 1 };

/** Errors of node-redis for commands that it has not sent. */
const UNSENT = /^(The client is offline|The queue is full|Timeout waiting for a client.*)$/;

/**
 * Replies to the login of a connection. node-redis sends what has waited for the connection together
 * with the login, and the server may carry it out although the login fails.
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
    // A client by `createSentinel` sends a command again by itself.
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
