import { leaseHolder } from '../input/command-inputs.js';
import { turnFields } from '../input/turn-options.js';
import { listener } from '../schema/host-values.js';
import { optionsOf } from '../schema/options-of.js';
import { optional, type Schema, typed } from '../schema/schema.js';
import { number, onOrOff, upTo } from '../schema/values.js';
import type { WorkFailed } from '../session/errors.js';
import { CLAIM_LIMIT } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { Run } from './service-turn.js';
import type { TurnOptions } from './turn.js';

/**
 * Options of `createWorker`.
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: ({ session }) => console.info('wanted', session.id),
 *   concurrency: 4,
 *   seconds: 60,
 *   attempts: 3,
 *   interval: 2,
 *   onError: ({ type, message }) => console.error(type, message),
 * });
 * ```
 *
 * @example
 * ```ts
 * const worker = createWorker(sessions, {
 *   run: ({ tenant, session }) => console.info('wanted', tenant, session.id),
 *   allTenants: true,
 *   holder: 'worker-1',
 * });
 * ```
 */
export interface WorkerOptions<T extends SessionSchemas = SessionSchemas> extends TurnOptions {
  /**
   * Answers the messages of a session that waits, or does what it was woken for. What it returns is
   * stored in the same step as the end of the turn.
   */
  readonly run: Run<T>;
  /** Maximum number of sessions at the same time, 1 to 100. Default: 10. */
  readonly concurrency?: number | undefined;
  /** The name of the worker in leases, 1 to 256 characters. Default: a random string. */
  readonly holder?: string | undefined;
  /** Work for all tenants, not only for the tenant of the service. Default: false. */
  readonly allTenants?: boolean | undefined;
  /**
   * Seconds between two polls, 0.01 to 3600. If the store has events, workers are notified
   * immediately when a session is woken; polls find scheduled wakes and work of crashed workers.
   * Default: 0.5.
   */
  readonly interval?: number | undefined;
  /** Called for each error. Default: errors are ignored. */
  readonly onError?: ((error: OperationErrors['claim'] | WorkFailed) => unknown) | undefined;
}

const isRun = (value: unknown): value is Run => typeof value === 'function';

/** Its result is checked when it returns. */
const runField: Schema<Run> = typed(isRun, 'must be a function', () => undefined);

const parse = optionsOf('createWorker', {
  run: runField,
  concurrency: optional(upTo(CLAIM_LIMIT), 10),
  ...turnFields,
  holder: optional(leaseHolder),
  allTenants: onOrOff,
  interval: optional(number(0.01, 3600), 0.5),
  onError: listener,
} satisfies Readonly<Record<keyof WorkerOptions, Schema<unknown>>>);

export type WorkerSettings = ReturnType<typeof parseWorkerOptions>;

export const parseWorkerOptions = <T extends SessionSchemas>(
  options: WorkerOptions<T>,
  random: () => number,
) => {
  const parsed = parse(options);
  const { interval, holder = `worker-${random().toString(36).slice(2)}` } = parsed;
  return { ...parsed, holder, intervalMs: 1000 * interval };
};
