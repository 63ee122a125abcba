import type { Result } from 'neverthrow';
import { listener, signal } from '../schema/host-values.js';
import { object } from '../schema/object.js';
import { inputOf } from '../schema/read-input.js';
import { checked, optional, type Schema, schema } from '../schema/schema.js';
import { number, onOrOff, whole } from '../schema/values.js';
import type { InvalidInput } from '../session/errors.js';
import { type EventPosition, parsePosition } from '../session/event-position.js';
import { WARNING_SECONDS } from '../session/limits.js';
import type { WatchSignal } from '../session/session-event.js';
import { parseWatchCursor } from '../session/watch-cursor.js';
import { historyLimit } from './list-query.js';

interface Watching {
  readonly leases: boolean;
  readonly signal: WatchSignal | undefined;
  readonly onOpen: () => void;
}

export interface SessionWatchSettings extends Watching {
  readonly cursor: string | undefined;
  /** In milliseconds; -1 for no warning. */
  readonly warnBefore: number;
  readonly warnAt: number;
  readonly historyLimit: number | undefined;
}

export interface TenantWatchSettings extends Watching {
  readonly cursor: EventPosition | undefined;
  readonly entries: boolean;
  readonly sessions: boolean;
}

const WARNING_RULE = `must be a number of seconds above 0, at most ${WARNING_SECONDS}`;

/** Seconds, which are read as milliseconds; -1 for no warning. */
const warnBefore: Schema<number> = optional(
  schema((issues, path, seconds) => {
    const fits = typeof seconds === 'number' && seconds > 0 && seconds <= WARNING_SECONDS;
    if (fits) return Math.round(seconds * 1000);
    issues.check(false, path, WARNING_RULE);
    return -1;
  }),
  -1,
);

/** The same over HTTP, in whole seconds. The service checks the maximum. */
export const wholeWarning = optional(whole(1));

/** The share of a budget after which the session expires soon. */
export const warnAt = optional(
  checked(number(0, 1), (share) => share > 0, 'must be above 0'),
  0.9,
);

const cursorField = <T>(
  positionIn: (text: string) => T | undefined,
  origin: string,
): Schema<T | undefined> =>
  optional(
    schema((issues, path, value) => {
      // `''` is never a cursor.
      const cursor = positionIn(typeof value === 'string' ? value : '');
      issues.check(cursor !== undefined, path, `must be the cursor of ${origin}`);
      return cursor;
    }),
  );

const watchCursor = cursorField((text) => parseWatchCursor(text) && text, 'an item of a watch');

const watchFields = { signal, onOpen: listener, leases: onOrOff };

const watchOptions = object({
  cursor: watchCursor,
  ...watchFields,
  warnBefore,
  warnAt,
  historyLimit,
});

export const parseWatch: (options: unknown) => Result<SessionWatchSettings, InvalidInput> = inputOf(
  'options',
  watchOptions,
);

const watchAllOptions = object({
  cursor: cursorField(parsePosition, 'an item of watchAll or of a page'),
  ...watchFields,
  entries: onOrOff,
  sessions: onOrOff,
});

export const parseWatchAll: (options: unknown) => Result<TenantWatchSettings, InvalidInput> =
  inputOf('options', watchAllOptions);
