import type { Result } from 'neverthrow';
import { EventHub } from '../events/event-hub.js';
import { type InputPolicy, parsePolicy } from '../input/input-policy.js';
import { hasMethods, isFields, parseName, parseNumber } from '../input/parse-fields.js';
import { type OptionNames, parseOptions } from '../input/parse-options.js';
import { parseTenant } from '../input/session-input.js';
import { type Clock, monotonic, systemClock, type Timer, timerOf } from '../session/clock.js';
import type { InvalidInput, Misconfigured } from '../session/errors.js';
import { type Ids, randomIds } from '../session/ids.js';
import { limitMsOf } from '../session/limit-ms-of.js';
import { defaultLimits, KEY_LENGTH, type SessionLimits } from '../session/session-limits.js';
import type { SessionTerms } from '../session/session-record.js';
import { type Fence, fencingTokenFor } from '../session/with-lease.js';
import type { SessionKey, SessionStore } from '../store/session-store.js';
import { RecentStates } from './recent-states.js';
import type { SessionObserver } from './session-observer.js';

/**
 * Options of a `SessionService`.
 *
 * @example
 * ```ts
 * const sessions = new SessionService({
 *   store,
 *   tenant: 'acme',
 *   idleTimeout: 15 * 60, // nobody takes the call up
 *   inactivityTimeout: 5 * 60, // nobody says anything
 *   gracePeriod: 60, // for the last words of a transcript
 *   retention: 30 * 24 * 60 * 60, // then a sweep deletes it
 * });
 * ```
 *
 * @example
 * ```ts
 * const sessions = new SessionService({
 *   store,
 *   faces: ['ada', 'grace'],
 *   profiles: ['interviewer', 'tutor'],
 *   limits: { activeSessions: 20 },
 *   observers: [logging(console)],
 * });
 * ```
 */
export interface SessionServiceOptions {
  /** Where sessions are kept, such as a `MemorySessionStore`. */
  readonly store: SessionStore;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Default: 21 random characters. */
  readonly ids?: Ids;
  /** The tenant, 1 to 256 characters. Default: `default`. */
  readonly tenant?: string;
  /**
   * Seconds that a session may stay IDLE or PAUSED before it ends with `idle_timeout`; 0 for no
   * timeout. Stored with each session at its creation: it applies even if a process with other
   * options changes or sweeps the session. Default: 0.
   */
  readonly idleTimeout?: number;
  /**
   * Seconds that a session may stay ACTIVE without an append or a command before it ends with
   * `inactive`; 0 for no timeout. Leases, and changes of labels and metadata, do not count. Stored
   * with each session, like `idleTimeout`. Default: 0.
   */
  readonly inactivityTimeout?: number;
  /**
   * Seconds after the end of a session in which it still accepts entries, because the last words of
   * a transcript often come late. At most 30 days. Stored with each session, like `idleTimeout`.
   * Default: 0.
   */
  readonly gracePeriod?: number;
  /**
   * Seconds after the end of a session until a sweep deletes it, at least `gracePeriod`; 0 to keep
   * it forever. Stored with each session, like `idleTimeout`. Default: 0.
   */
  readonly retention?: number;
  /** Limits on input and answers; each has a default. */
  readonly limits?: Partial<SessionLimits>;
  /** Allowed faces. Default: any. */
  readonly faces?: readonly string[];
  /** Allowed profiles. Default: any. */
  readonly profiles?: readonly string[];
  /**
   * Observers of all operations. The store runs in the context of the first observer that sets one.
   */
  readonly observers?: readonly SessionObserver[];
}

type MakeService = <S extends object>(create: () => S) => S;

/** Whose sessions the operations are for. */
interface Scope {
  readonly tenantError: InvalidInput | undefined;
  readonly fence: Fence | undefined;
}

/**
 * The checked options of a service with their defaults. A class, so that the constructor of the
 * service can distinguish them from unchecked options.
 */
export class Settings {
  readonly #isSettings = true;
  readonly store: SessionStore;
  readonly tenant: string;
  /**
   * The error of an invalid tenant. A tenant may come from a request, so every operation returns
   * it.
   */
  readonly tenantError: InvalidInput | undefined;
  readonly clock: Clock;
  readonly now: () => Result<number, Misconfigured>;
  /** The timer of the clock. */
  readonly after: Timer;
  readonly ids: Ids;
  /** A random number from 0 up to 1. A simulation derives it from its seed. */
  readonly random: () => number;
  /** Makes each service of these settings. A simulation makes services that tell of their calls. */
  readonly make: MakeService;
  /** The terms of a new session. */
  readonly terms: SessionTerms;
  readonly policy: InputPolicy;
  readonly observers: readonly SessionObserver[];
  readonly recentStates: RecentStates;
  /** Set if the store has events. */
  readonly hub: EventHub | undefined;
  readonly #fence: Fence | undefined;

