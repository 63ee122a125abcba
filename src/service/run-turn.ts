import { err, ok, type Result } from 'neverthrow';
import { parseSaid } from '../input/message-input.js';
import { afterLong } from '../session/clock.js';
import {
  type CallbackFailed,
  callbackFailed,
  cancelled,
  type InvalidInput,
  type LeaseEnded,
  type RunTimeout,
  runTimeout,
} from '../session/errors.js';
import { isFields } from '../session/fields.js';
import { acceptsHistoryUntil } from '../session/grace-period.js';
import { LeaseRenewal } from '../session/lease-renewal.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { PositionedEntry } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { LAST_WORDS_MS } from '../session/turn-state.js';
import { isResult } from '../session/with-lease.js';
import type { ClaimedSession } from './operation-results.js';
import type { ReleaseInput } from './release-session.js';
import { observed } from './run-operation.js';
import type { ServiceResults, SessionOperations } from './session-operations.js';
import { forTenant, leaseClock, type Settings, withFence } from './settings.js';
import type { RunOf, TurnOf } from './turn.js';
import type { Released } from './turn-results.js';
import { unwrap } from './unwrap.js';

export type TurnSessions = Pick<
  SessionOperations<OperationErrors, SessionSchemas, ServiceResults<SessionSchemas>>,
  'take' | 'renew' | 'release' | 'history'
>;

export type BegunTurn = Omit<ClaimedSession, 'start' | 'position' | 'waitingSince' | 'isAlone'>;

export interface RunSettings<S> {
  readonly run: RunOf<SessionSchemas, S>;
  readonly maxSeconds: number;
  readonly historyLimit: number;
  readonly seconds: number;
  /** Calls `check` when the lease may be over; returns a function that ends this. */
  readonly onDoubt?: (check: () => void) => () => void;
  /** Called when `run` is no longer awaited, before the release. */
  readonly onSaid?: () => void;
}

export type TurnFailure =
  | OperationErrors['take']
  | LeaseEnded
  | RunTimeout
  | CallbackFailed
  | InvalidInput;

type TurnEnd = Promise<Result<Released, TurnFailure>>;

/** Maximum number of tries to release a session. After them, its lease runs out. */
const RELEASES = 4;

/** Errors of a release that fail the attempt. */
const refusals: ReadonlySet<string> = new Set(['history_full', 'invalid_input']);

const textOf = (cause: unknown): string => {
  try {
    return isFields(cause) && typeof cause['message'] === 'string'
      ? cause['message']
      : String(cause);
  } catch {
    return 'an error that cannot be shown';
  }
};

/** Runs one attempt of a turn under its lease, and releases it with what the turn has said. */
export class TurnRun<S extends TurnSessions> {
  readonly #settings: Settings;
  readonly #sessions: S;
  /** The same, under the lease. */
  readonly #held: S;
  readonly #turn: BegunTurn;
  readonly #how: RunSettings<S>;
  readonly #over = new AbortController();
  #isWaiting = true;
  #stopWaiting = (): void => undefined;

  constructor(
    settings: Settings,
    sessions: (settings: Settings) => S,
    turn: BegunTurn,
    how: RunSettings<S>,
  ) {
    const { session, lease, turn: number } = turn;
    const own = forTenant(settings, turn.tenant);
    const fence = { id: session.id, fencingToken: lease.fencingToken, turn: number };
    this.#settings = own;
    this.#sessions = sessions(own);
    this.#turn = turn;
    this.#how = how;
    this.#held = sessions(withFence(own, fence));
  }

  end(): TurnEnd {
    const { session, turn: number, attempt } = this.#turn;
    const operation = { name: 'turn', id: session.id, turn: { number, attempt } } as const;
    return observed<'turn', TurnFailure>(this.#settings, operation, () => this.#end());
  }

  async #end(): TurnEnd {
    const said = await this.#said();
    this.#how.onSaid?.();
    const { fencingToken } = this.#turn.lease;
    // A result after the end of its time is late, however short the delay.
    const reason: TurnFailure | undefined = this.#over.signal.reason;
    if (reason?.type === 'run_timeout') return this.#failed(reason);
    if (said.isErr()) return this.#failed(said.error);
    const ending = parseSaid(said.value, this.#settings.policy);
    if (ending.isErr()) return this.#failed(ending.error);
    const released = await this.#release({ fencingToken, done: true, ...ending.value });
    const isRefused = released.isErr() && refusals.has(released.error.type);
    return isRefused ? this.#failed(released.error) : released;
  }

  async #failed(failure: TurnFailure): TurnEnd {
    const { fencingToken } = this.#turn.lease;
    const isStopped = failure.type === 'cancelled';
    const cause = failure.type === 'callback_failed' ? failure.cause : failure;
    const error = isStopped ? undefined : textOf(cause);
    const released = await this.#release({ fencingToken, done: isStopped, error });
    // Whatever `run` threw then, for example the error of an aborted model call.
    const wasStopped = released.isOk() && released.value.stopped === true;
    return err(wasStopped && !isStopped ? cancelled(fencingToken, undefined) : failure);
  }

