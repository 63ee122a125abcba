import type { WatchSource } from '../events/watch-source.js';
import { parseTenant } from '../input/command-inputs.js';
import type { InputPolicy } from '../input/input-policy.js';
import type { Clock } from '../session/clock.js';
import { type InvalidInput, type Misconfigured, misconfigured } from '../session/errors.js';
import { isFields } from '../session/fields.js';
import type { Ids } from '../session/ids.js';
import type { SessionTerms } from '../session/session-record.js';
import { type Fence, fencingTokenFor } from '../session/with-lease.js';
import type { PendingCalls } from '../store/pending-calls.js';
import type { SessionKey } from '../store/session-store.js';
import { outsideTransactions } from './operation-results.js';
import { RecentStates } from './recent-states.js';
import type { SessionObserver } from './session-observer.js';

export type MakeService = <S extends object>(create: () => S) => S;

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
  readonly terms: SessionTerms;
  readonly policy: InputPolicy;
  readonly observers: readonly SessionObserver[];
  readonly recentStates: RecentStates;
  /** Whether the store is in a transaction of the caller. */
  readonly isWithin: boolean;
  /** Counts the operations of all tenants. */
  readonly underWay: PendingCalls;
}

/**
 * Distinguishes settings from unchecked options, and a service from other objects. Registered,
 * because a process may contain two copies of this package: an ES module and CommonJS, or bundles.
 */
export const SETTINGS: unique symbol = Symbol.for('colloquy.settings');

/** The member `SETTINGS` of any value; undefined for an object of the host that throws. */
const brandOf = (value: unknown): unknown => {
  try {
    return isFields(value) ? Reflect.get(value, SETTINGS) : undefined;
  } catch {
    return undefined;
  }
};

export const isSettings = (options: unknown): options is Settings => brandOf(options) === true;

/**
 * The settings of a service, for the parts of the engine that are built on it; undefined if it is
 * no service.
 */
export const settingsOf = (sessions: unknown): Settings | undefined => {
  const settings = brandOf(sessions);
  return isSettings(settings) ? settings : undefined;
};

export const forTenant = (settings: Settings, name: string): Settings => {
  const tenant = parseTenant(name);
  return {
    ...settings,
    tenant: tenant.unwrapOr(''),
    tenantError: tenant.isErr() ? tenant.error : undefined,
    fence: undefined,
  };
};

/** Throws a `TypeError` if the store cannot be in a transaction of `client`. */
export const within = (settings: Settings, client: object): Settings => {
  const store = settings.isWithin ? undefined : settings.store.within?.(client);
  if (store === undefined)
    throw new TypeError('within: the store cannot be in a transaction of the caller');
  return {
    ...settings,
    store,
    hub: undefined,
    recentStates: new RecentStates(),
    isWithin: true,
  };
};

export const refusedWithin = ({ isWithin }: Settings, name: string): Misconfigured | undefined => {
  if (!isWithin || !outsideTransactions.has(name)) return undefined;
  return misconfigured(`${name} cannot be in a transaction: call it on the service itself`);
};

/** Throws a `TypeError` if the service of `factory` is in a transaction of the caller. */
export const checkOutside = (factory: string, settings: Settings | undefined): void => {
  if (settings?.isWithin) throw new TypeError(`${factory}: sessions must not be in a transaction`);
};

/** The clock of leases. If it fails, every lease counts as lost. */
export const leaseClock = ({ now, after }: Settings) => ({
  now: () => now().unwrapOr(Number.POSITIVE_INFINITY),
  after,
});

export const withFence = (settings: Settings, fence: Fence): Settings => ({ ...settings, fence });

/** The number of the turn in which a session is written. */
export const turnUnder = (fence: Fence | undefined, { id }: SessionKey): number | undefined =>
  fence?.id === id ? fence.turn : undefined;

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