  constructor(
    settings: Omit<Settings, 'forTenant' | 'withFence' | 'fenced' | 'tenant' | 'tenantError'>,
    { tenant, tenantError, fence }: { readonly tenant: string } & Partial<Scope>,
  ) {
    this.store = settings.store;
    this.tenant = tenant;
    this.tenantError = tenantError;
    this.#fence = fence;
    this.clock = settings.clock;
    this.now = settings.now;
    this.after = settings.after;
    this.ids = settings.ids;
    this.random = settings.random;
    this.make = settings.make;
    this.terms = settings.terms;
    this.policy = settings.policy;
    this.observers = settings.observers;
    this.recentStates = settings.recentStates;
    this.hub = settings.hub;
  }

  /** Whether `value` is a `Settings`. `instanceof` would throw for a revoked proxy. */
  static is(value: unknown): value is Settings {
    return typeof value === 'object' && value !== null && #isSettings in value;
  }

  /** The same settings for another tenant. */
  forTenant(name: string): Settings {
    const tenant = parseTenant(name);
    if (tenant.isErr()) return new Settings(this, { tenant: '', tenantError: tenant.error });
    return new Settings(this, { tenant: tenant.value });
  }

  /** The same settings with a lease. */
  withFence(fence: Fence): Settings {
    return new Settings(this, { tenant: this.tenant, tenantError: this.tenantError, fence });
  }

  /**
   * The checked options of a write on a session, with the token of the lease on it unless they have
   * one.
   */
  fenced<O extends { readonly fencingToken: number | undefined }>(
    { id }: SessionKey,
    options: O,
  ): O {
    if (this.#fence === undefined) return options;
    return { ...options, fencingToken: fencingTokenFor(this.#fence, id, options.fencingToken) };
  }
}

const MAX_IDLE_SECONDS = 365 * 24 * 60 * 60;
const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;
const MAX_RETENTION_SECONDS = 100 * 365 * 24 * 60 * 60;

const optionNames: OptionNames<SessionServiceOptions> = {
  store: true,
  clock: true,
  ids: true,
  tenant: true,
  idleTimeout: true,
  inactivityTimeout: true,
  gracePeriod: true,
  retention: true,
  limits: defaultLimits,
  faces: true,
  profiles: true,
  observers: true,
};

const isClock = (clock: Clock): boolean =>
  hasMethods(clock, 'now') && (clock.after === undefined || hasMethods(clock, 'after'));

const storeMethods = [
  'insert',
  'find',
  'findState',
  'list',
  'replace',
  'append',
  'redact',
  'findEntries',
  'remove',
  'reportsEnds',
  'due',
  'reschedule',
  'claim',
  'countWaiting',
];

export const parseSettings = (
  options: SessionServiceOptions,
  random: () => number = Math.random,
  make: MakeService = (create) => create(),
): Settings =>
  parseOptions('SessionService', options, optionNames, (issues) => {
    const { store, clock = systemClock, ids = randomIds, tenant = 'default' } = options;
    const { idleTimeout = 0, inactivityTimeout = 0, gracePeriod = 0, retention = 0 } = options;
    const { observers = [] } = options;
    issues.check(hasMethods(store, ...storeMethods), 'store', 'must be a SessionStore');
    issues.check(isClock(clock), 'clock', 'must be a Clock');
    issues.check(hasMethods(ids, 'next'), 'ids', 'must be Ids');
    const areObservers =
      Array.isArray(observers) && observers.every((observer) => hasMethods(observer, 'run'));
    issues.check(areObservers, 'observers', 'must be an array of SessionObservers');
    const isKeptInGrace = !(retention > 0 && gracePeriod > retention);
    issues.check(
      isKeptInGrace,
      'retention',
      'must be at least gracePeriod, in which the session is still needed',
    );
    const name = parseName(issues, 'tenant', tenant, KEY_LENGTH);
    const source = { store, now: monotonic(clock), after: timerOf(clock) };
    const settings = {
      ...source,
      clock,
      ids,
      random,
      make,
      terms: Object.freeze({
        idleTimeoutMs: limitMsOf(
          parseNumber(issues, 'idleTimeout', idleTimeout, 0, MAX_IDLE_SECONDS),
        ),
        inactivityTimeoutMs: limitMsOf(
          parseNumber(issues, 'inactivityTimeout', inactivityTimeout, 0, MAX_IDLE_SECONDS),
        ),
        retentionMs: limitMsOf(
          parseNumber(issues, 'retention', retention, 0, MAX_RETENTION_SECONDS),
        ),
        graceMs: parseNumber(issues, 'gracePeriod', gracePeriod, 0, MAX_GRACE_SECONDS) * 1000,
      }),
      policy: parsePolicy(issues, options),
      observers: areObservers ? [...observers] : [],
      recentStates: new RecentStates(),
      hub:
        isFields(store) && isFields(store.events) ? new EventHub(store.events, source) : undefined,
    };
    return new Settings(settings, { tenant: name });
  });
