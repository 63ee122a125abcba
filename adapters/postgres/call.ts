import { err, ok, type Result } from 'neverthrow';
import type { Misconfigured, StoreUnavailable } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { MAX_RACES } from '../../src/session/limits.js';
import type { UnderWay } from '../../src/store/under-way.js';
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

/** The result of a call of the store. */
export type Answer<T, E = StoreUnavailable | Misconfigured> = Promise<Result<T, E>>;

/**
 * The outcome to report if it is not known whether a statement was committed; a read always has
 * `not_applied`.
 */
type Doubt = StoreUnavailable['outcome'];

/** The rows in the answer to a statement; undefined if they cannot be its answer. */
const answerIn = (
  rows: readonly Fields[] | undefined,
  { columns = [], hasRow = false }: Statement,
): readonly Fields[] | undefined => {
  const [row] = rows ?? [];
  if (row === undefined) return hasRow ? undefined : rows;
  return columns.every((name) => row[name] !== undefined) ? rows : undefined;
};

/** Whether a failure means that the server has changed nothing. */
export const isUndone = (error: StoreUnavailable | Misconfigured): boolean =>
  error.type === 'misconfigured' || error.outcome === 'not_applied';

/**
 * The shares of a call's time: until when it sends statements, and until when the server runs them.
 * In the rest, the server's refusal arrives: then it is known that nothing was written.
 */
const SENT_SHARE = 0.9;
const SERVER_SHARE = 0.95;

/**
 * The failure of a statement. A server that crashes may answer with the reason of the crash, such
 * as a full disk, after the commit. So the statement counts as undone only if the server still
 * answers.
 */
const failureOn = async (
  connection: PostgresConnection,
  cause: unknown,
  doubt: Doubt,
): Promise<Failure> => {
  const failure = failureOf(cause, doubt);
  if (!connection.hasSent && failure.kind === 'lost')
    return { ...notConnected(cause), kind: 'lost' };
  if (failure.kind !== 'refused' || doubt === 'not_applied') return failure;
  try {
    await connection.query({ text: 'SELECT 1' });
    return failure;
  } catch (next) {
    if (failureOf(next, doubt).kind === 'lost') return lost(cause, doubt);
    return failure;
  }
};

/** The end of a call and of its parts, by the monotonic clock. */
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

/** The resources of a call. */
export interface CallSource {
  /** Whether the statements are steps of a transaction of the host. */
  readonly isWithin: boolean;
  connect(): Answer<PostgresConnection, Failure>;
  readonly statements: PreparedStatements;
  readonly underWay: UnderWay;
  /** The settings of the deployment. The first call reads them with `read`. */
  deployment(read: (statement: Statement) => Answer<readonly Fields[]>): Answer<StoredDeployment>;
}

/**
 * One call of the store: its statements share a deadline. Each statement is a separate transaction.
 * If the options of this process differ from the settings of the deployment, every statement
 * returns the error.
 */
export class Call {
  readonly #source: CallSource;
  readonly #deadlines: Deadlines;

  constructor(source: CallSource, timeoutMs: number, deadlines = deadlinesOf(timeoutMs)) {
    this.#source = source;
    this.#deadlines = deadlines;
  }

  /**
   * One call for several, of one source. The server ends it by the earliest deadline; the answer
   * counts until the latest deadline.
   */
  static together(first: Call, ...more: readonly Call[]): Call {
    const all = [first, ...more].map((each) => each.#deadlines);
    return new Call(first.#source, 0, {
      sent: Math.min(...all.map(({ sent }) => sent)),
      server: Math.min(...all.map(({ server }) => server)),
      call: Math.max(...all.map(({ call }) => call)),
    });
  }

  /** Whether it is too late to send a statement. */
  get isOver(): boolean {
    return performance.now() >= this.#deadlines.sent;
  }

  /** Milliseconds that the server has for a statement: at least 1. */
  get serverMs(): number {
    return Math.max(1, Math.floor(this.#deadlines.server - performance.now()));
  }

  /** The settings of the deployment. */
  deployment(): Answer<StoredDeployment> {
    return this.#source.deployment((statement) => this.#complete(statement, 'not_applied'));
  }

  /**
   * A read is always `not_applied`, and is repeated once on another connection if its connection
   * was lost.
   */
  read(statement: Statement): Answer<readonly Fields[]> {
    return this.track(this.#settled(statement, 'not_applied'));
  }

  write(statement: Statement): Answer<readonly Fields[]> {
    return this.track(this.#settled(statement, 'unknown'));
  }

  /** Counts work as under way until it settles; see `PostgresSessionStore.drain`. */
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

  /**
   * The result of work that several calls share; undefined if it has none by the deadline of this
   * call.
   */
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
   * unless that has undone a transaction of the host. If the connection was lost, repeats a read, or
   * a write that was not sent, once.
   */
  async #complete(statement: Statement, doubt: Doubt): Answer<readonly Fields[]> {
    let isLossRepeated = true;
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(statement, doubt);
      if (result.isOk()) return ok(result.value);
      const { kind, error } = result.error;
      const isRepeated =
        kind === 'conflict' || (kind === 'lost' && isLossRepeated && isUndone(error));
      const { isWithin } = this.#source;
      if (isWithin || !isRepeated || attempt === MAX_RACES) return err(error);
      if (kind === 'lost') isLossRepeated = false;
    }
  }

  /**
   * Closes a connection that has not answered by the deadline, because its answer may still arrive.
   */
  async #send(statement: Statement, doubt: Doubt): Answer<readonly Fields[], Failure> {
    if (this.isOver) return err(timedOut('not_applied'));
    let connection: PostgresConnection | undefined;
    let isLate = false;
    const release = (isAbandoned: boolean): void => {
      const lent = connection;
      connection = undefined;
      lent?.release(isAbandoned);
    };
    const attempt = async (): Answer<readonly Fields[], Failure> => {
      const connected = await this.#source.connect();
      if (connected.isErr()) return err(connected.error);
      const lent = connected.value;
      connection = lent;
      const result = await this.#runOn(lent, statement, doubt, () => isLate);
      release(result.isErr() && result.error.kind === 'lost');
      return result;
    };
    const result = await this.within(attempt());
    if (result !== undefined) return result;
    isLate = true;
    const outcome = connection?.hasSent === true ? doubt : 'not_applied';
    release(true);
    const late = timedOut(outcome);
    return err(this.#source.isWithin ? doomed(late) : late);
  }

  /** Runs a statement, unless it is too late. */
  async #runOn(
    lent: PostgresConnection,
    statement: Statement,
    doubt: Doubt,
    isLate: () => boolean,
  ): Answer<readonly Fields[], Failure> {
    const { isWithin, statements } = this.#source;
    const isTooLate = () => isLate() || this.isOver;
    const boundMs = () => {
      if (isTooLate()) return undefined;
      statement.onSent?.();
      return isWithin ? '' : this.serverMs;
    };
    try {
      if (isTooLate()) return err(timedOut('not_applied'));
      const sent = isWithin ? { ...statement, isPlannedAnew: true } : statement;
      const answer = await statements.run(lent, sent, boundMs);
      const rows = answerIn(answer, statement);
      if (rows !== undefined) return ok(rows);
      return err({ kind: 'refused', error: foreignAnswer(doubt) });
    } catch (cause) {
      if (isWithin) return err(doomed(failureOf(cause, 'not_applied')));
      if (!lent.hasSent && isTooLate()) return err(timedOut('not_applied'));
      return err(await failureOn(lent, cause, doubt));
    }
  }
}
