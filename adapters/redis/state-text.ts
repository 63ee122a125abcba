import type { StateRecord } from '../../src/session/record.js';
import { acceptsHistoryUntil } from '../../src/session/timeline.js';
import type { EndReason } from '../../src/status.js';

/**
 * The state as plain text, so that a script can read it without JSON:
 *
 *     1 <revision> <open until> <status> <since> <active ms> <limit ms> <deadline> <end reason> <operations>|<writes>
 *
 * First the version of this format. Times are milliseconds; `open until` is when history is accepted no more.
 * Operations are those that callers named, newest first, with commas. What is behind the bar belongs to the scripts:
 * the last writes, by which they recognise one that arrives twice.
 */
const format =
  /^1 ([1-9]\d{0,15}) \d{1,16} (IDLE|ACTIVE|PAUSED|TERMINATED) (\d{1,16}) (\d{1,16}) (\d{1,16}) (\d{1,16}) (-|terminated|failed|time_limit|idle_timeout) ([\w.~:,-]*)\|[\w,-]*$/;

/** Stands for `Infinity`: a script compares it as it compares any time, and no time reaches it. */
const NEVER = Number.MAX_SAFE_INTEGER;

const toText = (ms: number): string => String(ms === Number.POSITIVE_INFINITY ? NEVER : ms);
const fromText = (text: string | undefined): number => {
  const ms = Number(text);
  return ms === NEVER ? Number.POSITIVE_INFINITY : ms;
};

/** The text up to the bar. */
export const encodeState = (state: StateRecord): string => {
  const { revision, status, since, activeMs, limitMs, deadline, operations } = state;
  const endReason = state.status === 'TERMINATED' ? state.endReason : '-';
  return (
    `1 ${revision} ${toText(acceptsHistoryUntil(state))} ${status} ${since} ${activeMs} ${toText(limitMs)} ` +
    `${toText(deadline)} ${endReason} ${operations.join(',')}|`
  );
};

const isEndReason = (text: string | undefined): text is EndReason => text !== undefined && text !== '-';

/** The state, or nothing if the text is not one. */
export const decodeState = (text: string): StateRecord | undefined => {
  const fields = format.exec(text);
  if (fields === null) return undefined;
  const [, revision, status, since, activeMs, limitMs, deadline, endReason, operations] = fields;
  const phase = {
    revision: Number(revision),
    since: Number(since),
    activeMs: Number(activeMs),
    limitMs: fromText(limitMs),
    deadline: fromText(deadline),
    operations: operations ? operations.split(',') : [],
  };
  if (status === 'TERMINATED') return isEndReason(endReason) ? { status, ...phase, endReason } : undefined;
  const live = status === 'IDLE' || status === 'ACTIVE' || status === 'PAUSED';
  return live && endReason === '-' ? { status, ...phase } : undefined;
};
