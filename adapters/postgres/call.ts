import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { MAX_RACES } from '../../src/session/limits.js';
import type { PendingCalls } from '../../src/store/pending-calls.js';
import type { StoredDeployment } from '../stored/deployment.js';
import type { PostgresConnection } from './clients.js';
import {
  doomed,
  type Failure,
  failureOf,
  foreignAnswer,
  lost,
  notConnected,
  timedOut,
} from './failure.js';
import type { PreparedStatements, Statement, Value } from './prepared-statements.js';

export type Answer<T, E = StoreUnavailable | Misconfigured> = Promise<Result<T, E>>;

/** The outcome to report if it is not known whether a statement was committed. */
type Doubt = StoreUnavailable['outcome'];

/** Undefined if the rows cannot be the answer to the statement. */
const answerIn = (
  rows: readonly Fields[] | undefined,
  { columns = [], hasRow = false }: Statement,
): readonly Fields[] | undefined => {
  const [row] = rows ?? [];
  if (row === undefined) return hasRow ? undefined : rows;
  return columns.every((name) => row[name] !== undefined) ? rows : undefined;
};

/** Whether the server has changed nothing. */
export const isUndone = (error: StoreUnavailable | Misconfigured): boolean =>
  error.type === 'misconfigured' || error.outcome === 'not_applied';

/**
 * The shares of a call's time in which it sends statements, and in which the server runs them. The
 * rest is for the server's refusal to arrive, which proves that nothing was written.
 */
const SENT_SHARE = 0.9;
const SERVER_SHARE = 0.95;

/**
 * A server that crashes may answer with the reason of the crash, for example a full disk, after the
 * commit. So a statement counts as undone only if the server still answers.
 */
const failureOn = async (
  connection: PostgresConnection,
  cause: unknown,
  doubt: Doubt,
): Promise<Failure> => {
  const failure = failureOf(cause, doubt);
  if (failure.kind !== 'refused' || doubt === 'not_applied') return failure;
  try {
    await connection.query({ text: 'SELECT 1' });
    return failure;
  } catch (next) {
    if (failureOf(next, doubt).kind === 'lost') return lost(cause, doubt);
    return failure;
  }
};

/** Times of the monotonic clock. */
interface Deadlines {
  readonly sent: number;
  readonly server: number;
  readonly call: number;
}

const deadlinesOf = (timeoutMs: number): Deadlines => {
  const now = performance.now();
  return {
    sent: now + timeoutMs * SENT_SHARE,
    server: now + timeoutMs * SERVER_SHARE,
    call: now + timeoutMs,
  };
};

interface Attempt {
  connection: PostgresConnection | undefined;
  /** Whether the call has ended without it. */
  isLate: boolean;
  /** Whether the statement may have reached the server while there was time for it. */
  hasSent: boolean;
}

const release = (attempt: Attempt, destroy: boolean): void => {
  const { connection } = attempt;
  attempt.connection = undefined;
  connection?.release(destroy);
};

export interface CallSource {
  /** Whether the statements are steps of a transaction of the host. */
  readonly isWithin: boolean;
  readonly timeoutMs: number;
  connect(): Answer<PostgresConnection, Failure>;
  readonly statements: PreparedStatements;
  readonly underWay: PendingCalls;
  /** The settings of the deployment. The first call reads them with `read`. */
  deployment(read: (statement: Statement) => Answer<readonly Fields[]>): Answer<StoredDeployment>;
}

/**
 * One call of the store: its statements share a deadline, and each is a separate transaction. If
 * the options of this process differ from the settings of the deployment, every statement returns
 * the error.
 */
export class Call {
  readonly #source: CallSource;
  readonly #deadlines: Deadlines;

  constructor(source: CallSource, deadlines = deadlinesOf(source.timeoutMs)) {
    this.#source = source;
    this.#deadlines = deadlines;
  }

  /**
   * One call for several calls of a source. The server ends it by the earliest deadline; the answer
   * counts until the latest deadline.
   */
  static together(first: Call, ...more: readonly Call[]): Call {
    const all = [first, ...more].map((each) => each.#deadlines);
    return new Call(first.#source, {
      sent: Math.min(...all.map(({ sent }) => sent)),
      server: Math.min(...all.map(({ server }) => server)),
      call: Math.max(...all.map(({ call }) => call)),
    });
  }

  get isOver(): boolean {
    return performance.now() >= this.#deadlines.sent;
  }

