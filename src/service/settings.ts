import type { Result } from 'neverthrow';
import { type Clock, steadily, systemClock } from '../clock.js';
import type { InvalidInput } from '../errors.js';
import { EventHub } from '../events/hub.js';
import { type Ids, randomIds } from '../ids.js';
import { type InputPolicy, readPolicy } from '../input/policy.js';
import { type OptionNames, readOptions } from '../input/read-options.js';
import { readTenant } from '../input/session-input.js';
import { hasMethods, isFields, readName, readNumber } from '../input/values.js';
import { defaultLimits, KEY_LENGTH, type SessionLimits } from '../limits.js';
import type { SessionObserver } from '../observer.js';
import type { SessionStore } from '../store.js';

/** What a `SessionService` is made with. */
export interface SessionServiceOptions {
  readonly store: SessionStore;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Default: 21 random characters. */
  readonly ids?: Ids;
  /** Whose sessions this service works on. Default: `default`. */
  readonly tenant?: string;
  /** Seconds that a session may stay IDLE or PAUSED before it ends with `idle_timeout`. Default: any time. */
  readonly idleTimeout?: number;
  /** Seconds that a session is kept after its end, before a sweep deletes it. Default: for ever. */
  readonly retention?: number;
  /** Bounds on what callers may send; those not given have their defaults. */
  readonly limits?: Partial<SessionLimits>;
  /** The only faces that sessions may have. Default: any. */
  readonly faces?: readonly string[];
  /** The only profiles that sessions may have. Default: any. */
  readonly profiles?: readonly string[];
  /** Whoever is to see the operations. The store works in the context of the first that makes one. */
  readonly observers?: readonly SessionObserver[];
}

/** The options of a service, read and with their defaults. A class, so that a service can tell it from options. */
export class Settings {
  readonly #isSettings = true;
  readonly store: SessionStore;
  readonly tenant: string;
  /** What is wrong with the tenant. Other than the rest it may come from a request, and is an operation's answer. */
  readonly tenantError: InvalidInput | undefined;
  readonly now: () => Result<number, InvalidInput>;
  readonly ids: Ids;
  readonly idleTimeoutMs: number;
  readonly retentionMs: number;
  readonly policy: InputPolicy;
  readonly observers: readonly SessionObserver[];
  /** Where the store tells what happens. */
  readonly hub: EventHub | undefined;

  constructor(settings: Omit<Settings, 'forTenant'>) {
    this.store = settings.store;
    this.tenant = settings.tenant;
    this.tenantError = settings.tenantError;
    this.now = settings.now;
    this.ids = settings.ids;
    this.idleTimeoutMs = settings.idleTimeoutMs;
    this.retentionMs = settings.retentionMs;
    this.policy = settings.policy;
    this.observers = settings.observers;
    this.hub = settings.hub;
  }

  /** Whether it is this. `instanceof` would throw where it is a revoked proxy. */
  static is(value: unknown): value is Settings {
    return typeof value === 'object' && value !== null && #isSettings in value;
  }

  /** The same for another tenant. */
  forTenant(name: string): Settings {
    const tenant = readTenant(name);
    return new Settings({
      ...this,
      tenant: tenant.unwrapOr(''),
      tenantError: tenant.isErr() ? tenant.error : undefined,
    });
  }
}

const MOST_IDLE_SECONDS = 365 * 24 * 60 * 60;
const MOST_RETENTION_SECONDS = 100 * 365 * 24 * 60 * 60;

/** Milliseconds of a time given in seconds, where 0 means for ever. No time above 0 is rounded down to none. */
export const spanMs = (seconds: number): number =>
  seconds === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(seconds * 1000));

const optionNames: OptionNames<SessionServiceOptions> = {
  store: true,
  clock: true,
  ids: true,
  tenant: true,
  idleTimeout: true,
  retention: true,
  limits: defaultLimits,
  faces: true,
  profiles: true,
  observers: true,
};

const storeMethods = [
  ...['insert', 'find', 'findState', 'list', 'replace', 'append', 'findEntries', 'remove', 'due', 'reschedule'],
];

export const readSettings = (options: SessionServiceOptions): Settings =>
  readOptions('SessionService', options, optionNames, (issues) => {
    const { store, clock = systemClock, ids = randomIds, tenant = 'default' } = options;
    const { idleTimeout = 0, retention = 0, observers = [] } = options;
    issues.check(hasMethods(store, ...storeMethods), 'store', 'must be a SessionStore');
    issues.check(hasMethods(clock, 'now'), 'clock', 'must be a Clock');
    issues.check(hasMethods(ids, 'next'), 'ids', 'must be Ids');
    const areObservers = Array.isArray(observers) && observers.every((observer) => hasMethods(observer, 'run'));
    issues.check(areObservers, 'observers', 'must be an array of SessionObservers');
    return new Settings({
      store,
      tenant: readName(issues, 'tenant', tenant, KEY_LENGTH),
      tenantError: undefined,
      now: steadily(clock),
      ids,
      idleTimeoutMs: spanMs(readNumber(issues, 'idleTimeout', idleTimeout, 0, MOST_IDLE_SECONDS)),
      retentionMs: spanMs(readNumber(issues, 'retention', retention, 0, MOST_RETENTION_SECONDS)),
      policy: readPolicy(issues, options),
      observers: areObservers ? [...observers] : [],
      hub: isFields(store) && isFields(store.events) ? new EventHub(store.events) : undefined,
    });
  });
