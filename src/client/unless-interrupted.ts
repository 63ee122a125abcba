import { err, ok, type Result } from 'neverthrow';
import type { WatchSignal } from '../session/session-event.js';
import type { ClientTiming } from './session-client-options.js';

export interface TaskLimits {
  readonly timing: ClientTiming;
  readonly ms: number;
  readonly signal: WatchSignal | undefined;
}

export type Interruption = 'timeout' | 'aborted';

/**
 * Waits for a task until the timeout or the abort, even if the task ignores both. Does not use
 * `AbortSignal.any`, which the oldest supported browsers lack, or `AbortSignal.timeout`, because
 * tests replace the timers.
 */
export const unlessInterrupted = async <T>(
  { timing, ms, signal }: TaskLimits,
  task: () => PromiseLike<T>,
): Promise<Result<T, Interruption>> => {
  if (signal?.aborted) return err('aborted');
  let stop = (): void => undefined;
  const interrupted = new Promise<Result<never, Interruption>>((resolve) => {
    const onAbort = (): void => resolve(err('aborted'));
    const cancel = timing.after(ms, () => resolve(err('timeout')));
    signal?.addEventListener('abort', onAbort);
    stop = () => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([task().then((value) => ok(value)), interrupted]);
  } finally {
    stop();
  }
};

export const sleep = (limits: TaskLimits): Promise<unknown> =>
  unlessInterrupted(limits, () => new Promise<never>(() => undefined));
