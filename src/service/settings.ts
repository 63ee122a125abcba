import type { Result } from 'neverthrow';
import { type Clock, steadily, systemClock } from '../clock.js';
import type { InvalidInput } from '../errors.js';
import { EventHub } from '../events/hub.js';
import { type Ids, randomIds } from '../ids.js';
import { readSafely } from '../input/issues.js';
import { type InputPolicy, readPolicy } from '../input/policy.js';
import { isFields, readName, readNumber } from '../input/values.js';
import { KEY_LENGTH, type SessionLimits } from '../limits.js';
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

/** The options, read and with their defaults. */
export interface Settings {
  readonly tenant: string;
  readonly store: SessionStore;
  readonly now: () => Result<number, InvalidInput>;
  readonly ids: Ids;
  readonly idleTimeoutMs: number;
  readonly retentionMs: number;
  readonly policy: InputPolicy;
  readonly observers: readonly SessionObserver[];
  /** Where the store tells what happens. */
  readonly hub: EventHub | undefined;
  /** What a store is to refuse to append beyond; empty where there is no bound, for to check it has its price. */
  readonly bound: { readonly mostEntries?: number };
}

const MOST_IDLE_SECONDS = 365 * 24 * 60 * 60;
const MOST_RETENTION_SECONDS = 100 * 365 * 24 * 60 * 60;

/** Milliseconds of a time given in seconds, where 0 means for ever. No time above 0 is rounded down to none. */
export const spanMs = (seconds: number): number =>
  seconds === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.round(seconds * 1000));

export const readSettings = (options: SessionServiceOptions): Result<Settings, InvalidInput> =>
  readSafely('options', (issues) => {
    const { store, clock = systemClock, ids = randomIds, tenant = 'default' } = options;
    const { idleTimeout = 0, retention = 0, observers = [] } = options;
    issues.check(isFields(store), 'store', 'must be a SessionStore');
    issues.check(isFields(clock), 'clock', 'must be a Clock');
    issues.check(isFields(ids), 'ids', 'must be Ids');
    const fits = Array.isArray(observers) && observers.every((observer) => typeof observer?.run === 'function');
    issues.check(fits, 'observers', 'must be SessionObservers');
    const seers: readonly SessionObserver[] = fits ? [...observers] : [];
    for (const { path, message } of seers.flatMap((observer) => observer.issues ?? [])) {
      issues.check(false, path, message);
    }
    const policy = readPolicy(issues, options);
    const { historyEntries } = policy.limits;
    return {
      tenant: readName(issues, 'tenant', tenant, KEY_LENGTH),
      store,
      now: steadily(clock),
      ids,
      idleTimeoutMs: spanMs(readNumber(issues, 'idleTimeout', idleTimeout, 0, MOST_IDLE_SECONDS)),
      retentionMs: spanMs(readNumber(issues, 'retention', retention, 0, MOST_RETENTION_SECONDS)),
      policy,
      observers: seers,
      hub: isFields(store) && isFields(store.events) ? new EventHub(store.events) : undefined,
      bound: historyEntries === Number.MAX_SAFE_INTEGER ? {} : { mostEntries: historyEntries },
    };
  });
