import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { type Position, readPosition } from '../session/event-position.js';
import type { WatchSignal } from '../session/session-event.js';
import { WARNING_SECONDS } from '../session/session-limits.js';
import type { ReadSize } from '../store/session-store.js';
import { readListener } from './read-fields.js';
import { readHistoryLimit } from './read-list-query.js';
import { readKnown } from './read-options.js';
import { type IssueList, readSafely } from './read-safely.js';
import { readSignal } from './read-signal.js';

export interface WatchSettings {
  readonly from: Position | undefined;
  readonly signal: WatchSignal | undefined;
  readonly onOpen: () => void;
  /** -1 for no warning. */
  readonly warnBeforeMs: number;
  /** The part of the history in a snapshot. */
  readonly size: ReadSize;
}

const readWarnBefore = (issues: IssueList, seconds: unknown): number => {
  if (seconds === undefined) return -1;
  const fits = typeof seconds === 'number' && seconds > 0 && seconds <= WARNING_SECONDS;
  issues.check(fits, 'warnBefore', `must be a number of seconds above 0, at most ${WARNING_SECONDS}`);
  return fits ? Math.round(seconds * 1000) : -1;
};

const watchAllNames = ['from', 'signal', 'onOpen'] as const;
const watchNames = [...watchAllNames, 'warnBefore', 'historyLimit'] as const;

const readWatchOptions = (
  options: unknown,
  names: readonly (typeof watchNames)[number][],
): Result<WatchSettings, InvalidInput> =>
  readSafely('options', (issues) => {
    const { from, signal, onOpen, warnBefore, historyLimit } = readKnown(issues, 'options', options, names);
    const position = typeof from === 'string' ? readPosition(from) : undefined;
    const fits = from === undefined || position !== undefined;
    issues.check(fits, 'from', 'must be the position of an event or of a snapshot');
    return {
      from: position,
      signal: readSignal(issues, signal),
      onOpen: readListener(issues, 'onOpen', onOpen),
      warnBeforeMs: readWarnBefore(issues, warnBefore),
      size: readHistoryLimit(issues, historyLimit),
    };
  });

export const readWatch = (options: unknown) => readWatchOptions(options, watchNames);

export const readWatchAll = (options: unknown) => readWatchOptions(options, watchAllNames);
