import { err, ok, type Result } from 'neverthrow';
import {
  type Misconfigured,
  misconfigured,
  type StoreUnavailable,
} from '../../src/session/errors.js';
import { differenceOf } from '../../src/store/difference-of.js';
import { PendingCalls } from '../../src/store/pending-calls.js';
import { type StoredDeployment, wantedOf } from '../stored/deployment.js';
import { type Call, type Connection, scriptOf } from './connection.js';
import { withOutcome } from './failure.js';
import { Keyspace } from './keyspace.js';
import type { RedisSettings } from './redis-session-store-options.js';
import { asTextOrNull } from './reply-form.js';
import { warnOfEviction } from './warn-of-eviction.js';

/**
 * The settings that all processes of a store share. The first process that creates a session stores
 * them.
 */
export interface RedisDeployment {
  /** Number of hash slots for the tenants. */
  readonly partitions: number;
  /** Whether changes are logged as events. */
  readonly events: boolean;
  /** Whether sweeps report the end of each session. */
  readonly reportEnds: boolean;
}

interface Open {
  readonly keys: Keyspace;
  /** Number of events that a stream keeps, as an argument of scripts; '' without events. */
  readonly eventsLength: string;
  readonly reportsEnds: boolean;
}

export interface OpenCall extends Open {
  readonly call: Call;
}

interface Stored extends StoredDeployment {
  readonly partitions: number;
}

type Answer<T> = Promise<Result<T, StoreUnavailable | Misconfigured>>;

const NEW_DEPLOYMENT: Stored = {
  partitions: 1,
  eventsLength: 0,
  reportEnds: false,
};

/** For example `1 partitions=64 events=100000 reportEnds=0`, after the version of the format. */
const encode = ({ partitions, eventsLength, reportEnds }: Stored): string =>
  `1 partitions=${partitions} events=${eventsLength} reportEnds=${Number(reportEnds)}`;

const form = /^1 partitions=(\d{1,5}) events=(\d{1,9}) reportEnds=([01])$/;

const decode = (text: string): Stored | undefined => {
  const [, partitions = 0, eventsLength = 0, reportEnds] = form.exec(text)?.map(Number) ?? [];
  if (partitions < 1) return undefined;
  return { partitions, eventsLength, reportEnds: reportEnds === 1 };
};

const deploymentOf = ({ eventsLength, ...others }: Stored): RedisDeployment => ({
  ...others,
  events: eventsLength > 0,
});

/**
 * KEYS  1 the settings
 * ARGV  1 the settings of this process, 2 '1' to overwrite stored settings, or ''
 * Returns the stored settings.
 */
const storeScript = scriptOf(`
local stored = redis.call('GET', KEYS[1])
if stored and ARGV[2] == '' then return stored end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
`);

const changed = 'change it with repair({ reconfigure: true })';
const changes = {
  partitions: 'use another prefix',
  events: changed,
  reportEnds: changed,
};

/**
 * Begins calls with the settings of the deployment, which the first call reads. Without stored
 * settings there are no sessions: a call that creates one stores the settings of this process, and
 * any other call makes the next one read again.
 */
export class Deployment {
  readonly underWay = new PendingCalls();
  readonly #connection: Connection;
  readonly #settings: RedisSettings;
  readonly #key: string;
  #known: Open | undefined;
  readonly #pending = new Map<boolean, Answer<Stored | undefined>>();

  constructor(connection: Connection, settings: RedisSettings) {
    this.#connection = connection;
    this.#settings = settings;
    this.#key = `${settings.prefix}:{0}:deployment`;
  }

  get keys(): Keyspace {
    return (this.#known ?? this.#openBy(this.#wanted())).keys;
  }

  async run<T, E>(
    work: (open: OpenCall) => Promise<Result<T, E>>,
    creates = false,
  ): Promise<Result<T, E | StoreUnavailable | Misconfigured>> {
    const call = this.#connection.begin();
    const known = this.#known;
    return this.underWay.track(
      known === undefined ? this.#runFirst(call, work, creates) : work({ call, ...known }),
    );
  }

  async #runFirst<T, E>(
    call: Call,
    work: (open: OpenCall) => Promise<Result<T, E>>,
    creates: boolean,
  ): Promise<Result<T, E | StoreUnavailable | Misconfigured>> {
    const opened = (await this.#readOnce(call, creates)).andThen((stored) => this.#open(stored));
    return opened.isErr() ? err(opened.error) : work({ call, ...opened.value });
  }

  async find(): Answer<RedisDeployment | undefined> {
    const stored = await this.#read(this.#connection.begin());
    return stored.andThen((found) => this.#open(found).map(() => found && deploymentOf(found)));
  }

  async change(): Answer<void> {
    const call = this.#connection.begin();
    const stored = await this.#read(call);
    if (stored.isErr()) return err(stored.error);
    const next = this.#wanted(stored.value);
    const { partitions } = stored.value ?? next;
    const refusal = this.#differenceFrom({ ...next, partitions });
    if (refusal !== undefined) return err(refusal);
    this.#known = undefined;
    const written = await this.#read(call, next, '1');
    return written.andThen((settings) => this.#open(settings)).map(() => undefined);
  }

  #readOnce(call: Call, creates: boolean): Answer<Stored | undefined> {
    const pending = this.#pending.get(creates);
    if (pending !== undefined) return pending;
    const read = this.#read(call, creates ? this.#wanted() : undefined);
    const reading = read.finally(() => this.#pending.delete(creates));
    this.#pending.set(creates, reading);
    return reading;
  }

  /** Stores `settings` first, if none are stored or `overwrites` is set. */
  async #read(
    call: Call,
    settings?: Stored,
    overwrites: '1' | '' = '',
  ): Answer<Stored | undefined> {
    const text =
      settings === undefined
        ? await call.readCommand('get', [this.#key], asTextOrNull)
        : await call.repairScript(storeScript, [this.#key], [encode(settings), overwrites]);
    // If opening failed, the call's own command was never sent.
    if (text.isErr())
      return err(overwrites ? text.error.error : withOutcome(text.error, 'not_applied'));
    if (text.value === null) return ok(undefined);
    const stored = decode(text.value);
    if (stored !== undefined) return ok(stored);
    return err(
      misconfigured(
        `RedisSessionStore: this version does not know the format of the key ${this.#key}`,
      ),
    );
  }

  #wanted(stored = NEW_DEPLOYMENT): Stored {
    const { partitions = stored.partitions } = this.#settings;
    return { partitions, ...wantedOf(this.#settings, stored) };
  }

  #differenceFrom(stored: Stored): Misconfigured | undefined {
    const { partitions, events, reportEnds } = this.#settings;
    const asked = { partitions, events, reportEnds };
    return differenceOf('RedisSessionStore', asked, { ...deploymentOf(stored) }, changes);
  }

  #open(stored: Stored | undefined): Result<Open, Misconfigured> {
    if (stored === undefined) return ok(this.#openBy(this.#wanted()));
    const refusal = this.#differenceFrom(stored);
    if (refusal !== undefined) return err(refusal);
    this.#known = this.#openBy(stored);
    void warnOfEviction(this.#connection.sender);
    return ok(this.#known);
  }

  #openBy(stored: Stored): Open {
    const { partitions, reportEnds } = stored;
    const keys = new Keyspace(this.#settings.prefix, partitions);
    const length = this.#settings.eventsLength ?? stored.eventsLength;
    const eventsLength = stored.eventsLength > 0 ? String(length) : '';
    return { keys, eventsLength, reportsEnds: reportEnds };
  }
}
