import { EventHub } from '../events/event-hub.js';
import type { WatchSource } from '../events/watch-source.js';
import { type InputPolicy, parsePolicy } from '../input/input-policy.js';
import type { IssueList } from '../input/issue-list.js';
import { parseName, parseNumber } from '../input/parse-fields.js';
import { type OptionNames, parseOptions } from '../input/parse-options.js';
import { parseTenant } from '../input/session-input.js';
import { type Clock, monotonic, systemClock, timerOf } from '../session/clock.js';
import type { InvalidInput } from '../session/errors.js';
import { hasMethods, isFields } from '../session/fields.js';
import { type Ids, randomIds } from '../session/ids.js';
import { defaultLimits, KEY_LENGTH, limitMsOf, type SessionLimits } from '../session/limits.js';
import type { Optional } from '../session/optional.js';
import type { SessionTerms } from '../session/session-record.js';
import { type Fence, fencingTokenFor } from '../session/with-lease.js';
import type { SessionKey, SessionStore } from '../store/session-store.js';
import { UnderWay } from '../store/under-way.js';
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
  readonly clock?: Clock | undefined;
  /** Default: 21 random characters. */
  readonly ids?: Ids | undefined;
  /** The tenant, 1 to 256 characters. Default: `default`. */
  readonly tenant?: string | undefined;
  /**
   * Seconds that a session may stay IDLE or PAUSED before it ends with `idle_timeout`; 0 for no
   * timeout. Stored with each session at its creation: it applies even if a process with other
   * options changes or sweeps the session. Default: 0.
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Seconds that a session may stay ACTIVE without an append or a command before it ends with
   * `inactive`; 0 for no timeout. Leases, and changes of labels and metadata, do not count. Stored
   * with each session, like `idleTimeout`. Default: 0.
   */
  readonly inactivityTimeout?: number | undefined;
  /**
   * Seconds after the end of a session in which it still accepts entries, because the last words of
   * a transcript often come late. At most 30 days. Stored with each session, like `idleTimeout`.
   * Default: 0.
   */
  readonly gracePeriod?: number | undefined;
  /**
   * Seconds after the end of a session until a sweep deletes it, at least `gracePeriod`; 0 to keep
   * it forever. Stored with each session, like `idleTimeout`. Default: 0.
   */
  readonly retention?: number | undefined;
  /** Limits on input and answers; each has a default. */
  readonly limits?: Optional<SessionLimits> | undefined;
  /** Allowed faces. Default: any. */
  readonly faces?: readonly string[] | undefined;
  /** Allowed profiles. Default: any. */
  readonly profiles?: readonly string[] | undefined;
  /**
   * Observers of all operations. The store runs in the context of the first observer that sets one.
   */
  readonly observers?: readonly SessionObserver[] | undefined;
}

type MakeService = <S extends object>(create: () => S) => S;

/** The checked options of a service with their defaults. */
export interface Settings extends WatchSource {
  readonly [SETTINGS]: true;
  /**
   * The error of an invalid tenant. A tenant may come from a request, so every operation returns
   * it.
   */
  readonly tenantError: InvalidInput | undefined;
  /** The lease whose token the writes on its session carry. */
  readonly fence: Fence | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A random number from 0 up to 1. A simulation derives it from its seed. */
  readonly random: () => number;
  /** A new revision, random because a session may be created again under the id of another. */
  readonly revision: () => number;
  /** Makes each service of these settings. A simulation makes services that tell of their calls. */
  readonly make: MakeService;
  /** The terms of a new session. */
  readonly terms: SessionTerms;
  readonly policy: InputPolicy;
  readonly observers: readonly SessionObserver[];
  readonly recentStates: RecentStates;
  /** Counts the operations of all tenants. */
  readonly underWay: UnderWay;
}

/**
 * Distinguishes settings from unchecked options, and a service from other objects. Registered,
 * because a process may contain two copies of this package: an ES module and CommonJS, or bundles.
 */
export const SETTINGS: unique symbol = Symbol.for('colloquy.settings');

/** The member `SETTINGS` of any value; undefined for an object of the host that throws. */
export const brandOf = (value: unknown): unknown => {
  try {
    return isFields(value) ? Reflect.get(value, SETTINGS) : undefined;
  } catch {
    return undefined;
  }
};

