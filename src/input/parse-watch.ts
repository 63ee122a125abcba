import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import { type EventPosition, parsePosition } from '../session/event-position.js';
import { WARNING_SECONDS } from '../session/limits.js';
import type { WatchSignal } from '../session/session-event.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { by, inputOf } from './fields-of.js';
import type { IssueList } from './issue-list.js';
import { parseListener, parseSignal, parseSwitch } from './parse-fields.js';
import { historyLimit } from './parse-list-query.js';

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
  /** In milliseconds; -1 for no warning. */
  readonly warnBefore: number;
  /** Maximum number of entries in a snapshot. */
  readonly historyLimit: number | undefined;
}

/** The checked options of `watchAll`. */
export interface TenantWatchSettings extends Watching {
  readonly cursor: EventPosition | undefined;
  /** Whether appends come with their entries. */
  readonly entries: boolean;
  /** Whether events come with their sessions. */
  readonly sessions: boolean;
}

const parseWarnBefore = (issues: IssueList, path: string, seconds: unknown): number => {
  if (seconds === undefined) return -1;
  const fits = typeof seconds === 'number' && seconds > 0 && seconds <= WARNING_SECONDS;
  if (fits) return Math.round(seconds * 1000);
  issues.check(false, path, `must be a number of seconds above 0, at most ${WARNING_SECONDS}`);
  return -1;
};

const parseCursor = <T>(
  issues: IssueList,
  path: string,
  value: unknown,
  parse: (text: string) => T | undefined,
  origin: string,
): T | undefined => {
  if (value === undefined) return undefined;
  // No cursor is empty.
  const cursor = parse(typeof value === 'string' ? value : '');
  issues.check(cursor !== undefined, path, `must be the cursor of ${origin}`);
  return cursor;
};

const parseText = (text: string): string | undefined => parseWatchCursor(text) && text;

const watchFields = {
  signal: parseSignal,
  onOpen: parseListener,
  leases: parseSwitch,
};

export const parseWatch: (options: unknown) => Result<SessionWatchSettings, InvalidInput> = inputOf(
  'options',
  {
    cursor: by(parseCursor<string>, parseText, 'an item of a watch'),
    ...watchFields,
    warnBefore: parseWarnBefore,
    historyLimit,
  },
);

export const parseWatchAll: (options: unknown) => Result<TenantWatchSettings, InvalidInput> =
  inputOf('options', {
    cursor: by(parseCursor<EventPosition>, parsePosition, 'an item of watchAll or of a page'),
    ...watchFields,
    entries: parseSwitch,
    sessions: parseSwitch,
  });
