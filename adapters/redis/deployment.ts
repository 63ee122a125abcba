import { err, ok, type Result } from 'neverthrow';
import {
  type Misconfigured,
  misconfigured,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import { differenceOf } from '../shared/difference-of.js';
import { type Call, type Connection, script } from './connection.js';
import type { Failure } from './failure.js';
import { Keyspace } from './keyspace.js';
import type { RedisSettings } from './redis-session-store-options.js';

/**
 * The settings that all processes of a store share. The first process that creates a session stores
 * them.
 */
export interface RedisDeployment {
  /** Number of hash slots for the tenants. */
  readonly partitions: number;
  /** Whether sessions can be listed by status. */
  readonly statusIndex: boolean;
  /** Whether changes are logged as events. */
  readonly events: boolean;
  /** Whether sweeps report the end of each session. */
  readonly reportEnds: boolean;
}

/** A call with the settings that it needs. */
export interface OpenCall {
  readonly call: Call;
  readonly keys: Keyspace;
  /** Number of events that a stream keeps, as an argument of scripts; '' without events. */
  readonly eventsLength: string;
  /** Whether sweeps report the end of each session. */
  readonly reportsEnds: boolean;
}

/** The stored settings. */
interface Stored {
  readonly deployment: RedisDeployment;
  /** Number of events that a stream keeps unless a process asks for another; 0 without events. */
  readonly eventsLength: number;
}

type Answer<T> = Promise<Result<T, StoreUnavailable | Misconfigured>>;

const DEFAULT_EVENTS = 100_000;

/** The settings of a new deployment without options. */
const NEW_DEPLOYMENT: RedisDeployment = {
  partitions: 1,
  statusIndex: false,
  events: false,
  reportEnds: false,
};

/**
 * The settings as text, such as `1 partitions=64 statusIndex=1 events=100000 reportEnds=0`. The
 * first field is the version of the format.
 */
const encode = ({ deployment, eventsLength }: Stored): string => {
  const { partitions, statusIndex, reportEnds } = deployment;
  const flags = [
    `statusIndex=${Number(statusIndex)}`,
    `events=${eventsLength}`,
    `reportEnds=${Number(reportEnds)}`,
  ];
  return `1 partitions=${partitions} ${flags.join(' ')}`;
};

const form = /^1 partitions=(\d{1,5}) statusIndex=([01]) events=(\d{1,9}) reportEnds=([01])$/;

const decode = (text: unknown): Stored | undefined => {
  const [, partitions = '', statusIndex, events, reportEnds] =
    (typeof text === 'string' && form.exec(text)) || [];
  if (Number(partitions) < 1) return undefined;
  return {
    deployment: {
      partitions: Number(partitions),
      statusIndex: statusIndex === '1',
      events: events !== '0',
      reportEnds: reportEnds === '1',
    },
    eventsLength: Number(events),
  };
};

/**
 * Stores the settings of a deployment, unless settings are stored already.
 *
 * KEYS  1 the settings
 * ARGV  1 the settings of this process
 * Returns the stored settings.
 */
const storeScript = script(`
local stored = redis.call('GET', KEYS[1])
if stored then return stored end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
`);

/** Overwrites the stored settings with those of this process. KEYS and ARGV as above. */
const changeScript = script(`
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
`);

const changed = 'change it with repair({ reconfigure: true })';
const changes = {
  partitions: 'use another prefix',
  statusIndex: changed,
  events: changed,
  reportEnds: changed,
};

/** The error if the settings cannot be read or stored: the change of the call was then not sent. */
const notApplied = ({ error: { message, cause } }: Failure): StoreUnavailable =>
  storeUnavailable(message, 'not_applied', cause);

/**
 * Begins the calls of a store with the settings of its deployment, which the first call reads. If
 * none are stored, there are no sessions: a call that creates one stores the settings of this
 * process, and the next other call reads again.
 */
export class Deployment {
  readonly #connection: Connection;
  readonly #settings: RedisSettings;
  readonly #key: string;
  /** Set once the settings are read and match the options of this process. */
  #known: Omit<OpenCall, 'call'> | undefined;
  /** The pending request, which concurrent calls share. */
  #reading: Promise<Result<unknown, Failure>> | undefined;
  #storing: Promise<Result<unknown, Failure>> | undefined;

  constructor(connection: Connection, settings: RedisSettings) {
    this.#connection = connection;
    this.#settings = settings;
    this.#key = `${settings.prefix}:{0}:deployment`;
  }

  /** The keys, by the known settings or, until they are read, by the options of this process. */
  get keys(): Keyspace {
    return this.#known?.keys ?? this.#openBy(this.#wanted()).keys;
  }

  /** Begins a call at once; `undefined` until the settings are known. */
  opened(): Result<OpenCall, never> | undefined {
    if (this.#known === undefined) return undefined;
    const { keys, eventsLength, reportsEnds } = this.#known;
    return ok({ call: this.#connection.begin(), keys, eventsLength, reportsEnds });
  }

  /** Begins a call that creates no session. */
  async begin(): Answer<OpenCall> {
    const known = this.opened();
    if (known !== undefined) return known;
    const call = this.#connection.begin();
    const stored = await this.#read(call);
    if (stored.isErr()) return err(stored.error);
    const opened =
      stored.value === undefined ? ok(this.#openBy(this.#wanted())) : this.#open(stored.value);
    return opened.map((open) => ({ call, ...open }));
  }

  /** Runs a call that creates no session. */
  async read<T, E>(
    work: (open: OpenCall) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | StoreUnavailable | Misconfigured>> {
    const opened = this.opened() ?? (await this.begin());
    return opened.isErr() ? err(opened.error) : work(opened.value);
  }

  /** Begins a call that may create a session. */
  async beginInsert(): Answer<OpenCall> {
    const known = this.opened();
    if (known !== undefined) return known;
    const call = this.#connection.begin();
    const stored = await this.#read(call);
    if (stored.isErr()) return err(stored.error);
    const found = stored.value === undefined ? await this.#store(call) : ok(stored.value);
    return found.andThen((settings) => this.#open(settings)).map((open) => ({ call, ...open }));
  }

  /** Whether sweeps report ends: by the known settings, or those that are stored. */
  async reportsEnds(): Answer<boolean> {
    if (this.#known !== undefined) return ok(this.#known.reportsEnds);
    return (await this.begin()).map(({ reportsEnds }) => reportsEnds);
  }

  /** The stored settings; undefined if there are none. */
  async find(): Answer<RedisDeployment | undefined> {
    const stored = await this.#read(this.#connection.begin());
    return stored.andThen((found) =>
      found === undefined ? ok(undefined) : this.#open(found).map(() => found.deployment),
    );
  }

  /** Stores the options of this process; the other settings stay. */
  async change(): Answer<void> {
    const call = this.#connection.begin();
    const stored = await this.#read(call);
    if (stored.isErr()) return err(stored.error);
    const next = this.#wanted(stored.value);
    const { partitions } = stored.value?.deployment ?? next.deployment;
    const refusal = this.#differenceFrom({ ...next.deployment, partitions });
    if (refusal !== undefined) return err(refusal);
    this.#known = undefined;
    const written = await call.repairScript(changeScript, [this.#key], [encode(next)]);
    if (written.isErr()) return err(written.error.error);
    return this.#open(next).map(() => undefined);
  }

  async #read(call: Call): Answer<Stored | undefined> {
    this.#reading ??= call
      .readCommand((client) => client.get(this.#key))
      .finally(() => {
        this.#reading = undefined;
      });
    const text = await this.#reading;
    if (text.isErr()) return err(notApplied(text.error));
    return text.value === null ? ok(undefined) : this.#decoded(text.value);
  }

  async #store(call: Call): Answer<Stored> {
    this.#storing ??= call
      .repairScript(storeScript, [this.#key], [encode(this.#wanted())])
      .finally(() => {
        this.#storing = undefined;
      });
    const text = await this.#storing;
    return text.isErr() ? err(notApplied(text.error)) : this.#decoded(text.value);
  }

  #decoded(text: unknown): Result<Stored, Misconfigured> {
    const stored = decode(text);
    if (stored !== undefined) return ok(stored);
    return err(
      misconfigured(
        `RedisSessionStore: this version does not know the format of the key ${this.#key}`,
      ),
    );
  }

  /** The settings of this process: its options, and the stored settings for the others. */
  #wanted(stored?: Stored): Stored {
    const { partitions, statusIndex, events, eventsLength, reportEnds } = this.#settings;
    const before = stored?.deployment ?? NEW_DEPLOYMENT;
    const hasEvents = events ?? before.events;
    const length = eventsLength ?? (stored?.eventsLength || DEFAULT_EVENTS);
    return {
      deployment: {
        partitions: partitions ?? before.partitions,
        statusIndex: statusIndex ?? before.statusIndex,
        events: hasEvents,
        reportEnds: reportEnds ?? before.reportEnds,
      },
      eventsLength: hasEvents ? length : 0,
    };
  }

  #differenceFrom(deployment: RedisDeployment): Misconfigured | undefined {
    const { partitions, statusIndex, events, reportEnds } = this.#settings;
    return differenceOf(
      'RedisSessionStore',
      { partitions, statusIndex, events, reportEnds },
      { ...deployment },
      changes,
    );
  }

  #open(stored: Stored): Result<Omit<OpenCall, 'call'>, Misconfigured> {
    const refusal = this.#differenceFrom(stored.deployment);
    if (refusal !== undefined) return err(refusal);
    this.#known = this.#openBy(stored);
    return ok(this.#known);
  }

  #openBy({ deployment, eventsLength }: Stored): Omit<OpenCall, 'call'> {
    const { partitions, events, reportEnds, ...indexes } = deployment;
    const keys = new Keyspace(this.#settings.prefix, partitions, indexes);
    const length = events ? String(this.#settings.eventsLength ?? eventsLength) : '';
    return { keys, eventsLength: length, reportsEnds: reportEnds };
  }
}
