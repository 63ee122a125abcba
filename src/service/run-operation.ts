import { err, type Result, ResultAsync } from 'neverthrow';
import { yieldToEventLoop } from '../events/yield-to-event-loop.js';
import { parseId } from '../input/command-inputs.js';
import { tellHost } from '../session/call-host.js';
import {
  type InvalidInput,
  type Misconfigured,
  type OperationError,
  type StoreUnavailable,
  storeUnavailable,
} from '../session/errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { Answer, SessionKey } from '../store/session-store.js';
import {
  type OperationName,
  type OperationResults,
  operationResult,
  reads,
} from './operation-results.js';
import type { ObservedOperation } from './session-observer.js';
import { refusedWithin, type Settings } from './settings.js';

/**
 * The error for an answer that breaks the contract of a store. `runOperation` turns it into
 * `store_unavailable`.
 */
export const contractBroken = (method: string, answer: unknown): TypeError =>
  new TypeError(`the store's ${method} answered ${JSON.stringify(answer)}`);

/** The errors of every operation. */
export type CallError = InvalidInput | StoreUnavailable | Misconfigured;

type Run<N extends OperationName, E> = Promise<Result<OperationResults[N], E | CallError>>;

const execute = async <N extends OperationName, E extends OperationError>(
  settings: Settings,
  name: N,
  operation: () => Answer<OperationResults[N], E>,
): Run<N, E> => {
  const { tenant, tenantError, hub, underWay } = settings;
  const refused = tenantError ?? refusedWithin(settings, name);
  if (refused !== undefined) return err(refused);
  const outcome = reads.has(name) ? 'not_applied' : 'unknown';
  underWay.begin();
  try {
    return await operation();
  } catch (cause) {
    return err(storeUnavailable('the store threw an exception', outcome, cause));
  } finally {
    // Wakes the watchers of this process, so that they read the event immediately.
    if (outcome === 'unknown') hub?.wake(name === 'sweep' ? undefined : tenant);
    // After the operation, so that calls take effect in their order.
    const turn = yieldToEventLoop();
    if (turn !== undefined) await turn;
    underWay.end();
  }
};

/** Passes a call to the observers. Whoever asks first runs it, and all get its one result. */
export const observed = async <N extends OperationName, E extends OperationError>(
  { observers, tenant }: Settings,
  operation: Omit<ObservedOperation, 'tenant'> & { readonly name: N },
  run: () => Run<N, E>,
): Run<N, E> => {
  const { name } = operation;
  let running: Run<N, E> | undefined;
  const runOnce = () => {
    running ??= run();
    return running;
  };
  const call = () =>
    new ResultAsync(
      runOnce().then((result) => result.map((value) => operationResult(name, value))),
    );
  // An observer that throws or rejects must not change the answer.
  for (const observer of observers) tellHost(() => observer.run({ ...operation, tenant }, call));
  // Observers get the result first, so that a span has ended when the caller continues.
  await call();
  return runOnce();
};

/**
 * Runs an operation and passes the call to the observers. Never throws or rejects: an exception of
 * the store becomes `store_unavailable`. Its result has the types `T` of the schemas on trust, like
 * the items of a watch: they were checked when they were written, or are older than the schemas.
 */
export function runOperation<
  T extends SessionSchemas,
  N extends OperationName,
  E extends OperationError,
>(
  settings: Settings,
  name: N,
  operation: () => Answer<OperationResults[N], E>,
  id?: unknown,
): ResultAsync<OperationResults<T>[N], E | CallError>;
export function runOperation<N extends OperationName, E extends OperationError>(
  settings: Settings,
  name: N,
  operation: () => Answer<OperationResults[N], E>,
  id?: unknown,
): ResultAsync<OperationResults[N], E | CallError> {
  const run = () => execute(settings, name, operation);
  if (settings.observers.length === 0) return new ResultAsync(run());
  return new ResultAsync(observed(settings, { name, id }, run));
}

export type Execute<V, E, I extends readonly unknown[]> = (
  settings: Settings,
  key: SessionKey,
  ...input: I
) => Answer<V, E>;

export const onSession = <V, E, I extends readonly unknown[]>(
  settings: Settings,
  id: unknown,
  execute: Execute<V, E, I>,
  input: I,
): Answer<V, E | InvalidInput> => {
  const read = parseId(id);
  if (read.isErr()) return err(read.error);
  return execute(settings, { tenant: settings.tenant, id: read.value }, ...input);
};