export const isSettings = (options: unknown): options is Settings => brandOf(options) === true;

/** The same settings for another tenant. */
export const forTenant = (settings: Settings, name: string): Settings => {
  const tenant = parseTenant(name);
  return {
    ...settings,
    tenant: tenant.unwrapOr(''),
    tenantError: tenant.isErr() ? tenant.error : undefined,
    fence: undefined,
  };
};

/** The same settings with a lease. */
export const withFence = (settings: Settings, fence: Fence): Settings => ({ ...settings, fence });

/**
 * The checked options of a write on a session, with the token of the lease on it unless they have
 * one.
 */
export const fenced = <O extends { readonly fencingToken: number | undefined }>(
  { fence }: Settings,
  { id }: SessionKey,
  options: O,
): O => {
  if (fence === undefined) return options;
  return { ...options, fencingToken: fencingTokenFor(fence, id, options.fencingToken) };
};

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
  'begin',
  'change',
  'remove',
  'take',
  'find',
  'findState',
  'entries',
  'page',
  'due',
  'countWaiting',
  'reportsEnds',
];

const checkPorts = (issues: IssueList, { store, clock, ids }: SessionServiceOptions): void => {
  issues.check(hasMethods(store, ...storeMethods), 'store', 'must be a SessionStore');
  issues.check(clock === undefined || isClock(clock), 'clock', 'must be a Clock');
  issues.check(ids === undefined || hasMethods(ids, 'next'), 'ids', 'must be Ids');
};

const parseObservers = (
  issues: IssueList,
  observers: SessionServiceOptions['observers'] = [],
): readonly SessionObserver[] => {
  const fits = Array.isArray(observers) && observers.every((each) => hasMethods(each, 'run'));
  if (fits) return [...observers];
  issues.check(false, 'observers', 'must be an array of SessionObservers');
  return [];
};

const parseTerms = (
  issues: IssueList,
  { idleTimeout = 0, inactivityTimeout = 0, gracePeriod = 0, retention = 0 }: SessionServiceOptions,
): SessionTerms => {
  const parse = (path: string, seconds: number, most: number): number =>
    parseNumber(issues, path, seconds, 0, most);
  const isKeptInGrace = !(retention > 0 && gracePeriod > retention);
  const rule = 'must be at least gracePeriod, in which the session is still needed';
  issues.check(isKeptInGrace, 'retention', rule);
  return Object.freeze({
    idleTimeoutMs: limitMsOf(parse('idleTimeout', idleTimeout, MAX_IDLE_SECONDS)),
    inactivityTimeoutMs: limitMsOf(parse('inactivityTimeout', inactivityTimeout, MAX_IDLE_SECONDS)),
    retentionMs: limitMsOf(parse('retention', retention, MAX_RETENTION_SECONDS)),
    graceMs: Math.round(parse('gracePeriod', gracePeriod, MAX_GRACE_SECONDS) * 1000),
  });
};

export const parseSettings = (
  options: SessionServiceOptions,
  random: () => number = Math.random,
  make: MakeService = (create) => create(),
): Settings =>
  parseOptions('SessionService', options, optionNames, (issues) => {
    const { store, clock = systemClock, ids = randomIds, tenant = 'default' } = options;
    checkPorts(issues, options);
    const observers = parseObservers(issues, options.observers);
    const name = parseName(issues, 'tenant', tenant, KEY_LENGTH);
    const terms = parseTerms(issues, options);
    const policy = parsePolicy(issues, options);
    const source = { store, now: monotonic(clock), after: timerOf(clock) };
    const hasEvents = isFields(store) && isFields(store.events);
    return {
      [SETTINGS]: true,
      ...source,
      hub: hasEvents ? new EventHub(store.events, source) : undefined,
      tenant: name,
      tenantError: undefined,
      fence: undefined,
      clock,
      ids,
      random,
      revision: () => 1 + Math.floor(random() * 2 ** 52),
      make,
      terms,
      policy,
      observers,
      recentStates: new RecentStates(),
      underWay: new UnderWay(),
    };
  });
