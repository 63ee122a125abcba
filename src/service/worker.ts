import { WorkFeed } from '../events/work-feed.js';
import { disposable } from '../session/async-dispose.js';
import { afterLong } from '../session/clock.js';
import { workFailed } from '../session/errors.js';
import type { SessionEvent, SessionEventType } from '../session/session-event.js';
import { keyText } from '../session/session-key.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { ClaimedSession } from './operation-results.js';
import { type TurnFailure, TurnRun } from './run-turn.js';
import { type SessionService, sessionsOf } from './session-service.js';
import { checkOutside, type Settings, settingsOf } from './settings.js';
import { parseWorkerOptions, type WorkerOptions, type WorkerSettings } from './worker-options.js';

/**
 * Works on sessions that wait for a worker. `await using` stops it at the end of the block, and
 * waits for the work that it has begun.
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: ({ session }) => console.info('wanted', session.id),
 * });
 * worker.start();
 * await worker.stop(); // when the process ends
 * ```
 */
export interface Worker extends AsyncDisposable {
  /** Claims sessions until `stop`. Like a timer, a running worker keeps the process alive. */
  start(): void;
  /** Claims no more sessions. Settles when the work that has begun is done. */
  stop(): Promise<void>;
}

/** After these events, a session may wait for a worker. */
const wakes: ReadonlySet<SessionEventType> = new Set([
  'session.woken',
  'session.sent',
  'session.resumed',
  'session.created',
]);

/** After these events, a lease may be over. */
const ends: ReadonlySet<SessionEventType> = new Set([
  'session.cancelled',
  'session.leased',
  'session.terminated',
  'session.deleted',
]);

/** Whether the event belongs to this lease, and so does not put it in doubt. */
const isOfLease = (event: SessionEvent | undefined, fencingToken: number): boolean =>
  event?.type === 'session.leased' && event.fencingToken === fencingToken;

const isOver = ({ type }: TurnFailure): boolean =>
  type === 'cancelled' || type === 'invalid_transition';

class WorkLoop<T extends SessionSchemas> {
  readonly #settings: Settings;
  readonly #sessions: SessionService<T>;
  readonly #options: WorkerSettings;
  readonly #feed: WorkFeed;
  /** The work that has begun. A session that was lost may be here again, by a later claim. */
  readonly #running = new Set<Promise<void>>();
  /** Number of turns that are not being released yet. */
  #busy = 0;
  /** What to call if the lease on a session may be over. */
  readonly #doubts = new Map<string, (event?: SessionEvent) => void>();
  /**
   * Sessions that may have killed their last worker, each with a function that cancels its timer.
   * While there are any, nothing else is claimed.
   */
  readonly #alone = new Map<ClaimedSession<T>, () => void>();
  #isOn = true;
  #claiming: Promise<void> | undefined;
  /** Whether a session may have been woken since the last claim began. */
  #isWoken = false;
  #cancelPoll = (): void => undefined;

  constructor(sessions: SessionService<T>, settings: Settings, options: WorkerSettings) {
    this.#sessions = sessions;
    this.#settings = settings;
    this.#options = options;
    const tenant = options.allTenants ? undefined : settings.tenant;
    this.#feed = new WorkFeed(settings, tenant, (events) => this.#hear(events));
  }

  start(): void {
    this.#poll();
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    this.#cancelPoll();
    await this.#claiming;
    await Promise.all(this.#running);
    this.#feed.close();
  }

  #poll(): void {
    if (!this.#isOn) return;
    this.#feed.open().catch(() => undefined);
    this.#claimSoon();
    this.#cancelPoll = afterLong(this.#settings.after, this.#options.intervalMs, () =>
      this.#poll(),
    );
  }

  #hear(events: readonly SessionEvent[] | undefined): void {
    if (events === undefined) {
      for (const doubt of this.#doubts.values()) doubt();
      this.#claimSoon();
      return;
    }
    for (const event of events) {
      const { type, tenant, sessionId: id } = event;
      if (ends.has(type)) this.#doubts.get(keyText({ tenant, id }))?.(event);
    }
    if (events.some(({ type }) => wakes.has(type))) this.#claimSoon();
  }