  /** What the turn has said; or why it is not done. */
  async #said(): Promise<Result<unknown, TurnFailure>> {
    const { seconds, onDoubt, maxSeconds } = this.#how;
    const { session, lease } = this.#turn;
    const { fencingToken } = lease;
    const taken = { fencingToken, begunAt: Date.parse(lease.until) - seconds * 1000, seconds };
    const renew = () => this.#sessions.renew(session.id, { fencingToken, seconds });
    const renewal = new LeaseRenewal(renew, leaseClock(this.#settings), taken);
    const stopDoubt = onDoubt?.(() => renewal.check());
    const stopTimer = afterLong(this.#settings.after, maxSeconds * 1000, () =>
      this.#over.abort(runTimeout(maxSeconds)),
    );
    const onLost = () => this.#over.abort(renewal.signal.reason);
    renewal.signal.addEventListener('abort', onLost);
    // The call that took the lease may have lasted longer than the lease.
    if (renewal.signal.aborted) onLost();
    try {
      return await Promise.race([this.#called(), this.#abandoned()]);
    } finally {
      renewal.stop();
      stopDoubt?.();
      stopTimer();
      this.#isWaiting = false;
      this.#stopWaiting();
    }
  }

  /** How long to wait for `run` after the turn is over: it may have time for last words. */
  async #graceMs({ type }: TurnFailure): Promise<number> {
    if (type === 'cancelled') return LAST_WORDS_MS;
    if (type !== 'invalid_transition') return 0;
    // The grace period is that of the session, which another host may have created.
    const { tenant, session } = this.#turn;
    const found = await this.#settings.store.findState({ tenant, id: session.id });
    const state = found.unwrapOr(undefined);
    const now = this.#settings.now();
    if (state === undefined || now.isErr()) return 0;
    return Math.max(0, acceptsHistoryUntil(state) - now.value);
  }

  #abandoned(): Promise<Result<never, TurnFailure>> {
    const { signal } = this.#over;
    return new Promise((resolve) => {
      const abandon = async (): Promise<void> => {
        const reason: TurnFailure = signal.reason;
        const graceMs = await this.#graceMs(reason);
        if (this.#isWaiting)
          this.#stopWaiting = this.#settings.after(graceMs, () => resolve(err(reason)));
      };
      if (signal.aborted) void abandon();
      else signal.addEventListener('abort', () => void abandon());
    });
  }

  /** What `run` returns. Whatever it throws is its error. */
  async #called(): Promise<Result<unknown, TurnFailure>> {
    const history = await this.#history();
    if (history.isErr()) return err(history.error);
    const { signal } = this.#over;
    if (signal.aborted) return err(signal.reason);
    try {
      const said: unknown = await this.#how.run(this.#argument(history.value));
      if (!isResult(said)) return ok(said);
      return said.isErr() ? err(callbackFailed(said.error)) : ok(said.value);
    } catch (cause) {
      return err(signal.aborted ? signal.reason : callbackFailed(cause));
    }
  }

  #argument(history: readonly PositionedEntry[]): TurnOf<SessionSchemas, S> {
    const { session, tenant, turn: number, attempt, messages, woken = false, lease } = this.#turn;
    const { fencingToken } = lease;
    return {
      session,
      tenant,
      number,
      attempt,
      messages,
      woken,
      history,
      take: async (options) => {
        const taken = await unwrap(this.#sessions.take(session.id, { ...options, fencingToken }));
        return taken.messages;
      },
      sessions: this.#held,
      signal: this.#over.signal,
      fencingToken,
    };
  }

  async #history(): Promise<Result<readonly PositionedEntry[], OperationErrors['history']>> {
    const { historyLimit } = this.#how;
    if (historyLimit === 0) return ok([]);
    const part = await this.#sessions.history(this.#turn.session.id, { last: historyLimit });
    return part.map(({ entries }) => entries);
  }

  /** Releases the session, and retries after an outage while the lease lasts. */
  async #release(input: ReleaseInput): Promise<Result<Released, OperationErrors['release']>> {
    const { id } = this.#turn.session;
    const { seconds } = this.#how;
    let released = await this.#sessions.release(id, input);
    for (let tries = 1; tries < RELEASES; tries += 1) {
      if (released.isOk() || released.error.type !== 'store_unavailable') break;
      await new Promise<void>((resolve) => {
        this.#settings.after((seconds * 1000) / RELEASES, resolve);
      });
      released = await this.#sessions.release(id, input);
    }
    return released;
  }
}
