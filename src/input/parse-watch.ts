import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { type EventPosition, parsePosition } from '../session/event-position.js';
import type { WatchSignal } from '../session/session-event.js';
import { WARNING_SECONDS } from '../session/session-limits.js';
import type { ReadSize } from '../store/session-store.js';
import { parseListener } from './parse-fields.js';
import { parseHistoryLimit } from './parse-list-query.js';
import { parseKnown } from './parse-options.js';
import { type IssueList, parseSafely } from './parse-safely.js';
import { parseSignal } from './parse-signal.js';

export interface WatchSettings {
  readonly from: EventPosition | undefined;
  readonly signal: WatchSignal | undefined;
  readonly onOpen: () => void;
  /** -1 for no warning. */
  readonly warnBeforeMs: number;
  /** The part of the history in a snapshot. */
  readonly size: ReadSize;
}

const parseWarnBefore = (issues: IssueList, seconds: unknown): number => {
  if (seconds === undefined) return -1;
  const fits = typeof seconds === 'number' && seconds > 0 && seconds <= WARNING_SECONDS;
  issues.check(fits, 'warnBefore', `must be a number of seconds above 0, at most ${WARNING_SECONDS}`);
  return fits ? Math.round(seconds * 1000) : -1;
};

const watchAllNames = ['from', 'signal', 'onOpen'] as const;
const watchNames = [...watchAllNames, 'warnBefore', 'historyLimit'] as const;

const parseWatchOptions = (
  options: unknown,
  names: readonly (typeof watchNames)[number][],
): Result<WatchSettings, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { from, signal, onOpen, warnBefore, historyLimit } = parseKnown(issues, 'options', options, names);
    const position = typeof from === 'string' ? parsePosition(from) : undefined;
    const fits = from === undefined || position !== undefined;
    issues.check(fits, 'from', 'must be the position of an event or of a snapshot');
    return {
      from: position,
      signal: parseSignal(issues, signal),
      onOpen: parseListener(issues, 'onOpen', onOpen),
      warnBeforeMs: parseWarnBefore(issues, warnBefore),
      size: parseHistoryLimit(issues, historyLimit),
    };
  });

export const parseWatch = (options: unknown) => parseWatchOptions(options, watchNames);

export const parseWatchAll = (options: unknown) => parseWatchOptions(options, watchAllNames);