  /** Milliseconds that the server has for a statement: at least 1. */
  get serverMs(): number {
    return Math.max(1, Math.floor(this.#deadlines.server - performance.now()));
  }

  deployment(): Answer<StoredDeployment> {
    return this.#source.deployment((statement) => this.#complete(statement, 'not_applied'));
  }

  read(statement: Statement): Answer<readonly Fields[]> {
    return this.track(this.#settled(statement, 'not_applied'));
  }

  write(statement: Statement): Answer<readonly Fields[]> {
    return this.track(this.#settled(statement, 'unknown'));
  }

  track<T>(work: Promise<T>): Promise<T> {
    return this.#source.underWay.track(work);
  }

  /** Calls a procedure, which returns a row with `columns`. */
  run(
    procedure: string,
    values: readonly Value[],
    columns: readonly string[] = [],
    onSent?: () => void,
  ): Answer<readonly Fields[]> {
    const places = values.map(() => '?').join(', ');
    const hasRow = columns.length > 0;
    const sql = `CALL $${procedure}(${places})`;
    return this.write({ sql, values, columns, hasRow, ...(onSent && { onSent }) });
  }

  /** The result of work that several calls may share; undefined if this call ends before it. */
  async within<T>(work: Promise<T>): Promise<T | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, this.#leftMs, undefined);
    });
    const result = await Promise.race([work, timeout]);
    clearTimeout(timer);
    return result;
  }

  get #leftMs(): number {
    return Math.max(0, this.#deadlines.call - performance.now());
  }

  async #settled(statement: Statement, doubt: Doubt): Answer<readonly Fields[]> {
    const deployment = await this.deployment();
    if (deployment.isErr()) return err(deployment.error);
    return this.#complete(statement, doubt);
  }

  /**
   * Repeats a statement that the server has undone because of a conflict with other transactions,
   * unless it has undone a transaction of the host. After a lost connection, repeats a read, or a
   * write that was not sent, once.
   */
  async #complete(statement: Statement, doubt: Doubt): Answer<readonly Fields[]> {
    let isLossRepeated = true;
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(statement, doubt);
      if (result.isOk()) return ok(result.value);
      const { kind, error } = result.error;
      const isRepeated =
        kind === 'conflict' || (kind === 'lost' && isLossRepeated && isUndone(error));
      if (this.#source.isWithin || !isRepeated || attempt === MAX_RACES) return err(error);
      if (kind === 'lost') isLossRepeated = false;
    }
  }

  /**
   * Closes a connection that has not answered by the deadline, because its answer may still arrive.
   */
  async #send(statement: Statement, doubt: Doubt): Answer<readonly Fields[], Failure> {
    if (this.isOver) return err(timedOut('not_applied'));
    const attempt: Attempt = { connection: undefined, isLate: false, hasSent: false };
    const result = await this.within(this.#try(attempt, statement, doubt));
    if (result !== undefined) return result;
    attempt.isLate = true;
    release(attempt, true);
    const late = timedOut(attempt.hasSent ? doubt : 'not_applied');
    return err(this.#source.isWithin ? doomed(late) : late);
  }

  async #try(
    attempt: Attempt,
    statement: Statement,
    doubt: Doubt,
  ): Answer<readonly Fields[], Failure> {
    const connected = await this.#source.connect();
    if (connected.isErr()) return err(connected.error);
    attempt.connection = connected.value;
    const result = await this.#runOn(connected.value, attempt, statement, doubt);
    release(attempt, result.isErr() && result.error.kind === 'lost');
    return result;
  }

  async #runOn(
    connection: PostgresConnection,
    attempt: Attempt,
    statement: Statement,
    doubt: Doubt,
  ): Answer<readonly Fields[], Failure> {
    const { isWithin, statements } = this.#source;
    const isTooLate = () => attempt.isLate || this.isOver;
    const boundMs = () => {
      if (isTooLate()) return undefined;
      attempt.hasSent = true;
      statement.onSent?.();
      return isWithin ? '' : `${this.serverMs}`;
    };
    try {
      if (isTooLate()) return err(timedOut('not_applied'));
      const sent = isWithin ? { ...statement, isPlannedAnew: true } : statement;
      const rows = answerIn(await statements.run(connection, sent, boundMs), statement);
      if (rows !== undefined) return ok(rows);
      return err({ kind: 'refused', error: foreignAnswer(doubt) });
    } catch (cause) {
      if (isWithin) return err(doomed(failureOf(cause, 'not_applied')));
      if (attempt.hasSent) return err(await failureOn(connection, cause, doubt));
      if (isTooLate()) return err(timedOut('not_applied'));
      const failure = failureOf(cause, 'not_applied');
      return err(failure.kind === 'lost' ? { ...notConnected(cause), kind: 'lost' } : failure);
    }
  }
}