  #claimSoon(): void {
    this.#isWoken = true;
    if (this.#claiming !== undefined || !this.#isOn) return;
    this.#claiming = this.#claimAll().finally(() => {
      this.#claiming = undefined;
    });
  }

  async #claimAll(): Promise<void> {
    // Turns that end together make room together.
    await Promise.resolve();
    const { concurrency, allTenants, holder, seconds, attempts, messages } = this.#options;
    const hasRoom = () => this.#alone.size === 0 && this.#busy < concurrency;
    while (this.#isOn && this.#isWoken && hasRoom()) {
      this.#isWoken = false;
      const limit = concurrency - this.#busy;
      const input = { holder, seconds, attempts, messages, limit };
      const claims = await (allTenants
        ? this.#sessions.claimAny(input)
        : this.#sessions.claim(input));
      if (claims.isErr()) {
        this.#options.onError(claims.error);
        return;
      }
      for (const claimed of claims.value.claimed) this.#begin(claimed);
      this.#isWoken ||= claims.value.claimed.length === limit;
    }
  }

  #begin(claimed: ClaimedSession<T>): void {
    const { isAlone = false } = claimed;
    this.#busy += 1;
    const working = this.#work(claimed).then(() => {
      this.#running.delete(working);
      this.#alone.get(claimed)?.();
      this.#alone.delete(claimed);
      this.#claimSoon();
    });
    this.#running.add(working);
    if (isAlone) this.#keepAlone(claimed);
  }

  /** Claims nothing else until a session is done, or has run for the length of a lease. */
  #keepAlone(claimed: ClaimedSession<T>): void {
    const cancel = afterLong(this.#settings.after, this.#options.seconds * 1000, () => {
      this.#alone.delete(claimed);
      this.#claimSoon();
    });
    this.#alone.set(claimed, cancel);
  }

  async #work(claimed: ClaimedSession<T>): Promise<void> {
    const { run, maxSeconds, historyLimit, seconds, onError } = this.#options;
    const { tenant, session, lease, attempt } = claimed;
    const { id } = session;
    const key = keyText({ tenant, id });
    const onDoubt = (check: () => void) => {
      const doubt = (event?: SessionEvent): void => {
        if (!isOfLease(event, lease.fencingToken)) check();
      };
      this.#doubts.set(key, doubt);
      return () => this.#doubts.get(key) === doubt && this.#doubts.delete(key);
    };
    // The next claim travels with the release.
    const onSaid = (): void => {
      this.#busy -= 1;
      this.#claimSoon();
    };
    const how = { run, maxSeconds, historyLimit, seconds, onDoubt, onSaid };
    const turn = new TurnRun(this.#settings, sessionsOf, claimed, how);
    const ended = await turn.end();
    if (ended.isOk() || isOver(ended.error)) return;
    const { error } = ended;
    const cause = error.type === 'callback_failed' ? error.cause : error;
    onError(workFailed({ tenant, id, attempt, cause }));
  }
}

/**
 * Creates a worker, which calls `run` for each session that waits for one, because of a message
 * (`send`) or a `wake`, under a lease that it renews. Any number of processes may run one; no
 * session has two workers at the same time. Throws a `TypeError` that names every invalid or
 * unknown option.
 *
 * @example
 * ```ts
 * await using worker = createWorker(sessions, {
 *   run: ({ history, signal }) => askModel(history, signal), // what it returns is stored
 * });
 * worker.start();
 * ```
 */
export const createWorker = <T extends SessionSchemas>(
  sessions: SessionService<T>,
  options: WorkerOptions<NoInfer<T>>,
): Worker => {
  const settings = settingsOf(sessions);
  if (settings === undefined)
    throw new TypeError('createWorker: sessions must be a SessionService');
  checkOutside('createWorker', settings);
  const parsed = parseWorkerOptions(options, settings.random);
  let loop: WorkLoop<T> | undefined;
  const stop = async (): Promise<void> => {
    const stopped = loop;
    loop = undefined;
    await stopped?.stop();
  };
  const start = (): void => {
    if (loop !== undefined) return;
    loop = new WorkLoop(sessions, settings, parsed);
    loop.start();
  };
  return disposable({ start, stop }, stop);
};
