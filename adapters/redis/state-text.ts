import type { StateRecord } from '../../src/session/record.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import { isEndReason } from '../../src/status.js';

/**
 * The state as plain text, so that a script can read it without JSON:
 *
 *     1 <revision> <open until> <status> <since> <active ms> <limit ms> <deadline> <end reason> <operations>
 *     |<birth>|<sequence>|<writes>
 *
 * First the version of this format. Times are milliseconds; `open until` is when history is accepted no more.
 * Operations are those that callers named, newest first, with commas. What is behind the first bar belongs to the
 * scripts, and is on the same line: the id of the write that created the session, the number of the last change of the
 * state, and the last writes, by which they recognise one that arrives twice, each with its number and the first letter
 * of the status before it. In place of the state of a session that was removed stands `gone|<birth>|<sequence>|<writes>`
 * for a while.
 *
 * Every page decodes as many states as it has sessions: plain code does it in half of a regular expression's time.
 */

/** Stands for `Infinity`: a script compares it as it compares any time, and no time reaches it. */
export const NEVER = Number.MAX_SAFE_INTEGER;

const toText = (ms: number): string => String(ms === Number.POSITIVE_INFINITY ? NEVER : ms);

/** A whole number written in decimal digits alone; NaN for any other text. */
const wholeOf = (text: string | undefined): number => {
  if (text === undefined || text === '' || text.length > 16) return Number.NaN;
  let value = 0;
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
};

const spanOf = (text: string | undefined): number => {
  const ms = wholeOf(text);
  return ms === NEVER ? Number.POSITIVE_INFINITY : ms;
};

/** Whether this is what a removal has left. */
export const isGone = (text: string): boolean => text.startsWith('gone|');

/** The text up to the first bar. */
export const encodeState = (state: StateRecord): string => {
  const { revision, status, since, activeMs, limitMs, deadline, operations } = state;
  const endReason = state.status === 'TERMINATED' ? state.endReason : '-';
  return (
    `1 ${revision} ${toText(acceptsHistoryUntil(state))} ${status} ${since} ${activeMs} ${toText(limitMs)} ` +
    `${toText(deadline)} ${endReason} ${operations.join(',')}|`
  );
};

const operationIds = /^[\w.~:-]+(?:,[\w.~:-]+)*$/;
const none: readonly string[] = Object.freeze([]);

/** The state, or nothing if the text is not one. */
export const decodeState = (text: string): StateRecord | undefined => {
  const fields = text.slice(0, text.indexOf('|') + 1).split(' ');
  const [version, , , status, , , , , endReason, named] = fields;
  if (version !== '1' || named === undefined || fields.length > 10) return undefined;
  const ids = named.slice(0, -1);
  if (ids !== '' && !operationIds.test(ids)) return undefined;
  const revision = wholeOf(fields[1]);
  const since = wholeOf(fields[4]);
  const activeMs = wholeOf(fields[5]);
  const limitMs = spanOf(fields[6]);
  const deadline = spanOf(fields[7]);
  // What is no number makes the sum none.
  const sum = wholeOf(fields[2]) + since + activeMs + limitMs + deadline;
  if (Number.isNaN(sum) || !(revision >= 1)) return undefined;
  const operations = ids === '' ? none : Object.freeze(ids.split(','));
  if (status === 'TERMINATED') {
    if (!isEndReason(endReason)) return undefined;
    return { status, revision, since, activeMs, limitMs, deadline, operations, endReason };
  }
  const live = status === 'IDLE' || status === 'ACTIVE' || status === 'PAUSED';
  if (!live || endReason !== '-') return undefined;
  return { status, revision, since, activeMs, limitMs, deadline, operations };
};

/** The last change that a state text knows of: of which session, its number, and the first letter of the status before. */
export const lastChange = (
  text: string,
): { readonly birth: string; readonly sequence: number; readonly before: string | undefined } => {
  const birth = text.indexOf('|') + 1;
  const number = text.indexOf('|', birth) + 1;
  const writes = text.indexOf('|', number) + 1;
  const [, , before] = text.slice(writes, text.indexOf(',', writes)).split(':');
  return { birth: text.slice(birth, number - 1), sequence: wholeOf(text.slice(number, writes - 1)), before };
};
