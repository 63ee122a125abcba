import { EventHub } from '../events/event-hub.js';
import { policyFields, policyOf } from '../input/input-policy.js';
import { having } from '../schema/host-values.js';
import type { IssueList } from '../schema/issue-list.js';
import { meantWithin, optionsOf } from '../schema/options-of.js';
import { type OutOf, optional, type Schema, typed } from '../schema/schema.js';
import { name, number } from '../schema/values.js';
import { type Clock, monotonic, systemClock, timerOf } from '../session/clock.js';
import { hasMethods, isFields } from '../session/fields.js';
import { type Ids, randomIds } from '../session/ids.js';
import { KEY_LENGTH, limitMsOf, type SessionLimits } from '../session/limits.js';
import type { Optional } from '../session/members.js';
import type { SessionTerms } from '../session/session-record.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { PendingCalls } from '../store/pending-calls.js';
import type { SessionStore } from '../store/session-store.js';
import { RecentStates } from './recent-states.js';
import type { SessionObserver } from './session-observer.js';
import { type MakeService, SETTINGS, type Settings } from './settings.js';

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
 *   observers: [openTelemetry()],
 * });
 * ```
 */
export interface SessionServiceOptions<T extends SessionSchemas = SessionSchemas> {
  /** The store of the sessions, for example a `MemorySessionStore`. */
  readonly store: SessionStore;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /**
   * Ids of sessions and messages that have no id of their own. A session that is created with an
   * `idempotencyKey` has an id derived from the key. Default: 21 random characters.
   */
  readonly ids?: Ids | undefined;
  /** The tenant, 1 to 256 characters. Default: `default`. */
  readonly tenant?: string | undefined;
  /**
   * Seconds that a session may stay IDLE or PAUSED before it ends with `idle_timeout`, at most
   * 31536000 (365 days); 0 for no timeout. Stored with each session at its creation: it applies even if a process with other
   * options changes or sweeps the session. Default: 0.
   */
  readonly idleTimeout?: number | undefined;
  /**
   * Seconds that a session may stay ACTIVE without a message, an entry or a command before it ends
   * with `inactive`, at most 31536000 (365 days); 0 for no timeout. A running answer, leases, and
   * changes of labels and metadata do not count. Stored with each session, like `idleTimeout`.
   * Default: 0.
   */
  readonly inactivityTimeout?: number | undefined;
  /**
   * Seconds after the end of a session in which it still accepts entries, because the last words of
   * a transcript often come late. At most 30 days. Stored with each session, like `idleTimeout`.
   * Default: 0.
   */
  readonly gracePeriod?: number | undefined;
  /**
   * Seconds after the end of a session until a sweep deletes it, at least `gracePeriod` and at most
   * 3153600000 (100 years); 0 to keep it forever. Stored with each session, like `idleTimeout`. Default: 0.
   */
  readonly retention?: number | undefined;
  /** Limits on input and answers; each has a default. */
  readonly limits?: Optional<SessionLimits> | undefined;
  /** Allowed faces. Default: any. */
  readonly faces?: readonly string[] | undefined;
  /** Allowed profiles. Default: any. */
  readonly profiles?: readonly string[] | undefined;
  /** Schemas of metadata and of the data of entries. Default: any JSON. */
  readonly schemas?: T | undefined;
  /**
   * Observers of all operations. The store runs in the context of the first observer that sets one.
   */
  readonly observers?: readonly SessionObserver[] | undefined;
}

const MAX_IDLE_SECONDS = 365 * 24 * 60 * 60;
const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;
const MAX_RETENTION_SECONDS = 100 * 365 * 24 * 60 * 60;

const isClock = (value: unknown): value is Clock =>
  isFields(value) &&
  hasMethods(value, 'now') &&
  (value['after'] === undefined || hasMethods(value, 'after'));

const isIds = (value: unknown): value is Ids => hasMethods(value, 'next');

const areObservers = (value: unknown): value is readonly SessionObserver[] =>
  Array.isArray(value) && value.every((each) => hasMethods(each, 'run'));

const storeMethods = [
  'begin',
  'change',
  'remove',
  'take',
  'find',
  'findState',
  'entries',
  'messages',
  'page',
  'due',
  'countWaiting',
  'reportsEnds',
];

const RETENTION_RULE = 'must be at least gracePeriod, in which the session is still needed';

export const serviceOptionSchemas = {
  store: having('must be a SessionStore', ...storeMethods),
  clock: optional(typed(isClock, 'must be a Clock', systemClock), systemClock),
  ids: optional(typed(isIds, 'must be Ids', randomIds), randomIds),
  tenant: optional(name(KEY_LENGTH), 'default'),
  idleTimeout: optional(number(0, MAX_IDLE_SECONDS), 0),
  inactivityTimeout: optional(number(0, MAX_IDLE_SECONDS), 0),
  gracePeriod: optional(number(0, MAX_GRACE_SECONDS), 0),
  retention: optional(number(0, MAX_RETENTION_SECONDS), 0),
  ...policyFields,
  observers: optional(typed(areObservers, 'must be an array of SessionObservers', []), []),
} satisfies Readonly<Record<keyof SessionServiceOptions, Schema<unknown>>>;

export const checkTerms = (
  issues: IssueList,
  { retention, gracePeriod }: Pick<OutOf<typeof serviceOptionSchemas>, 'retention' | 'gracePeriod'>,
): void => issues.check(retention === 0 || gracePeriod <= retention, 'retention', RETENTION_RULE);

export const meantOption = meantWithin(serviceOptionSchemas);

const read = optionsOf('SessionService', serviceOptionSchemas, checkTerms, meantOption);

const termsOf = ({
  idleTimeout,
  inactivityTimeout,
  gracePeriod,
  retention,
}: OutOf<typeof serviceOptionSchemas>): SessionTerms =>
  Object.freeze({
    idleTimeoutMs: limitMsOf(idleTimeout),
    inactivityTimeoutMs: limitMsOf(inactivityTimeout),
    retentionMs: limitMsOf(retention),
    graceMs: Math.round(gracePeriod * 1000),
  });

export const parseSettings = (
  options: SessionServiceOptions,
  random: () => number = Math.random,
  make: MakeService = (create) => create(),
): Settings => {
  const given = read(options);
  const { clock, ids, tenant, observers } = given;
  const { store } = options;
  const source = { store, now: monotonic(clock), after: timerOf(clock) };
  const hasEvents = isFields(store) && isFields(store.events);
  return {
    [SETTINGS]: true,
    ...source,
    hub: hasEvents ? new EventHub(store.events, source) : undefined,
    tenant,
    tenantError: undefined,
    fence: undefined,
    clock,
    ids,
    random,
    revision: () => 1 + Math.floor(random() * 2 ** 52),
    make,
    terms: termsOf(given),
    policy: policyOf(given),
    observers: [...observers],
    recentStates: new RecentStates(),
    isWithin: false,
    underWay: new PendingCalls(),
  };
};
