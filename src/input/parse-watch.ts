import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { type EventPosition, parsePosition } from '../session/event-position.js';
import type { WatchSignal } from '../session/session-event.js';
import { WARNING_SECONDS } from '../session/session-limits.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import type { ReadSize } from '../store/session-store.js';
import { parseListener, parseSwitch } from './parse-fields.js';
import { parseHistoryLimit } from './parse-list-query.js';
import { parseKnown } from './parse-options.js';
import { type IssueList, parseSafely } from './parse-safely.js';
import { parseSignal } from './parse-signal.js';

interface Watching {
  /** Whether leases that are taken and released, and wakes, are told. */
  readonly leases: boolean;
  readonly signal: WatchSignal | undefined;
  readonly onOpen: () => void;
}

/** The checked options of `watch`. */
export interface SessionWatchSettings extends Watching {
  /** A cursor of this session. */
  readonly cursor: string | undefined;
  /** -1 for no warning. */
  readonly warnBeforeMs: number;
  /** The part of the history in a snapshot. */
  readonly size: ReadSize;
}

/** The checked options of `watchAll`. */
export interface TenantWatchSettings extends Watching {
  readonly cursor: EventPosition | undefined;
  /** Whether appends come with their entries. */
  readonly entries: boolean;
  /** Whether events come with their sessions. */
  readonly sessions: boolean;
}

const parseWarnBefore = (issues: IssueList, seconds: unknown): number => {
  if (seconds === undefined) return -1;
  const fits = typeof seconds === 'number' && seconds > 0 && seconds <= WARNING_SECONDS;
  issues.check(
    fits,
    'warnBefore',
    `must be a number of seconds above 0, at most ${WARNING_SECONDS}`,
  );
  return fits ? Math.round(seconds * 1000) : -1;
};

const parseCursor = <T>(
  issues: IssueList,
  value: unknown,
  parse: (text: string) => T | undefined,
  origin: string,
): T | undefined => {
  const cursor = typeof value === 'string' ? parse(value) : undefined;
  const fits = value === undefined || cursor !== undefined;
  issues.check(fits, 'cursor', `must be the cursor of ${origin}`);
  return cursor;
};

const watchNames = ['cursor', 'signal', 'onOpen', 'leases', 'warnBefore', 'historyLimit'] as const;

export const parseWatch = (options: unknown): Result<SessionWatchSettings, InvalidInput> =>
  parseSafely('options', (issues) => {
    const given = parseKnown(issues, 'options', options, watchNames);
    return {
      cursor: parseCursor(
        issues,
        given.cursor,
        (text) => parseWatchCursor(text) && text,
        'an item of a watch',
      ),
      signal: parseSignal(issues, given.signal),
      onOpen: parseListener(issues, 'onOpen', given.onOpen),
      leases: parseSwitch(issues, 'leases', given.leases),
      warnBeforeMs: parseWarnBefore(issues, given.warnBefore),
      size: parseHistoryLimit(issues, given.historyLimit),
    };
  });

const watchAllNames = ['cursor', 'signal', 'onOpen', 'leases', 'entries', 'sessions'] as const;

export const parseWatchAll = (options: unknown): Result<TenantWatchSettings, InvalidInput> =>
  parseSafely('options', (issues) => {
    const given = parseKnown(issues, 'options', options, watchAllNames);
    return {
      cursor: parseCursor(issues, given.cursor, parsePosition, 'an item of watchAll or of a page'),
      signal: parseSignal(issues, given.signal),
      onOpen: parseListener(issues, 'onOpen', given.onOpen),
      leases: parseSwitch(issues, 'leases', given.leases),
      entries: parseSwitch(issues, 'entries', given.entries),
      sessions: parseSwitch(issues, 'sessions', given.sessions),
    };
  });
